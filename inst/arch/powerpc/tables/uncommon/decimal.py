"""Decimal floating point (Power ISA 3.1, book I, chapter 5): numbers of 16 bytes are even pairs.

None of them is executed again: what they leave is recorded.
"""

from __future__ import annotations

ARITHMETIC = """
    d{add,sub,mul,div}[.1]                | fd,fs,fs       | uses:fpscr defs:fpscr recorded
    d{add,sub,mul,div}q[.1]               | fdpair,fspair,fspair | uses:fpscr defs:fpscr recorded
    dcmp{o,u} dtst{ex,sf}                 | cd,fs,fs       | uses:fpscr defs:fpscr recorded
    dcmp{o,u}q dtstexq                    | cd,fspair,fspair | uses:fpscr defs:fpscr recorded
    dtstsfq                               | cd,fs,fspair   | uses:fpscr defs:fpscr recorded
    dtst{dc,dg}                           | cd,fs,i        | uses:fpscr defs:fpscr recorded
    dtst{dc,dg}q                          | cd,fspair,i    | uses:fpscr defs:fpscr recorded
    dtstsfi                               | cd,i,fs        | uses:fpscr defs:fpscr recorded
    dtstsfiq                              | cd,i,fspair    | uses:fpscr defs:fpscr recorded
    dqua[.1] drrnd[.1]                    | fd,fs,fs,i     | uses:fpscr defs:fpscr recorded
    dquaq[.1]                             | fdpair,fspair,fspair,i | uses:fpscr defs:fpscr recorded
    drrndq[.1]                            | fdpair,fs,fspair,i | uses:fpscr defs:fpscr recorded
    dquai[.1] drint{x,n}[.1]              | i,fd,fs,i      | uses:fpscr defs:fpscr recorded
    dquaiq[.1] drint{x,n}q[.1]            | i,fdpair,fspair,i | uses:fpscr defs:fpscr recorded
"""

CONVERSIONS = """
    dctdp[.1] drsp[.1] dc{f,t}fix[.1]     | fd,fs          | uses:fpscr defs:fpscr recorded
    dctqpq[.1] dcffixq[.1]                | fdpair,fs      | uses:fpscr defs:fpscr recorded
    dctfixq[.1]                           | fd,fspair      | uses:fpscr defs:fpscr recorded
    drdpq[.1]                             | fdpair,fspair  | uses:fpscr defs:fpscr recorded
    dcffixqq                              | fdpair,vs      | uses:fpscr defs:fpscr recorded
    dctfixqq                              | vd,fspair      | uses:fpscr defs:fpscr recorded
    ddedpd[.1]                            | i,fd,fs        | recorded
    ddedpdq[.1]                           | i,fdpair,fspair | recorded
    denbcd[.1]                            | i,fd,fs        | uses:fpscr defs:fpscr recorded
    denbcdq[.1]                           | i,fdpair,fspair | uses:fpscr defs:fpscr recorded
    dxex[.1]                              | fd,fs          | recorded
    dxexq[.1]                             | fd,fspair      | recorded
    diex[.1]                              | fd,fs,fs       | recorded
    diexq[.1]                             | fdpair,fs,fspair | recorded
    dsc{l,r}i[.1]                         | fd,fs,i        | recorded
    dsc{l,r}iq[.1]                        | fdpair,fspair,i | recorded
"""

TABLES = (ARITHMETIC, CONVERSIONS)
