"""Floating-point arithmetic, compares, conversions and conditional moves."""

from __future__ import annotations

from inst.arch.sparc.tables.integer import CONDITION, REGISTER_CONDITION
from inst.isa.rows import crossed

ARITHMETIC = """
    f{add,sub,mul,div}s                             | fs,fs,fd       | status
    f{add,sub,mul,div}d                             | ds,ds,dd       | status
    f{nadd,nmul,hadd,hsub,nhadd}s                   | fs,fs,fd       | status recorded
    f{nadd,nmul,hadd,hsub,nhadd}d                   | ds,ds,dd       | status recorded
    f{add,sub,mul,div}{q,x}                         | qs,qs,qd       | status recorded
    fsmuld                                          | fs,fs,dd       | status
    fnsmuld                                         | fs,fs,dd       | status recorded
    fdmul{q,x}                                      | ds,ds,qd       | status recorded
    fsqrts                                          | fs,fd          | status
    fsqrtd                                          | ds,dd          | status
    fsqrt{q,x}                                      | qs,qd          | status recorded
    f{,n,u,nu}m{add,sub}s                           | fs,fs,fs,fd    | status recorded
    f{,n,u,nu}m{add,sub}d                           | ds,ds,ds,dd    | status recorded
"""

COMPARES = """
    fcmp{,e}s                                       | fs,fs          | status defs:fcc0
    fcmp{,e}d                                       | ds,ds          | status defs:fcc0
    fcmp{,e}{q,x}                                   | qs,qs          | status defs:fcc0 recorded
    fcmp{,e}s                                       | fcd,fs,fs      | status
    fcmp{,e}d                                       | fcd,ds,ds      | status
    fcmp{,e}{q,x}                                   | fcd,qs,qs      | status recorded
    flcmps                                          | fcd,fs,fs      | status recorded
    flcmpd                                          | fcd,ds,ds      | status recorded
"""

CONVERSIONS = """
    fitos fstoi                                     | fs,fd          | status
    fitod fsto{d,x}                                 | fs,dd          | status
    fitoq fstoq                                     | fs,qd          | status recorded
    fdto{i,s} fxtos                                 | ds,fd          | status
    fdtox fxtod                                     | ds,dd          | status
    fdtoq fxtoq                                     | ds,qd          | status recorded
    fqto{i,s}                                       | qs,fd          | status recorded
    fqto{d,x}                                       | qs,dd          | status recorded
"""

MOVES = """
    f{mov,neg,abs}s                                 | fs,fd          |
    f{mov,neg,abs}d                                 | ds,dd          |
    f{mov,neg,abs}{q,x}                             | qs,qd          | recorded
    fmovsa                                          | cc,fs,fd        |
    fmovda                                          | cc,ds,dd        |
    fmovqa                                          | cc,qs,qd        | recorded
"""

# The old value may stay.
CONDITIONAL_MOVES = """
    fmovs@                                          | cs,fs,fm ; fcs,fs,fm |
    fmovd@                                          | cs,ds,dm ; fcs,ds,dm |
    fmovq@                                          | cs,qs,qm ; fcs,qs,qm | recorded
"""
REGISTER_MOVES = """
    fmovrs@                                         | s,fs,fm        |
    fmovrd@                                         | s,ds,dm        |
    fmovrq@                                         | s,qs,qm        | recorded
"""

TABLES = (
    ARITHMETIC,
    COMPARES,
    CONVERSIONS,
    MOVES,
    crossed(CONDITIONAL_MOVES, CONDITION),
    crossed(REGISTER_MOVES, REGISTER_CONDITION),
)
