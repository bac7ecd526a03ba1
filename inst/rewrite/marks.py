"""Labels that mark an instruction for a table, such as `__ex_table` of faulting instructions.

`1: ld [%o0],%o1; .section __ex_table; .word 1b, fixup`: the reader of the table looks up the
address of the access itself, while a branch to the label must come to the access's probe. So
the label stays where it is, before the probe, and the table names a label at the access.

What happens at the other place that such a table holds is not seen in the code, so every
register counts as live around a marked access.
"""

from __future__ import annotations

import re

from inst.flow.code import Code
from inst.flow.liveness import Liveness
from inst.flow.tables import marked
from inst.isa.model import Isa
from inst.rewrite.context import Rewriting


def find_marks(code: Code) -> dict[int, list[tuple[int, str]]]:
    """Return for each marked access the words that name it: (statement, name)."""
    found: dict[int, list[tuple[int, str]]] = {}
    for index, position, name in marked(code):
        if code.facts[index].access is not None:
            found.setdefault(index, []).append((position, name))
    return found


def keep_all(marks: dict[int, list[tuple[int, str]]], live: Liveness, isa: Isa) -> None:
    """Count everything that a probe may change as live around marked accesses."""
    registers = isa.registers
    everything = registers.integer & ~registers.reserved | registers.special | registers.link
    for index in marks:
        live.before[index] |= everything
        live.after[index] |= everything


def name_accesses(work: Rewriting) -> None:
    """Make the tables name the accesses, wherever their probes have put them."""
    if not work.marked:
        return
    sites = {site.statement: site.label for site in work.rows}
    for index, words in work.marked.items():
        label = sites.get(work.code.statement[index])
        if label is None:
            continue
        for position, name in words:
            statement = work.code.statements[position]
            edit = work.edits.at(position)
            before = edit.instead or f"{statement.name} {statement.operands}"
            edit.instead = re.sub(rf"(?<![\w.$]){re.escape(name)}(?![\w.$])", label, before)
