"""Ways from a load that makes a reservation, followed one instruction at a time through the input.

They lead through functions of the file and back.  They count up to a conditional store; in
hand-written code also up to where control leaves the file, if no store of the file comes before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from inst.isa.model import Facts, Form, Transfer

from .listing import END, Listing

Step = tuple[int, int]
GO_ON = (Transfer.NONE, Transfer.TRAP, Transfer.CALL)


def form_at(listing: Listing, index: int) -> Form | None:
    """Return the form of an instruction's access; None without one."""
    access = listing.instructions[index].facts.access
    return access.form if access is not None else None


def open_steps(old: Listing, compiled: bool) -> set[Step]:
    """Return the steps on which a reservation may be open and still of use."""
    ways = _Ways(old)
    found: set[Step] = set()
    for start in reservations(old):
        steps = _steps(ways, start, lambda there: form_at(old, there) == Form.CONDITIONAL)
        if not steps and not compiled:
            steps = _steps(ways, start, lambda there: _leaves(ways, there))
        found |= steps
    return found


def reservations(old: Listing) -> list[int]:
    """Return the loads that make reservations."""
    return [n for n in range(len(old.instructions)) if form_at(old, n) == Form.RESERVE]


def leads_to(old: Listing, start: int, wanted: set[int]) -> bool:
    """Return whether a way from a reservation leads to some instruction while it is open."""
    return bool(_steps(_Ways(old), start, wanted.__contains__))


def _leaves(ways: _Ways, here: int) -> bool:
    facts = ways.old.instructions[here].facts
    if facts.transfer in (Transfer.NONE, Transfer.TRAP) or facts.pc_relative_data:
        return ways.old.following(here) == END
    return not facts.target or ways.target(here) is None


def _steps(ways: _Ways, start: int, is_goal: Callable[[int], bool]) -> set[Step]:
    """Return the steps from a reservation that lead to a goal."""
    steps: set[Step] = set()
    goals: set[int] = set()
    reached, pending = {start}, [start]
    while pending:
        here = pending.pop()
        for there in ways.next(here):
            steps.add((here, there))
            if is_goal(there):
                goals.add(there)
            if there not in reached and form_at(ways.old, there) not in _OVER:
                pending.append(there)
            reached.add(there)
    return _before(ways.old, steps, goals)


_OVER = (Form.RESERVE, Form.CONDITIONAL)


def _before(old: Listing, steps: set[Step], goals: set[int]) -> set[Step]:
    count, leading = -1, set(goals)
    while count != len(leading):
        count = len(leading)
        leading |= {a for a, b in steps if b in leading and form_at(old, a) != Form.RESERVE}
    return {(a, b) for a, b in steps if b in leading}


@dataclass(slots=True)
class _Ways:
    """Where control goes in the input."""

    old: Listing
    calls: dict[int, list[int]] = field(init=False)
    """First instruction of a function -> what calls it."""
    seen: dict[int, tuple[set[int], bool]] = field(init=False)
    """The same -> the returns that it comes to, and whether it may leave in another way."""

    def __post_init__(self) -> None:
        self.calls = {}
        for index, found in enumerate(self.old.instructions):
            facts = found.facts
            there = self.target(index) if _is_call(facts) else None
            if there is not None:
                self.calls.setdefault(there, []).append(index)
        self.seen = {entry: self._exits(entry) for entry in self.calls}

    def _exits(self, entry: int) -> tuple[set[int], bool]:
        """Follow one call of a function, in which other calls just come back."""
        returns: set[int] = set()
        other = False
        pending, reached = [entry], {entry}
        while pending:
            here = pending.pop()
            facts, after = self.old.instructions[here].facts, self.old.following(here)
            leads = [after] if facts.conditional or facts.transfer in GO_ON else []
            if facts.transfer == Transfer.BRANCH:
                there = after if facts.pc_relative_data else self.target(here)
                leads.append(END if there is None else there)
            elif facts.transfer == Transfer.RETURN:
                returns.add(here)
            other |= facts.transfer == Transfer.JUMP or END in leads
            pending += [there for there in leads if there != END and there not in reached]
            reached.update(leads)
        return returns, other

    def target(self, index: int) -> int | None:
        """Return where a branch or call goes; its function may be named as `f@local`."""
        text = self.old.instructions[index].facts.target
        name = re.split(r"[@+]", text)[0]
        found = self.old.target(index, text)
        found = found if found is not None else self.old.labels.get(name)
        found = found if found is not None else self.old.labels.get(f".L.{name}")
        return None if found == END else found

    def next(self, here: int) -> Iterator[int]:
        """Yield what may run after an instruction, as far as the file says."""
        facts, after = self.old.instructions[here].facts, self.old.following(here)
        if facts.system_call:
            return
        there = after if facts.pc_relative_data else self._direct(here)
        if there is not None and there != END:
            yield there
        if facts.transfer == Transfer.RETURN:
            yield from self._callers(here)
        comes_back = not _is_call(facts) or there not in self.seen or self.seen[there][1]
        if after != END and (facts.conditional or (facts.transfer in GO_ON and comes_back)):
            yield after

    def _direct(self, here: int) -> int | None:
        facts = self.old.instructions[here].facts
        if facts.target and facts.transfer in (Transfer.BRANCH, Transfer.CALL):
            return self.target(here)
        return None

    def _callers(self, leaving: int) -> Iterator[int]:
        """Yield the places after the calls of the functions that an instruction returns from."""
        functions = {entry for entry, (returns, _) in self.seen.items() if leaving in returns}
        functions |= {max((entry for entry in self.calls if entry <= leaving), default=-1)}
        for function in functions - {-1}:
            places = (self.old.following(call) for call in self.calls[function])
            yield from (place for place in places if place != END)


def _is_call(facts: Facts) -> bool:
    return facts.transfer == Transfer.CALL and bool(facts.target) and not facts.pc_relative_data
