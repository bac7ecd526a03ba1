"""SPARC code made ready for insertion: forms that inserted code would break are rewritten first.

In this order:

- The set-up of the GOT pointer is one unit of sethi, call and add, whose constants hold the
  distances between the three: compilers keep them together, and so must the rewriter.
- A branch to a label plus some bytes: its target gets a label (`inst.rewrite.counted_targets`).
- A delay slot in which no probe could stand is opened (`slots`).
- A difference of labels stays right when code grows (`immediates`).
"""

from __future__ import annotations

import re
from functools import partial

from inst.arch.sparc.rewrite.immediates import Immediates
from inst.arch.sparc.rewrite.slots import Slots
from inst.flow.code import Code, statement_error
from inst.isa.model import Transfer
from inst.rewrite.context import Rewriting, is_event
from inst.rewrite.counted_targets import CountedTargets

_GOT_DISTANCE = re.compile(r"%hi\(_GLOBAL_OFFSET_TABLE_\s*[-+]\s*\d+\)")


def make_insertable(work: Rewriting) -> None:
    """Rewrite the forms that insertion would break: none in most files.

    Each step reads what the one before it wrote, so that no two change one statement.
    """
    _check_got_setups(work.code)
    _name_targets(work)
    if work.options.check_slots:
        _open_slots(work)
    _widen_immediates(work)


def _name_targets(work: Rewriting) -> None:
    edits = work.opening_edits()
    counted = CountedTargets(work.code, edits)
    for index, fact in enumerate(work.code.facts):
        counted.name(index, fact)
    work.read_again(edits)


def _open_slots(work: Rewriting) -> None:
    edits, code = work.opening_edits(), work.code
    slots = Slots(code, edits, partial(is_event, work))
    ends = set(code.section_end)
    for index, fact in enumerate(code.facts):
        if fact.runs_slot and index + 1 not in ends:
            slots.open(index)
    work.read_again(edits)


def _widen_immediates(work: Rewriting) -> None:
    edits = work.opening_edits()
    immediates = Immediates(work.code, work.isa, edits, work.options.check_registers)
    for index in range(len(work.code.facts)):
        immediates.treat(index)
    immediates.refuse_branches_over_growth()
    work.read_again(edits)


def _check_got_setups(code: Code) -> None:
    for index in range(len(code.facts)):
        if "-" in code.at(index).operands:
            _check_got_setup(code, index)


def _check_got_setup(code: Code, index: int) -> None:
    """Refuse a GOT set-up that an access, and so a probe, would stand inside of.

    The set-up ends with the call that adds the program counter, or that call's slot.
    """
    statement = code.at(index)
    if not _GOT_DISTANCE.search(statement.operands):
        return  # no set-up, or one that names its distances by labels
    for later in range(index + 1, len(code.facts)):
        fact = code.facts[later]
        if fact.access is not None:
            raise statement_error(code, later, "an access inside a GOT set-up cannot be probed")
        if fact.transfer != Transfer.NONE:
            return
