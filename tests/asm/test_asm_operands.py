"""Operand texts to trees."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inst.asm.model import (
    Binary,
    Expression,
    Here,
    Memory,
    Number,
    Operand,
    Register,
    Relocation,
    Symbol,
    Text,
    Unary,
)
from inst.asm.operands import parse_operand, parse_operands, print_operands, split_operands
from inst.errors import InstError
from tests.sizes import examples


def number(value: int) -> Number:
    return Number(value, str(value))


def plus(left: Expression, right: Expression) -> Binary:
    return Binary("+", left, right)


def minus(left: Expression, right: Expression) -> Binary:
    return Binary("-", left, right)


X, Y = Symbol("x"), Symbol("y")


def sparc(text: str) -> Operand:
    return parse_operand(text, "sparc")


def powerpc(text: str) -> Operand:
    return parse_operand(text, "powerpc")


def test_split_operands() -> None:
    assert split_operands("") == ()
    assert split_operands("%o0") == ("%o0",)
    assert split_operands("[%l7+%g1], %l7 ,%gdop(g)") == ("[%l7+%g1]", "%l7", "%gdop(g)")
    assert split_operands("f(a,b),[c,d],\"e,)\\\"\",',,'\\'',(") == (
        "f(a,b)",
        "[c,d]",
        '"e,)\\""',
        "',",
        "'\\''",
        "(",
    )
    assert split_operands("a),'x,b") == ("a)", "'x", "b")
    assert split_operands("a,,b,") == ("a", "", "b", "")
    assert split_operands("8 ( 1 )\t,\t2\r") == ("8 ( 1 )", "2")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("%g0", "g0"), ("%i7", "i7"), ("%sp", "o6"), ("%fp", "i6"), ("%r0", "g0"), ("%r9", "o1"),
        ("%r17", "l1"), ("%r31", "i7"), ("%f0", "f0"), ("%f63", "f63"), ("%d4", "f4"),
        ("%q8", "f8"), ("%y", "y"), ("%asr0", "y"), ("%psr", "psr"), ("%wim", "wim"),
        ("%tbr", "tbr"), ("%fsr", "fsr"), ("%icc", "icc"), ("%xcc", "xcc"), ("%fcc0", "fcc0"),
        ("%fcc3", "fcc3"), ("%asr17", "asr17"), ("%asr19", "gsr"), ("%gsr", "gsr"),
        ("%asi", "asi"), ("%tick", "tick"), ("%pc", "pc"), ("%ccr", "ccr"), ("%fprs", "fprs"),
        ("%c31", "c31"), ("%csr", "csr"), ("%stick", "stick"),
    ],
)  # fmt: skip
def test_sparc_registers(text: str, name: str) -> None:
    assert sparc(text) == Register(name, text)
    assert str(sparc(text)) == text


@pytest.mark.parametrize("text", ["%g8", "%q9", "%d3", "%f64", "%r32", "%asr32", "%fcc4", "%SP"])
def test_unknown_sparc_register(text: str) -> None:
    with pytest.raises(InstError) as caught:
        sparc(text)
    assert caught.value.message == f"unknown register {text} in operand `{text}`, column 1"
    with pytest.raises(InstError) as caught:
        sparc(f"[%o0+{text}]")
    assert f"unknown register {text} " in caught.value.message
    assert caught.value.message.endswith("column 6")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("r3", "r3"), ("%r31", "r31"), ("r.4", "r4"), ("R5", "r5"), ("f1", "f1"), ("%f31", "f31"),
        ("v2", "v2"), ("vs3", "vs3"), ("%vs63", "vs63"), ("cr7", "cr7"), ("cr.6", "cr6"),
        ("%cr0", "cr0"), ("lr", "lr"), ("%ctr", "ctr"), ("xer", "xer"), ("sp", "r1"),
        ("%rtoc", "r2"),
    ],
)  # fmt: skip
def test_powerpc_registers(text: str, name: str) -> None:
    assert powerpc(text) == Register(name, text)
    assert str(powerpc(text)) == text


def test_powerpc_names_that_are_no_registers() -> None:
    for name in ("r32", "f32", "cr8", "vs64", "eq", "r3x", "rfoo"):
        assert powerpc(name) == Symbol(name)
    assert powerpc("r3@ha") == Relocation("@ha", Symbol("r3"))
    assert powerpc("cr7+4") == plus(Symbol("cr7"), number(4))


def test_condition_register_bits() -> None:
    field = Register("cr7", "cr7")
    assert powerpc("4*cr7+eq") == plus(Binary("*", number(4), field), Symbol("eq"))
    assert powerpc("cr7*4+so") == plus(Binary("*", field, number(4)), Symbol("so"))


NUMBERS = "0 12 017 0x1F 0b101 0xffffffffffffffff 10U -20 -0x10 'a 'a' '\\n '\\1' '\\\\' '\\'"


def test_numbers() -> None:
    values = [0, 12, 15, 31, 5, 2**64 - 1, 10, -20, -16, 97, 97, 10, 49, 92, 39]
    for syntax in ("sparc", "powerpc"):
        for text, value in zip(NUMBERS.split(), values, strict=True):
            assert parse_operand(text, syntax) == Number(value, text)
    assert sparc("' ") == Number(32, "32")  # the blank would get lost
    assert sparc("- 4") == Number(-4, "-4")


def test_symbols() -> None:
    for syntax in ("sparc", "powerpc"):
        for name in ("main", ".L4", "a.b$c", "_x", "$x", ".LC0", "1b", "22f", "0b", "caf\xe9\xa0"):
            assert parse_operand(name, syntax) == Symbol(name)
        assert parse_operand(".", syntax) == Here(".")
        assert parse_operand('"a b"+4', syntax) == plus(Symbol('"a b"'), number(4))
        assert parse_operand('"ab"+4', syntax) == plus(Symbol("ab"), number(4))
        assert parse_operand('"a b"', syntax) == Text('"a b"')
    assert powerpc("$") == Here("$")
    assert sparc("$") == Symbol("$")


def test_expressions() -> None:
    for syntax in ("sparc", "powerpc"):
        for text, tree in (
            (".+8", plus(Here("."), number(8))),
            (".L4-.L2", minus(Symbol(".L4"), Symbol(".L2"))),
            ("x-(.L4-.)", minus(X, minus(Symbol(".L4"), Here(".")))),
            ("x-y+4", plus(minus(X, Y), number(4))),
            ("2+3*4", plus(number(2), Binary("*", number(3), number(4)))),
            ("2*3|4", Binary("|", Binary("*", number(2), number(3)), number(4))),
            ("2|3+4", plus(Binary("|", number(2), number(3)), number(4))),
            ("1+2==3", Binary("==", plus(number(1), number(2)), number(3))),
            ("1||2&&3", Binary("||", number(1), Binary("&&", number(2), number(3)))),
            ("1<<2>>3", Binary(">>", Binary("<<", number(1), number(2)), number(3))),
            ("5%3", Binary("%", number(5), number(3))),
            ("~x&3", Binary("&", Unary("~", X), number(3))),
            ("-x", Unary("-", X)),
            ("-(x-y)", Unary("-", minus(X, Y))),
            ("80f-104b", minus(Symbol("80f"), Symbol("104b"))),
        ):
            assert parse_operand(text, syntax) == tree
    assert powerpc("!x") == Unary("!", X)
    assert powerpc("2!x") == Binary("!", number(2), X)
    assert powerpc("2!!x") == Binary("!!", number(2), X)
    assert str(powerpc("2!(!x)")) == "2!(!x)"
    assert powerpc("2!=x") == Binary("!=", number(2), X)


FP, L7, G1 = Register("i6", "%fp"), Register("l7", "%l7"), Register("g1", "%g1")


@pytest.mark.parametrize(
    ("text", "base", "index", "offset", "asi"),
    [
        ("[%g1]", G1, None, None, None),
        ("[%fp-20]", FP, None, number(-20), None),
        ("[%fp+-20]", FP, None, number(-20), None),
        ("[%fp+0x14]", FP, None, Number(20, "0x14"), None),
        ("[ %l7 + %g1 ]", L7, G1, None, None),
        ("[%g1+%lo(x)]", G1, None, Relocation("%lo", X), None),
        ("[%lo(x)+%g1]", G1, None, Relocation("%lo", X), None),
        ("[8+%fp]", FP, None, number(8), None),
        ("[%fp-8+4]", FP, None, plus(number(-8), number(4)), None),
        ("[%fp+(8-4)]", FP, None, minus(number(8), number(4)), None),
        ("[x+4]", None, None, plus(X, number(4)), None),
        ("[12]", None, None, number(12), None),
        ("[%g1]0x80", G1, None, None, Number(128, "0x80")),
        ("[%g1+8] %asi", G1, None, number(8), Register("asi", "%asi")),
        ("[%g1+%l7] #ASI_P", G1, L7, None, Symbol("#ASI_P")),
        ("[%g1] (0x80+2)", G1, None, None, plus(Number(128, "0x80"), number(2))),
    ],
)
def test_sparc_memory(
    text: str,
    base: Register | None,
    index: Register | None,
    offset: Expression | None,
    asi: Expression | None,
) -> None:
    assert sparc(text) == Memory(base, index, offset, asi, text)
    assert str(sparc(text)) == text


RELOCATIONS = """
    hi lo h44 m44 l44 hh hm lm uhi ulo gdop_hix22 gdop_lox10 gdop tgd_hi22 tgd_call tldm_add
    tldo_hix22 tie_ld tle_hix22 tle_lox10 pc10 pc22 r_disp32 r_plt32
"""


def test_sparc_relocations() -> None:
    for name in RELOCATIONS.split():
        assert sparc(f"%{name}(x+4)") == Relocation(f"%{name}", plus(X, number(4)))
    assert sparc("%hi (x)") == Relocation("%hi", X)
    tree = sparc("%hi(_GLOBAL_OFFSET_TABLE_-(.L4-.))")
    table = Symbol("_GLOBAL_OFFSET_TABLE_")
    assert tree == Relocation("%hi", minus(table, minus(Symbol(".L4"), Here("."))))
    assert str(tree) == "%hi(_GLOBAL_OFFSET_TABLE_-(.L4-.))"


def test_sparc_trailing_relocation() -> None:
    operands = parse_operands("[%l7+%g1], %l7, %gdop(g)", "sparc")
    assert operands == (
        Memory(L7, G1, None, None, "[%l7+%g1]"),
        L7,
        Relocation("%gdop", Symbol("g")),
    )
    assert print_operands(operands) == "[%l7+%g1],%l7,%gdop(g)"


def test_sparc_addresses_without_brackets() -> None:
    o7 = Register("o7", "%o7")
    assert sparc("%o7+8") == plus(o7, number(8))
    assert sparc("%o7-8") == plus(o7, number(-8))
    assert sparc("%g1+%l7") == plus(G1, L7)
    assert sparc("%o7+(80f-104b)") == plus(o7, minus(Symbol("80f"), Symbol("104b")))
    # The assembler wants the register by itself, not in a sum in parentheses.
    assert str(sparc("%o7+80f-104b")) == "%o7+(80f-104b)"


def test_names_with_a_number_sign() -> None:
    for text in ("#LoadLoad", "#LoadLoad|#StoreStore", "#n_reads", "6|#LoadLoad"):
        assert sparc(text) == Text(text)
    assert sparc("@function") == Text("@function")


@pytest.mark.parametrize(
    ("text", "base", "offset"),
    [
        ("8(1)", Register("r1", "1"), number(8)),
        ("-8(%r1)", Register("r1", "%r1"), number(-8)),
        ("0(r3)", Register("r3", "r3"), number(0)),
        ("0(0)", Register("r0", "0"), number(0)),
        ("4(sp)", Register("r1", "sp"), number(4)),
        ("x@l(9)", Register("r9", "9"), Relocation("@l", X)),
        ("x@l+4(9)", Register("r9", "9"), Relocation("@l", X, "+4")),
        ("x+4@l(9)", Register("r9", "9"), Relocation("@l", plus(X, number(4)))),
        ("x@got@tprel@l(31)", Register("r31", "31"), Relocation("@got@tprel@l", X)),
        (".LC0-.LCTOC1(30)", Register("r30", "30"), minus(Symbol(".LC0"), Symbol(".LCTOC1"))),
        ("(x+4)-4(5)", Register("r5", "5"), minus(plus(X, number(4)), number(4))),
        ("8 ( 1 )", Register("r1", "1"), number(8)),
        ("r4(1)", Register("r1", "1"), Symbol("r4")),
    ],
)
def test_powerpc_memory(text: str, base: Register, offset: Expression) -> None:
    assert powerpc(text) == Memory(base, None, offset, None, text)


@pytest.mark.parametrize(
    ("text", "tree", "printed"),
    [
        ("x@ha", Relocation("@ha", X), "x@ha"),
        ("x @ HA", Relocation("@ha", X), "x@ha"),
        ("x@got@l", Relocation("@got@l", X), "x@got@l"),
        ("x@tprel@ha", Relocation("@tprel@ha", X), "x@tprel@ha"),
        ("x@notoc", Relocation("@notoc", X), "x@notoc"),
        ("(x-1b)@ha", Relocation("@ha", minus(X, Symbol("1b"))), "(x-1b)@ha"),
        ("x+32768@plt", Relocation("@plt", plus(X, number(32768))), "(x+32768)@plt"),
        ("x@l-4", Relocation("@l", X, "-4"), "x@l-4"),
        ("x@l + (4*2)", Relocation("@l", X, "+ (4*2)"), "x@l+ (4*2)"),
        ("x(y@tlsgd)@plt", Relocation("(y@tlsgd)@plt", X), "x(y@tlsgd)@plt"),
        ("x(y@tlsld)", Relocation("(y@tlsld)", X), "x(y@tlsld)"),
        ("$+8", plus(Here("$"), number(8)), "$+8"),
    ],
)
def test_powerpc_expressions(text: str, tree: Operand, printed: str) -> None:
    assert powerpc(text) == tree
    assert str(tree) == printed


@pytest.mark.parametrize(
    ("syntax", "text", "column", "expected"),
    [
        ("sparc", "[%o0", 5, "`]`"),
        ("sparc", "[%o0+]", 6, "a number, symbol, register or `(`"),
        ("sparc", "%hi(x", 6, "`)`"),
        ("sparc", "a b", 3, "the end of the operand"),
        ("sparc", "x+089", 3, "a number in base 8"),
        ("sparc", "[%o0]]", 6, "the end of the operand"),
        ("powerpc", "8(", 3, "a base register"),
        ("powerpc", "8(32)", 3, "a base register"),
        ("powerpc", "x@", 2, "the end of the operand"),
        ("powerpc", "8(1", 4, "`)`"),
        ("powerpc", "#x", 1, "a number, symbol, register or `(`"),
        ("powerpc", "(x@l)", 3, "`)`"),
    ],
)
def test_errors(syntax: str, text: str, column: int, expected: str) -> None:
    with pytest.raises(InstError) as caught:
        parse_operands(text, syntax)
    message = caught.value.message
    assert f"cannot read operand `{text}`: at column {column} expected {expected}" in message
    assert caught.value.source == text


def test_missing_operand() -> None:
    for text in ("a,,b", ",a", "a,"):
        with pytest.raises(InstError, match="an operand is missing"):
            parse_operands(text, "sparc")


def test_unknown_base_register() -> None:
    with pytest.raises(InstError, match=r"unknown register foo in operand `8\(foo\)`, column 3"):
        powerpc("8(foo)")


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    with pytest.raises(InstError, match="fewer nested parentheses"):
        sparc("(" * 5000 + "1" + ")" * 5000)


def test_each_text_is_parsed_once() -> None:
    assert parse_operands("[%sp+1236], %o0", "sparc") is parse_operands("[%sp+1236], %o0", "sparc")
    first = parse_operands("[%sp+1237], %o0", "sparc")[0]
    assert parse_operands("%o1, [%sp+1237]", "sparc")[1] is first


@example("(' )")
@given(st.text(alphabet="[]()%+-@#$.,'\"\\ abr019xlohi!*&~", max_size=20))
@settings(max_examples=examples(600), deadline=None)
def test_any_text_is_operands_or_an_error(text: str) -> None:
    for syntax in ("sparc", "powerpc"):
        try:
            operands = parse_operands(text, syntax)
        except InstError as error:
            assert error.message
            continue
        printed = print_operands(operands)
        assert print_operands(parse_operands(printed, syntax)) == printed
