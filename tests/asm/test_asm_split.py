"""The splitter: every statement with its kind, name, operands and place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.asm import split as splitter
from inst.asm.model import Kind, Statement, source_line
from inst.asm.split import rules_of, scan, split
from inst.errors import InstError
from tests.sizes import examples

I, D, L, A, B, O = (  # noqa: E741  (a letter a kind keeps the expectations readable)
    Kind.INSTRUCTION,
    Kind.DIRECTIVE,
    Kind.LABEL,
    Kind.ASSIGNMENT,
    Kind.BLANK,
    Kind.OPAQUE,
)
SYNTAXES = ("sparc", "powerpc")


def shape(source: str, syntax: str = "sparc") -> list[tuple[Kind, str, str]]:
    """Return kind, name and operands of each statement, after the round trip."""
    statements = split(source, syntax)
    assert "".join(statement.text for statement in statements) == source
    return [(s.kind, s.name, s.operands) for s in statements]


def both(source: str, *expected: tuple[Kind, str, str]) -> None:
    """Expect the same statements in both syntaxes."""
    for syntax in SYNTAXES:
        assert shape(source, syntax) == list(expected)


def test_usual_lines() -> None:
    both(
        "\t.text\nmain:\n\tadd\t1, 2, 3\n\tnop\n\n",
        (D, ".text", ""),
        (L, "main", ""),
        (I, "add", "1, 2, 3"),
        (I, "nop", ""),
        (B, "", ""),
    )


def test_text_reaches_up_to_the_next_statement() -> None:
    source = "1:\tld [%o0],%o1 ! value\n  nop ; nop;\n"
    assert [s.text for s in split(source, "sparc")] == [
        "1:\t",
        "ld [%o0],%o1 ! value\n",
        "  nop ; ",
        "nop;\n",
    ]


def test_places() -> None:
    source = '\tnop\n1: 2:\tnop; nop\n/* a\nb */ nop\n.ascii "x\ny"; nop\n'
    places = [(s.line, s.column) for s in split(source, "sparc") if s.kind != Kind.BLANK]
    assert places == [(1, 2), (2, 1), (2, 4), (2, 7), (2, 12), (4, 6), (5, 1), (6, 5)]


def test_labels() -> None:
    both(
        '1: 22: foo : .L1:$x:a.b$c:"quoted":"two words":\n',
        *[(L, n, "") for n in ("1", "22", "foo", ".L1", "$x", "a.b$c", "quoted", '"two words"')],
    )
    both("caf\xe9\xa0: nop\n", (L, "caf\xe9\xa0", ""), (I, "nop", ""))


def test_assignments() -> None:
    both("a = b\n", (A, "a", "b"))
    both("a==b+1\n", (A, "a", "b+1"))
    both(". = . + 8\n", (A, ".", ". + 8"))
    both(".=.+8;\n", (A, ".", ".+8"))
    both('"q" = 5\n', (A, "q", "5"))
    both(".set a, b\n", (D, ".set", "a, b"))


def test_directives() -> None:
    both("\t.TEXT\n", (D, ".text", ""))
    both("\t.p2align 4,,15\n", (D, ".p2align", "4,,15"))
    both("\t.word(4)\n", (D, ".word", "(4)"))
    both('\t.ascii"a"\n', (D, ".ascii", '"a"'))


def test_strings_hide_separators_and_comments() -> None:
    both(
        '.ascii "a;b!c#d/*e\\"f\\\\" ; nop\n',
        (D, ".ascii", '"a;b!c#d/*e\\"f\\\\"'),
        (I, "nop", ""),
    )
    both('.asciz "a\nb"\nnop\n', (D, ".asciz", '"a\nb"'), (I, "nop", ""))


def test_character_constants_hide_separators_and_comments() -> None:
    both(
        ".byte '!,';,'#','\",'\\''; nop\n",
        (D, ".byte", "'!,';,'#','\",'\\''"),
        (I, "nop", ""),
    )


def test_separators() -> None:
    both("nop;nop ; nop\n", *[(I, "nop", "")] * 3)
    both(";; nop;;nop\n", (B, "", ""), (I, "nop", ""), (I, "nop", ""))


def test_sparc_comments() -> None:
    assert shape("mov 1, %o0 ! a; b\n! c\nnop;# d\n1: # e\n  # f\n") == [
        (I, "mov", "1, %o0"),
        (B, "", ""),
        (I, "nop", ""),
        (L, "1", ""),
        (B, "", ""),
    ]
    assert shape("\t.type f, #function\n") == [(D, ".type", "f, #function")]
    assert shape("\tmembar #LoadLoad | #StoreStore\n") == [(I, "membar", "#LoadLoad | #StoreStore")]
    assert shape('\t.section ".x",#alloc,#write ! y\n') == [(D, ".section", '".x",#alloc,#write')]


def test_powerpc_comments() -> None:
    assert shape("li 3,1 # a; b\n# c\nnop;# d\n1: # e\nli 3,3!1#f\n", "powerpc") == [
        (I, "li", "3,1"),
        (B, "", ""),
        (I, "nop", ""),
        (L, "1", ""),
        (I, "li", "3,3!1"),
    ]


def test_block_comments() -> None:
    both("/* a; b */ nop /* c\nd */ ; nop\n", (B, "", ""), (I, "nop", ""), (I, "nop", ""))
    both("add 1,/* x */2,3 /*y*/\n", (I, "add", "1, 2,3"))
    both("add /* 1\n */ 1,2,3\n", (I, "add", "1,2,3"))
    both("/**/nop/***/\n", (B, "", ""), (I, "nop", ""))
    both(".word 8/4\n", (D, ".word", "8/4"))


def test_line_markers_and_app() -> None:
    blank = (B, "", "")
    both('# 12 "f.c" 2\n#APP\n nop\n#NO_APP\n', blank, blank, (I, "nop", ""), blank)


def test_mnemonic_suffixes() -> None:
    assert shape("bne,a,pt %icc, .L1\nbne,a .L1\nbne , a , pn %xcc, .L1\nb,a .L1\n") == [
        (I, "bne,a,pt", "%icc, .L1"),
        (I, "bne,a", ".L1"),
        (I, "bne,a,pn", "%xcc, .L1"),
        (I, "b,a", ".L1"),
    ]
    assert shape("add. 3,4,5\nbne+ 7,.L1\nbdnz- .L1\nADD 3,4,5\n", "powerpc") == [
        (I, "add.", "3,4,5"),
        (I, "bne+", "7,.L1"),
        (I, "bdnz-", ".L1"),
        (I, "add", "3,4,5"),
    ]


def test_line_ends_and_odd_bytes() -> None:
    both("nop\r\n1:\r\n\r\n", (I, "nop", ""), (L, "1", ""), (B, "", ""))
    both("add 1,2 \t\r\n", (I, "add", "1,2"))
    both("nop", (I, "nop", ""))
    both("foo:", (L, "foo", ""))
    both("\f\n\tnop", (B, "", ""), (I, "nop", ""))
    both("nop\0\n", (I, "nop\0", ""))
    both("")
    both(" \t", (B, "", ""))


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize(
    ("source", "what", "line", "column"),
    [
        ('nop\n\t.ascii "abc\n', "unterminated string", 2, 9),
        ('.ascii "a\\"', "unterminated string", 1, 8),
        ("nop\nnop /* x\n", "unterminated comment", 2, 5),
        ("nop\n /* x", "unterminated comment", 2, 2),
        ("/* a */ /* b", "unterminated comment", 1, 9),
    ],
)
def test_truncated_file(syntax: str, source: str, what: str, line: int, column: int) -> None:
    with pytest.raises(InstError) as caught:
        split(source, syntax, "t.s")
    assert what in caught.value.message
    assert str(caught.value.location) == f"t.s:{line}:{column}"
    assert caught.value.source == source.split("\n")[line - 1]
    assert caught.value.hint


def test_source_line() -> None:
    statements = split("nop\n1: nop; ld x\n", "sparc")
    assert source_line(statements, statements[-1]) == "1: nop; ld x"


FRAGMENTS = st.sampled_from(
    [
        *"\n\n\n;:=,#!/*'\"\\ \t\r\f\0.$+-@%&()1a\xe9\xa0\u2028\udc80",
        "nop", "ld [%o0],%o1", "lwz 3,8(1)", "1:", "foo:", ".L4:", '"a b":', "$x", ".word",
        "\t.ascii ", ".ascii :",
        '"s;!#"', "'a'", "'\\n", "/* c */", "! c", "# 1 \"f\"", "bne,a,pt", " ,a ", "a = b", "a==b",
        ".macro m x\n", ".endm\n", ".rept 2\n", ".endr\n", ".if 1\n", ".else\n", ".endif\n",
        "\\x:", "\\@", "beq+", ".foo-", "#APP\n", "\r\n", ".end", ".include \"x\"",
    ]
)  # fmt: skip
SOURCES = st.lists(FRAGMENTS, max_size=40).map("".join)


@given(SOURCES, st.sampled_from(SYNTAXES))
@settings(max_examples=examples(1500), deadline=None)
def test_any_text_survives(source: str, syntax: str) -> None:
    try:
        statements = split(source, syntax)
    except InstError as error:
        assert "unterminated" in error.message
        return
    assert "".join(statement.text for statement in statements) == source
    check_places(source, statements)


def check_places(source: str, statements: list[Statement]) -> None:
    """Expect each statement's line and column to lead to its name in the source."""
    lines = source.split("\n")
    for statement in statements:
        if statement.kind not in (Kind.BLANK, Kind.OPAQUE) and statement.name.isalnum():
            written = lines[statement.line - 1][statement.column - 1 :]
            assert written.lstrip('"').lower().startswith(statement.name.lower())


@given(SOURCES, st.sampled_from(SYNTAXES))
@settings(max_examples=examples(1500), deadline=None)
def test_fast_lines_and_the_scanner_agree(source: str, syntax: str) -> None:
    rules = rules_of(syntax)
    try:
        statements, _ = splitter._split(source, rules, "t.s", 1)
    except InstError:
        return
    position = 0
    for statement in statements:
        cut = scan(source, position, rules, "t.s")
        assert (cut.kind, cut.name, cut.operands) == (
            statement.kind,
            statement.name,
            statement.operands,
        )
        assert source[position : cut.end] == statement.text
        position = cut.end
