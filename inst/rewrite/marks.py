"""Labels that mark an instruction for a table, such as `__ex_table` of faulting instructions.

`1: ld [%o0],%o1; .section __ex_table; .word 1b, fixup`: whoever reads the table looks for the
address of the access itself, while a branch to the label must come to the access's probe. So
the label stays where it is, before the probe, and the table names a label at the access.

What goes on at the other place that such a table holds is not seen in the code, so every
register counts as live around a marked access.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.asm.model import Kind, Statement
from inst.flow.code import Code
from inst.flow.liveness import Liveness
from inst.flow.sections import SECTION_DIRECTIVES, Sections
from inst.isa.model import Isa
from inst.rewrite.context import Rewriting

_WORDS = frozenset(
    (".long", ".word", ".4byte", ".int", ".uaword", ".llong", ".quad", ".8byte", ".xword",
     ".uaxword", ".dword")
)  # fmt: skip
_ORDINARY = re.compile(
    r"\.(text|rodata|data|sdata|bss|sbss|got|toc|opd|debug|inst|note|eh_frame|gcc_except_table"
    r"|stab|init|fini|preinit|ctors|dtors|tdata|tbss|comment|gnu|zdebug)"
)
_NAME = re.compile(r"[A-Za-z_.$][\w.$]*|\b\d+[bf]\b")
_COMPILERS_LABEL = re.compile(r"\.L[A-Z]*\d+")


def is_table(section: str) -> bool:
    """Tell whether words in a section may mark instructions, by the section's name."""
    return not _ORDINARY.match(section)


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
        elif may_be and statement.name in _WORDS:
            yield position


def jump_targets(operands: str) -> list[str]:
    """Return the labels of a compiler's own in words of a table: computed jumps go there."""
    return [name for name in _NAME.findall(operands) if _COMPILERS_LABEL.fullmatch(name)]


def find_marks(code: Code) -> dict[int, list[tuple[int, str]]]:
    """Return for each marked access the words that name it: (statement, name)."""
    found: dict[int, list[tuple[int, str]]] = {}
    for position in table_words(code.statements):
        for name in dict.fromkeys(_NAME.findall(code.statements[position].operands)):
            index = code.place_of(name, position)
            if index is None or index < 0 or code.facts[index].access is None:
                continue
            if not _COMPILERS_LABEL.fullmatch(name):  # those are where computed jumps go
                found.setdefault(index, []).append((position, name))
    return found


def keep_all(marks: dict[int, list[tuple[int, str]]], live: Liveness, isa: Isa) -> None:
    """Let everything that a probe may change count as live around marked accesses."""
    registers = isa.registers
    everything = registers.integer & ~registers.reserved | registers.special | registers.link
    for index in marks:
        live.before[index] |= everything
        live.after[index] |= everything


def name_accesses(work: Rewriting, marks: dict[int, list[tuple[int, str]]]) -> None:
    """Let the tables name the accesses, wherever their probes have put them."""
    sites = {site.statement: site.label for site in work.sites}
    for index, words in marks.items():
        label = sites.get(work.code.statement[index])
        if label is None:
            continue
        for position, name in words:
            statement = work.code.statements[position]
            edit = work.edits.at(position)
            before = edit.instead or f"{statement.name} {statement.operands}"
            edit.instead = re.sub(rf"(?<![\w.$]){re.escape(name)}(?![\w.$])", label, before)
