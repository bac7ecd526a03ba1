"""Where a reservation is open: between `lwarx` and its kin and their conditional stores.

Code inserted on a path from the one to the other could make the pair fail for ever (Power ISA
3.1, book II, 1.7.3.1), so none is.  The path counts, not the order in the file: the failure path
of a compare-and-swap may stand between the two and is not on the path, and the conditional store
may stand before the load.  A path may lead through functions of the file, too: without
optimisation a static function makes the reservation, and another one stores.

A reservation of hand-written code that no conditional store of the file follows may be its
caller's, so it counts as open until control leaves the file.  Compilers keep the two together:
what they leave without a store is given up.

The ordinary accesses on these paths cannot be reported; the pass `unreported` counts them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable

from inst.flow.code import Code
from inst.isa.model import Form, Transfer


def open_reservations(code: Code) -> frozenset[int]:
    """Return the instructions before which nothing may be inserted.

    A path leads there from a reservation, and on to a conditional store, without another one of
    either in between.
    """
    starts = _reservations(code)
    if not starts:
        return frozenset()
    ways = _Ways(code)
    found = _between(ways, starts, ways.stores)
    if code.compiled:
        return found
    left = [index for index in starts if not is_used(code, index, found)]
    return found | _between(ways, left, ways.leaves)


def reservations_before(code: Code, wanted: Iterable[int]) -> frozenset[int]:
    """Return the reservations from which a path leads to an instruction, with no other between."""
    ways, places = _Ways(code), frozenset(wanted)
    starts = _reservations(code)
    return frozenset(one for one in starts if _between(ways, [one], places.__contains__))


def _reservations(code: Code) -> list[int]:
    return [index for index in range(len(code.facts)) if form_of(code, index) == Form.RESERVE]


def _between(ways: _Ways, starts: list[int], is_goal: Callable[[int], bool]) -> frozenset[int]:
    """Return the goals that paths from some reservations lead to, and what comes before them."""
    before: defaultdict[int, list[int]] = defaultdict(list)
    pending, seen = list(starts), set(starts)
    goals: list[int] = []
    while pending:
        index = pending.pop()
        for following in ways.out_of(index):
            before[following].append(index)
            if following in seen:
                continue
            seen.add(following)
            if is_goal(following):
                goals.append(following)
            if not ways.is_over(following):
                pending.append(following)
    return _leading_to(ways.code, goals, before)


def _leading_to(
    code: Code, goals: list[int], before: defaultdict[int, list[int]]
) -> frozenset[int]:
    """Return the goals, and what comes before them on paths from a reservation."""
    found, pending = set(goals), list(goals)
    while pending:
        for earlier in before[pending.pop()]:
            if earlier not in found and form_of(code, earlier) != Form.RESERVE:
                found.add(earlier)
                pending.append(earlier)
    return frozenset(found)


def leaves_reservation(code: Code, reserved: frozenset[int]) -> bool:
    """Return whether there is a reservation from which no path leads to a conditional store."""
    return any(
        form_of(code, index) == Form.RESERVE and not is_used(code, index, reserved)
        for index in range(len(code.facts))
    )


def is_used(code: Code, index: int, reserved: frozenset[int]) -> bool:
    """Return whether a path leads from a reservation to a conditional store."""
    return index + 1 in reserved and index + 1 not in code.section_end


def form_of(code: Code, index: int) -> Form | None:
    """Return the form of an instruction's access; None without one."""
    access = code.facts[index].access
    return access.form if access is not None else None


class _Ways:
    """Where control goes from each instruction, also into functions of the file and back."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.ends = frozenset(code.section_end)
        self.calls: defaultdict[int, list[int]] = defaultdict(list)
        """Entry of a function of the file -> its calls."""
        for index, fact in enumerate(code.facts):
            if fact.transfer == Transfer.CALL and fact.target and not fact.pc_relative_data:
                self.calls[self._target(index)].append(index)
        self.calls.pop(-1, None)
        self.entries = sorted(self.calls)
        self.returns: defaultdict[int, set[int]] = defaultdict(set)
        """Return -> the functions that it may be of, tail calls included."""
        self.whole = frozenset(entry for entry in self.entries if self._is_whole(entry))
        """Functions that come back only by returns which are known."""

    def _is_whole(self, entry: int) -> bool:
        """Follow a function to its returns; return whether it goes nowhere else."""
        whole, pending, seen = True, [entry], {entry}
        while pending:
            index = pending.pop()
            fact = self.code.facts[index]
            leads = self._within(index)
            if fact.transfer == Transfer.RETURN:
                self.returns[index].add(entry)
            elif not leads or min(leads) < 0:
                whole = False
            pending += [one for one in leads if one >= 0 and one not in seen]
            seen.update(leads)
        return whole

    def _within(self, index: int) -> list[int]:
        """Return what may run next of the same function, -1 for what the file does not say."""
        fact = self.code.facts[index]
        after = index + 1 if index + 1 not in self.ends else -1
        if fact.transfer == Transfer.BRANCH and not fact.pc_relative_data:
            return [self._target(index), *([after] if fact.conditional else [])]
        if fact.transfer in (Transfer.RETURN, Transfer.JUMP):
            unknown = [-1] if fact.transfer == Transfer.JUMP else []
            return [*unknown, *([after] if fact.conditional else [])]
        return [after]

    def stores(self, index: int) -> bool:
        """Return whether an instruction is a conditional store."""
        return form_of(self.code, index) == Form.CONDITIONAL

    def is_over(self, index: int) -> bool:
        """Return whether a reservation from before an instruction is over after it."""
        over = (Form.CONDITIONAL, Form.RESERVE)
        return form_of(self.code, index) in over or self.code.facts[index].system_call

    def leaves(self, index: int) -> bool:
        """Return whether control may leave the file here, with a reservation that is still open."""
        fact = self.code.facts[index]
        if index + 1 in self.ends:
            return True
        if fact.pc_relative_data or fact.transfer in (Transfer.NONE, Transfer.TRAP):
            return False
        return not fact.target or self._target(index) < 0

    def out_of(self, index: int) -> list[int]:
        """Return the instructions that may run next, as far as the file says."""
        fact = self.code.facts[index]
        if fact.transfer == Transfer.CALL and fact.target and not fact.pc_relative_data:
            callee = self._target(index)
            comes_back = fact.conditional or callee not in self.whole
            found = [callee, *(self._within(index) if comes_back else [])]
        else:
            found = self._within(index)
            if fact.transfer == Transfer.RETURN:
                found += self._behind_calls(index)
        return [one for one in found if one >= 0]

    def _target(self, index: int) -> int:
        """Return where a branch or call goes, also one of `f@local`; -1 if that is elsewhere."""
        place = self.code.target(index)
        name = self.code.facts[index].target.partition("@")[0].partition("+")[0]
        for label in (name, f".L.{name}") if place < 0 else ():  # the code that `f` describes
            place = max(place, self.code.labels.get(label, -1))
        return place

    def _behind_calls(self, index: int) -> list[int]:
        """Return where a function of the file goes back to, if the file calls it."""
        place = bisect_right(self.entries, index) - 1
        functions = {*self.entries[max(place, 0) : place + 1], *self.returns.get(index, ())}
        calls = (call for function in functions for call in self.calls[function])
        return [call + 1 for call in calls if call + 1 not in self.ends]
