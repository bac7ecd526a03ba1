"""The pyparsing grammar of operands: what the syntaxes share.

An expression is read as a flat list of terms and operators, which is then folded by
the assembler's own precedence: that is several times faster than a rule per level.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import pyparsing as pp

from inst.asm.model import (
    Binary,
    Expression,
    Here,
    Number,
    Register,
    Relocation,
    Symbol,
    Unary,
)
from inst.asm.split import plain_label
from inst.asm.syntax import Grammar, Syntax
from inst.asm.tokens import CHARACTER, LATER, NAME, STRING, character_value

PRECEDENCE = {
    operator: rank
    for rank, operators in enumerate(
        ("||", "&&", "== != <> < > <= >=", "+ -", "| & ^ ! !!", "* / % << >>")
    )
    for operator in operators.split()
}
"""The assembler's infix operators; a higher rank binds tighter.  All group to the left."""

NUMBER = rf"(?:0[xX][0-9a-fA-F]++|0[bB][01]++|[0-9]++)[uUlL]{{0,3}}(?!{LATER})"
LOCAL_REFERENCE = rf"[0-9]+[bf](?!{LATER})"
UNKNOWN_REGISTER = "unknown register"


def number_value(text: str) -> int:
    """Return the value of an integer literal; ValueError for digits out of base (089)."""
    digits = text.rstrip("uUlL").lower()
    if digits.startswith(("0x", "0b")):
        return int(digits, 0)
    return int(digits, 8 if digits.startswith("0") else 10)


def character_number(text: str) -> Number:
    """Return a character constant; one that ends in a blank as a number, since blanks get lost."""
    value = character_value(text)
    return Number(value, text if text == text.rstrip() else str(value))


def fold(terms: Sequence[Any], factor: Callable[[Expression], Expression]) -> Expression:
    """Group a flat list `term operator term ...` by precedence; `factor` reads what `*` joins."""
    operands = [terms[0]]
    operators: list[str] = []
    for operator, term in zip(terms[1::2], terms[2::2], strict=True):
        while operators and PRECEDENCE[operators[-1]] >= PRECEDENCE[operator]:
            _reduce(operands, operators, factor)
        operators.append(operator)
        operands.append(term)
    while operators:
        _reduce(operands, operators, factor)
    return cast(Expression, operands[0])


def _reduce(
    operands: list[Expression],
    operators: list[str],
    factor: Callable[[Expression], Expression],
) -> None:
    right = operands.pop()
    left = operands.pop()
    operator = operators.pop()
    if operator == "*":
        left, right = factor(left), factor(right)
    operands.append(Binary(operator, left, right))


def negate(operators: str, operand: Expression) -> Expression:
    """Apply prefix operators, the last one first; a minus before a number makes a number."""
    for operator in reversed(operators.replace(" ", "").replace("\t", "")):
        if operator == "-" and isinstance(operand, Number) and operand.text[0] in "0123456789":
            operand = Number(-operand.value, f"-{operand.text}")
        else:
            operand = Unary(operator, operand)
    return operand


def _number(source: str, position: int, tokens: pp.ParseResults) -> Number:
    text = cast(str, tokens[0])
    try:
        return Number(number_value(text), text)
    except ValueError:
        raise pp.ParseFatalException(source, position, "a number in base 8 (digits 0-7)") from None


def read_register(syntax: Syntax, source: str, position: int, tokens: pp.ParseResults) -> Register:
    """Return the register that a token names."""
    text = cast(str, tokens[0])
    name = syntax.register(text.removeprefix("%"))
    if name is None:
        raise pp.ParseFatalException(source, position, f"{UNKNOWN_REGISTER} {text}")
    return Register(name, text)


def expression_rule(syntax: Syntax, grammar: Grammar) -> pp.ParserElement:
    """Build the rule for expressions."""
    expression = pp.Forward()
    expression.set_name("an expression")
    name = pp.Regex(NAME).set_parse_action(lambda t: Symbol(t[0]))
    quoted = pp.Regex(STRING, re.DOTALL).set_parse_action(lambda t: Symbol(plain_label(t[0])))
    number = pp.Regex(NUMBER).set_parse_action(_number)
    local = pp.Regex(LOCAL_REFERENCE).set_parse_action(lambda t: Symbol(t[0]))
    character = pp.Regex(CHARACTER).set_parse_action(lambda t: character_number(t[0]))
    here = pp.Regex(rf"[{grammar.here}](?!{LATER})")
    here.set_parse_action(lambda t: Here(t[0]))
    register = register_rule(syntax)
    closing = pp.Suppress(")").set_name("`)`")
    group = pp.Suppress("(") - expression - closing
    terms = [here, name, local, number, register, group, character, quoted]
    if grammar.prefixes:  # come first: %hi( is no register
        prefix = pp.Regex(r"(%[A-Za-z_]\w*)\s*\(") - expression - closing
        prefix.set_parse_action(lambda t: Relocation(t[0].rstrip("( \t"), t[1]))
        terms.insert(0, prefix)
    term = pp.MatchFirst(terms).set_name("a number, symbol, register or `(`")
    signs = pp.Regex(rf"[{grammar.signs}](?:[ \t]*[{grammar.signs}])*")
    signed = (signs - term).set_parse_action(lambda t: negate(t[0], t[1])) | term
    signed.set_name("a number, symbol, register or `(`")
    operator = pp.Regex(grammar.infix)
    expression <<= (signed + pp.ZeroOrMore(operator - signed)).set_parse_action(
        lambda t: fold(t.as_list(), grammar.factor)
    )
    return expression


def register_rule(syntax: Syntax) -> pp.ParserElement:
    """Build the rule for registers with a percent sign."""
    rule = pp.Regex(r"%[A-Za-z_][\w.]*+(?!\s*\()")
    return rule.set_parse_action(functools.partial(read_register, syntax))
