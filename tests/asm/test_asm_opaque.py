"""Bodies that only the assembler understands: left alone, or refused."""

from __future__ import annotations

import pytest

from inst.asm.model import Kind
from inst.asm.opaque import check_opaque
from inst.asm.split import split
from inst.errors import ErrorList, InstError


def kinds(source: str) -> list[tuple[Kind, str]]:
    """Return the kinds and names of statements that pass the check."""
    statements = split(source, "sparc", "t.s")
    assert "".join(s.text for s in statements) == source
    check_opaque(statements, "t.s")
    return [(s.kind, s.name) for s in statements]


def refused(source: str) -> InstError:
    """Return the error that the check raises."""
    statements = split(source, "sparc", "t.s")
    with pytest.raises(InstError) as caught:
        check_opaque(statements, "t.s")
    assert caught.value.hint or isinstance(caught.value, ErrorList)
    return caught.value


def test_unused_macro_is_harmless() -> None:
    source = ".macro store a, b=%o0\n\\a\\()x: st \\b,[\\a]\n .if 1\n nop\n .endif\n.endm\n nop\n"
    assert kinds(source) == [
        (Kind.DIRECTIVE, ".macro"),
        (Kind.OPAQUE, "\\a\\()x"),
        (Kind.OPAQUE, "st"),
        (Kind.OPAQUE, ".if"),
        (Kind.OPAQUE, "nop"),
        (Kind.OPAQUE, ".endif"),
        (Kind.DIRECTIVE, ".endm"),
        (Kind.INSTRUCTION, "nop"),
    ]


def test_macro_call_with_instructions_is_refused() -> None:
    error = refused(".macro Twice x\n\\x\n nop\n.endm\n.text\nf: tWICE nop\n")
    assert str(error.location) == "t.s:6:4"
    assert error.source == "f: tWICE nop"
    assert "macro `twice`" in error.message
    assert "`\\x` (line 2)" in error.message
    assert "#define" in error.hint


def test_macro_call_with_data_only_is_opaque() -> None:
    source = ".macro pair a\n\\a: .word \\a\n here = .\n\n.endm\npair 1\n;pair 2\n"
    assert kinds(source)[-3:] == [(Kind.OPAQUE, "pair"), (Kind.BLANK, ""), (Kind.OPAQUE, "pair")]


def test_macros_through_macros() -> None:
    clean = ".macro one\n.word 1\n.endm\n.macro two\none\none\n.endm\ntwo\n"
    assert kinds(clean)[-1] == (Kind.OPAQUE, "two")
    dirty = clean.replace(".word 1", "ld [%o0],%o1")
    assert "`ld [%o0],%o1` (line 2)" in refused(dirty).message
    recursive = ".macro again n\n.word \\n\n.if \\n\nagain \\n-1\n.endif\n.endm\nagain 3\n"
    assert kinds(recursive)[-1] == (Kind.OPAQUE, "again")


def test_macro_defined_in_a_conditional() -> None:
    source = ".ifndef M\n.macro m\n nop\n.endm\n.endif\n"
    assert kinds(source)[1] == (Kind.OPAQUE, ".macro")
    assert "macro `m`" in refused(source + "m\n").message


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        (".rept 2", ".endr"),
        (".REP 2", ".endr"),
        (".irp x,1,2", ".endr"),
        (".irpc x,12", ".endr"),
        (".if 1", ".endif"),
        (".ifdef x", ".ENDIF"),
        (".ifeqs \"a\",\"b\"", ".endc"),
    ],
)  # fmt: skip
def test_loops_and_conditionals(opening: str, closing: str) -> None:
    data = f'{opening}\nx: .word 1\n y = 2 ! c\n\n"q": .byte 1\n{closing}\nnop\n'
    shown = kinds(data)
    assert [kind for kind, _ in shown[1:-2]] == [Kind.OPAQUE] * 6
    assert [kind for kind, _ in shown[-2:]] == [Kind.DIRECTIVE, Kind.INSTRUCTION]
    error = refused(f"{opening}\n.word 1\n{closing}\n{opening}\nx: nop\n{closing}\n")
    assert str(error.location) == "t.s:5:4"
    assert f"{opening.lower().split()[0]} (line 4)" in error.message


def test_else_branches_count() -> None:
    assert refused(".if 1\n.word 1\n.else\n nop\n.endif\n").location is not None
    assert refused(".if 1\n.if 0\n.endif\n nop\n.endif\n").location is not None


def test_a_macro_ends_at_its_endm_whatever_it_holds() -> None:
    source = ".macro begin\n.if 1\n.endm\n.macro end\n.endif\n.endm\n nop\n"
    assert kinds(source)[-1] == (Kind.INSTRUCTION, "nop")


def test_several_errors_are_all_reported() -> None:
    error = refused(".rept 2\n nop\n nop\n.endr\n")
    assert isinstance(error, ErrorList)
    assert [e.location.line for e in error.errors if e.location] == [2, 3]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('nop\n.include "x.s"\n', 2),
        ('.if 1\n.INCLUDE "x.s"\n.endif\n', 2),
        ('.macro m\n.include "x.s"\n.endm\nm\n', 4),
        ("nop\n.end\n", 2),
        (".mri 1\n", 1),
    ],
)
def test_refused_directives(source: str, line: int) -> None:
    error = refused(source)
    assert error.location is not None
    assert error.location.line == line


def test_what_only_looks_refused() -> None:
    assert kinds('.incbin "x"\n')[0] == (Kind.DIRECTIVE, ".incbin")
    assert kinds(".end: nop\n")[0] == (Kind.LABEL, ".end")
    assert kinds('.macro m\n.include "x"\n.endm\n')[1] == (Kind.OPAQUE, ".include")
    assert kinds(".endm\n.endif\n.endr\n nop\n")[-1] == (Kind.INSTRUCTION, "nop")


@pytest.mark.parametrize("name", [".macro m", ".rept 2", ".irp x,1", ".if 1"])
def test_body_without_end(name: str) -> None:
    with pytest.raises(InstError) as caught:
        split(f"nop\n {name}\n nop\n", "powerpc", "t.s")
    assert f"unterminated {name.split()[0]}" in caught.value.message
    assert str(caught.value.location) == "t.s:2:2"
    assert caught.value.source == f" {name}"
