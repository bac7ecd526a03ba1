"""Where control goes after an instruction word: what (pc, npc) continuity is held against.

`Steps` holds consecutive instructions of one processor as columns; `after` says for each where
the next one may be. Delay slots, annulled slots that are recorded or left out, and transfers
whose target only registers know are as real traces have them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.trace.model import Array
from inst.words import decode

EA_VALID, TRAPPED, TAKEN, ANNULLED = 0x40, 0x20, 0x04, 0x02


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


@dataclass(frozen=True, slots=True)
class Transfers:
    """What the words say of control, a column each."""

    is_transfer: Array
    is_direct: Array
    """The word itself holds the target."""
    is_free: Array
    """The next instruction can be anywhere: returns from traps, system calls."""
    target: Array
    taken: Array
    annuls: Array
    always: Array
    """Taken whatever the condition codes."""


@dataclass(frozen=True, slots=True)
class Next:
    """Where the next instruction may be: at one of two places, or anywhere."""

    place: Array
    other: Array
    anywhere: Array


def transfers(steps: Steps, arch: str) -> Transfers:
    """Decode what the words say of control."""
    return (_powerpc if decode.family(arch) == "powerpc" else _sparc)(steps)


def after(steps: Steps, control: Transfers, arch: str) -> Next:
    """Return where the instruction behind each may be."""
    if decode.family(arch) == "powerpc":
        return _after_powerpc(steps, control)
    return _after_sparc(steps, control)


def _signed(field: Array, bits: int) -> Array:
    """Return a column of signed fields as numbers to add modulo 2^64."""
    number = field.astype("i8")
    signed: Array = (number - ((number >> (bits - 1) & 1) << bits)).view("u8")
    return signed


def _powerpc(steps: Steps) -> Transfers:
    word, primary = steps.word, steps.word >> 26
    extended, options = word >> 1 & 0x3FF, word >> 21 & 31
    branch, conditional = primary == 18, primary == 16
    register = (primary == 19) & np.isin(extended, (16, 528, 560))
    absolute = word & 2 != 0
    distance = np.where(branch, _signed(word & 0x3FFFFFC, 26), _signed(word & 0xFFFC, 16))
    target = np.where(absolute, distance, steps.pc + distance)
    always = branch | ((conditional | register) & (options & 0x14 == 0x14))
    taken = always | ((conditional | register) & (steps.bits & TAKEN != 0))
    free = (primary == 17) | ((primary == 19) & np.isin(extended, (18, 50, 51, 274, 402)))
    none = np.zeros(len(word), bool)
    return Transfers(
        branch | conditional | register, branch | conditional, free, target, taken, none, always
    )


def _after_powerpc(steps: Steps, control: Transfers) -> Next:
    onward = steps.pc + np.uint64(4)
    known = steps.bits & EA_VALID != 0
    goal = np.where(control.is_direct, control.target, steps.ea)
    place = np.where(control.taken, goal, onward)
    unknown = control.is_transfer & control.taken & ~control.is_direct & ~known
    return Next(place, place, control.is_free | unknown)


_SPARC_BRANCHES = (1, 2, 3, 5, 6, 7)


def _sparc(steps: Steps) -> Transfers:
    word, operation, second = steps.word, steps.word >> 30, steps.word >> 22 & 7
    third, condition = word >> 19 & 0x3F, word >> 25 & 15
    branch = (operation == 0) & np.isin(second, _SPARC_BRANCHES)
    on_register = second == 3
    call = operation == 1
    jump = (operation == 2) & ((third == 0x38) | (third == 0x39))
    short = (second == 1) | (second == 5)
    near = (word >> 6 & 0xC000) | (word & 0x3FFF)
    words = np.where(short, _signed(word & 0x7FFFF, 19), _signed(word & 0x3FFFFF, 22))
    words = np.where(on_register, _signed(near, 16), words)
    words = np.where(call, _signed(word & 0x3FFFFFFF, 30), words)
    always = call | jump | (branch & ~on_register & (condition == 8))
    never = branch & ~on_register & (condition == 0)
    taken = (always | (branch & (steps.bits & TAKEN != 0))) & ~never
    free = (operation == 2) & ((third == 0x3A) | (third == 0x3E))
    return Transfers(
        branch | call | jump,
        branch | call,
        free,
        steps.pc + (words << np.uint64(2)),
        taken,
        branch & (word >> 29 & 1 != 0),
        always,
    )


def _after_sparc(steps: Steps, control: Transfers) -> Next:
    """What comes next depends on the transfer before, whose delay slot this may be."""
    onward = steps.pc + np.uint64(4)
    first = ~steps.linked
    annulled = steps.bits & ANNULLED != 0
    skips = control.annuls & control.always  # ba,a: the slot never runs
    before = np.zeros(len(onward), bool)
    before[1:] = control.taken[:-1] & (~skips[:-1] | annulled[1:])
    slot = before & steps.linked
    goal = np.where(control.is_direct, control.target, steps.ea)
    goal_known = control.is_direct | (steps.bits & EA_VALID != 0)
    earlier, earlier_known = np.zeros_like(goal), np.zeros(len(goal), bool)
    earlier[1:], earlier_known[1:] = goal[:-1], goal_known[:-1]
    place, other = onward.copy(), onward.copy()
    leaves_out = control.annuls & ~slot
    place[leaves_out] = np.where(
        control.taken & control.always, control.target, onward + np.uint64(4)
    )[leaves_out]
    kept = leaves_out & control.taken & ~control.always
    place[kept] = onward[kept]
    place[slot] = other[slot] = earlier[slot]
    return Next(place, other, first | (slot & ~earlier_known) | control.is_free)
