"""POWER and PowerPC 601 (POWER Processor Architecture, 1991; PowerPC 601 user's manual, 10.6).

Most are old names of today's instructions.  `mq` is the multiplier-quotient register.
"""

from __future__ import annotations

from inst.arch.powerpc.tables.branches import PLACES
from inst.isa.rows import crossed

ARITHMETIC = """
    a[o][.] sf[o][.]                      | d,s,s     | defs:ca
    ae[o][.] sfe[o][.]                    | d,s,s     | uses:ca defs:ca
    {a,sf}{ze,me}[o][.]                   | d,s       | uses:ca defs:ca
    cax[o][.] doz[o][.]                   | d,s,s     |
    ai sfi                                | d,s,i     | defs:ca
    ai.                                   | d,s,i     | defs:ca,cr0
    dozi                                  | d,s,i     |
    cal                                   | d,mem     |
    cau                                   | d,z,i     |
    lil liu                               | d,i       |
    muli                                  | d,s,i     | defs:mq
    muls[o][.] mul[o][.]                  | d,s,s     | defs:mq
    div[o][.]                             | d,s,s     | uses:mq defs:mq
    divs[o][.]                            | d,s,s     | defs:mq
    abs[o][.] nabs[o][.]                  | d,s       |
    cntlz[.] exts[.] clcs                 | d,s       |
    oril oriu xoril xoriu                 | d,s,i     |
    andil. andiu.                         | d,s,i     | defs:cr0
    clf tlbi                              | z,s       |
    cli                                   | d,s       |
    dclst                                 | s,s       |
    rac mfsri                          | d,s,s     |
    mtsri                                 | s,s       |
    ics dcs                               |           |
"""

SHIFTS = """
    s{l,r}[.]                             | d,s,s     |
    sra[.]                                | d,s,s     | defs:ca
    srai[.]                               | d,s,i     | defs:ca
    s{l,r}i[.]                            | d,s,i     |
    rlimi[.]                              | m,s,i,i,i? |
    rlinm[.]                              | d,s,i,i,i? |
    rlnm[.]                               | d,s,s,i,i? |
    rlmi[.]                               | m,s,s,i,i? |
    maskg[.]                              | d,s,s     |
    maskir[.] rrib[.]                     | m,s,s     |
    s{l,r}{q,e}[.]                        | d,s,s     | defs:mq
    s{l,r}lq[.] s{l,r}eq[.]               | d,s,s     | uses:mq defs:mq
    s{l,r}iq[.]                           | d,s,i     | defs:mq
    s{l,r}liq[.]                          | d,s,i     | uses:mq defs:mq
    sra{q} srea                           | d,s,s     | defs:mq,ca
    sra{q}. srea.                         | d,s,s     | defs:mq,ca,cr0
    sraiq                                 | d,s,i     | defs:mq,ca
    sraiq.                                | d,s,i     | defs:mq,ca,cr0
"""

MEMORY = """
    l                                     | d,mem     | load:4
    lu                                    | d,memu    | load:4
    lx                                    | d,a,x     | load:4
    lux                                   | d,au,x    | load:4
    st                                    | s,mem     | store:4
    stu                                   | s,memu    | store:4
    stx                                   | s,a,x     | store:4
    stux                                  | s,au,x    | store:4
    lbrx                                  | d,a,x     | load:4 reversed
    stbrx                                 | s,a,x     | store:4 reversed
    lm                                    | dlist,mem | load:0 form:multiple
    stm                                   | slist,mem | store:0 form:multiple
    lsi                                   | string,a,dcount | load:0 form:string
    stsi                                  | string,a,scount | store:0 form:string
    lsx                                   | dany,a,x  | load:0 form:string uses:xer
    stsx                                  | sany,a,x  | store:0 form:string uses:xer
    lscbx                                 | dany,a,x  | load:0 form:opaque uses:xer defs:xer
    lscbx.                                | dany,a,x  | load:0 form:opaque uses:xer defs:xer,cr0
    lfq                                   | fdtwo,mem | load:16 form:opaque
    lfqu                                  | fdtwo,memu | load:16 form:opaque
    lfqx                                  | fdtwo,a,x | load:16 form:opaque
    lfqux                                 | fdtwo,au,x | load:16 form:opaque
    stfq                                  | fstwo,mem | store:16 form:opaque
    stfqu                                 | fstwo,memu | store:16 form:opaque
    stfqx                                 | fstwo,a,x | store:16 form:opaque
    stfqux                                | fstwo,au,x | store:16 form:opaque
"""

FLOATING = """
    fa[.1] fs[.1] fm[.1] fd[.1]           | fd,fs,fs  | uses:fpscr defs:fpscr
    f{,n}m{a,s}[.1]                       | fd,fs,fs,fs | uses:fpscr defs:fpscr
    fcir[.1] fcirz[.1]                    | fd,fs     | uses:fpscr defs:fpscr
"""

TRAPS = """
    t                                     | i,s,s     | trap conditional
    ti                                    | i,s,i     | trap conditional
    t{lgt,llt,eq,lge,lnl,lle,lng,gt,ge,nl,lt,le,ng,ne} tu    | s,s | trap conditional
    t{lgt,llt,eq,lge,lnl,lle,lng,gt,ge,nl,lt,le,ng,ne}i tui  | s,i | trap conditional
    svc svcl                      | i,i,i     | trap conditional kernel
    svca svcla                    | i         | trap conditional kernel
    rfsvc                                 |           | resume
"""

LINK = """
    r                                     |           | return uses:lr
    rl                                    |           | call uses:lr defs:lr
"""
COUNTER = """
    c                                     |           | jump uses:ctr
    cl                                    |           | call uses:ctr defs:lr
"""
TO_LINK = """
    b@                                    | i?        |
    b{lt!ge,gt!le,eq!ne,so!ns,nl!lt,ng!gt}@ | cs? ; cs,i | conditional
    bb{t!f}@                              | bs,i?     | conditional
    bc@                                   | option,bit,i? | conditional
"""
# Today's opposite of bdn still has its old name.
COUNTING = """
    bdn     | target | branch conditional uses:ctr defs:ctr reach:32K inverse:bdz
    bdnl    | target | call conditional uses:ctr defs:ctr,lr reach:32K inverse:bdzl
    bdna    | target | branch conditional uses:ctr defs:ctr inverse:bdza
    bdnla   | target | call conditional uses:ctr defs:ctr,lr inverse:bdzla
"""

TABLES = (
    ARITHMETIC,
    SHIFTS,
    MEMORY,
    FLOATING,
    TRAPS,
    crossed(TO_LINK, LINK),
    crossed("bc@ | option,bit,i? | conditional", COUNTER),
    crossed("bb{t!f}@ | bs | conditional", PLACES),
    COUNTING,
)
