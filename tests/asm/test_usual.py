"""Operands read without the grammar give the very trees that the grammar gives."""

from __future__ import annotations

import itertools

import pytest

from inst.arch.registry import architecture
from inst.asm.operands import _parse
from inst.asm.syntax import Syntax

_SYMBOLS = ["x", ".L4", "_GLOBAL_OFFSET_TABLE_", "$foo", "a.b", ".", "$", "r3", "eq", "lr", "cr7"]
_NUMBERS = ["0", "8", "-20", "4095", "007", "0x10", "-0xFf", "0x", "1b", "32768"]
_SUMS = [
    f"{a}{op}{b}"
    for a, op, b in itertools.product(["x", ".LC0", ".", "r3"], "+-", ["4", ".LCTOC1", "1f", "eq"])
]
_PLAIN = [*_SYMBOLS, *_NUMBERS, *_SUMS, "x - 4", "(x)", "x+4-2"]
_SPARC_REGISTERS = ["%o0", "%sp", "%r9", "%g0", "%hi", "%fsr"]


def _sparc() -> list[str]:
    relocations = [f"%{op}({p})" for op in ("hi", "lo", "gdop_hix22", "r_disp32") for p in _PLAIN]
    offsets = ["", "+4", "-20", "+-4", " + 8", "- 8", "+%lo(x)", "+x", "+%g1", " + %g1", "-%g1"]
    offsets += ["+%lo(x+4)", "+ %lo(x)", "+(4)", "+0x20", "-x"]
    addresses = [f"[{r}{o}]" for r in _SPARC_REGISTERS for o in offsets]
    jumps = [f"{r}{o}" for r in _SPARC_REGISTERS for o in ("+8", " + 12", "+%g1", "-8", "+%xyz")]
    return [*_PLAIN, *relocations, *addresses, *jumps, "[12]", "[%o0]4", "[%o0+4] %asi", "[ %o0 ]"]


def _powerpc() -> list[str]:
    suffixed = [
        f"{p}{s}" for p in _PLAIN for s in ("@ha", "@got@tprel", "@plt", "@l+4", "@HA", " @l")
    ]
    values = ["0", "-8", "x", "x@l", "x+4@l", ".LC0-.LCTOC1", "x@got@l", "(x)", "r3", "007"]
    addresses = [
        f"{v}({b})" for v in values for b in ("1", "0", "31", "32", "r9", "%r9", "x", "09")
    ]
    return [*_PLAIN, *suffixed, *addresses, "f(x@tlsgd)@plt"]


@pytest.mark.parametrize(
    ("syntax", "texts", "least"), [("sparc", _sparc(), 80), ("powerpc", _powerpc(), 80)]
)
def test_usual_shapes_as_the_grammar(syntax: str, texts: list[str], least: int) -> None:
    rules = architecture(syntax).part(Syntax)
    usual = {text: rules.usual(rules, text) for text in texts}
    read = {text: tree for text, tree in usual.items() if tree is not None}
    assert len(read) >= least
    for text, tree in read.items():
        assert tree == _parse(text, syntax), text


@pytest.mark.parametrize(
    ("syntax", "text"),
    [("sparc", "%i7+8"), ("sparc", "%o7+%g1"), ("sparc", "0xff"), ("powerpc", "-0x10")],
)
def test_what_compilers_write_everywhere_needs_no_grammar(syntax: str, text: str) -> None:
    """Its library takes twice as long to import as a small file takes to translate."""
    rules = architecture(syntax).part(Syntax)
    assert rules.usual(rules, text) == _parse(text, syntax)
