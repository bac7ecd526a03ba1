"""Tables of marked instructions, such as `__ex_table`: which words of a file belong to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.asm.model import Kind, Statement
from inst.flow.code import Code
from inst.flow.sections import SECTION_DIRECTIVES, WORDS, Sections, is_table

REFERENCE = re.compile(r"[A-Za-z_.$][\w.$]*|\b\d+[bf]\b")
"""A name among operands, or a reference to a numeric label."""
_COMPILERS_LABEL = re.compile(r"\.L[A-Z]*\d+")


def table_words(statements: list[Statement]) -> Iterator[int]:
    """Yield the statements that give words of tables of marked instructions."""
    sections = Sections()
    may_be = False
    for position, statement in enumerate(statements):
        if statement.kind != Kind.DIRECTIVE:
            continue
        if statement.name in SECTION_DIRECTIVES:
            sections.directive(statement.name, statement.operands)
            may_be = is_table(sections.current)
        elif may_be and statement.name in WORDS:
            yield position


def jump_targets(operands: str) -> list[str]:
    """Return the labels made by the compiler in words of a table: computed jumps go there."""
    return [name for name in REFERENCE.findall(operands) if _COMPILERS_LABEL.fullmatch(name)]


def marked(code: Code) -> Iterator[tuple[int, int, str]]:
    """Yield the instructions that tables mark: (instruction, statement of the word, name).

    A name of a place where a function begins is the function's, which the table's reader calls.
    """
    entries: set[int | None] | None = None
    for position in table_words(code.statements):
        for name in dict.fromkeys(REFERENCE.findall(code.statements[position].operands)):
            index = code.place_of(name, position)
            if index is None or index < 0:
                continue
            if _COMPILERS_LABEL.fullmatch(name):
                continue  # computed jumps go there
            entries = {code.labels.get(n) for n in code.functions()} if entries is None else entries
            if name[0].isdigit() or index not in entries:
                yield index, position, name
