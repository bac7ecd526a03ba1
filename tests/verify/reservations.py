"""No code on any way from a load that makes a reservation to its conditional store.

The ways are followed one instruction at a time through the input, functions and their returns
included; the output must run the same instructions right behind each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.asm.model import Kind
from inst.isa.model import Form, Transfer

from .listing import END, Listing
from .walk import Walk, goes_elsewhere

WHY = "a reservation is open"
Step = tuple[int, int]


def check_reservations(walk: Walk) -> None:
    """Complain of what stands on ways between a reservation and a conditional store."""
    old = walk.old
    for first, second in sorted(_open_steps(old)):
        if second == first + 1 and _falls_through(old, first):
            for place in walk.core.get(first, ()):
                if not _is_run_at(walk, second, place + 1):
                    walk.complain(second, f"parted from what stands before it: {WHY}")
        for name in _labels_of(old, second):
            if not _is_run_at(walk, second, walk.new.labels.get(name, END)):
                walk.complain(second, f"parted from its label {name}: {WHY}")


def _is_run_at(walk: Walk, index: int, place: int) -> bool:
    """Tell whether the output runs an instruction of the input at a place."""
    theirs = walk.old.instructions[index]
    if goes_elsewhere(theirs) and place < len(walk.new.instructions):
        return walk.new.instructions[place].text() == theirs.text()
    return place in walk.core.get(index, ())


def _form(listing: Listing, index: int) -> Form | None:
    access = listing.instructions[index].facts.access
    return access.form if access is not None else None


def _open_steps(old: Listing) -> set[Step]:
    """Return the steps of all ways from a reservation that come to a conditional store."""
    steps: set[Step] = set()
    reached: set[int] = set()
    pending = [n for n in range(len(old.instructions)) if _form(old, n) == Form.RESERVE]
    while pending:
        here = pending.pop()
        for there in _next(old, here):
            steps.add((here, there))
            if there not in reached and _form(old, there) not in (Form.RESERVE, Form.CONDITIONAL):
                pending.append(there)
            reached.add(there)
    leading = {n for n in reached if _form(old, n) == Form.CONDITIONAL}
    count = -1
    while count != len(leading):
        count = len(leading)
        leading |= {a for a, b in steps if b in leading and _form(old, a) != Form.RESERVE}
    return {(a, b) for a, b in steps if b in leading}


def _target(old: Listing, index: int) -> int | None:
    """Return where a branch or call goes; its function may be named as `f@local`."""
    text = old.instructions[index].facts.target
    name = re.split(r"[@+]", text)[0]
    found = old.target(index, text)
    return found if found is not None else old.labels.get(name, old.labels.get(f".L.{name}"))


def _next(old: Listing, here: int) -> Iterator[int]:
    """Yield what may run after an instruction, as far as the file says."""
    facts, after = old.instructions[here].facts, old.following(here)
    if facts.system_call:
        return
    if facts.target and facts.transfer in (Transfer.BRANCH, Transfer.CALL):
        there = after if facts.pc_relative_data else _target(old, here)
        if there is not None and there != END:
            yield there
    if facts.transfer == Transfer.RETURN:
        yield from _callers(old, here)
    if after != END and (facts.conditional or facts.transfer in _GO_ON):
        yield after


_GO_ON = (Transfer.NONE, Transfer.TRAP, Transfer.CALL)


def _falls_through(old: Listing, index: int) -> bool:
    facts = old.instructions[index].facts
    return facts.transfer in _GO_ON or facts.conditional


def _callers(old: Listing, leaving: int) -> Iterator[int]:
    """Yield the places behind the calls of the function that an instruction returns from."""
    calls: dict[int, list[int]] = {}
    for index, found in enumerate(old.instructions):
        if found.facts.transfer == Transfer.CALL and found.facts.target:
            entry = _target(old, index)
            if entry is not None and entry <= leaving:
                calls.setdefault(entry, []).append(index)
    if calls:
        yield from (old.following(n) for n in calls[max(calls)] if old.following(n) != END)


def _labels_of(old: Listing, index: int) -> Iterator[str]:
    """Yield the labels right in front of an instruction that are not numbers."""
    position = old.instructions[index].statement - 1
    while position >= 0 and old.statements[position].kind in (Kind.LABEL, Kind.BLANK):
        if not old.statements[position].name.isdigit() and old.statements[position].name:
            yield old.statements[position].name
        position -= 1
