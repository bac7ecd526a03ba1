"""Integer arithmetic and logic, with the synthetic instructions made of them."""

from __future__ import annotations

from inst.isa.rows import crossed

ARITHMETIC = """
    add and or xor xnor umuld smuld mulx            | s,si,d ; i,s,d |
    sub andn orn {s,u}divx s{ll,rl,ra}{,x} scan shuffle | s,si,d     |
    {add,and,or,xor,xnor,tadd}cc taddcctv           | s,si,d ; i,s,d | codes
    {sub,andn,orn,tsub}cc tsubcctv                  | s,si,d         | codes
    addx addc                                       | s,si,d ; i,s,d | uses:icc
    subx subc                                       | s,si,d         | uses:icc
    add{x,c}cc                                      | s,si,d ; i,s,d | uses:icc codes
    sub{x,c}cc                                      | s,si,d         | uses:icc codes
    addxc subxc                                     | s,s,d          | uses:xcc recorded
    addxccc subxccc                                 | s,s,d          | uses:xcc codes recorded
    umulxhi xmulx xmulxhi rle_burst                 | s,s,d          | recorded
    {u,s}mul                                        | s,si,d ; i,s,d | defs:y
    {u,s}mulcc                                      | s,si,d ; i,s,d | defs:y codes
    {u,s}div                                        | s,si,d ; i,s,d | uses:y
    {u,s}divcc                                      | s,si,d ; i,s,d | uses:y codes
    mulscc divscc                                   | s,si,d         | uses:y,icc defs:y codes
    {u,s}mac                                        | s,si,d ; i,s,d | uses:y,asr defs:y,asr
    popc                                            | si,d           |
    lzcnt lzd rle_length revbitsb revbytes{h,w,x}   | s,d            | recorded
    sethi                                           | i,d            |
    nop                                             |                |
"""

CONDITION = """
    {ne,e,g,le,ge,l,gu,leu,cc,cs,pos,neg,vc,vs,nz,z,geu,lu,u,ug,ul,lg,ue,uge,ule,o,n} | |
"""
REGISTER_CONDITION = "{ne,e,gez,lz,lez,gz,nz,z} | |"

SYNTHETIC = """
    mov                                             | si,d           |
    set setuw                                       | i,d            | length:8
    setsw                                           | i,d            | length:12
    setx                                            | i,d,d          | length:24
    cmp                                             | s,si           | codes
    tst                                             | s              | codes
    btst                                            | si,s ; s,si    | codes
    clr                                             | d              |
    clruw signx                                     | s,d ; m        |
    inc dec                                         | i?,m           |
    inccc deccc                                     | i?,m           | codes
    bset bclr btog                                  | si,m           |
    not neg                                         | s,d ; m        |
"""

TABLES = (
    ARITHMETIC,
    "mova | cc,si,d |",
    crossed("mov@ | cs,si,m ; fcs,si,m |", CONDITION),
    crossed("movr@ | s,si,m |", REGISTER_CONDITION),
    SYNTHETIC,
)
