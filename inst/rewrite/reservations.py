"""Where a reservation is open: between `lwarx` and its kin and their conditional stores.

What is inserted on the way from the one to the other could make the pair fail for ever (Power ISA
3.1, book II, 1.7.3.1), so nothing is.  The way counts, not the order in the file: what a
compare-and-swap does when it gives up may stand between the two and is not on the way, and the
conditional store may stand in front of the load.  It may lead through functions of the file, too:
without optimisation a static function makes the reservation, and another one stores.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

from inst.flow.code import Code
from inst.isa.model import Form, Transfer


def open_reservations(code: Code) -> frozenset[int]:
    """Return the instructions in front of which nothing may be inserted.

    A way leads there from a reservation, and on to a conditional store, without another one of
    either in between.
    """
    starts = [index for index in range(len(code.facts)) if form_of(code, index) == Form.RESERVE]
    if not starts:
        return frozenset()
    ways = _Ways(code)
    before: defaultdict[int, list[int]] = defaultdict(list)
    pending, seen = list(starts), set(starts)
    stores: list[int] = []
    while pending:
        index = pending.pop()
        for following in ways.out_of(index):
            before[following].append(index)
            if following in seen:
                continue
            seen.add(following)
            if form_of(code, following) == Form.CONDITIONAL:
                stores.append(following)
            elif not code.facts[following].system_call:
                pending.append(following)
    return _leading_to(code, stores, before)


def _leading_to(
    code: Code, stores: list[int], before: defaultdict[int, list[int]]
) -> frozenset[int]:
    """Return the conditional stores, and what comes before them on ways from a reservation."""
    found, pending = set(stores), list(stores)
    while pending:
        for earlier in before[pending.pop()]:
            if earlier not in found and form_of(code, earlier) != Form.RESERVE:
                found.add(earlier)
                pending.append(earlier)
    return frozenset(found)


def leaves_reservation(code: Code, reserved: frozenset[int]) -> bool:
    """Tell whether there is a reservation from which no way leads to a conditional store."""
    return any(
        form_of(code, index) == Form.RESERVE and not is_used(code, index, reserved)
        for index in range(len(code.facts))
    )


def is_used(code: Code, index: int, reserved: frozenset[int]) -> bool:
    """Tell whether a way leads from a reservation to a conditional store."""
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
            if fact.transfer == Transfer.CALL and fact.target:
                self.calls[self._target(index)].append(index)
        self.calls.pop(-1, None)
        self.entries = sorted(self.calls)

    def out_of(self, index: int) -> list[int]:
        """Return the instructions that may run next, as far as the file says."""
        fact = self.code.facts[index]
        after = [index + 1] if index + 1 not in self.ends else []
        found: list[int] = []
        if fact.transfer in (Transfer.NONE, Transfer.TRAP) or fact.pc_relative_data:
            return after
        if fact.transfer in (Transfer.BRANCH, Transfer.CALL) and fact.target:
            found.append(self._target(index))
        elif fact.transfer == Transfer.RETURN:
            found += self._behind_calls(index)
        if fact.conditional or fact.transfer == Transfer.CALL:
            found += after
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
        calls = self.calls[self.entries[place]] if place >= 0 else []
        return [call + 1 for call in calls if call + 1 not in self.ends]
