"""Opens conditional exits of functions, so that code can run where control leaves and only there.

`beqlr` becomes `beq` to a `blr` of its own, and a conditional branch to another function one to an
unconditional branch there.  SPARC's branches keep their slots.
"""

from __future__ import annotations

import re

from inst.asm.operands import split_operands
from inst.flow.code import Code
from inst.flow.functions import Functions
from inst.isa.model import Isa, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import Edits

_THROUGH_REGISTER = re.compile(r"(b\w*?)(lr|ctr|tar)([+-]?)")


def open_reported_exits(work: Rewriting) -> None:
    """Open the conditional exits of functions where these are reported."""
    if work.options.functions:
        work.read_again(open_exits(work.code, work.isa, work.file.opened_labels))


def open_exits(code: Code, isa: Isa, labels: int) -> Edits:
    """Return the edits that leave no conditional exit; new labels are numbered from `labels` on."""
    edits = Edits(labels=labels, label_prefix=".Lexit")
    ends = set(code.section_end)
    for function in Functions(code, isa).found:
        for index in function.exits:
            fact = code.facts[index]
            last = index + 1 if fact.delay_slot else index
            if not fact.conditional or last + 1 in ends or fact.transfer == Transfer.CALL:
                continue
            _open(code, index, last, edits)
    return edits


def _open(code: Code, index: int, last: int, edits: Edits) -> None:
    statement, fact = code.at(index), code.facts[index]
    leaving, past = edits.new_label(), edits.new_label()
    operands = list(split_operands(statement.operands))
    if fact.target:
        operands[fact.target_operand] = leaving
        name = statement.name
        exit_itself = f"{'ba' if fact.delay_slot else 'b'} {fact.target}"
    else:
        match = _THROUGH_REGISTER.fullmatch(statement.name)
        if match is None:
            return
        name = match[1] + match[3]
        operands = [*(operands[:2] if match[1] == "bc" else operands), leaving]
        exit_itself = f"b{match[2]}"
    itself = f"{name} {','.join(operands)}"
    if fact.delay_slot:
        edits.at(code.statement[index]).instead = itself
        following = [f"ba {past}", "nop", f"{leaving}:", exit_itself, "nop", f"{past}:"]
        edits.at(code.statement[last]).after += following
    else:
        lines = [itself, f"b {past}", f"{leaving}:", exit_itself, f"{past}:"]
        edits.at(code.statement[index]).instead = "; ".join(lines)
