"""Loads, stores, cache management, barriers and transactions."""

from __future__ import annotations

from inst.isa.rows import crossed

STEMS = """
    lbz@         | d  | load:1
    lhz@ lha@    | d  | load:2
    lwz@         | d  | load:4
    lfs@         | fd | load:4
    lfd@         | fd | load:8
    ld@          | d  | load:8
    stb@         | s  | store:1
    sth@         | s  | store:2
    stw@         | s  | store:4
    stfs@        | fs | store:4
    stfd@        | fs | store:8
    std@         | s  | store:8
"""
"""What has displacement and indexed forms, without and with update."""

FORMS = """
                 | mem  |
    u            | memu |
    x            | a,x  |
    ux           | au,x |
"""

INTEGER = """
    lwa                      | d,mem   | load:4
    lwax                     | d,a,x   | load:4
    lwaux                    | d,au,x  | load:4
    lmw                      | dlist,mem   | load:0 form:multiple
    stmw                     | slist,mem   | store:0 form:multiple
    lswi                     | string,a,dcount | load:0 form:string
    stswi                    | string,a,scount | store:0 form:string
    lswx                     | dany,a,x    | load:0 form:string uses:xer
    stswx                    | sany,a,x    | store:0 form:string uses:xer
    lhbrx                    | d,a,x   | load:2 reversed
    lwbrx                    | d,a,x   | load:4 reversed
    eciwx                    | d,a,x   | load:4
    ldbrx                    | d,a,x   | load:8 reversed
    sthbrx                   | s,a,x   | store:2 reversed
    stwbrx                   | s,a,x   | store:4 reversed
    ecowx                    | s,a,x   | store:4
    stdbrx                   | s,a,x   | store:8 reversed
    lq                       | dpair,mem | load:16
    stq                      | spair,mem | store:16
"""

RESERVATIONS = """
    lbarx                    | d,a,x,i? | load:1 form:reserve
    lharx                    | d,a,x,i? | load:2 form:reserve
    lwarx                    | d,a,x,i? | load:4 form:reserve
    ldarx                    | d,a,x,i? | load:8 form:reserve
    lqarx                    | dpair,a,x,i? | load:16 form:reserve
    stbcx.                   | s,a,x   | store:1 form:conditional defs:cr0
    sthcx.                   | s,a,x   | store:2 form:conditional defs:cr0
    stwcx.                   | s,a,x   | store:4 form:conditional defs:cr0
    stdcx.                   | s,a,x   | store:8 form:conditional defs:cr0
    stqcx.                   | spair,a,x | store:16 form:conditional defs:cr0
"""

# The register of these holds an integer in a floating-point register: not lfs and stfs.
FLOAT = """
    lfiwax lfiwzx            | fd,a,x  | load:4 form:special
    stfiwx                   | fs,a,x  | store:4 form:special
"""

# Of vector registers only whole ones are simple to report.
VECTOR = """
    lvx lvxl                 | vd,a,x  | load:16 align:16
    lvebx                    | vm,a,x  | load:1 form:special
    lvehx                    | vm,a,x  | load:2 align:2 form:special
    lvewx                    | vm,a,x  | load:4 align:4 form:special
    stvx stvxl               | vs,a,x  | store:16 align:16
    stvebx                   | vs,a,x  | store:1 form:special
    stvehx                   | vs,a,x  | store:2 align:2 form:special
    stvewx                   | vs,a,x  | store:4 align:4 form:special
    lvsl lvsr                | vd,z,s  |
    lxv{d2,w4,h8,b16,}x      | xd,a,x  | load:16
    lxvdsx lxsdx             | xd,a,x  | load:8 form:special
    lxvwsx                   | xd,a,x  | load:4 form:special
    lxsspx                   | xd,a,x  | load:4 form:special
    lxsiw{a,z}x              | xd,a,x  | load:4 form:special
    lxsihzx                  | xd,a,x  | load:2 form:special
    lxsibzx                  | xd,a,x  | load:1 form:special
    stxv{d2,w4,h8,b16,}x     | xs,a,x  | store:16
    stxsdx                   | xs,a,x  | store:8 form:special
    stxsspx                  | xs,a,x  | store:4 form:special
    stxsiwx                  | xs,a,x  | store:4 form:special
    stxsihx                  | xs,a,x  | store:2 form:special
    stxsibx                  | xs,a,x  | store:1 form:special
    lxv                      | xd,mem  | load:16
    stxv                     | xs,mem  | store:16
    lxsd                     | vd,mem  | load:8 form:special
    lxssp                    | vd,mem  | load:4 form:special
    stxsd                    | vs,mem  | store:8 form:special
    stxssp                   | vs,mem  | store:4 form:special
    lxvl lxvll               | xd,a,s  | load:0 form:special
    stxvl stxvll             | xs,a,s  | store:0 form:special
"""

POWER10 = """
    lxvp                     | xdpair,mem | load:32 form:special
    stxvp                    | xspair,mem | store:32 form:special
    lxvpx                    | xdpair,a,x | load:32 form:special
    stxvpx                   | xspair,a,x | store:32 form:special
    lxvrbx                   | xd,a,x  | load:1 form:special
    lxvrhx                   | xd,a,x  | load:2 form:special
    lxvrwx                   | xd,a,x  | load:4 form:special
    lxvrdx                   | xd,a,x  | load:8 form:special
    stxvrbx                  | xs,a,x  | store:1 form:special
    stxvrhx                  | xs,a,x  | store:2 form:special
    stxvrwx                  | xs,a,x  | store:4 form:special
    stxvrdx                  | xs,a,x  | store:8 form:special
"""

# Eight bytes each; the last operand, if there is one, says whether the address is relative.
PREFIXED = """
    plbz                     | d,pmem,rel?  | load:1 prefixed
    plhz plha                | d,pmem,rel?  | load:2 prefixed
    plwz plwa                | d,pmem,rel?  | load:4 prefixed
    pld                      | d,pmem,rel?  | load:8 prefixed
    plq                      | dpair,pmem,rel? | load:16 prefixed
    plfs                     | fd,pmem,rel? | load:4 prefixed
    plfd                     | fd,pmem,rel? | load:8 prefixed
    plxsd                    | vd,pmem,rel? | load:8 prefixed
    plxssp                   | vd,pmem,rel? | load:4 prefixed
    plxv                     | xd,pmem,rel? | load:16 prefixed
    plxvp                    | xdpair,pmem,rel? | load:32 prefixed
    pstb                     | s,pmem,rel?  | store:1 prefixed
    psth                     | s,pmem,rel?  | store:2 prefixed
    pstw                     | s,pmem,rel?  | store:4 prefixed
    pstd                     | s,pmem,rel?  | store:8 prefixed
    pstq                     | spair,pmem,rel? | store:16 prefixed
    pstfs                    | fs,pmem,rel? | store:4 prefixed
    pstfd                    | fs,pmem,rel? | store:8 prefixed
    pstxsd                   | vs,pmem,rel? | store:8 prefixed
    pstxssp                  | vs,pmem,rel? | store:4 prefixed
    pstxv                    | xs,pmem,rel? | store:16 prefixed
    pstxvp                   | xspair,pmem,rel? | store:32 prefixed
"""

CACHE = """
    dcbz dcbzl               | a,x     | store:0 form:block
    dcbst dcbi dcbfl dcbflp dcba icbi dcbt{ct,ds,t,stt,stct,stds} | z,s |
    dcbf dcbt dcbtst         | z,s     |
    dcbf                     | z,s,i   |
    dcbt dcbtst              | e,e,e   |
    dcbtct dcbtds dcbtstct dcbtstds | z,s,i |
    dcbtls dcbtstls dcblc icbtls icblc icbt | i,z,s |
    dst dstt dstst dststt    | z,s,i   |
    dss                      | i       |
    dssall                   |         |
"""

BARRIERS = """
    sync                     | i?      | barrier:full event:barrier
    lwsync hwsync msync ptesync |      | barrier:full event:barrier
    isync                    |         | barrier:control event:barrier
    eieio                    |         | barrier:stores event:barrier
    mbar                     | i?      | event:barrier
    wait                     | i?      |
    tlbsync                  |         | event:barrier
    slbia                    |         | event:tlbi
    rfi rfci                 |         | resume
    tlbie                    | s,s?    | event:tlbi
    tlbia                    |         | event:tlbi
"""

TRANSACTIONS = """
    tbegin. tend.            | i?      | defs:cr0
    tsr.                     | i       | defs:cr0
    tabort.                  | s       | defs:cr0
    tsuspend. tresume.       |         | defs:cr0
    tcheck                   | cd      |
"""

TABLES = (
    crossed(STEMS, FORMS),
    INTEGER,
    RESERVATIONS,
    FLOAT,
    VECTOR,
    POWER10,
    PREFIXED,
    CACHE,
    BARRIERS,
    TRANSACTIONS,
)
