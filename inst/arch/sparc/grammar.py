"""The grammar of SPARC's operands."""

from __future__ import annotations

import re

import pyparsing as pp

from inst.asm.grammar import expression_rule, register_rule
from inst.asm.model import Binary, Expression, Memory, Register, Symbol, Text
from inst.asm.syntax import Grammar, Syntax


def _operand(syntax: Syntax, grammar: Grammar) -> pp.ParserElement:
    """Build the rule for `[address] asi`, `%o7+8`, `#LoadLoad` and expressions."""
    expression = expression_rule(syntax, grammar)
    offset = (pp.Suppress("+") - expression) | (pp.FollowedBy("-") + expression)
    sum_with_register = register_rule(syntax) + pp.Optional(offset)
    sum_with_register.set_parse_action(lambda t: Binary("+", t[0], t[1]) if len(t) > 1 else t[0])
    address = sum_with_register | expression
    name = pp.Regex(r"#\w+").set_parse_action(lambda t: Symbol(t[0]))
    closing = pp.Suppress("]").set_name("`]`")
    memory = pp.Suppress("[") - address - closing - pp.Optional(name | expression)
    memory.set_parse_action(lambda s, _, t: _memory(s, t))
    names = pp.Regex(r"[^\[%\"']*#.*", re.DOTALL).set_parse_action(lambda t: Text(t[0]))
    return (memory | names | address).set_name("an operand")


def _memory(source: str, tokens: pp.ParseResults) -> Memory:
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


PART = Grammar(
    infix=r"\|\||&&|==|<>|<=|>=|<<|>>|[-+*/%|&^<>]",  # an exclamation mark is a comment
    signs="-+~",
    here=".",
    prefixes=True,
    factor=lambda node: node,
    operand=_operand,
)
