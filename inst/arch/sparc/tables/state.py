"""State registers, coprocessor and implementation-dependent operations."""

from __future__ import annotations

STATE = """
    rd                       | =pc,d                | pc
    rd mov                   | sts,d                |
    wr                       | s,si,std ; i,s,std ; si,std |
    mov                      | si,std               |
    pwr                      | s,si,=psr ; si,=psr  | defs:psr
    rdpr rdhpr               | prs,d                |
    wrpr wrhpr               | s,si,prd ; i,s,prd ; si,prd |
    cpop1 cpop2              | mem,any              | coprocessor
    impdep1 impdep2          | s,si,d ; i,s,si,d ; i,fs,fs,fd |
"""

TABLES = (STATE,)
