"""AltiVec and VSX: what compilers emit with -maltivec and -mvsx."""

from __future__ import annotations

ALTIVEC = """
    vadd{ub,uh,uw,ud,uq}m vsub{ub,uh,uw,ud,uq}m           | vd,vs,vs |
    vaddcuw vsubcuw vaddcuq vsubcuq                       | vd,vs,vs |
    v{max,min}{s,u}{b,h,w,d} vavg{s,u}{b,h,w} vabsdu{b,h,w} | vd,vs,vs |
    vand vandc vor vorc vxor vnor vnand veqv              | vd,vs,vs |
    vmrg{h,l}{b,h,w} vmrg{e,o}w                           | vd,vs,vs |
    vmul{e,o}{s,u}{b,h,w} vmuluwm                         | vd,vs,vs |
    vpku{h,w,d}um vpkpx vpmsum{b,h,w,d} vbpermq vbpermd   | vd,vs,vs |
    v{rl,sl,sr,sra}{b,h,w,d} vsl vsr vslo vsro vslv vsrv  | vd,vs,vs |
    vcipher vcipherlast vncipher vncipherlast             | vd,vs,vs |
    vadd{s,u}{b,h,w}s vsub{s,u}{b,h,w}s                   | vd,vs,vs | uses:vscr defs:vscr
    vpks{h,w}{s,u}s vpku{h,w,d}us vpksd{s,u}s             | vd,vs,vs | uses:vscr defs:vscr
    vsumsws vsum2sws vsum4{ub,sb,sh}s                     | vd,vs,vs | uses:vscr defs:vscr
    vperm vpermr vsel vpermxor vmladduhm                  | vd,vs,vs,vs |
    vmsum{ub,mb,uh,sh}m vaddeuqm vaddecuq vsubeuqm vsubecuq | vd,vs,vs,vs |
    vmsum{u,s}hs vmhaddshs vmhraddshs                     | vd,vs,vs,vs | uses:vscr defs:vscr
    vmr vnot vupk{h,l}s{b,h,w} vupk{h,l}px                | vd,vs    |
    vclz{b,h,w,d} vctz{b,h,w,d} vpopcnt{b,h,w,d} vgbbd vsbox vneg{w,d} | vd,vs |
    vexts{b,h}2w vexts{b,h,w}2d vprtyb{w,d,q}             | vd,vs    |
    vspltis{b,h,w}                                        | vd,i     |
    vsplt{b,h,w} vcf{s,u}x vc{s,u}xwfp                    | vd,vs,i  |
    vct{s,u}xs vcfp{s,u}xws                               | vd,vs,i  | uses:vscr defs:vscr
    vsldoi                                                | vd,vs,vs,i |
    vshasigma{w,d}                                        | vd,vs,i,i |
    vcmpeq{ub,uh,uw,ud}[.6] vcmpgt{s,u}{b,h,w,d}[.6]      | vd,vs,vs |
    vcmpne{b,h,w}[.6] vcmpnez{b,h,w}[.6]                  | vd,vs,vs |
    vcmp{eq,ge,gt,b}fp[.6]                                | vd,vs,vs | uses:vscr
    v{add,sub,max,min}fp                                  | vd,vs,vs | uses:vscr
    vmaddfp vnmsubfp                                      | vd,vs,vs,vs | uses:vscr
    v{re,rsqrte,expte,loge}fp                             | vd,vs    | uses:vscr recorded
    vrfi{n,z,p,m}                                         | vd,vs    | uses:vscr
    vextu{b,h,w}{l,r}x                                    | d,s,vs   |
    v{clz,ctz}lsbb                                        | d,vs     |
    vextract{ub,uh,uw,d}                                  | vd,vs,i  |
    vinsert{b,h,w,d}                                      | vm,vs,i  |
    mfvscr                                                | vd       | uses:vscr recorded
    mtvscr                                                | vs       | defs:vscr
"""

VSX_ARITHMETIC = """
    xs{add,sub,mul,div}{dp,sp} xv{add,sub,mul,div}{dp,sp} | xd,xs,xs | uses:fpscr defs:fpscr
    xs{max,min}dp xv{max,min}{dp,sp}                      | xd,xs,xs | uses:fpscr defs:fpscr
    xs{madd,msub,nmadd,nmsub}{a,m}{dp,sp}                 | xm,xs,xs | uses:fpscr defs:fpscr
    xv{madd,msub,nmadd,nmsub}{a,m}{dp,sp}                 | xm,xs,xs | uses:fpscr defs:fpscr
    xssqrt{dp,sp} xvsqrt{dp,sp}                           | xd,xs    | uses:fpscr defs:fpscr
    xs{re,rsqrte}{dp,sp} xv{re,rsqrte}{dp,sp}            | xd,xs    | uses:fpscr defs:fpscr recorded
    xsrdpi{,c,m,p,z} xvrdpi{,c,m,p,z} xvrspi{,c,m,p,z}    | xd,xs    | uses:fpscr defs:fpscr
    xscvdp{s,u}x{d,w}s xscvdpsp xscvspdp xsrsp            | xd,xs    | uses:fpscr defs:fpscr
    xscv{s,u}xd{dp,sp}                                    | xd,xs    | uses:fpscr defs:fpscr
    xvcv{dp,sp}{s,u}x{d,w}s xvcv{s,u}x{d,w}{dp,sp}        | xd,xs    | uses:fpscr defs:fpscr
    xvcvdpsp xvcvspdp                                     | xd,xs    | uses:fpscr defs:fpscr
    xscmp{u,o}dp                                          | cd,xs,xs | uses:fpscr defs:fpscr
    xvcmp{eq,ge,gt}{dp,sp}[.6]                            | xd,xs,xs | uses:fpscr defs:fpscr
    xstdivdp xvtdivdp xvtdivsp                            | cd,xs,xs | recorded
    xstsqrtdp xvtsqrtdp xvtsqrtsp                         | cd,xs    | recorded
"""

VSX_MOVES = """
    xs{abs,nabs,neg}dp xv{abs,nabs,neg,mov}{dp,sp}        | xd,xs    |
    xscvdpspn xscvspdpn xxswapd xxmr xxlnot               | xd,xs    |
    xscpsgndp xvcpsgn{dp,sp}                              | xd,xs,xs |
    xxl{and,andc,or,orc,xor,nor,nand,eqv}                 | xd,xs,xs |
    xxmrg{h,l}w xxmrg{h,l}d                               | xd,xs,xs |
    xxperm xxpermr                                        | xm,xs,xs |
    xxsel                                                 | xd,xs,xs,xs |
    xxpermdi xxsldwi                                      | xd,xs,xs,i |
    xxspltw xxspltd                                       | xd,xs,i  |
    xxspltib                                              | xd,i     |
    xxbr{h,w,d,q}                                         | xd,xs    |
    mtvsrd mtvsrw{a,z} mtvsrws                            | xd,s     |
    mtvsrdd                                               | xd,z,s   |
    mfvsrd mfvsrwz mfvsrld                                | d,xs     |
    mtfprd mtfprw{a,z}                                    | fd,s     |
    mffprd mffprwz                                        | d,fs     |
    mtvrd mtvrw{a,z}                                      | vd,s     |
    mfvrd mfvrwz                                          | d,vs     |
"""

POWER9 = """
    xs{max,min}cdp                                        | xd,xs,xs | uses:fpscr defs:fpscr
    xs{max,min}jdp                                       | xd,xs,xs | uses:fpscr defs:fpscr recorded
    xscmp{eq,ge,gt}dp                                     | xd,xs,xs | uses:fpscr defs:fpscr
    xscmpexpdp                                            | cd,xs,xs | uses:fpscr defs:fpscr
    xscvhpdp xscvdphp xvcvhpsp xvcvsphp                  | xd,xs    | uses:fpscr defs:fpscr recorded
    xxextractuw                                           | xd,xs,i  |
    xxinsertw                                             | xm,xs,i  |
    xsxexpdp xsxsigdp                                     | d,xs     |
    xvx{exp,sig}{dp,sp}                                   | xd,xs    |
    xsiexpdp                                              | xd,s,s   |
    xviexp{dp,sp}                                         | xd,xs,xs |
    xststdcdp                                             | cd,xs,i  | uses:fpscr defs:fpscr
    xststdcsp                                            | cd,xs,i  | uses:fpscr defs:fpscr recorded
    xvtstdc{dp,sp}                                        | xd,xs,i  |
    xs{add,sub,mul,div}qp{,o}                           | vd,vs,vs | uses:fpscr defs:fpscr recorded
    xs{madd,msub,nmadd,nmsub}qp{,o}                     | vm,vs,vs | uses:fpscr defs:fpscr recorded
    xssqrtqp{,o} xscvqpdp{,o} xscvdpqp xscv{s,u}dqp      | vd,vs    | uses:fpscr defs:fpscr recorded
    xscvqp{s,u}{d,w}z                                    | vd,vs    | uses:fpscr defs:fpscr recorded
    xs{abs,nabs,neg}qp                                    | vd,vs    |
    xs{xexp,xsig}qp                                       | vd,vs    | recorded
    xscpsgnqp                                             | vd,vs,vs |
    xsiexpqp                                              | vd,vs,vs | recorded
    xscmp{o,u,exp}qp                                     | cd,vs,vs | uses:fpscr defs:fpscr recorded
    xststdcqp                                            | cd,vs,i  | uses:fpscr defs:fpscr recorded
    xsrqpi xsrqpix xsrqpxp                              | i,vd,vs,i | uses:fpscr defs:fpscr recorded
    vmul10uq vmul10cuq                                    | vd,vs    |
    vmul10euq vmul10ecuq                                  | vd,vs,vs |
    vrl{w,d}nm                                            | vd,vs,vs |
    vrl{w,d}mi                                            | vm,vs,vs |
    vmsumudm                                              | vd,vs,vs,vs |
"""

POWER10 = """
    xxspltidp xxspltiw                                    | xd,i     | length:8
    xxsplti32dx                                           | xm,i,i   | length:8
    xxblendv{b,h,w,d}                                     | xd,xs,xs,xs | length:8
    xxpermx xxeval                                        | xd,xs,xs,xs,i | length:8
    xxgenpcv{b,h,w,d}m                                    | xd,vs,i  |
    xvcvbf16spn xvcvspbf16                                | xd,xs    | uses:fpscr defs:fpscr
    lxvkq                                                 | xd,i     |
    xs{max,min}cqp xscmp{eq,ge,gt}qp                      | vd,vs,vs | uses:fpscr defs:fpscr
    xscv{s,u}qqp xscvqp{s,u}qz                            | vd,vs    | uses:fpscr defs:fpscr
    vmulld vmulh{s,u}{w,d} vdiv{s,u}{w,d,q} vdive{s,u}{w,d,q} vmod{s,u}{w,d,q} | vd,vs,vs |
    vmul{e,o}{s,u}d vcfuged vpdepd vpextd vclzdm vctzdm   | vd,vs,vs |
    v{rl,sl,sr,sra}q                                      | vd,vs,vs |
    vrlqnm                                                | vd,vs,vs |
    vrlqmi                                                | vm,vs,vs |
    vmsumcud                                              | vd,vs,vs,vs |
    vexpand{b,h,w,d,q}m vextsd2q                          | vd,vs    |
    vextract{b,h,w,d,q}m                                  | d,vs     |
    mtvsr{b,h,w,d,q}m                                     | vd,s     |
    mtvsrbmi                                              | vd,i     |
    vcntmb{b,h,w,d}                                       | d,vs,i   |
    vextd{ub,uh,uw,d}v{l,r}x                              | vd,vs,vs,s |
    vinsw vinsd                                           | vm,s,i   |
    vins{b,h,w}v{l,r}x                                    | vm,s,vs  |
    vins{b,h,w,d}{l,r}x                                   | vm,s,s   |
    vsldbi vsrdbi                                         | vd,vs,vs,i |
    vstri{b,h}{l,r}[.6]                                   | vd,vs    |
    vclr{l,r}b                                            | vd,vs,s  |
    vgnb                                                  | d,vs,i   |
    vcmpequq[.6] vcmpgt{s,u}q[.6]                         | vd,vs,vs |
    vcmp{s,u}q                                            | cd,vs,vs |
"""

TABLES = (ALTIVEC, VSX_ARITHMETIC, VSX_MOVES, POWER9, POWER10)
