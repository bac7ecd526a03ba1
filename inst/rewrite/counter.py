"""The software instruction counter: a call of glue where a program may go round or go on.

Counted is, each time it is executed and before it is:

- a branch whose target does not lie behind it, taken or not, and one that leaves the file
  or goes to a function (a call made a jump);
- a call, also one through a register; but neither the calls that compilers use to learn
  where code lies nor the ones of out-of-line register saving;
- a jump through a register (jump tables, computed gotos): where it goes is not known.

So no program runs for ever without counting, and place and count together name a moment of
the run: J. M. Mellor-Crummey and T. J. LeBlanc, "A software instruction counter", 1989.
The 1994 translator counted at each execution of a backward branch too, and at the entry of
functions instead of at calls. A branch between a reservation and its conditional store is
not counted: the glue's stores could make the pair fail for ever.
"""

from __future__ import annotations

from collections.abc import Callable

from inst.asm.model import Kind
from inst.flow.conventions import convention_of
from inst.isa.model import Facts, Form, Transfer
from inst.rewrite import powerpc, powerpc64, sparc
from inst.rewrite.context import Rewriting

ENTRY = "inst.window"
_GOT = "_GLOBAL_OFFSET_TABLE_"
_SET_UP = 3
"""Instructions in front of a call that may be of the same set-up."""
_RESERVATION_LIMIT = 64


def _on_sparc(work: Rewriting, index: int) -> list[str]:
    return sparc.call_sequence(work, index, ENTRY, work.liveness.before[index])


_SEQUENCES: dict[tuple[str, int], Callable[[Rewriting, int], list[str]]] = {
    ("sparc", 32): _on_sparc,
    ("sparc", 64): _on_sparc,
    ("powerpc", 32): lambda work, index: powerpc.call_sequence(work, index, ENTRY),
    ("powerpc", 64): lambda work, index: powerpc64.call_sequence(work, index, ENTRY),
}
"""Instruction set and width -> what calls the counter in front of an instruction."""


def place_counts(work: Rewriting) -> bool:
    """Put a count at every place that has one; tell whether there was any."""
    sequence = _SEQUENCES[work.isa.name, work.isa.bits]
    places = _Places(work).counted()
    for index in places:
        edit = work.edits.at(work.code.statement[index])
        edit.before[:0] = sequence(work, index)
    return bool(places)


class _Places:
    """Where a file counts."""

    def __init__(self, work: Rewriting) -> None:
        self.code = work.code
        self.preserving = convention_of(work.isa).preserving
        self.functions: frozenset[str] | None = None

    def counted(self) -> list[int]:
        """Return the instructions in front of which the counter is called."""
        facts = self.code.facts
        found: list[int] = []
        in_slot = False
        reserved = 0
        for index, fact in enumerate(facts):
            if fact.access is not None and fact.access.form == Form.RESERVE:
                reserved = index + _RESERVATION_LIMIT
            elif fact.access is not None and fact.access.form == Form.CONDITIONAL:
                reserved = 0
            may = fact.transfer != Transfer.NONE and not in_slot and index >= reserved
            if may and self._counts(index, fact):
                found.append(index)
            in_slot = fact.delay_slot and not (fact.annul and not fact.conditional)
        return found

    def _counts(self, index: int, fact: Facts) -> bool:
        if fact.pc_relative_data:
            return False
        if fact.transfer == Transfer.CALL:
            learns = fact.target.startswith(".L") or self.preserving.match(fact.target)
            return not learns and not self._in_set_up(index)
        if fact.transfer == Transfer.BRANCH:
            return self._goes_back(index, fact)
        return fact.transfer == Transfer.JUMP

    def _in_set_up(self, index: int) -> bool:
        """Tell whether a call belongs to a set-up of the GOT pointer, which stays in one piece."""
        code = self.code
        before = code.statement[max(index - _SET_UP, 0) : index]
        return any(_GOT in code.statements[place].operands for place in before)

    def _goes_back(self, index: int, fact: Facts) -> bool:
        """Tell whether a branch does not lead forward within its function."""
        if self.preserving.match(fact.target):
            return False
        if self.code.target(index) <= index:
            return True
        name = fact.target
        return not name.startswith(".L") and not name[0].isdigit() and name in self._functions()

    def _functions(self) -> frozenset[str]:
        """Return the names that the file says are functions."""
        if self.functions is None:
            self.functions = frozenset(
                statement.operands.split(",")[0].strip()
                for statement in self.code.statements
                if statement.kind == Kind.DIRECTIVE
                and statement.name == ".type"
                and "function" in statement.operands
            )
        return self.functions
