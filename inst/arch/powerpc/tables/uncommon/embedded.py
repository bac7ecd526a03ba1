"""Embedded processors: Book E, e500 and e500mc, e6500, 403 to 476, A2, Titan.

Sources: Power ISA 2.07, book III-E; EREF (Freescale, rev. 1); PowerPC 405 and 440 user's manuals,
chapter "Instruction set"; A2 processor user's manual, 12; Xilinx UG200 (FCM and FSL).
"""

from __future__ import annotations

# The same name takes other operands on other processors: tlbsx leaves its index in a register (4xx)
# or in the MAS registers (e500), tlbre and tlbwe name an entry or take it from there.
TRANSLATION = """
    tlbre                                 |           |
    tlbwe                                 |           | event:tlbi
    tlbre                                 | d,s,i     |
    tlbwe                                 | s,s,i     | event:tlbi
    tlbre{hi,lo}                          | d,s       |
    tlbwe{hi,lo}                          | d,s       | event:tlbi
    tlbsx                                 | z,s       |
    tlbivax                               | z,s       | event:tlbi
    tlbsx                                 | d,z,s     |
    tlbsx. tlbsrx.                        | z,s       | defs:cr0
    tlbsx.                                | d,z,s     | defs:cr0
    tlbilx                                | i,z,s     | event:tlbi
    eratilx                               | i,z,s     |
    tlbilxva                              | z,s       | event:tlbi
    tlbilxlpid tlbilxpid                  |           | event:tlbi
    eratsx                                | d,z,s     |
    eratsx.                               | d,z,s     | defs:cr0
    eratre                                | d,s,i     |
    eratwe                                | s,s,i     |
    erativax                              | s,z,s     |
"""

SYSTEM = """
    rfdi rfmci rfgi                       |           | resume
    ehpriv                                |           | trap conditional
    dnh                                   | i,i       | trap conditional
    dni                                   | i,i       |
    mdors bblels bbelr                    |           |
    mfpmr mftmr mfdcr.                    | d,i       |
    mtpmr mttmr mtdcr.                    | i,s       |
    mfdcrx mfdcrux mfapidi                | d,s       |
    mfdcrx.                               | d,s       | defs:cr0
    mtdcrx mtdcrux                        | s,s       |
    mtdcrx.                               | s,s       | defs:cr0
    dsn                                   | s,s       |
"""

CACHE = """
    dccci iccci                           |           |
    dccci iccci                           | z,s       |
    dci ici                               | i?        |
    icread dcbal                          | z,s       |
    dcread                                | d,z,s     |
    dcb{tstlse,tlse,lce} icb{lce,tlse}    | i,z,s     |
    icblq. dcblq.                         | i,z,s     | defs:cr0
    icblq. dcblq.                         | z,s       | defs:cr0
    icbt dcb{tstls,tls,lc} icb{lc,tls}    | z,s       |
    dcb{tstlse,tlse,lce} icb{lce,tlse}    | z,s       |
    wchkall                               |           | defs:cr0
    wchkall                               | cd        |
    wclrone                               | z,s       |
    wclrall                               | i         |
    wclr                                  | i,z,s     |
    icswepx                               | s,z,s     |
    icswepx.                              | s,z,s     | defs:cr0
    ldawx.                                | d,a,x     | load:8 form:opaque defs:cr0
"""

EXTERNAL = """
    l{b,h,w,d}epx                         | d,z,s     |
    st{b,h,w,d}epx                        | s,z,s     |
    lfdepx                                | fd,z,s    |
    stfdepx                               | fs,z,s    |
    lvepx lvepxl                          | vd,z,s    |
    stvepx stvepxl                        | vs,z,s    |
    evlddepx                              | d,z,s     | uses:upper defs:upper
    evstddepx                             | s,z,s     | uses:upper
    dcb{st,f,z}ep icbiep                  | z,s       |
    dcbt{,st}ep                           | i,z,s     |
"""

# EREF, "Decorated storage": the first register of the address is the decoration, no address.
DECORATED = """
    lbdx lbdcbx                           | d,s,x     | load:1
    lhdx lhdcbx                           | d,s,x     | load:2
    lwdx lwdcbx                           | d,s,x     | load:4
    lddx                                  | d,s,x     | load:8
    lfddx                                 | fd,s,x    | load:8
    stbdx stbdcbx                         | s,s,x     | store:1
    sthdx sthdcbx                         | s,s,x     | store:2
    stwdx stwdcbx                         | s,s,x     | store:4
    stddx                                 | s,s,x     | store:8
    stfddx                                | fs,s,x    | store:8
"""

# e6500: how much these move depends on the address.
VECTOR = """
    mviwsplt mvidsplt                     | vd,s,s    |
    lvexbx                                | vm,a,x    | load:1 form:opaque
    lvexhx                                | vm,a,x    | load:2 form:opaque
    lvexwx                                | vm,a,x    | load:4 form:opaque
    stvexbx                               | vs,a,x    | store:1 form:opaque
    stvexhx                               | vs,a,x    | store:2 form:opaque
    stvexwx                               | vs,a,x    | store:4 form:opaque
    lvt{r,l}x lvt{r,l}xl                  | vd,a,x    | load:0 form:opaque
    stvf{r,l}x stvf{r,l}xl                | vs,a,x    | store:0 form:opaque
    lvswx lvswxl                          | vd,a,x    | load:16 form:opaque align:16
    stvswx stvswxl                        | vs,a,x    | store:16 form:opaque align:16
    lvsm                                  | vd,z,s    |
"""

MULTIPLY = """
    {,n}mac{ch,hh,lh}w[o][.] {,n}mac{ch,hh,lh}ws[o][.] | m,s,s |
    mac{ch,hh,lh}w{,s}u[o][.]             | m,s,s     |
    mul{ch,hh,lh}w{,u}[.]                 | d,s,s     |
    dlmzb[.]                              | d,s,s     | uses:xer defs:xer
"""

# What a fabric coprocessor does is its designer's: no more is known than the operands.
FABRIC = """
    {get,cget}                            | d,i       |
    {nget,ncget}                          | d,i       | defs:ca
    {put,cput}                            | s,i       |
    {nput,ncput}                          | s,i       | defs:ca
    udi{0,1,2,3,4,5,6,7}fcm[.]            | em,e,e    |
    udi{8,9,10,11,12,13,14,15}fcm[.]      | em,e,e    |
    lbfcmx                                | i,a,x     | load:1 form:opaque
    lhfcmx                                | i,a,x     | load:2 form:opaque
    lwfcmx                                | i,a,x     | load:4 form:opaque
    ldfcmx                                | i,a,x     | load:8 form:opaque
    lqfcmx                                | i,a,x     | load:16 form:opaque
    stbfcmx                               | i,a,x     | store:1 form:opaque
    sthfcmx                               | i,a,x     | store:2 form:opaque
    stwfcmx                               | i,a,x     | store:4 form:opaque
    stdfcmx                               | i,a,x     | store:8 form:opaque
    stqfcmx                               | i,a,x     | store:16 form:opaque
    lbfcmux                               | i,au,x    | load:1 form:opaque
    lhfcmux                               | i,au,x    | load:2 form:opaque
    lwfcmux                               | i,au,x    | load:4 form:opaque
    ldfcmux                               | i,au,x    | load:8 form:opaque
    lqfcmux                               | i,au,x    | load:16 form:opaque
    stbfcmux                              | i,au,x    | store:1 form:opaque
    sthfcmux                              | i,au,x    | store:2 form:opaque
    stwfcmux                              | i,au,x    | store:4 form:opaque
    stdfcmux                              | i,au,x    | store:8 form:opaque
    stqfcmux                              | i,au,x    | store:16 form:opaque
"""

TABLES = (TRANSLATION, SYSTEM, CACHE, EXTERNAL, DECORATED, VECTOR, MULTIPLY, FABRIC)
