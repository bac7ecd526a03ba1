"""Branches that growth pushed out of reach: inverted around an unconditional one.

The assembler relaxes no conditional PowerPC branch (32 KB) and none of SPARC V9's that are
short: with predictions (1 MB), on registers (128 KB), with a comparison (2 KB).  A branch that an
upper bound of its distance cannot clear is rewritten.
"""

from __future__ import annotations

from inst.flow.code import Code, statement_error
from inst.isa.model import Transfer
from inst.rewrite.bounds import RELAXED_WORDS, Bounds, words_bound
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import Edits

_FARTHEST_DELAYED = 8 << 20
"""What SPARC's branches without a prediction reach; no other goes farther."""


def relax(work: Rewriting) -> None:
    """Rewrite each direct branch whose target may be out of its reach now."""
    code, edits, jump = work.whole, work.edits, work.isa.jump
    if not edits.by_statement:
        return
    branches = [
        index
        for index, fact in enumerate(code.facts)
        if fact.reach and fact.transfer == Transfer.BRANCH
    ]
    nearest = min((code.facts[index].reach for index in branches), default=0)
    if not branches or 4 * RELAXED_WORDS * words_bound(code, edits) < nearest:
        return
    bounds = Bounds(code, edits)
    for index in branches:
        target = code.target(index)
        if target >= 0:
            distance = bounds.distance(code.statement[target], code.statement[index])
            if distance + 64 >= code.facts[index].reach:
                _relax_one(code, index, edits, jump)


def _relax_one(code: Code, index: int, edits: Edits, jump: str) -> None:
    fact = code.facts[index]
    if fact.delay_slot:
        _relax_delayed(code, index, edits, jump)
        return
    edit = edits.at(code.statement[index])
    if edit.instead is not None:
        return  # it goes no farther than what follows it
    skip = edits.new_label()
    if fact.inverse:
        inverted = code.retargeted(index, skip, fact.inverse)
        text = [inverted, f"{jump} {fact.target}", f"{skip}:"]
    else:
        over = edits.new_label()
        text = [code.retargeted(index, over), f"{jump} {skip}", f"{over}:"]
        text += [f"{jump} {fact.target}", f"{skip}:"]
    edit.instead = "; ".join(text)


def _relax_delayed(code: Code, index: int, edits: Edits, jump: str) -> None:
    """Let a branch with a delay slot reach its target by a jump after the slot.

    A branch that a probe has replaced goes no farther than the probe.
    """
    fact = code.facts[index]
    edit = edits.at(code.statement[index])
    if edit.instead is not None:
        return
    if fact.reach >= _FARTHEST_DELAYED:
        raise statement_error(code, index, "growth pushes this branch's target out of its reach")
    if not fact.conditional:
        plain = jump if fact.annul else jump.split(",")[0]
        edit.instead = f"{plain} {fact.target}"
        return
    near, past = edits.new_label(), edits.new_label()
    edit.instead = code.retargeted(index, near)
    following = [f"{jump} {past}", f"{near}:", f"{jump} {fact.target}", f"{past}:"]
    edits.at(code.statement[index + 1]).after += following
