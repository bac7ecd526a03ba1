"""Floating-point arithmetic, conversions, compares and the status register."""

from __future__ import annotations

# Status bits are sticky and the rounding mode is an input: fpscr is used and defined.
ARITHMETIC = """
    f{add,sub,mul,div}[.1] f{add,sub,mul,div}s[.1]        | fd,fs,fs    | uses:fpscr defs:fpscr
    f{madd,msub,nmadd,nmsub}[.1] f{madd,msub,nmadd,nmsub}s[.1] | fd,fs,fs,fs | uses:fpscr defs:fpscr
    fsqrt[.1] fsqrts[.1] frsp[.1]                         | fd,fs       | uses:fpscr defs:fpscr
    fre[.1] fres[.1] frsqrte[.1] frsqrtes[.1]         | fd,fs       | uses:fpscr defs:fpscr recorded
    fct{iw,iwz,id,idz}[.1] fct{iwu,iwuz,idu,iduz}[.1]     | fd,fs       | uses:fpscr defs:fpscr
    fcf{id,ids,idu,idus}[.1] fri{n,z,p,m}[.1]             | fd,fs       | uses:fpscr defs:fpscr
    fcmp{u,o}                                             | cd,fs,fs    | uses:fpscr defs:fpscr
    ftdiv                                                 | cd,fs,fs    | recorded
    ftsqrt                                                | cd,fs       | recorded
"""

MOVES = """
    fmr[.1] fneg[.1] fabs[.1] fnabs[.1]                   | fd,fs       |
    fcpsgn[.1] fmrgew fmrgow                              | fd,fs,fs    |
    fsel[.1]                                              | fd,fs,fs,fs |
"""

STATUS = """
    mffs[.1] mffsl                                        | fd          | uses:fpscr
    mffsce                                                | fd          | uses:fpscr defs:fpscr
    mffscrn mffscdrn                                      | fd,fs       | uses:fpscr defs:fpscr
    mffscrni mffscdrni                                    | fd,i        | uses:fpscr defs:fpscr
    mtfsf[.1]                                             | i,fs        | uses:fpscr defs:fpscr
    mtfsf[.1]                                             | i,fs,i      | uses:fpscr defs:fpscr
    mtfsf[.1]                                             | i,fs,i,i    | uses:fpscr defs:fpscr
    mtfsfi[.1]                                            | i,i,i?      | uses:fpscr defs:fpscr
    mtfsb0[.1]                                            | i           | uses:fpscr defs:fpscr
    mtfsb1[.1]                                        | i           | uses:fpscr defs:fpscr recorded
    mcrfs                                                 | cd,i        | uses:fpscr defs:fpscr
"""

TABLES = (ARITHMETIC, MOVES, STATUS)
