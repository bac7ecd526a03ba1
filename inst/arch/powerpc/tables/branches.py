"""Branches in all their spellings: conditions, each with all of its destinations."""

from __future__ import annotations

from inst.isa.rows import crossed

DIRECT = """
    b{lt!ge,gt!le,eq!ne,so!ns,un!nu,nl!lt,ng!gt}@{,+!-} | cs? | conditional
    b{t!f}@{,+!-}             | bs             | conditional
    b{dnz!dz}@{,+!-}          |                | conditional uses:ctr defs:ctr
    bd{nz,z}{t,f}@{,+,-}      | bs             | conditional uses:ctr defs:ctr
    bc@{,+,-}                 | option,bit     | conditional
"""
"""Of `bc`, the first operand says what is tested, the second which bit."""

# The last operand is the hint BH: a condition field may only be left out if the hint is, too.
INDIRECT = """
    b{lt!ge,gt!le,eq!ne,so!ns,un!nu,nl!lt,ng!gt}@{,+!-} | cs? ; cs,i | conditional
    b{t!f}@{,+!-}             | bs,i?          | conditional
    bc@{,+,-}                 | option,bit,i?  | conditional
"""
COUNTING = """
    b{dnz!dz}@{,+!-}          | i?             | conditional uses:ctr defs:ctr
    bd{nz,z}{t,f}@{,+,-}      | bs,i?          | conditional uses:ctr defs:ctr
"""
"""Decrement and test ctr, so they cannot branch to it."""

# Code growth does not change whether the absolute forms reach.
PLACES = """
                              | target         | branch reach:32K
    l                         | target         | call defs:lr reach:32K
    a                         | target         | branch
    la                        | target         | call defs:lr
"""
LINK = """
    lr                        |                | return uses:lr
    lrl                       |                | call uses:lr defs:lr
"""
COUNTER = """
    ctr                       |                | jump uses:ctr
    ctrl                      |                | call uses:ctr defs:lr
"""
ALWAYS = """
    b                         | target         | branch reach:32M
    bl                        | target         | call defs:lr reach:32M
    ba                        | target         | branch
    bla                       | target         | call defs:lr
"""

TABLES = (
    ALWAYS,
    crossed(DIRECT, PLACES),
    crossed("b@ | i? |", LINK + COUNTER),
    crossed(INDIRECT, LINK + COUNTER),
    crossed(COUNTING, LINK),
)
