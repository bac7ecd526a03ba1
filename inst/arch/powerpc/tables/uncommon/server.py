"""POWER5 to POWER10: decimal integers, transactions, messages, translation, copy and paste."""

from __future__ import annotations

from inst.arch.powerpc.tables import branches
from inst.isa.rows import crossed

INTEGER = """
    addg6s                                | d,s,s     | recorded
    cdtbcd cbcdtd                         | d,s       | recorded
    bcdadd. bcdsub.                       | vd,vs,vs,i | defs:cr6 recorded
    bcdcpsgn. bcdus. bcdutrunc.           | vd,vs,vs  | defs:cr6 recorded
    bcds. bcdtrunc. bcdsr.                | vd,vs,vs,i | defs:cr6 recorded
    bcdctsq. bcdctn.                      | vd,vs     | defs:cr6 recorded
    bcdc{fsq,tz,fz,fn}. bcdsetsgn.        | vd,vs,i   | defs:cr6 recorded
    xvtlsbb                               | cd,xs     |
    fre[.1] fres[.1] frsqrte[.1] frsqrtes[.1] | fd,fs,i | uses:fpscr defs:fpscr recorded
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
    scv | i | trap conditional system uses:r0-r9 defs:r0,r3-r12,lr,ctr,cr0-cr1,cr5-cr7,xer,ca
    attn                                  |           | trap conditional
    rfid hrfid rfscv urfid                |           | resume
    rfebb                                 | i?        | resume
    doze nap sleep rvwinkle stop exser    |           |
    cctp{l,m,h} db{8,10,12,16}cyc         |           |
    waitasec waitrsv waitimpl pause_short |           |
    wait                                  | i,i       |
    phwsync plwsync                       |           | event:barrier
    st{ncisync,cisync,sync} slbsync msgsync |         |
    sync                                  | i,i       | event:barrier
    pnop                                  |           | length:8
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
    slbie slbia                           | s         | event:tlbi
    slbieg                                | s,s       |
    slbmte                                | s,s       | event:tlbi
    slbiag                                | s,i?      |
    slbmfe{v,e}                           | d,s,i?    |
    slbfee.                               | d,s       | defs:cr0
    tlbie                                 | s,s,i,i,i | event:tlbi
    tlbie                                 | s,s,i     | event:tlbi
    tlbiel                                | s,i?      | event:tlbi
    tlbiel                                | s,s,i,i,i | event:tlbi
    tlbl{d,i}                             | s         |
    dcb{fps,stps,na}                      | z,s       |
    dclz                                  | a,x       | store:0 form:block
"""

# Branches to the target address register of POWER8 (book I, 2.3). GNU as has no names for
# hints on those that count and test.
TARGET_REGISTER = """
    tar                                   |           | jump uses:tar
    tarl                                  |           | call uses:tar defs:lr
"""
UNHINTED = """
    b@                                    | i?        |
    b{dnz!dz}@{,+!-}                      | i?        | conditional uses:ctr defs:ctr
    bd{nz,z}{t,f}@                        | bs,i?     | conditional uses:ctr defs:ctr
"""

TABLES = (
    INTEGER,
    ATOMICS,
    HASHES,
    PAIRS,
    TRANSACTIONS,
    SYSTEM,
    TRANSLATION,
    crossed(branches.INDIRECT + UNHINTED, TARGET_REGISTER),
)
