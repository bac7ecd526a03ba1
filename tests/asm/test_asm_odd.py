"""Odd statements that the assembler takes: places, character constants, very many of anything."""

from __future__ import annotations

import re

import pytest

from inst.asm.places import Places
from inst.asm.split import split
from inst.errors import ErrorList
from inst.target.targets import TARGETS, Target
from inst.translate import Options, translate
from tests.hostile.running import limited

ACCESS = {"powerpc": "lwz 3,0(4)", "sparc": "ld [%o0],%o1"}


def place_of(*lines: str) -> tuple[str, int] | None:
    return Places().of(split("\n".join([*lines, "nop"]) + "\n", "powerpc"))[-1]


@pytest.mark.parametrize(
    ("operands", "expected"),
    [("1 5", ("x.c", 5)), ("1 (5)", ("x.c", 5)), ("(1) 5 3", ("x.c", 5)), ("1 0x10", ("x.c", 16)),
     ("01 010", ("x.c", 8)), ("1", ("x.c", 0)), ("", None), ("1 2+3", ("x.c", 0)),
     ("2 7", ("?", 7)), ("1 " + "9" * 5000, ("x.c", 0)), ("1 089", ("x.c", 0))],
)  # fmt: skip
def test_places(operands: str, expected: tuple[str, int] | None) -> None:
    assert place_of('.file 1 "x.c"', f".loc {operands}") == expected


def test_line_markers_of_any_number() -> None:
    assert place_of(f'# {"9" * 5000} "y.c"') is None
    assert place_of('# 7 "y.c"') == ("y.c", 7)


def test_statements_with_odd_places_are_translated(target: Target) -> None:
    access = ACCESS[target.isa]
    text = f'\t.file 1 "x.c"\n\t.text\nf:\n\t.loc 1 (5)\n\t{access}\n\t.loc 1\n\t{access}\n'
    assert translate(text, target, Options()).count(".Linst") >= 2


@pytest.mark.parametrize("written", ["' ", "'  ", "'\t", "'\\ ", "';", "';'", "'#", "',", "'("])
def test_character_constants_as_displacements(written: str) -> None:
    """A blank after the quote is the character; none of them may end a statement."""
    text = f"\t.text\nf:\n\tlwz 3,{written}(4)\n\tblr\n"
    value = ord(written.strip("'")[-1] if written.strip("'") else " ")
    for name in ("ppc32", "ppc64", "ppc64le"):
        added = translate(text, TARGETS[name], Options()).split(".section")[0]
        assert re.search(rf"addi [0-9]+,[0-9]+,{value}(?![0-9'])", added), (name, added)


@pytest.mark.rotated(turns=True)
def test_many_operators_and_statements_on_a_line(target: Target) -> None:
    many = "+".join(["1"] * 5_000)
    power, sparc = (
        f"lwz 3,{many}(4)\n\taddi 3,3,{many}",
        f"ld [%o0+{many}],%o1\n\tadd %o1,{many},%o1",
    )
    text = power if target.isa == "powerpc" else sparc
    text = f"\t.text\nf:\n\t{text}\n\t{'; '.join(['nop'] * 30_000)}\n\t.data\n\t.long {many}\n"
    with limited():
        assert translate(text, target, Options()).count("1+1+1") > 3000


@pytest.mark.parametrize("number", ["1<<-1", "1<<999999999999", "1>>99", "9*" * 3000 + "0"])
def test_numbers_that_no_processor_has(number: str, target: Target) -> None:
    text = f"\t.text\nf:\n\t{ACCESS[target.isa]}\n\tnop\n\t.long {number}\n"
    with limited():
        assert number in translate(text, target, Options())


def test_nested_conditionals_take_time_in_proportion() -> None:
    count = 20_000
    opening, closing = ".if 1\n" * count, ".endif\n" * count
    data = f"\t.text\nf:\n\tlwz 3,0(4)\n\tblr\n{opening}\t.long 1\n{closing}"
    with limited():
        assert opening in translate(data, TARGETS["ppc32"], Options())
        with pytest.raises(ErrorList) as found:
            code = "\tnop\n" * count
            translate(f"\t.text\n{opening}{code}{closing}", TARGETS["ppc32"], Options())
    assert len(found.value.errors) == 100
    assert "instruction inside .if (line 20001)" in found.value.errors[0].message
