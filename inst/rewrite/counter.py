"""The software instruction counter: glue is called at backward branches, calls and jumps.

These are counted, each time they are executed and before they are:

- a branch whose target is not after it, taken or not, and one that leaves the file
  or goes to a function (a call made a jump);
- a call, also one through a register; but neither the calls by which code learns where it
  lies nor those of out-of-line register saving;
- a jump through a register (jump tables, computed gotos): where it goes is not known.

So no program runs for ever without counting, and place and count together name a moment of
the run: J. M. Mellor-Crummey and T. J. LeBlanc, "A software instruction counter", 1989.
The 1994 translator counted at each execution of a backward branch too, and at the entry of
functions instead of at calls. A branch between a reservation and its conditional store is
not counted: the glue's stores could make the pair fail for ever.
"""

from __future__ import annotations

from inst.flow.conventions import convention_of
from inst.isa.model import Facts, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.writer import Writer

ENTRY = "inst.window"
GOT = "_GLOBAL_OFFSET_TABLE_"
_SET_UP = 3
"""How many instructions before a call may belong to the same set-up."""


def place_counts(work: Rewriting) -> None:
    """Insert a count at every counted place, if the user wants any."""
    if not work.options.counter:
        return
    count = work.isa.part(Writer).count
    places = counted_places(work)
    for index in places:
        count(work, index, ENTRY)
    work.file.calls_glue |= bool(places)


def counted_places(work: Rewriting) -> list[int]:
    """Return the instructions before which the counter is called, if the user wants any."""
    return _Places(work).counted() if work.options.counter else []


class _Places:
    """The places at which a file counts."""

    def __init__(self, work: Rewriting) -> None:
        self.code = work.code
        self.reserved = work.reserved
        self.preserving = convention_of(work.isa).preserving
        self.functions: frozenset[str] | None = None

    def counted(self) -> list[int]:
        """Return the instructions before which the counter is called."""
        facts = self.code.facts
        found: list[int] = []
        in_slot = False
        for index, fact in enumerate(facts):
            may = fact.transfer != Transfer.NONE and not in_slot and index not in self.reserved
            if may and self._counts(index, fact):
                found.append(index)
            in_slot = fact.runs_slot
        return found

    def _counts(self, index: int, fact: Facts) -> bool:
        if fact.pc_relative_data:
            return False
        if fact.transfer == Transfer.CALL:
            learns = fact.target.startswith(".L") or self._goes_right_after(index, fact)
            preserves = self.preserving.match(fact.target)
            return not learns and not preserves and not self._in_set_up(index)
        if fact.transfer == Transfer.BRANCH:
            return self._goes_back(index, fact)
        return fact.transfer == Transfer.JUMP

    def _goes_right_after(self, index: int, fact: Facts) -> bool:
        """Return whether a call goes to a numeric label right after itself and its slot."""
        following = index + (2 if fact.delay_slot else 1)
        return fact.target[:1].isdigit() and self.code.target(index) == following

    def _in_set_up(self, index: int) -> bool:
        """Return whether a call belongs to the set-up of the GOT pointer, which stays whole."""
        code = self.code
        before = code.statement[max(index - _SET_UP, 0) : index]
        return any(GOT in code.statements[place].operands for place in before)

    def _goes_back(self, index: int, fact: Facts) -> bool:
        """Return whether a branch does not lead forward within its function."""
        if self.preserving.match(fact.target):
            return False
        if self.code.target(index) <= index:
            return True
        name = fact.target
        return not name.startswith(".L") and not name[0].isdigit() and name in self._functions()

    def _functions(self) -> frozenset[str]:
        """Return the names that the file says are functions."""
        if self.functions is None:
            self.functions = self.code.functions()
        return self.functions
