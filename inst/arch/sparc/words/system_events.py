"""The instruction words of system events: the one table, rendered to C for the runtimes.

Which instructions are events, the instruction tables say (`event:` of `inst.isa.rows`) and, for
stores, `inst.arch.sparc.tables.spaces`. Source: The SPARC Architecture Manual, version 8, B.7,
B.30, B.32.
"""

from __future__ import annotations

from typing import Any

from inst.arch.sparc.tables.spaces import FLUSH, FLUSHED, REGISTER_NAMES, REGISTERS

BARRIERS = (
    ("stbar", 0xFFFFFFFF, 0x8143C000),
    ("membar", 0xFFFFE000, 0x8143E000),
    ("flush", 0xC1F80000, 0x81D80000),
)
"""Mnemonic, mask and value of the word."""
STACK_LDSTUB = (0xC1FFFFFF, 0xC06BBFFF)
"""Mask and value of `ldstub [%sp-1]`, SPARC V8's full barrier as GCC makes it: no event."""


def tables() -> dict[str, Any]:
    """Return what the template of the C tables is rendered with."""
    return {
        "barriers": BARRIERS,
        "flush": FLUSH,
        "registers": REGISTERS,
        "flushed": FLUSHED,
        "register_names": REGISTER_NAMES,
    }


def names() -> frozenset[str]:
    """Return what traces call the instructions, and the registers that they write."""
    return frozenset({*(name for name, _, _ in BARRIERS), *FLUSHED, *REGISTER_NAMES})
