"""Floating-point arithmetic, compares, conversions and conditional moves."""

from __future__ import annotations

from inst.arch.sparc.tables.integer import CONDITION, REGISTER_CONDITION
from inst.isa.rows import crossed

ARITHMETIC = """
    f{add,sub,mul,div,nadd,nmul,hadd,hsub,nhadd}s   | fs,fs,fd       | status
    f{add,sub,mul,div,nadd,nmul,hadd,hsub,nhadd}d   | ds,ds,dd       | status
    f{add,sub,mul,div}{q,x}                         | qs,qs,qd       | status
    fsmuld fnsmuld                                  | fs,fs,dd       | status
    fdmul{q,x}                                      | ds,ds,qd       | status
    fsqrts                                          | fs,fd          | status
    fsqrtd                                          | ds,dd          | status
    fsqrt{q,x}                                      | qs,qd          | status
    f{,n,u,nu}m{add,sub}s                           | fs,fs,fs,fd    | status
    f{,n,u,nu}m{add,sub}d                           | ds,ds,ds,dd    | status
"""

COMPARES = """
    fcmp{,e}s                                       | fs,fs          | status defs:fcc0
    fcmp{,e}d                                       | ds,ds          | status defs:fcc0
    fcmp{,e}{q,x}                                   | qs,qs          | status defs:fcc0
    fcmp{,e}s flcmps                                | fcd,fs,fs      | status
    fcmp{,e}d flcmpd                                | fcd,ds,ds      | status
    fcmp{,e}{q,x}                                   | fcd,qs,qs      | status
"""

CONVERSIONS = """
    fitos fstoi                                     | fs,fd          | status
    fitod fsto{d,x}                                 | fs,dd          | status
    fitoq fstoq                                     | fs,qd          | status
    fdto{i,s} fxtos                                 | ds,fd          | status
    fdtox fxtod                                     | ds,dd          | status
    fdtoq fxtoq                                     | ds,qd          | status
    fqto{i,s}                                       | qs,fd          | status
    fqto{d,x}                                       | qs,dd          | status
"""

MOVES = """
    f{mov,neg,abs}s                                 | fs,fd          |
    f{mov,neg,abs}d                                 | ds,dd          |
    f{mov,neg,abs}{q,x}                             | qs,qd          |
    fmovsa                                          | cc,fs,fd        |
    fmovda                                          | cc,ds,dd        |
    fmovqa                                          | cc,qs,qd        |
"""

# The old value may stay.
CONDITIONAL_MOVES = """
    fmovs@                                          | cs,fs,fm ; fcs,fs,fm |
    fmovd@                                          | cs,ds,dm ; fcs,ds,dm |
    fmovq@                                          | cs,qs,qm ; fcs,qs,qm |
"""
REGISTER_MOVES = """
    fmovrs@                                         | s,fs,fm        |
    fmovrd@                                         | s,ds,dm        |
    fmovrq@                                         | s,qs,qm        |
"""

TABLES = (
    ARITHMETIC,
    COMPARES,
    CONVERSIONS,
    MOVES,
    crossed(CONDITIONAL_MOVES, CONDITION),
    crossed(REGISTER_MOVES, REGISTER_CONDITION),
)
