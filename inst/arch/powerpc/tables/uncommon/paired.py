"""Paired singles of the 750CL (IBM PowerPC 750CL user's manual, 2.3.4 and 12).

A register holds two numbers, and `stfd` saves only the first: the rewriter refuses files with them.
The size of `psq_l` and its kin depends on the type in a quantisation register.
"""

from __future__ import annotations

ARITHMETIC = """
    ps_cmp{u,o}{0,1}                      | cd,fs,fs     | uses:fpscr,paired defs:fpscr
    ps_{add,sub,mul,div,muls0,muls1}[.1]  | fd,fs,fs     | uses:fpscr,paired defs:fpscr,paired
    ps_{sum0,sum1,madds0,madds1}[.1]      | fd,fs,fs,fs  | uses:fpscr,paired defs:fpscr,paired
    ps_{n,}m{add,sub}[.1]                 | fd,fs,fs,fs  | uses:fpscr,paired defs:fpscr,paired
    ps_sel[.1]                            | fd,fs,fs,fs  | uses:paired defs:paired
    ps_{res,rsqrte}[.1]                   | fd,fs        | uses:fpscr,paired defs:fpscr,paired
    ps_{neg,mr,abs,nabs}[.1]              | fd,fs        | uses:paired defs:paired
    ps_merge{00,01,10,11}[.1]             | fd,fs,fs     | uses:paired defs:paired
"""

MEMORY = """
    psq_l                     | fd,mem,i,i   | load:0 form:opaque uses:paired defs:paired
    psq_lu                    | fd,memu,i,i  | load:0 form:opaque uses:paired defs:paired
    psq_lx                    | fd,a,x,i,i   | load:0 form:opaque uses:paired defs:paired
    psq_lux                   | fd,au,x,i,i  | load:0 form:opaque uses:paired defs:paired
    psq_st                    | fs,mem,i,i   | store:0 form:opaque uses:paired
    psq_stu                   | fs,memu,i,i  | store:0 form:opaque uses:paired
    psq_stx                   | fs,a,x,i,i   | store:0 form:opaque uses:paired
    psq_stux                  | fs,au,x,i,i  | store:0 form:opaque uses:paired
    dcbz_l                    | a,x          | store:32 form:opaque
"""

TABLES = (ARITHMETIC, MEMORY)
