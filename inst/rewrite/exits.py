"""Opens conditional exits of functions, so that code can run where control leaves and only there.

`beqlr` becomes `beq` to a `blr` of its own, and a conditional branch to another function one to an
unconditional branch there.  A delay slot stays with its branch.
"""

from __future__ import annotations

from inst.flow.code import Code
from inst.flow.functions import Functions
from inst.isa.model import Isa, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import Edits
from inst.rewrite.writer import Writer


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
            _open(code, index, last, isa, edits)
    return edits


def _open(code: Code, index: int, last: int, isa: Isa, edits: Edits) -> None:
    fact, leaving, past = code.facts[index], edits.new_label(), edits.new_label()
    lines = isa.part(Writer).open_exit(code.at(index), fact, leaving, past)
    if lines and fact.delay_slot:
        edits.at(code.statement[index]).instead = lines[0]
        edits.at(code.statement[last]).after += lines[1:]
    elif lines:
        edits.at(code.statement[index]).instead = "; ".join(lines)
