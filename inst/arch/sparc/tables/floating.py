"""Floating-point arithmetic, compares, conversions and conditional moves.

Arithmetic reads the rounding mode of %fsr and adds to its exception bits, so %fsr is both
read and written.
"""

from __future__ import annotations

from inst.arch.sparc.tables.integer import CONDITIONS, REGISTER_CONDITIONS
from inst.arch.sparc.tables.row import Row


def _arithmetic(names: str, operands: str) -> Row:
    return Row(names, operands, uses="fsr", defs="fsr")


def _compare(names: str, operands: str) -> tuple[Row, Row]:
    """Return the rows of a compare: into %fcc0, and into a register that it names."""
    return (
        Row(names, operands, uses="fsr", defs="fcc0 fsr"),
        Row(names, f"fcc:d {operands}", uses="fsr", defs="fsr"),
    )


ARITHMETIC = (
    _arithmetic("fadds fsubs fmuls fdivs fnadds fnmuls fhadds fhsubs fnhadds", "f:s f:s f:d"),
    _arithmetic("faddd fsubd fmuld fdivd fnaddd fnmuld fhaddd fhsubd fnhaddd", "d:s d:s d:d"),
    _arithmetic("faddq fsubq fmulq fdivq faddx fsubx fmulx fdivx", "q:s q:s q:d"),
    _arithmetic("fsmuld fnsmuld", "f:s f:s d:d"),
    _arithmetic("fdmulq fdmulx", "d:s d:s q:d"),
    _arithmetic("fsqrts", "f:s f:d"),
    _arithmetic("fsqrtd", "d:s d:d"),
    _arithmetic("fsqrtq fsqrtx", "q:s q:d"),
    _arithmetic("fmadds fmsubs fnmadds fnmsubs", "f:s f:s f:s f:d"),
    _arithmetic("fumadds fumsubs fnumadds fnumsubs", "f:s f:s f:s f:d"),
    _arithmetic("fmaddd fmsubd fnmaddd fnmsubd", "d:s d:s d:s d:d"),
    _arithmetic("fumaddd fumsubd fnumaddd fnumsubd", "d:s d:s d:s d:d"),
    *_compare("fcmps fcmpes", "f:s f:s"),
    *_compare("fcmpd fcmped", "d:s d:s"),
    *_compare("fcmpq fcmpeq fcmpx fcmpex", "q:s q:s"),
    Row("flcmps", "fcc:d f:s f:s", uses="fsr", defs="fsr"),
    Row("flcmpd", "fcc:d d:s d:s", uses="fsr", defs="fsr"),
)

CONVERSIONS = (
    _arithmetic("fitos fstoi", "f:s f:d"),
    _arithmetic("fitod fstod fstox", "f:s d:d"),
    _arithmetic("fitoq fstoq", "f:s q:d"),
    _arithmetic("fdtoi fdtos fxtos", "d:s f:d"),
    _arithmetic("fdtox fxtod", "d:s d:d"),
    _arithmetic("fdtoq fxtoq", "d:s q:d"),
    _arithmetic("fqtoi fqtos", "q:s f:d"),
    _arithmetic("fqtod fqtox", "q:s d:d"),
)

MOVES = (
    Row("fmovs fnegs fabss", "f:s f:d"),
    Row("fmovd fnegd fabsd", "d:s d:d"),
    Row("fmovq fnegq fabsq fmovx fnegx fabsx", "q:s q:d"),
)


def _conditional_moves(kind: str, letter: str) -> tuple[Row, ...]:
    """Return the rows of fmovcc and fmovr for one precision; the old value may stay."""
    on_codes = " ".join(f"fmov{letter}{condition}" for condition in CONDITIONS)
    on_register = " ".join(f"fmovr{letter}{condition}" for condition in REGISTER_CONDITIONS)
    return (
        Row(f"fmov{letter}a", f"anycc {kind}:s {kind}:d"),
        Row(on_codes, f"cc:s {kind}:s {kind}:x | fcc:s {kind}:s {kind}:x"),
        Row(on_register, f"r:s {kind}:s {kind}:x"),
    )


ALL = (
    *ARITHMETIC,
    *CONVERSIONS,
    *MOVES,
    *_conditional_moves("f", "s"),
    *_conditional_moves("d", "d"),
    *_conditional_moves("q", "q"),
)
