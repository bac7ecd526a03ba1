"""SPE: vectors of two words and embedded floating point (SPE programming environments manual).

General registers have 64 bits.  Other instructions neither read nor write the upper halves
(manual, 2.2.1): `upper` stands for all of these.  Single-precision scalar instructions (`efs`)
only use the lower halves.  Sums and flags of saturation are in `spefscr`.
"""

from __future__ import annotations

INTEGER = """
    brinc                                 | d,s,s     |
    ev{addw,subfw,subw}                   | d,s,s     | wide
    ev{and,andc,xor,or,nor,eqv,orc,nand}  | d,s,s     | wide
    ev{srwu,srws,slw,rlw}                 | d,s,s     | wide
    evmerge{hi,lo,hilo,lohi}              | d,s,s     | wide
    evaddiw evsubiw                       | d,s,i     | wide
    evsubifw                              | d,i,s     | wide
    ev{srwiu,srwis,slwi,rlwi}             | d,s,i     | wide
    ev{abs,neg,extsb,extsh,rndw,cntlzw,cntlsw,mr,not} | d,s | wide
    evsplat{i,fi}                         | d,i       | wide
    evcmp{gtu,gts,ltu,lts,eq}             | cd,s,s    | wide
    evsel                                 | d,s,s,cs  | wide
    evdivw{s,u}                           | d,s,s     | wide status
    evmra                                 | d,s       | wide sets
    ev{add,subf}{usi,ssi,umi,smi}aaw      | d,s       | wide status accumulates
"""

# Halves of a word: e and o are even and odd, g has guard bits, f is a fraction.
PRODUCTS = """
    evmh{e,o}{ssf,umi,smi,smf}            | d,s,s     | wide status
    evmh{e,o}{ssf,umi,smi,smf}a           | d,s,s     | wide status sets
    evmh{e,o}{usi,ssi,ssf,umi,smi,smf}a{a,n}w | d,s,s | wide status accumulates
    evmh{e,o}g{umi,smi,smf}a{a,n}         | d,s,s     | wide status accumulates
    evmwh{ssf,umi,smi,smf} evmwlumi       | d,s,s     | wide status
    evmwh{ssf,umi,smi,smf}a evmwlumia     | d,s,s     | wide status sets
    evmwl{usi,ssi,umi,smi}a{a,n}w         | d,s,s     | wide status accumulates
    evmw{ssf,umi,smi,smf}                 | d,s,s     | wide status
    evmw{ssf,umi,smi,smf}a                | d,s,s     | wide status sets
    evmw{ssf,umi,smi,smf}a{a,n}           | d,s,s     | wide status accumulates
    evmwl{ssf,smf}                        | d,s,s     | wide status
    evmwl{ssf,smf}a                       | d,s,s     | wide status sets
    evmwl{ssf,smf}a{a,n}w                 | d,s,s     | wide status accumulates
    evmwh{usi,ssf,umi,smi,smf}a{a,n}      | d,s,s     | wide status accumulates
    evmwhssmaa evmwhssian                 | d,s,s     | wide status accumulates
    evmwhg{umi,smi,ssf,smf}a{a,n}         | d,s,s     | wide status accumulates
"""

FLOATING = """
    evfs{add,sub,mul,div}                 | d,s,s     | wide status
    evfs{abs,nabs,neg}                    | d,s       | wide status
    evfscmp{gt,lt,eq} evfstst{gt,lt,eq}   | cd,s,s    | wide status
    evfsc{fui,fsi,fuf,fsf,tui,tsi,tuf,tsf,tuiz,tsiz} | d,s | wide status
    efd{add,sub,mul,div}                  | d,s,s     | wide status
    efd{abs,nabs,neg}                     | d,s       | wide status
    efdcmp{gt,lt,eq} efdtst{gt,lt,eq}     | cd,s,s    | wide status
    efdc{fui,fsi,fuf,fsf,tui,tsi,tuf,tsf,tuiz,tsiz} | d,s | wide status
    efdc{fuid,fsid,tuidz,tsidz}           | d,s       | wide status
    efscfd efdcfs                         | d,s       | wide status
    {efs,evs}{add,sub,mul,div}            | d,s,s     | status
    {efs,evs}{abs,nabs,neg}               | d,s       | status
    efscmp{gt,lt,eq} {efs,evs}tst{gt,lt,eq} | cd,s,s  | status
    evscmpgt evsgmp{lt,eq}                | cd,s,s    | status
    {efs,evs}c{fui,fsi,fuf,fsf,tui,tsi,tuf,tsf,tuiz,tsiz} | d,s | status
"""

# The second version: half-precision conversions, square roots, fused multiplications.
FLOATING_2 = """
    {evfs,efd}sqrt {evfs,efd}c{fh,th}     | d,s       | wide status
    {evfs,efd}{max,min}                   | d,s,s     | wide status
    {evfs,efd}{madd,msub,nmadd,nmsub}     | m,s,s     | wide status
    efssqrt efsc{fh,th}                   | d,s       | status
    efs{max,min}                          | d,s,s     | status
    efs{madd,msub,nmadd,nmsub}            | m,s,s     | status
    evfs{addsub,subadd,sum,diff,sumdiff,diffsum} | d,s,s | wide status
    evfs{addx,subx,addsubx,subaddx,mulx,mule,mulo} | d,s,s | wide status
"""

MEMORY = """
    evld{d,w,h}                           | d,mem     | wide load:8 form:special
    evld{d,w,h}x                          | d,a,x     | wide load:8 form:special
    evlw{he,hou,hos,wsplat,hsplat}        | d,mem     | wide load:4 form:special
    evlw{he,hou,hos,wsplat,hsplat}x       | d,a,x     | wide load:4 form:special
    evlhh{e,ou,os}splat                   | d,mem     | wide load:2 form:special
    evlhh{e,ou,os}splatx                  | d,a,x     | wide load:2 form:special
    evstd{d,w,h}                          | s,mem     | uses:upper store:8 form:special
    evstd{d,w,h}x                         | s,a,x     | uses:upper store:8 form:special
    evstw{he,ho,we,wo}                    | s,mem     | uses:upper store:4 form:special
    evstw{he,ho,we,wo}x                   | s,a,x     | uses:upper store:4 form:special
"""

TABLES = (INTEGER, PRODUCTS, FLOATING, FLOATING_2, MEMORY)
