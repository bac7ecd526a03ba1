"""Branches, calls, returns, traps, and the register window."""

from __future__ import annotations

from inst.isa.rows import crossed

INTEGER_BRANCHES = crossed(
    "b{e!ne,z!nz,eq!ne,g!le,gt!le,ge!l,lt!ge,gu!leu,cc!cs,geu!lu,pos!neg,vc!vs} | | conditional",
    """
    | target    | plain uses:icc
    | cs,target | predicted
    """,
)
FLOAT_BRANCHES = crossed(
    "fb{e!ne,z!nz,u!o,g!ule,ug!le,l!uge,ul!ge,lg!ue} | | conditional",
    """
    | target     | plain uses:fcc0
    | fcs,target | predicted
    """,
)

BRANCHES = """
    cb{0!123,1!023,2!013,3!012,01!23,02!13,03!12}
    cb{e!ne,f!nf,ef!nef,r!nr,er!ner,fr!nfr,efr!nefr}
                                | target           | plain conditional uses:coprocessor
    {b,fb,cb}{,a}               | target           | plain
    {b,fb}{,a}                  | cc,target         | predicted
    {b,fb,cb}n                  | target           | plain never
    {b,fb}n                     | cc,target         | predicted never
    br{z!nz,lez!gz,lz!gez}      | s,target         | predicted conditional reach:128K
    c{w,x}b{e!ne,z!nz,g!le,ge!l,gu!leu,cc!cs,geu!lu,pos!neg,vc!vs}
                                | s,si,target      | branch conditional reach:2K
"""

# A call of a place relative to itself is no call: it puts the pc into %o7 and goes on there, so no
# convention about clobbered registers holds. Trap handlers return to any code: every register is
# live there.
CALLS = """
    call                        | here,i?          | branch slot pc defs:o7
    call                        | target,i? ; address,i? | call slot defs:o7
    jmpl                        | return,=g0       | return slot
    jmpl                        | address,=o7      | call slot defs:o7
    jmpl                        | address,d        | jump slot
    jmp                         | return           | return slot
    jmp                         | address          | jump slot
    ret                         |                  | return slot uses:i7
    retl                        |                  | return slot uses:o7
    return rett                 | address          | return slot window:-1
    done retry                  |                  | jump uses:privileged
"""

# The window moves between an instruction's reads and its writes: `uses` are names in the
# window before it, `defs` names in the window after it.  The registers themselves are
# renamed by `window`: after a save the old %o are %i, after a restore the old %i are %o.
WINDOW = """
    save                        | s,si,d ; i,s,d ; | window:1
    restore                     | s,si,d ;         | window:-1
    flushw                      |                  |
    saved restored allclean otherw normalw invalw | | uses:privileged defs:privileged
"""

SYSTEM_TRAPS = (0x10, 0x6D)
"""Linux's system calls of 32-bit and 64-bit programs."""
GET_CONTEXT = 0x6E
"""Linux's trap that stores the registers, for 64-bit programs; 0x6f sets them again, and goes on
after this one."""

TRAPS = """
    t{,a}                       | address ; cc,address | trap kernel system
    tn                          | address ; cc,address |
    t{e,ne,z,nz,eq,g,le,gt,ge,l,lt,gu,leu,cc,cs,geu,lu,pos,neg,vc,vs}
                                | address ; cs,address | trap kernel conditional
    unimp illtrap               | i?               | data
    sir pause                   | i                |
    mwait                       | si               |
"""

TABLES = (INTEGER_BRANCHES, FLOAT_BRANCHES, BRANCHES, CALLS, WINDOW, TRAPS)
