"""Restores that are reported leave their delay slots: both forms are run with symbols for values.

The code around each `restore` is small: a transfer, its slot, and what has been inserted.  Every
way through the input's must leave the same place, in the same register window, with the same
content of registers and the same accesses, as the way through the output's that decides alike.
What may differ is what is free: registers for sites, and what the ABI lets a function clobber.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from inst.isa.model import RegisterSet, Transfer
from inst.target.targets import Target

from .agreements import Agreement
from .knowledge import knowledge_of
from .listing import Listing, read_listing
from .symbolic import ENDLESS, LINK, MOVED_LABEL, Exit, Runner
from .walk import agreed_in

_MAY_MOVE = re.compile(rf"{MOVED_LABEL.pattern}|\.register %\w+, ?#scratch; ")
"""What is no difference between the two outputs: names of labels, and the line of a declaration."""


def verify_turns(
    source: str, without: str, reported: str, target: Target, dropped: tuple[str, ...] = ()
) -> list[str]:
    """Return what is wrong with an output that reports restores.

    All lines without one must be as in the output that reports none, which `verify` judges.
    """
    old, new = read_listing(source, target), read_listing(reported, target)
    known = knowledge_of(target)
    agreed = agreed_in(source, target, old, known, dropped)
    groups = list(_groups(old))
    covered = {line for first, last in groups for line in range(first, last + 1)}
    link = known.link, known.mask("i7")
    problems = []
    end = source.count("\n")
    lines = zip(without.split("\n"), reported.split("\n"), strict=False)
    for number, (before, after) in enumerate(lines, 1):
        if number in covered or number > end:
            continue
        if _MAY_MOVE.sub("", before) != _MAY_MOVE.sub("", after):
            problems.append(f"line {number}: changed, and holds no restore: {after}")
    for first, last in groups:
        old_runner = Runner(old, first, last, known, target.bits)
        theirs = list(old_runner.exits())
        if any(one.place == ENDLESS for one in theirs):
            problems.append(f"line {first}: runs on and on, so it is not known what it does")
            continue
        ours = list(Runner(new, first, last, known, target.bits).exits())
        for one in theirs:
            alike = [other for other in ours if other.state.decided == one.state.decided]
            if len(alike) != 1:
                problems.append(f"line {first}: {len(alike)} ways for {one.state.decided}")
                continue
            dead = _dead(one, agreed)
            following = max(old_runner.inside) + 1
            place = following if one.place == "after" else old.labels.get(one.place, -1)
            if place >= 0 and not _link_is_read(old, place, link):
                dead |= {LINK}
            problems += [f"line {first}: {text}" for text in _differences(one, alike[0], dead)]
        if len(ours) != len(theirs):
            problems.append(f"line {first}: {len(ours)} ways instead of {len(theirs)}")
    return problems


def _differences(theirs: Exit, ours: Exit, dead: frozenset[str]) -> Iterator[str]:
    """Yield how two ways end differently."""
    if theirs.place != ours.place:
        yield f"it goes to {ours.place} instead of {theirs.place}"
    if theirs.state.events != ours.state.events:
        yield f"it does {ours.state.events} instead of {theirs.state.events}"
    for register in sorted(theirs.state.registers.keys() | ours.state.registers.keys()):
        found, wanted = ours.state.value(register), theirs.state.value(register)
        if found != wanted and register not in dead:
            yield f"{register} is {found}, not {wanted}"


def _dead(exit_: Exit, agreed: Agreement) -> frozenset[str]:
    """Return the registers without meaning where a way has left."""
    local = exit_.place.startswith((".", "after")) or exit_.place[:1].isdigit()
    if not agreed.compiled:
        return agreed.free
    if local:  # what is live there this module does not know
        return agreed.free | agreed.killed - {LINK}
    returned = re.fullmatch(r"[io]7\+(8|12)", exit_.place) is not None
    alive = agreed.at_return if returned else agreed.at_tail_call
    assert alive is not None
    return agreed.free | agreed.killed - alive


def _link_is_read(listing: Listing, start: int, names: tuple[RegisterSet, RegisterSet]) -> bool:
    """Return whether %o7 may be read from an instruction on, before it holds something else.

    `names` are what it is called in its own window, and in the next one.
    """
    pending, seen = [(start, 0)], set[tuple[int, int]]()
    while pending:
        at, depth = pending.pop()
        if (at, depth) in seen:
            continue
        seen.add((at, depth))
        if not 0 <= at < len(listing.instructions):
            return True
        facts = listing.instructions[at].facts
        runs = [facts]
        if facts.delay_slot and not facts.annul:
            runs.append(listing.instructions[at + 1].facts)
        for one in runs:
            name = names[depth] if depth < len(names) else 0
            if one.uses & name:
                return True
            depth += (one.window > 0) - (one.window < 0)
            if one.defs & name or depth < 0:
                break
        else:
            if facts.transfer in (Transfer.RETURN, Transfer.JUMP):
                return True
            if facts.transfer == Transfer.BRANCH:
                target = listing.target(at, facts.target)
                pending.append((-1 if target is None else target, depth))
            if facts.transfer != Transfer.BRANCH or facts.conditional:
                pending.append((at + (2 if facts.delay_slot else 1), depth))
    return False


def _groups(listing: Listing) -> Iterator[tuple[int, int]]:
    """Yield the lines, first and last, around each restore.

    They end before the file's next instruction: that of the section may be functions away.
    """
    slots: set[int] = set()
    instructions = listing.instructions
    lines = sorted({one.line for one in instructions})
    for index, found in enumerate(instructions):
        facts = found.facts
        if facts.delay_slot and index not in slots and not (facts.annul and not facts.conditional):
            slots.add(index + 1)
    covered: set[int] = set()
    for index, found in enumerate(instructions):
        if found.facts.window >= 0:
            continue
        first, last = index - (index in slots), index + found.facts.delay_slot
        start, end = instructions[first].line, instructions[last].line
        following = bisect_right(lines, end)
        end = lines[following] - 1 if following < len(lines) else end
        if start not in covered:
            yield start, end
        covered.update(range(start, end + 1))
