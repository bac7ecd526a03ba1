"""Ways through an instruction with its slot, on either side of a walk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inst.isa.model import Transfer

from .listing import END, Instruction, Listing


def slots(listing: Listing) -> set[int]:
    """Return the instructions that run in the slot of another."""
    found = set()
    for index, instruction in enumerate(listing.instructions):
        facts = instruction.facts
        if facts.delay_slot and index not in found and not (facts.annul and not facts.conditional):
            found.add(listing.following(index))
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """One way through an instruction with its slot: what runs in order, and what follows."""

    events: tuple[tuple[int, bool], ...]
    """(instruction, whether it takes its branch)."""
    leads: int | None
    """The next instruction; None where the file does not define it."""


def goes_elsewhere(found: Instruction) -> bool:
    """Return whether a branch does nothing but go to another place of the file."""
    facts = found.facts
    return facts.transfer == Transfer.BRANCH and not facts.conditional and not facts.defs


def runs(listing: Listing, index: int) -> Iterator[Run]:
    """Yield the ways through an input instruction."""
    facts = listing.instructions[index].facts
    if facts.delay_slot and not (facts.annul and not facts.conditional):
        slot = listing.following(index)
        if slot != END and listing.instructions[slot].facts.delay_slot:
            yield from _couple(listing, index, slot)
            return
    decisions = (True, False) if facts.conditional and facts.target else (True,)
    if facts.conditional and facts.transfer in (Transfer.RETURN, Transfer.JUMP):
        decisions = (True, False)
    for taken in decisions:
        yield run_from(listing, index, lambda _, taken=taken: taken)


def _couple(listing: Listing, first: int, second: int) -> Iterator[Run]:
    """Yield the ways through `ba X; b2 Y`: one instruction at X runs in between, if b2 lets it."""
    there = listing.target(first, listing.instructions[first].facts.target)
    facts = listing.instructions[second].facts
    assert there is not None
    for taken in (True, False) if facts.conditional else (True,):
        leads = listing.target(second, facts.target) if taken else listing.following(there)
        between = not facts.annul or (facts.conditional and taken)
        last = ((there, False),) if between else ()
        yield Run(((first, True), (second, taken), *last), leads)


def run_from(listing: Listing, index: int, decide: Callable[[int], bool]) -> Run:
    """Return what runs from `index` on if its branch goes as `decide` says."""
    facts = listing.instructions[index].facts
    after = listing.following(index)
    if facts.transfer in (Transfer.NONE, Transfer.TRAP):
        return Run(((index, False),), after)
    taken = decide(index) if facts.conditional else True
    events = [(index, taken)]
    if facts.delay_slot:
        runs = not facts.annul or (facts.conditional and taken)
        if runs and after != END:
            events.append((after, False))
        after = listing.following(after) if after != END else END
    if facts.transfer == Transfer.CALL or not taken:
        return Run(tuple(events), after)
    leads = listing.target(index, facts.target) if facts.target else None
    return Run(tuple(events), leads)
