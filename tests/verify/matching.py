"""Follows the output as far as it stands for one instruction of the input, by every way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inst.asm.operands import split_operands
from inst.isa.model import Facts, Form, Transfer

from .contents import Contents, at_end, at_other, at_own, may_leave
from .disguises import disguised
from .knowledge import report_of
from .listing import END, Instruction
from .probes import (
    NO_PROBE,
    Probe,
    at_core,
    at_inserted,
    at_recorded,
    is_in_old_window,
    is_neutral_slot,
    reports_no_access,
)
from .recording import Buffer
from .runs import Run, goes_elsewhere, run_from

if TYPE_CHECKING:
    from .walk import Walk

State = tuple[int, int, Probe]
"""A place on both sides, and the probe that is under way there."""
Reached = tuple[State, Contents]
"""A place, and what registers hold there."""
_INPUT = re.compile(r"%i([0-7])")
_LIMIT = 256
"""Output instructions that may stand for one of the input."""


@dataclass(slots=True)
class _Way:
    """How far the output has got with what an instruction of the input runs."""

    left: list[tuple[int, bool]]
    place: int
    probe: Probe
    held: Contents
    rooms: frozenset[int] = frozenset()
    """The checks of the buffer's limit at which it has made room."""


def match(walk: Walk, run: Run, state: State, held: Contents) -> Iterator[Reached]:
    """Follow the output until it has run what `run` runs; yield the places after it."""
    ways = [_Way(list(run.events), state[1], state[2], held)]
    while ways:
        way = ways.pop()
        if not _go_through(walk, run, state[0], way, ways):
            continue
        leaves = run.leads is None
        rest = [i for i, _ in way.left if leaves or not goes_elsewhere(walk.old.instructions[i])]
        if rest:
            text = walk.old.instructions[rest[0]].text()
            walk.complain(rest[0], f"the output does not come to: {text}")
            continue
        may_leave(walk, [run.events[0][0]], way.held)
        after = at_end(walk, run, way.held, way.probe.buffer)
        if leaves or run.leads == END:
            ends = run.leads == END and any(walk.is_system_call(i) for i, _ in run.events)
            if way.probe != NO_PROBE and way.probe.open and not ends:
                why = f"control leaves in the middle of a probe ({way.probe.open})"
                walk.complain(state[0], why)
            continue
        assert run.leads is not None
        if not (walk.agreed.compiled and run.leads in walk.entries.functions):
            yield (run.leads, way.place, way.probe), after  # else a trap ends the function before


def _go_through(walk: Walk, run: Run, at: int, way: _Way, ways: list[_Way]) -> bool:
    """Follow a way to the end of what `run` runs; return whether it gets there.

    Where it goes past the call that makes room, the other way is added to `ways`.
    """
    leaves = run.leads is None
    for _ in range(_LIMIT):
        done = all(goes_elsewhere(walk.old.instructions[i]) for i, _ in way.left)
        reporting = run.leads == END and way.probe.open
        if (done and not (leaves and way.left) and not reporting) or way.place == END:
            return True
        step = run_from(walk.new, way.place, lambda index: _decide(walk, way.left, index))
        checks = walk.recording and walk.recording.is_check(walk.new.instructions[way.place])
        place = way.place
        annuls, other = walk.new.instructions[place].facts.annul, None
        for event in _in_order(walk, step, way.left, at):
            if event[0] != step.events[0][0] and _fills(walk, step, event[0], way.left):
                continue
            if not _take(walk, at, event, way):
                return False
            if not (annuls and other):  # its slot does not run on the other way
                other = _Way(list(way.left), 0, way.probe, way.held, way.rooms | {place})
        if checks and place not in way.rooms and other:
            other.place = walk.new.following(step.events[-1][0])
            ways.append(other)
        if step.leads is None:
            return True
        way.place = step.leads
    return True


def _take(walk: Walk, at: int, event: tuple[int, bool], way: _Way) -> bool:
    """Go on over an instruction of the output; return whether it may be there."""
    before, copies = list(way.left), {copy for copy, _ in way.probe.copies}
    probe = _account(walk, way.left, at, event, way.probe)
    if probe is None:
        return False
    own = [i for i in before if i not in way.left]
    may_leave(walk, [index for index, _ in own], way.held)
    way.held = _holding(walk, at, own, event[0], way.held, copies, way.probe.buffer)
    way.probe = probe
    return True


def _holding(
    walk: Walk,
    at: int,
    own: list[tuple[int, bool]],
    place: int,
    held: Contents,
    copies: set[str],
    buffer: Buffer,
) -> Contents:
    """Follow what registers hold over one instruction of the output, which may be `own`."""
    ours = walk.new.instructions[place]
    if own:
        return at_own(walk, own[0][0], ours, held, copies)
    if walk.recording:
        recorded = walk.recording.holding(at, ours, buffer, held)
        if recorded is not None:
            return recorded
    return held if goes_elsewhere(ours) else at_other(walk, ours, held)


def _fills(walk: Walk, run: Run, index: int, left: list[tuple[int, bool]]) -> bool:
    """Return whether an instruction only fills the slot of a hook's call."""
    first = walk.new.instructions[run.events[0][0]]
    if reports_no_access(first):
        return _is_filled(walk, run, left)
    called = report_of(first, walk.values)
    return called is not None and walk.new.instructions[index].text() == "nop"


def _is_filled(walk: Walk, run: Run, left: list[tuple[int, bool]]) -> bool:
    """Return whether no slot of a run has an instruction of the input: a `nop` may follow."""
    slots = [walk.new.instructions[slot].text() for slot, _ in run.events[1:]]
    is_next = bool(left) and walk.old.instructions[left[0][0]].text() in slots
    return all(is_neutral_slot(text) for text in slots) and not is_next


def _in_order(
    walk: Walk, run: Run, left: list[tuple[int, bool]], at: int
) -> tuple[tuple[int, bool], ...]:
    """Return what a run runs: a hook after the slot of its call."""
    first = walk.new.instructions[run.events[0][0]]
    if report_of(first, walk.values) is None:
        if not reports_no_access(first):
            return run.events
        if _is_filled(walk, run, left):
            return run.events[:1]
    for slot, _ in run.events[1:]:
        facts = walk.new.instructions[slot].facts
        if walk.known.link & (facts.uses | facts.defs):
            walk.complain(at, "it names the link register in the slot of a call of glue")
    return run.events[::-1]


def _decide(walk: Walk, left: list[tuple[int, bool]], index: int) -> bool:
    """Return which way a conditional branch of the output goes on this run."""
    ours = walk.new.instructions[index]
    if walk.recording and walk.recording.is_check(ours):
        return True
    for expected, taken in left:
        theirs = walk.old.instructions[expected]
        if theirs.facts.conditional:
            return taken == (_plain(theirs.name) == _plain(ours.name))
    return False


def _account(
    walk: Walk, left: list[tuple[int, bool]], at: int, event: tuple[int, bool], probe: Probe
) -> Probe | None:
    """Take one executed instruction of the output off what is left, or into the probe."""
    ours = walk.new.instructions[event[0]]
    if probe.frame and not _may_run_in_frame(walk, ours):
        return _at_inserted(walk, at, ours, probe)
    for number, (expected, _) in enumerate(left):
        theirs = walk.old.instructions[expected]
        if _before_return(walk, left[:number], probe) and is_in_old_window(theirs, ours):
            left.pop(number)
            return _at_own(walk, expected, event[0], probe)
        if not _same(walk, theirs, ours, probe) or _is_inserted(walk, event[0]):
            continue
        if not _may_pass(walk, [i for i, _ in left[: number + 1]], probe):
            continue
        left.pop(number)
        return _at_own(walk, expected, event[0], probe)
    if goes_elsewhere(ours):
        return probe
    return _at_inserted(walk, at, ours, probe)


def _is_inserted(walk: Walk, place: int) -> bool:
    """Return whether code that records reads like the input's on that line, and is not it.

    An access of the input is where the table says; what saves condition fields comes before it.
    """
    found = walk.new.instructions[place]
    if place not in walk.recorded and (found.line, found.text()) in walk.in_table:
        return True
    if walk.recording is None or not walk.recording.saves_fields(found):
        return False
    after = walk.new.instructions[place + 1 : place + 1 + _LIMIT]
    return any(one.line == found.line and one.text() == found.text() for one in after)


def _at_own(walk: Walk, index: int, place: int, probe: Probe) -> Probe:
    """Go on over an instruction of the input."""
    walk.core.setdefault(index, set()).add(place)
    ours = walk.new.instructions[place]
    if walk.recording is None:
        return at_core(walk, index, probe, ours)
    buffer = walk.recording.at_own(index, ours, probe.buffer)
    access = ours.facts.access
    reserves = access is not None and access.form in (Form.RESERVE, Form.CONDITIONAL)
    go_on = at_recorded if place in walk.recorded and not reserves else at_core
    return replace(go_on(walk, index, probe, ours), buffer=buffer)


def _at_inserted(walk: Walk, index: int, ours: Instruction, probe: Probe) -> Probe | None:
    """Go on over an instruction that is not the input's; None if it must not be there."""
    if walk.recording is None:
        return at_inserted(walk, index, ours, probe)
    buffer = walk.recording.at_inserted(index, ours, probe.buffer)
    if buffer is not None:
        return replace(probe, buffer=buffer)
    buffer = walk.recording.at_other(index, ours, probe.buffer)
    after = at_inserted(walk, index, ours, probe)
    return after and replace(after, buffer=buffer)


def _may_run_in_frame(walk: Walk, ours: Instruction) -> bool:
    """Return whether this may be the program's where a probe has lowered the stack pointer.

    Nothing is, whatever it looks like, but a load in the slot of a call that gives it back.
    """
    known, facts = walk.known, ours.facts
    touched = facts.uses | facts.defs
    framed = known.link_frame > 0 or bool(known.carriers)
    return framed and not touched & known.link and not known.on_stack_pointer(touched, facts)


def _before_return(walk: Walk, order: list[tuple[int, bool]], probe: Probe) -> bool:
    """Return whether what comes next is brought before a `return` of the window."""
    facts = [walk.old.instructions[i].facts for i, _ in order]
    return len(facts) == 1 and facts[0].window < 0 and not probe.restored


def _may_pass(walk: Walk, order: list[int], probe: Probe) -> bool:
    """Return whether the last of some instructions may run before the others."""
    facts = [walk.old.instructions[i].facts for i in order]
    if any(fact.window for fact in facts[:-1]) and not probe.restored:
        return False  # the same names mean other registers there
    spared = walk.known.registers.mask(*(copied for _, copied in probe.copies))
    return all(_independent(facts[-1], other, spared) for other in facts[:-1])


def _independent(one: Facts, other: Facts, spared: int) -> bool:
    """Return whether two instructions may change places; `spared` is read from a copy."""
    reads = other.uses & ~spared
    return not (one.defs & (reads | other.defs) or one.uses & other.defs)


def _same(walk: Walk, theirs: Instruction, ours: Instruction, probe: Probe) -> bool:
    """Return whether an output instruction does what one of the input does.

    PowerPC code keeps its lines: a probe may do the same as the instruction after a branch.
    """
    if walk.known.may_store and theirs.line != ours.line:
        return False
    if theirs.facts.transfer == Transfer.NONE:
        return theirs.text() == ours.text() or disguised(walk, theirs, ours, probe)
    if theirs.facts.transfer != ours.facts.transfer:
        return False
    if probe.restored:  # `return` as `restore` and a jump: the ins have become outs
        return theirs.facts.window < 0 and _INPUT.sub(r"%o\1", theirs.operands) == ours.operands
    if not theirs.facts.target:
        if theirs.name != ours.name or theirs.text() == ours.text():
            return theirs.text() == ours.text()
        (old, *others), (new, *rest) = (split_operands(x.operands) for x in (theirs, ours))
        new = _original(new, probe)
        measured = not walk.known.may_store and walk.measures.same(theirs, old, new)
        return others == rest and (old == new or measured)
    names = (_plain(theirs.name), _plain(theirs.facts.inverse))
    if theirs.name != ours.name and _plain(ours.name) not in names:
        return False
    operands = list(split_operands(theirs.operands))
    others = list(split_operands(ours.operands))
    new_label = others[ours.facts.target_operand]
    operands[theirs.facts.target_operand] = others[ours.facts.target_operand] = ""
    if operands != others and operands != [_original(operand, probe) for operand in others]:
        return False
    if new_label in (theirs.facts.target, f"inst.wrap.{theirs.facts.target}"):
        return _plain(theirs.name) == _plain(ours.name)
    return new_label in walk.new.labels and new_label not in walk.old.labels


def _original(operand: str, probe: Probe) -> str:
    """Return an operand that reads a probe's copy of a register as it reads in the input."""
    for copy, copied in probe.copies:
        operand = operand.replace(f"%{copy}", f"%{copied}")
    return operand


def _plain(name: str) -> str:
    """Return a branch without what does not change its condition."""
    for suffix in (",a", ",pt", ",pn"):
        name = name.replace(suffix, "")
    return name.rstrip("+-")
