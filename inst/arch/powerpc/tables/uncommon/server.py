"""POWER5 to POWER10: decimal integers, transactions, messages, translation, copy and paste."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inst.arch.powerpc.tables.branches import Destination, branch_rows
from inst.arch.powerpc.tables.registers import BIT, mask_of
from inst.arch.powerpc.tables.rows import Row
from inst.isa.model import Transfer

INTEGER = """
    addg6s                                | d,s,s     |
    cdtbcd cbcdtd                         | d,s       |
    bcdadd. bcdsub.                       | vd,vs,vs,i | defs:cr6
    bcdcpsgn. bcdus. bcdutrunc.           | vd,vs,vs  | defs:cr6
    bcds. bcdtrunc. bcdsr.                | vd,vs,vs,i | defs:cr6
    bcdctsq. bcdctn.                      | vd,vs     | defs:cr6
    bcdc{fsq,tz,fz,fn}. bcdsetsgn.        | vd,vs,i   | defs:cr6
    xvtlsbb                               | cd,xs     |
    fre[.1] fres[.1] frsqrte[.1] frsqrtes[.1] | fd,fs,i | uses:fpscr defs:fpscr
    mffgpr                                | fd,s      |
    mftgpr                                | d,fs      |
"""

# Book II, 4.5: the memory's old value is returned; RT+1 and RT+2 are operands of the operation.
ATOMICS = """
    lwat                                  | dthree,a,i | atomic:4 form:opaque
    ldat                                  | dthree,a,i | atomic:8 form:opaque
    stwat                                 | s,a,i     | atomic:4 form:opaque
    stdat                                 | s,a,i     | atomic:8 form:opaque
    copy                                  | a,x       | load:128 form:opaque
    paste.                                | a,x,i?    | store:128 form:opaque defs:cr0
    cpabort                               |           |
"""

# Book I, 3.3.17: the stored value is a digest that only the processor can compute.
HASHES = """
    hashst hashstp                        | s,mem     | store:8 form:opaque
    hashchk hashchkp                      | s,mem     | load:8 form:opaque
"""

PAIRS = """
    lfdp                                  | fdpair,mem | load:16 form:opaque
    stfdp                                 | fspair,mem | store:16 form:opaque
    lfdpx                                 | fdpair,a,x | load:16 form:opaque
    stfdpx                                | fspair,a,x | store:16 form:opaque
    lxvr{l,ll}                            | xd,a,s    | load:0 form:opaque
    stxvr{l,ll}                           | xs,a,s    | store:0 form:opaque
    lxvpr{l,ll}                           | xdpair,a,s | load:0 form:opaque
    stxvpr{l,ll}                          | xspair,a,s | store:0 form:opaque
"""

TRANSACTIONS = """
    tendall. trechkpt.                    |           | defs:cr0
    tabort{w,d}c.                         | i,s,s     | defs:cr0
    tabort{w,d}ci.                        | i,s,i     | defs:cr0
    treclaim.                             | s         | defs:cr0
"""

SYSTEM = """
    scv | i | trap uses:r0-r9 defs:r0,r3-r12,lr,ctr,cr0-cr1,cr5-cr7,xer,ca
    attn                                  |           | trap
    rfid hrfid rfscv urfid                |           | return
    rfebb                                 | i?        | return
    doze nap sleep rvwinkle stop exser    |           |
    cctp{l,m,h} db{8,10,12,16}cyc         |           |
    waitasec waitrsv waitimpl pause_short |           |
    wait                                  | i,i       |
    phwsync plwsync st{ncisync,cisync,sync} slbsync msgsync |    |
    sync                                  | i,i       |
    pnop                                  |           | prefixed
    clrbhrb                               |           |
    msg{snd,clr} msg{snd,clr}{u,p}        | s         |
    rmieg                                 | s         |
    pbt.                                  | s,z,s     | defs:cr0
    icswx                                 | s,z,s     |
    icswx.                                | s,z,s     | defs:cr0
    l{b,h,w}zcix ldcix                    | d,z,s     |
    st{b,h,w,d}cix                        | s,z,s     |
    lv{l,r}x lv{l,r}xl                    | vd,a,x    | load:0 form:opaque
    stv{l,r}x stv{l,r}xl                  | vs,a,x    | store:0 form:opaque
"""

TRANSLATION = """
    slbie slbia                           | s         |
    slbieg slbmte                         | s,s       |
    slbiag                                | s,i?      |
    slbmfe{v,e}                           | d,s,i?    |
    slbfee.                               | d,s       | defs:cr0
    tlbie                                 | s,s,i,i,i |
    tlbie                                 | s,s,i     |
    tlbiel                                | s,i?      |
    tlbiel                                | s,s,i,i,i |
    tlbl{d,i}                             | s         |
    dcb{fps,stps,na}                      | z,s       |
    dclz                                  | a,x       | store:0 form:block
"""

TABLES = (INTEGER, ATOMICS, HASHES, PAIRS, TRANSACTIONS, SYSTEM, TRANSLATION)

TARGET_REGISTER = (
    Destination("tar", Transfer.JUMP, uses=BIT["tar"]),
    Destination("tarl", Transfer.CALL, uses=BIT["tar"], defs=BIT["lr"]),
)
"""Branches to the target address register of POWER8 (book I, 2.3)."""

NO_HINT = re.compile(r"bdn?z[ft]tarl?[+-]")
"""What would be their hints on branches that count and test: GNU as has no names for these."""


def branches() -> Iterator[Row]:
    """Yield branches to the target register, and all branches to registers with a hint operand."""
    targets = [row for row in branch_rows(TARGET_REGISTER) if not NO_HINT.fullmatch(row.mnemonic)]
    yield from targets
    yield from with_hint_operand([*branch_rows(), *targets])


def with_hint_operand(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows again for branches to registers whose last operand is the hint BH.

    A condition field may only be left out if the hint is, too; `bclr` and its family always may
    have it.
    """
    for row in rows:
        general = row.roles[:1] == ("option",)
        to_register = row.roles[-1:] != ("target",)
        of_field_0 = not row.roles and row.facts.uses & mask_of(("cr0",))
        if to_register and not general and not of_field_0:
            yield Row(row.mnemonic, (*row.roles, "i"), row.facts)
