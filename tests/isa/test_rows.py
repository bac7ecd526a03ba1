"""The language of the instruction tables."""

from __future__ import annotations

import re

import pytest

from inst.arch.powerpc.tables.table import all_rows
from inst.arch.sparc.tables.table import table
from inst.isa import rows
from inst.isa.model import Form, Transfer
from inst.isa.rows import Language, Table, crossed

LANGUAGE = Language(
    registers={"r0": 1, "r1": 2, "r2": 4, "cc": 8},
    roles=("d", "s", "i", "mem", "c", "target"),
    words={"codes": "defs:cc", "both": "codes uses:cc"},
    marks=("odd",),
    endings={"[.]": (".", "codes")},
    omitted={"c?": "uses:cc"},
)


def _rows(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(row.mnemonic, row.roles) for row in Table(LANGUAGE, [text])]


def test_mnemonics_of_a_family() -> None:
    made = Table(LANGUAGE, ["sub add{,x}[.]\n  {l,s}{b,h} # more\n | d,s | uses:r0"])
    assert list(made.mnemonics) == [
        "sub",
        *("add", "add.", "addx", "addx."),
        "lb",
        "lh",
        "sb",
        "sh",
    ]
    assert [made.rows(name)[0].facts.defs for name in ("addx", "addx.")] == [0, 8]
    assert made.rows("nor") == ()


def test_lists_of_operands() -> None:
    assert _rows("f | mem ; d,i ; |") == [("f", ("mem",)), ("f", ("d", "i")), ("f", ())]
    made = Table(LANGUAGE, ["cmp | c?,s,i? | defs:r1"])
    assert [(row.roles, row.facts.uses) for row in made] == [
        (("c", "s", "i"), 0), (("s", "i"), 8), (("c", "s"), 0), (("s",), 8)
    ]  # fmt: skip


def test_opposites_are_inverses() -> None:
    made = Table(LANGUAGE, ["b{e!ne,eq!ne,lt!ge}{,l}{,+!-} b{x,y} | target | branch"])
    inverses = {row.mnemonic: row.facts.inverse for row in made}
    assert len(inverses) == 5 * 2 * 3 + 2
    expected = {"be": "bne", "bne": "be", "beq": "bne", "bgel": "bltl", "blt+": "bge-", "bx": ""}
    assert inverses == inverses | expected


def test_effects() -> None:
    (row,) = Table(LANGUAGE, ["x | | both atomic:8 form:opaque align:4 uses:r0-r1 odd suffix:a,pt"])
    facts = row.facts
    assert (facts.uses, facts.defs, row.marks, row.suffixes) == (11, 8, {"odd"}, {"a", "pt"})
    assert facts.access is not None
    assert (facts.access.load, facts.access.store, facts.access.size) == (True, True, 8)
    assert (facts.access.form, facts.access.align) == (Form.OPAQUE, 4)
    (row,) = Table(LANGUAGE, ["x | | atomic:1"])
    assert row.facts.access is not None and row.facts.access.form is Form.ATOMIC
    (row,) = Table(LANGUAGE, ["x | target | call slot reach:2M window:-1 length:12 inverse:y"])
    facts = row.facts
    assert (facts.transfer, facts.delay_slot, facts.reach) == (Transfer.CALL, True, 2 << 20)
    assert (facts.window, facts.length, facts.inverse) == (-1, 12, "y")


def test_the_first_fitting_line_comes_first() -> None:
    made = Table(LANGUAGE, ["x | d | length:8", "y | | ", "x | s | length:12"])
    assert [row.facts.length for row in made.rows("x")] == [8, 12]


def test_crossed_tables() -> None:
    text = crossed("lb@ lh@ | d | load:1\nnop | i ; | ", " | mem |\nx | s,i ; s,s | uses:r2")
    assert _rows(text) == [
        ("lb", ("d", "mem")), ("lh", ("d", "mem")),
        *(("lbx", ("d", "s", "i")), ("lbx", ("d", "s", "s"))),
        *(("lhx", ("d", "s", "i")), ("lhx", ("d", "s", "s"))),
        *(("nop", ("i", "mem")), ("nop", ("mem",))),
        *(("nop", ("i", "s", "i")), ("nop", ("i", "s", "s"))),
        *(("nop", ("s", "i")), ("nop", ("s", "s"))),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x | d,q |", "no role `q`"),
        ("x | d | lod:4", "no effect `lod` with a value"),
        ("x | d | length", "no effect `length` without a value"),
        ("x | d | uses:r9", "no name 'r9'"),
        ("x | d | load:4 form:strange", "no name 'STRANGE'"),
        ("x | d | form:block", "no size of an access"),
    ],
)
def test_an_error_has_the_line(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"`{line}`: {message}")):
        Table(LANGUAGE, [line]).rows("x")


def test_mnemonics_without_a_line_are_errors() -> None:
    with pytest.raises(ValueError, match="`y z`: no line"):
        Table(LANGUAGE, ["x | |\ny\nz"])
    with pytest.raises(ValueError, match=re.escape("no ending `[o]`")):
        Table(LANGUAGE, ["x[o] | |"])


def test_every_line_of_every_table_is_read() -> None:
    assert len(list(table())) > 1000
    assert len(list(all_rows())) > 5000


def test_every_effect_is_described() -> None:
    described = re.findall(r"^\| (`.*?`) \|", str(rows.__doc__), re.MULTILINE)
    words = {word for line in described for word in re.findall(r"`(\w+)", line)}
    known = {*rows.WITHOUT_VALUE, *rows.WITH_VALUE, *rows.ACCESSES, "uses", "defs", "suffix"}
    assert words == known
