"""No code on any way from a load that makes a reservation to its conditional store.

The output must run the same instructions directly after each other.  What they access cannot be
reported, so it must be counted: on the same run of instructions, or by a call before each
reservation which says that accesses may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from inst.asm.model import Kind
from inst.isa.model import Transfer

from .listing import END, Listing, referenced
from .open_ways import GO_ON, Step, leads_to, open_steps, reservations
from .probes import from_table, passed_number
from .runs import goes_elsewhere
from .walk import Walk

WHY = "a reservation is open"


def check_reservations(walk: Walk) -> None:
    """Complain of what is on ways between a reservation and a conditional store."""
    old = walk.old
    steps = open_steps(old, walk.agreed.compiled)
    for first, second in sorted(steps):
        if _comes_from_above(old, first, second):
            for place in walk.core.get(second - 1, ()):
                if not any(_is_run_at(walk, second, one) for one in _following(walk, place)):
                    walk.complain(second, f"parted from what precedes it: {WHY}")
        for name in _labels_of(old, second):
            if not _is_run_at(walk, second, walk.new.labels.get(name, END)):
                walk.complain(second, f"parted from its label {name}: {WHY}")
    _check_counts(walk, steps)


def _is_run_at(walk: Walk, index: int, place: int) -> bool:
    """Return whether the output runs an instruction of the input at a place."""
    theirs = walk.old.instructions[index]
    if goes_elsewhere(theirs) and place < len(walk.new.instructions):
        return walk.new.instructions[place].text() == theirs.text()
    return place in walk.core.get(index, ())


def _following(walk: Walk, place: int) -> Iterator[int]:
    """Yield what may run after an instruction of the output, by a label of its own too.

    Code that records copies what the load has loaded.
    """
    yield place + 1
    if walk.recording and walk.new.instructions[place + 1].name == "mr":
        yield place + 2
    label = walk.new.instructions[place].facts.target
    if label in walk.new.labels and label not in walk.old.labels:
        yield walk.new.labels[label]


def _comes_from_above(old: Listing, first: int, second: int) -> bool:
    """Return whether a step goes on to the next instruction, or returns after a call."""
    facts = old.instructions[first].facts
    if second == first + 1 and (facts.transfer in GO_ON or facts.conditional):
        return True
    return facts.transfer == Transfer.RETURN


def _labels_of(old: Listing, index: int) -> Iterator[str]:
    """Yield the labels directly before an instruction that are not numbers."""
    position = old.instructions[index].statement - 1
    while position >= 0 and old.statements[position].kind in (Kind.LABEL, Kind.BLANK):
        if not old.statements[position].name.isdigit() and old.statements[position].name:
            yield old.statements[position].name
        position -= 1


def _check_counts(walk: Walk, steps: set[Step]) -> None:
    """Complain of accesses that are neither reported nor counted, and of counts of nothing."""
    calls = dict(_calls(walk))
    doubtful: set[int] = set()
    for run in _runs(walk.old):
        missing = [index for index in run if index in walk.unreported]
        certain = [index for index in missing if not _may_be_none(walk, index)]
        counted = sum(number for index in run for number in calls.get(index, ()))
        if counted and counted != len(certain):
            walk.complain(
                run[0], f"{counted} accesses are counted, and {len(certain)} not reported"
            )
        doubtful.update(missing if not counted else set(missing) - set(certain))
    for start in reservations(walk.old) if doubtful else ():
        if leads_to(walk.old, start, doubtful) and 0 not in calls.get(start, ()):
            walk.complain(start, "accesses after it are neither reported nor counted")


def _may_be_none(walk: Walk, index: int) -> bool:
    access = walk.old.instructions[index].facts.access
    return access is not None and from_table(walk, access)


def _calls(walk: Walk) -> Iterator[tuple[int, list[int]]]:
    """Yield the instructions of the input beside which accesses are counted, and the numbers."""
    places = {place: index for index, found in walk.core.items() for place in found}
    numbers: dict[int, list[int]] = {}
    for place, found in enumerate(walk.new.instructions):
        number = passed_number(walk.new, place)
        if number is None:
            continue
        own = [n for n in places if walk.new.instructions[n].line == found.line]
        index = places[min(own, key=lambda n: abs(n - place))]
        numbers.setdefault(index, []).append(number)
    yield from numbers.items()


def _runs(old: Listing) -> Iterator[list[int]]:
    """Yield the instructions that all run equally often: no branch and no label parts them."""
    named = referenced(old)
    starts = {index for name, index in old.labels.items() if name in named}
    starts |= {index for places in old.numeric.values() for _, index in places}
    run: list[int] = []
    for index, found in enumerate(old.instructions):
        if run and (index in starts or old.following(run[-1]) == END):
            yield run
            run = []
        run.append(index)
        if found.facts.transfer in (Transfer.BRANCH, Transfer.JUMP, Transfer.RETURN):
            yield run
            run = []
    if run:
        yield run
