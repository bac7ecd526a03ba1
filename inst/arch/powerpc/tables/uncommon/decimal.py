"""Decimal floating point (Power ISA 3.1, book I, chapter 5): numbers of 16 bytes are even pairs."""

from __future__ import annotations

ARITHMETIC = """
    d{add,sub,mul,div}[.1]                | fd,fs,fs       | uses:fpscr defs:fpscr
    d{add,sub,mul,div}q[.1]               | fdpair,fspair,fspair | uses:fpscr defs:fpscr
    dcmp{o,u} dtst{ex,sf}                 | cd,fs,fs       | uses:fpscr defs:fpscr
    dcmp{o,u}q dtstexq                    | cd,fspair,fspair | uses:fpscr defs:fpscr
    dtstsfq                               | cd,fs,fspair   | uses:fpscr defs:fpscr
    dtst{dc,dg}                           | cd,fs,i        | uses:fpscr defs:fpscr
    dtst{dc,dg}q                          | cd,fspair,i    | uses:fpscr defs:fpscr
    dtstsfi                               | cd,i,fs        | uses:fpscr defs:fpscr
    dtstsfiq                              | cd,i,fspair    | uses:fpscr defs:fpscr
    dqua[.1] drrnd[.1]                    | fd,fs,fs,i     | uses:fpscr defs:fpscr
    dquaq[.1]                             | fdpair,fspair,fspair,i | uses:fpscr defs:fpscr
    drrndq[.1]                            | fdpair,fs,fspair,i | uses:fpscr defs:fpscr
    dquai[.1] drint{x,n}[.1]              | i,fd,fs,i      | uses:fpscr defs:fpscr
    dquaiq[.1] drint{x,n}q[.1]            | i,fdpair,fspair,i | uses:fpscr defs:fpscr
"""

CONVERSIONS = """
    dctdp[.1] drsp[.1] dc{f,t}fix[.1]     | fd,fs          | uses:fpscr defs:fpscr
    dctqpq[.1] dcffixq[.1]                | fdpair,fs      | uses:fpscr defs:fpscr
    dctfixq[.1]                           | fd,fspair      | uses:fpscr defs:fpscr
    drdpq[.1]                             | fdpair,fspair  | uses:fpscr defs:fpscr
    dcffixqq                              | fdpair,vs      | uses:fpscr defs:fpscr
    dctfixqq                              | vd,fspair      | uses:fpscr defs:fpscr
    ddedpd[.1]                            | i,fd,fs        |
    ddedpdq[.1]                           | i,fdpair,fspair |
    denbcd[.1]                            | i,fd,fs        | uses:fpscr defs:fpscr
    denbcdq[.1]                           | i,fdpair,fspair | uses:fpscr defs:fpscr
    dxex[.1]                              | fd,fs          |
    dxexq[.1]                             | fd,fspair      |
    diex[.1]                              | fd,fs,fs       |
    diexq[.1]                             | fdpair,fs,fspair |
    dsc{l,r}i[.1]                         | fd,fs,i        |
    dsc{l,r}iq[.1]                        | fdpair,fspair,i |
"""

TABLES = (ARITHMETIC, CONVERSIONS)
