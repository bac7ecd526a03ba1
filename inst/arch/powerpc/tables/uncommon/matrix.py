"""Matrix-multiply assist (Power ISA 3.1, book I, 7.2.1.3): accumulator n is VSX registers 4n-4n+3.

As long as an accumulator is primed those registers have no defined contents, and what writes one
of them unprimes it: the rewriter refuses accesses among which an accumulator is in use.
"""

from __future__ import annotations

MOVES = """
    xxmfacc xxmtacc dmxxmfacc dmxxmtacc   | accm     |
    xxsetaccz dmsetaccz                   | accd     |
"""

PRODUCTS = """
    {,dm}xv{i4ger8,i8ger4,i16ger2}        | accd,xs,xs |
    {,dm}xv{i4ger8,i8ger4,i16ger2}pp      | accm,xs,xs |
    {,dm}xvi16ger2s                       | accd,xs,xs | uses:vscr defs:vscr
    {,dm}xv{i8ger4,i16ger2}spp            | accm,xs,xs | uses:vscr defs:vscr
    {,dm}xv{,b}f16ger2 {,dm}xvf32ger                    | accd,xs,xs | uses:fpscr defs:fpscr
    {,dm}xv{,b}f16ger2{pp,np,pn,nn} {,dm}xvf32ger{pp,np,pn,nn} | accm,xs,xs | uses:fpscr defs:fpscr
    {,dm}xvf64ger                         | accd,xspair,xs | uses:fpscr defs:fpscr
    {,dm}xvf64ger{pp,np,pn,nn}            | accm,xspair,xs | uses:fpscr defs:fpscr
"""

PREFIXED = """
    pm{,dm}xv{i4ger8,i8ger4,i16ger2}      | accd,xs,xs,i,i,i | length:8
    pm{,dm}xv{i4ger8,i8ger4,i16ger2}pp    | accm,xs,xs,i,i,i | length:8
    pm{,dm}xvi16ger2s                     | accd,xs,xs,i,i,i | length:8 uses:vscr defs:vscr
    pm{,dm}xv{i8ger4,i16ger2}spp          | accm,xs,xs,i,i,i | length:8 uses:vscr defs:vscr
    pm{,dm}xv{,b}f16ger2                  | accd,xs,xs,i,i,i | length:8 uses:fpscr defs:fpscr
    pm{,dm}xv{,b}f16ger2{pp,np,pn,nn}     | accm,xs,xs,i,i,i | length:8 uses:fpscr defs:fpscr
    pm{,dm}xvf32ger                       | accd,xs,xs,i,i   | length:8 uses:fpscr defs:fpscr
    pm{,dm}xvf32ger{pp,np,pn,nn}          | accm,xs,xs,i,i   | length:8 uses:fpscr defs:fpscr
    pm{,dm}xvf64ger                       | accd,xspair,xs,i,i | length:8 uses:fpscr defs:fpscr
    pm{,dm}xvf64ger{pp,np,pn,nn}          | accm,xspair,xs,i,i | length:8 uses:fpscr defs:fpscr
"""

TABLES = (MOVES, PRODUCTS, PREFIXED)
