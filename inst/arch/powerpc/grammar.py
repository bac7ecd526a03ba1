"""The grammar of PowerPC's operands."""

from __future__ import annotations

import functools
import re
from typing import cast

import pyparsing as pp

from inst.asm.grammar import expression_rule, read_register
from inst.asm.model import Expression, Memory, Operand, Register, Relocation, Symbol
from inst.asm.syntax import Grammar, Syntax
from inst.asm.tokens import NAME


def _condition_field(node: Expression) -> Expression:
    """Return the register that a factor names: the cr7 of `4*cr7+eq`."""
    if isinstance(node, Symbol) and re.fullmatch(r"cr\.?[0-7]", node.name):
        return Register(node.name.replace(".", ""), node.name)
    return node


def _operand(syntax: Syntax, grammar: Grammar) -> pp.ParserElement:
    """Build the rule for `expression@suffix+addend(base)`."""
    expression = expression_rule(syntax, grammar)
    marker = pp.Regex(rf"\(\s*{NAME}\s*@\s*tls[gl]d(?:@\w+)*\s*\)(?:@\w+)*")
    suffix = pp.Regex(r"(?:@\s*[A-Za-z_]\w*\s*)+")
    addend = pp.FollowedBy(pp.Regex("[-+]")) + pp.original_text_for(expression)
    value = expression + pp.Optional(marker("marker") | suffix("suffix") + pp.Optional(addend))
    value.set_parse_action(_with_suffix)
    register = pp.Regex(r"%?[A-Za-z][\w.]*").set_parse_action(
        functools.partial(read_register, syntax)
    )
    number = pp.Regex(r"0*(?:[12]?[0-9]|3[01])(?![\w.$])").set_parse_action(
        lambda t: Register(f"r{int(t[0])}", t[0])
    )
    base = (register | number).set_name("a base register")
    memory = value + pp.Optional(pp.Suppress("(") - base - pp.Suppress(")").set_name("`)`"))
    return memory.set_parse_action(lambda s, _, t: _memory(s, t)).set_name("an operand")


def _with_suffix(tokens: pp.ParseResults) -> Expression:
    """Wrap an expression that has a relocation suffix."""
    if len(tokens) == 1:
        return cast(Expression, tokens[0])
    operator = cast(str, tokens[1])
    if not operator.startswith("("):
        operator = re.sub(r"\s", "", operator).lower()
    return Relocation(operator, tokens[0], tokens[2].strip() if len(tokens) > 2 else "")


def _memory(source: str, tokens: pp.ParseResults) -> Operand:
    """Wrap an expression that has a base register."""
    if len(tokens) == 1:
        return cast(Operand, tokens[0])
    return Memory(tokens[1], None, tokens[0], None, source.strip())


PART = Grammar(
    infix=r"\|\||&&|==|!=|!!|<>|<=|>=|<<|>>|[-+*/%|&^<>!]",
    signs="-+~!",
    here=".$",
    prefixes=False,
    factor=_condition_field,
    operand=_operand,
)
