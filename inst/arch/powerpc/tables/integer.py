"""Integer arithmetic, logic, shifts, compares, the condition register, moves and traps."""

from __future__ import annotations

ARITHMETIC = """
    add[o][.] subf[o][.] sub[o][.]                        | d,s,s   |
    mullw[o][.] mulld[o][.]                               | d,s,s   |
    div{w,wu,d,du,we,weu,de,deu}[o][.]                    | d,s,s   |
    mulh{w,wu,d,du}[.] mod{s,u}{w,d}                      | d,s,s   |
    maddhd maddhdu maddld                                 | d,s,s,s |
    neg[o][.]                                             | d,s     |
    addc[o][.] subfc[o][.] subc[o][.]                     | d,s,s   | defs:ca
    adde[o][.] subfe[o][.]                                | d,s,s   | uses:ca defs:ca
    add{ze,me}[o][.] subf{ze,me}[o][.]                    | d,s     | uses:ca defs:ca
    addex                                                 | d,s,s,i | uses:xer defs:xer recorded
    addi addis subi subis                                 | d,z,i   |
    addic subfic subic                                    | d,s,i   | defs:ca
    addic. subic.                                         | d,s,i   | defs:ca,cr0
    mulli                                                 | d,s,i   |
    li lis                                                | d,i     |
    la                                                    | d,mem   |
    isel                                                  | d,z,s,bs |
    isel{lt,gt,eq}                                        | d,z,s   | uses:cr0
    cmpb                                                  | d,s,s   |
    setb                                                  | d,cs    |
    addpcis subpcis                                       | d,i     |
    lnia                                                  | d       |
"""

LOGIC = """
    {and,or,xor,nand,nor,andc,orc,eqv}[.]                 | d,s,s   |
    ori oris xori xoris                                   | d,s,i   |
    andi. andis.                                          | d,s,i   | defs:cr0
    mr[.] not[.] ext{sb,sh,sw}[.]                         | d,s     |
    cnt{l,t}z{w,d}[.]                                     | d,s     |
    popcnt{b,w,d} prty{w,d}                               | d,s     |
    bpermd                                                | d,s,s   |
    nop xnop yield mdoio mdoom miso                       |         |
"""

SHIFTS = """
    {sl,sr}{w,d}[.] rotl{w,d}[.]                          | d,s,s   |
    sra{w,d}[.]                                           | d,s,s   | defs:ca
    sra{w,d}i[.]                                          | d,s,i   | defs:ca
    s{l,r}{w,d}i[.] rot{l,r}{w,d}i[.] clr{l,r}{w,d}i[.]   | d,s,i   |
    ext{l,r}{w,d}i[.] clrlsl{w,d}i[.]                     | d,s,i,i |
    ins{l,r}wi[.] insrdi[.]                               | m,s,i,i |
    rlwinm[.]                                             | d,s,i,i,i? |
    rlwnm[.]                                              | d,s,s,i,i? |
    rlwimi[.]                                             | m,s,i,i,i? |
    rldicl[.] rldicr[.] rldic[.]                          | d,s,i,i |
    rldimi[.]                                             | m,s,i,i |
    rldcl[.] rldcr[.]                                     | d,s,s,i |
    extswsli[.]                                           | d,s,i   |
"""

COMPARES = """
    cmp{w,d} cmpl{w,d}                                    | cd?,s,s  |
    cmp{w,d}i cmpl{w,d}i                                  | cd?,s,i  |
    cmp cmpl                                              | cd,i?,s,s |
    cmpi cmpli                                            | cd,i?,s,i |
    cmpeqb                                                | cd,s,s   |
    cmprb                                                 | cd,i,s,s |
"""

CONDITION_REGISTER = """
    cr{and,or,xor,nand,nor,eqv,andc,orc}                  | bm,bs,bs |
    crset crclr                                           | bm       |
    crnot crmove                                          | bm,bs    |
    mcrf                                                  | cd,cs    |
    mtcrf mtocrf                                          | fxmd,s   |
    mtcr                                                  | s        | defs:cr0-cr7
    mfcr                                                  | d        | uses:cr0-cr7
    mfcr mfocrf                                           | d,fxms   |
    mcrxr                                                 | cd       | uses:xer,ca defs:xer,ca
    mcrxrx                                                | cd       | uses:xer,ca
"""

MOVES = """
    mflr                                                  | d        | uses:lr
    mtlr                                                  | s        | defs:lr
    mfctr                                                 | d        | uses:ctr
    mtctr                                                 | s        | defs:ctr
    mfxer                                                 | d        | uses:xer,ca
    mtxer                                                 | s        | defs:xer,ca
    mfspr                                                 | d,sprs   |
    mtspr                                                 | sprd,s   | event:sysreg
    mftb                                                  | d,i?     |
    mftb{u,l} mfvrsave mfmsr mfpvr mfdec mfdsisr mfdar    | d        |
    mfsrr{0,1} mfsprg{0,1,2,3,4,5,6,7} mfcfar mfppr       | d        |
    mtvrsave mtdec mtdsisr mtdar mtsrr{0,1} mtppr         | s        |
    mtsprg{0,1,2,3,4,5,6,7}                               | s        |
    mtmsr mtmsrd                                          | s,i?     | event:sysreg
    mfsr                                                  | d,i      |
    mtsr                                                  | i,s      |
    wrtee                                                 | s        | event:sysreg
    wrteei                                                | i        | event:sysreg
    mfdcr                                                 | d,i      |
    mtdcr                                                 | i,s      |
    darn                                                  | d,i      |
"""

POWER10 = """
    setbc setbcr setnbc setnbcr                           | d,bs    |
    paddi psubi                                           | d,z,i,rel? | length:8
    pla                                                   | d,pmem,rel? | length:8
    pli                                                   | d,i     | length:8
    brh brw brd                                           | d,s     |
    cfuged pdepd pextd cntlzdm cnttzdm                    | d,s,s   |
"""

TRAPS = """
    tw td                                                 | i,s,s    | trap conditional
    twi tdi                                               | i,s,i    | trap conditional
    t{w,d}{lt,le,eq,ge,gt,nl,ne,ng,llt,lle,lge,lgt,lnl,lng} t{w,d}u    | s,s | trap conditional
    t{w,d}{lt,le,eq,ge,gt,nl,ne,ng,llt,lle,lge,lgt,lnl,lng}i t{w,d}ui  | s,i | trap conditional
    trap                                                  |          | trap conditional
"""

SYSTEM_CALLS = """
    sc |    | trap conditional system kernel
    sc | i  | trap conditional kernel
"""

TABLES = (
    ARITHMETIC,
    LOGIC,
    SHIFTS,
    COMPARES,
    CONDITION_REGISTER,
    MOVES,
    POWER10,
    TRAPS,
    SYSTEM_CALLS,
)
