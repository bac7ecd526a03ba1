"""The pyparsing grammar of operands, for both syntaxes.

An expression is read as a flat list of terms and operators, which is then folded by
the assembler's own precedence: that is several times faster than a rule per level.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any, cast

import pyparsing as pp

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
from inst.asm.registers import REGISTERS
from inst.asm.split import plain_label
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
_INFIX = {
    "sparc": r"\|\||&&|==|<>|<=|>=|<<|>>|[-+*/%|&^<>]",  # an exclamation mark is a comment
    "powerpc": r"\|\||&&|==|!=|!!|<>|<=|>=|<<|>>|[-+*/%|&^<>!]",
}
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


def fold(terms: Sequence[Any]) -> Expression:
    """Group a flat list `term operator term ...` by precedence."""
    operands = [terms[0]]
    operators: list[str] = []
    for operator, term in zip(terms[1::2], terms[2::2], strict=True):
        while operators and PRECEDENCE[operators[-1]] >= PRECEDENCE[operator]:
            _reduce(operands, operators)
        operators.append(operator)
        operands.append(term)
    while operators:
        _reduce(operands, operators)
    return cast(Expression, operands[0])


def _reduce(operands: list[Expression], operators: list[str]) -> None:
    right = operands.pop()
    left = operands.pop()
    operator = operators.pop()
    if operator == "*":
        left, right = _condition_field(left), _condition_field(right)
    operands.append(Binary(operator, left, right))


def _condition_field(node: Expression) -> Expression:
    """Return the register that a factor names: the cr7 of `4*cr7+eq`."""
    if isinstance(node, Symbol) and re.fullmatch(r"cr\.?[0-7]", node.name):
        return Register(REGISTERS["powerpc"][node.name], node.name)
    return node


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


def _register(syntax: str, source: str, position: int, tokens: pp.ParseResults) -> Register:
    text = cast(str, tokens[0])
    spelling = text.removeprefix("%")
    name = REGISTERS[syntax].get(spelling.lower() if syntax == "powerpc" else spelling)
    if name is None:
        raise pp.ParseFatalException(source, position, f"{UNKNOWN_REGISTER} {text}")
    return Register(name, text)


def _expression(syntax: str) -> pp.ParserElement:
    """Build the rule for expressions."""
    expression = pp.Forward()
    expression.set_name("an expression")
    name = pp.Regex(NAME).set_parse_action(lambda t: Symbol(t[0]))
    quoted = pp.Regex(STRING, re.DOTALL).set_parse_action(lambda t: Symbol(plain_label(t[0])))
    number = pp.Regex(NUMBER).set_parse_action(_number)
    local = pp.Regex(LOCAL_REFERENCE).set_parse_action(lambda t: Symbol(t[0]))
    character = pp.Regex(CHARACTER).set_parse_action(lambda t: character_number(t[0]))
    here = pp.Regex(rf"\.(?!{LATER})" if syntax == "sparc" else rf"[.$](?!{LATER})")
    here.set_parse_action(lambda t: Here(t[0]))
    register = _register_rule(syntax)
    closing = pp.Suppress(")").set_name("`)`")
    group = pp.Suppress("(") - expression - closing
    terms = [here, name, local, number, register, group, character, quoted]
    if syntax == "sparc":  # comes first: %hi( is no register
        prefix = pp.Regex(r"(%[A-Za-z_]\w*)\s*\(") - expression - closing
        prefix.set_parse_action(lambda t: Relocation(t[0].rstrip("( \t"), t[1]))
        terms.insert(0, prefix)
    term = pp.MatchFirst(terms).set_name("a number, symbol, register or `(`")
    signs = pp.Regex(r"[-+~](?:[ \t]*[-+~])*" if syntax == "sparc" else r"[-+~!](?:[ \t]*[-+~!])*")
    signed = (signs - term).set_parse_action(lambda t: negate(t[0], t[1])) | term
    signed.set_name("a number, symbol, register or `(`")
    operator = pp.Regex(_INFIX[syntax])
    expression <<= (signed + pp.ZeroOrMore(operator - signed)).set_parse_action(
        lambda t: fold(t.as_list())
    )
    return expression


def _register_rule(syntax: str) -> pp.ParserElement:
    """Build the rule for registers with a percent sign."""
    rule = pp.Regex(r"%[A-Za-z_][\w.]*+(?!\s*\()")
    return rule.set_parse_action(functools.partial(_register, syntax))


def _sparc_operand() -> pp.ParserElement:
    """Build the rule for `[address] asi`, `%o7+8`, `#LoadLoad` and expressions."""
    expression = _expression("sparc")
    offset = (pp.Suppress("+") - expression) | (pp.FollowedBy("-") + expression)
    sum_with_register = _register_rule("sparc") + pp.Optional(offset)
    sum_with_register.set_parse_action(lambda t: Binary("+", t[0], t[1]) if len(t) > 1 else t[0])
    address = sum_with_register | expression
    name = pp.Regex(r"#\w+").set_parse_action(lambda t: Symbol(t[0]))
    closing = pp.Suppress("]").set_name("`]`")
    memory = pp.Suppress("[") - address - closing - pp.Optional(name | expression)
    memory.set_parse_action(lambda s, _, t: _sparc_memory(s, t))
    names = pp.Regex(r"[^\[%\"']*#.*", re.DOTALL).set_parse_action(lambda t: Text(t[0]))
    return (memory | names | address).set_name("an operand")


def _sparc_memory(source: str, tokens: pp.ParseResults) -> Memory:
    """Take base, index and offset out of an address."""
    asi = tokens[1] if len(tokens) > 1 else None
    base, index, offset = _address_parts(tokens[0])
    return Memory(base, index, offset, asi, source.strip())


def _address_parts(
    address: Expression,
) -> tuple[Register | None, Register | None, Expression | None]:
    """Return base, index and offset of a SPARC address."""
    match address:
        case Register():
            return address, None, None
        case Binary("+", Register() as base, Register() as index):
            return base, index, None
        case Binary("+", Register() as base, offset) | Binary("+", offset, Register() as base):
            return base, None, offset
    return None, None, address


def _powerpc_operand() -> pp.ParserElement:
    """Build the rule for `expression@suffix+addend(base)`."""
    expression = _expression("powerpc")
    marker = pp.Regex(rf"\(\s*{NAME}\s*@\s*tls[gl]d(?:@\w+)*\s*\)(?:@\w+)*")
    suffix = pp.Regex(r"(?:@\s*[A-Za-z_]\w*\s*)+")
    addend = pp.FollowedBy(pp.Regex("[-+]")) + pp.original_text_for(expression)
    value = expression + pp.Optional(marker("marker") | suffix("suffix") + pp.Optional(addend))
    value.set_parse_action(_with_suffix)
    register = pp.Regex(r"%?[A-Za-z][\w.]*").set_parse_action(
        functools.partial(_register, "powerpc")
    )
    number = pp.Regex(r"0*(?:[12]?[0-9]|3[01])(?![\w.$])").set_parse_action(
        lambda t: Register(f"r{int(t[0])}", t[0])
    )
    base = (register | number).set_name("a base register")
    memory = value + pp.Optional(pp.Suppress("(") - base - pp.Suppress(")").set_name("`)`"))
    return memory.set_parse_action(lambda s, _, t: _powerpc_memory(s, t)).set_name("an operand")


def _with_suffix(tokens: pp.ParseResults) -> Expression:
    """Wrap an expression that has a relocation suffix."""
    if len(tokens) == 1:
        return cast(Expression, tokens[0])
    operator = cast(str, tokens[1])
    if not operator.startswith("("):
        operator = re.sub(r"\s", "", operator).lower()
    return Relocation(operator, tokens[0], tokens[2].strip() if len(tokens) > 2 else "")


def _powerpc_memory(source: str, tokens: pp.ParseResults) -> Operand:
    """Wrap an expression that has a base register."""
    if len(tokens) == 1:
        return cast(Operand, tokens[0])
    return Memory(tokens[1], None, tokens[0], None, source.strip())


_BUILDERS = {"sparc": _sparc_operand, "powerpc": _powerpc_operand}


@functools.cache
def operand_rule(syntax: str) -> pp.ParserElement:
    """Return the rule for one operand, nothing after it."""
    return _BUILDERS[syntax]() + pp.StringEnd().set_name("the end of the operand")
