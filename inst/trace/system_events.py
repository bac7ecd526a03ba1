"""Events that the system makes: system calls and signals, and what Linux calls them."""

from __future__ import annotations

import functools

import numpy as np

from inst.arch.registry import produced_by
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.system import System

TRAP_TYPES = (0x108, 0x140)
"""Trap types of system calls, in traces that name trap types at all."""
SIGNAL_TRAPS = 0x200
"""The trap type of signal 0, where signals are traps."""
BACK = "back from signal"
"""The word of a handler's return."""
SIGNAL = "signal"
"""How the word of a signal begins; what it interrupted may follow."""


def calls(events: Array) -> Array:
    """Return which events are system calls: their value is the number."""
    flags = events["flags"]
    known = np.isin(events["address"], TRAP_TYPES) | (flags & int(Flag.HAS_ADDRESS) == 0)
    return np.asarray((events["kind"] == Kind.TRAP) & known & (flags & int(Flag.HAS_VALUE) != 0))


def signals(events: Array, trace: Trace) -> Array:
    """Return which events are signals that a handler got: the value is the number."""
    words = trace.words.beginning(SIGNAL)
    found = (events["kind"] == Kind.OTHER) & np.isin(events["detail"], words)
    traps = events["kind"] == Kind.TRAP
    number = events["address"] - np.uint64(SIGNAL_TRAPS)
    return np.asarray(found | (traps & (number == events["value"]) & (number < SIGNAL_TRAPS)))


def ranges(events: Array) -> Array:
    """Return which events are what a system call or a library function read or wrote at once.

    They name neither an instruction nor a value.
    """
    memory = (events["kind"] == Kind.READ) | (events["kind"] == Kind.WRITE)
    silent = (events["flags"] & int(Flag.HAS_PC | Flag.HAS_VALUE) == 0) & (events["site"] == 0)
    return np.asarray(memory & silent)


@functools.cache
def _names(text: str) -> dict[int, str]:
    names, number = {}, 0
    for word in text.split():
        start, colon, name = word.rpartition(":")
        number = int(start) if colon else number + 1
        names[number] = name
    return names


def system_call(arch: str, number: int) -> str:
    """Return what a system call is called in traces of an instruction set."""
    system = _system(arch)
    name = _names(system.calls).get(number) if system else None
    return name or f"system call {number}"


def signal(arch: str, number: int) -> str:
    """Return a signal's name."""
    system = _system(arch)
    name = _names(system.signals).get(number) if system else None
    return f"SIG{name}" if name else f"signal {number}"


def _system(arch: str) -> System | None:
    """Return the names for a producer's word; None if it names no instruction set."""
    known = produced_by(arch)
    return known.part(System) if known else None
