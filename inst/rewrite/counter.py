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

import re
from collections.abc import Callable

from inst.arch.sparc.sites import OWN_SLOT
from inst.asm.model import Kind
from inst.flow.conventions import convention_of
from inst.isa.model import Facts, Transfer
from inst.rewrite import powerpc, powerpc64
from inst.rewrite.context import Rewriting
from inst.rewrite.sparc_site import call_sequence, in_use, site_of

ENTRY = "inst.window"
_GOT = "_GLOBAL_OFFSET_TABLE_"
_SET_UP = 3
"""How many instructions before a call may belong to the same set-up."""
_SPOKEN_OF = re.compile(rf"(?<!%lo)(?<!%hi)\(|{_GOT}")
"""Operands that the linker reads together with other instructions (TLS, the GOT's set-up)."""
_FOR_DEBUGGERS = re.compile(r"\.loc$|\.LVL")
"""Directives and labels that only debugging information refers to."""


def _on_sparc(work: Rewriting, index: int) -> None:
    """Count before an instruction; the one before it runs in the call's slot where possible.

    Both then run in the order they had: the entry changes nothing that the program reads.
    """
    live = work.liveness.before[index]
    sequence = call_sequence(work, index, ENTRY, live, ahead=True)
    if in_use(work, live) and sequence[-1] == "nop":
        _insert(work, index, [*sequence[:-1], OWN_SLOT])
    elif not in_use(work, live) and _may_be_slot(work, index - 1):
        work.edit(index - 1).before += sequence[:-1]
    else:
        _insert(work, index, sequence)


def _may_be_slot(work: Rewriting, index: int) -> bool:
    """Return whether an instruction can stand in the slot of a call inserted before it.

    It must fall through to the next one, which nothing else reaches; and neither the call nor
    what saves %o7 may use a register of it.
    """
    code, registers = work.code, work.isa.registers
    if index < 0 or index + 1 in code.section_end or not _stands_alone(work, index):
        return False
    fact = code.facts[index]
    if fact.access is not None or fact.transfer != Transfer.NONE or fact.window or fact.length != 4:
        return False
    before = code.facts[index - 1] if index else fact
    if before.delay_slot or fact.pc_relative_data or fact.never_runs:
        return False
    displaced = registers.link | registers.mask(*site_of(work).scratch)
    return not (fact.uses | fact.defs) & displaced and not fact.defs & registers.bit["o6"]


def _stands_alone(work: Rewriting, index: int) -> bool:
    """Return whether no label, directive or edit stands at or after an instruction."""
    code = work.code
    first, last = code.statement[index], code.statement[index + 1]
    statements = code.statements
    if first in work.edits.by_statement or statements[first - 1].name == ".reloc":
        return False
    if _SPOKEN_OF.search(statements[first].operands):
        return False
    between = statements[first + 1 : last]
    return all(one.kind == Kind.BLANK or _FOR_DEBUGGERS.match(one.name) for one in between)


def _insert(work: Rewriting, index: int, sequence: list[str]) -> None:
    """Insert a count before an instruction and before what else is inserted there."""
    work.edit(index).before[:0] = sequence


def _on_powerpc(work: Rewriting, index: int) -> None:
    place = powerpc64 if work.small_data else powerpc
    _insert(work, index, place.call_sequence(work, index, ENTRY))


def _on_powerpc64(work: Rewriting, index: int) -> None:
    _insert(work, index, powerpc64.call_sequence(work, index, ENTRY))


_COUNTS: dict[tuple[str, int], Callable[[Rewriting, int], None]] = {
    ("sparc", 32): _on_sparc,
    ("sparc", 64): _on_sparc,
    ("powerpc", 32): _on_powerpc,
    ("powerpc", 64): _on_powerpc64,
}
"""Instruction set and width -> what inserts a call of the counter before an instruction."""


def place_counts(work: Rewriting) -> None:
    """Insert a count at every counted place, if the user wants any."""
    if not work.options.counter:
        return
    count = _COUNTS[work.isa.name, work.isa.bits]
    places = _Places(work).counted()
    for index in places:
        count(work, index)
    work.file.calls_glue |= bool(places)


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
            learns = fact.target.startswith(".L") or self._goes_behind(index, fact)
            preserves = self.preserving.match(fact.target)
            return not learns and not preserves and not self._in_set_up(index)
        if fact.transfer == Transfer.BRANCH:
            return self._goes_back(index, fact)
        return fact.transfer == Transfer.JUMP

    def _goes_behind(self, index: int, fact: Facts) -> bool:
        """Return whether a call goes to a numeric label right after itself and its slot."""
        behind = index + (2 if fact.delay_slot else 1)
        return fact.target[:1].isdigit() and self.code.target(index) == behind

    def _in_set_up(self, index: int) -> bool:
        """Return whether a call belongs to the set-up of the GOT pointer, which stays whole."""
        code = self.code
        before = code.statement[max(index - _SET_UP, 0) : index]
        return any(_GOT in code.statements[place].operands for place in before)

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
