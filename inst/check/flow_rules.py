"""Where control may go after an instruction word: the rules that (pc, npc) is checked by.

`Steps` holds consecutive instructions of one processor as columns; `after` returns for each
where the next one may be. Delay slots, annulled slots that are recorded or left out, and transfers
whose target only registers know are as real traces have them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.formats.rst.codes import ANNULLED, EA_VALID, TAKEN
from inst.trace.model import Array
from inst.words.decode import transfers_of, words_of
from inst.words.model import Transfers


@dataclass(frozen=True, slots=True)
class Steps:
    """Instructions in the order of one processor after the other."""

    pc: Array
    word: Array
    bits: Array
    """Byte 1 of each INSTR."""
    ea: Array
    record: Array
    linked: Array
    """Whether the instruction before it, in these columns, ran right before it."""
    cpu: Array
    resumed: Array
    """Whether a return from a trap that restores pc and npc (RETRY) led to it."""
    npc: Array
    """Where its TRAP record says that control goes on after it; 0 where none does."""


@dataclass(frozen=True, slots=True)
class Control:
    """The transfers of control that the words encode, and whether branches were taken."""

    words: Transfers
    taken: Array
    always: Array
    """Taken whatever the condition codes."""


@dataclass(frozen=True, slots=True)
class Next:
    """Where the next instruction may be: at one of two places, or anywhere."""

    place: Array
    other: Array
    anywhere: Array
    annulled: Array
    """Whether the instruction itself should have been marked as annulled."""


def control_of(steps: Steps, arch: str) -> Control:
    """Decode the transfers of control from the words."""
    words = transfers_of(steps.word, steps.pc, arch)
    always = words.is_transfer & ~words.is_conditional & ~words.is_never
    marked = words.is_conditional & (steps.bits & TAKEN != 0)
    return Control(words, always | marked, always)


def after(steps: Steps, control: Control, arch: str) -> Next:
    """Return where the instruction after each may be."""
    slots = words_of(arch).delay_slots
    return _after_slots(steps, control) if slots else _after_transfers(steps, control)


def _after_transfers(steps: Steps, control: Control) -> Next:
    onward = steps.pc + np.uint64(4)
    known = steps.bits & EA_VALID != 0
    goal = np.where(control.words.is_direct, control.words.target, steps.ea)
    place = np.where(control.taken, goal, onward)
    unknown = control.words.is_transfer & control.taken & ~control.words.is_direct & ~known
    return Next(place, place, control.words.leaves | unknown, np.zeros(len(place), bool))


def _after_slots(steps: Steps, control: Control) -> Next:
    """What comes next depends on the transfer before, whose delay slot this may be."""
    onward = steps.pc + np.uint64(4)
    first = ~steps.linked | (steps.resumed & (steps.npc == 0))
    annulled = steps.bits & ANNULLED != 0
    skips = control.words.annuls & control.always  # ba,a: the slot never runs
    before = np.zeros(len(onward), bool)
    before[1:] = control.taken[:-1] & (~skips[:-1] | annulled[1:])
    in_slot = steps.resumed & (steps.npc != 0) & (steps.npc != onward)
    slot = (before & steps.linked) | in_slot
    goal = np.where(control.words.is_direct, control.words.target, steps.ea)
    goal_known = control.words.is_direct | (steps.bits & EA_VALID != 0)
    earlier, earlier_known = np.zeros_like(goal), np.zeros(len(goal), bool)
    earlier[1:], earlier_known[1:] = goal[:-1], goal_known[:-1]
    earlier[in_slot], earlier_known[in_slot] = steps.npc[in_slot], True
    place, other = onward.copy(), onward.copy()
    leaves_out = control.words.annuls & ~slot
    place[leaves_out] = np.where(
        control.taken & control.always, control.words.target, onward + np.uint64(4)
    )[leaves_out]
    recorded = leaves_out & control.taken & ~control.always
    place[recorded] = onward[recorded]
    place[slot] = other[slot] = earlier[slot]
    anywhere = first | (slot & ~earlier_known) | control.words.leaves
    skipped = _ran_although_annulled(steps, control, slot)
    return Next(place, other, anywhere | (skipped & np.roll(control.taken, 1)), skipped)


def _ran_although_annulled(steps: Steps, control: Control, slot: Array) -> Array:
    """Return which instructions are in a slot that the branch before them annuls, without `an`.

    `ba,a` always annuls its slot, the other branches with the annul bit if they are not taken.
    """
    annuls = control.words.annuls & (control.always | ~control.taken) & ~slot
    annuls &= ~(control.taken & (control.words.target == steps.pc + np.uint64(4)))
    ran = np.zeros(len(annuls), bool)
    ran[1:] = annuls[:-1] & (steps.pc[1:] == steps.pc[:-1] + np.uint64(4))
    return np.asarray(ran & steps.linked & (steps.bits & ANNULLED == 0))
