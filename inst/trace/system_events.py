"""Events that the system makes: system calls, signals, and what they touch."""

from __future__ import annotations

import numpy as np

from inst.trace.model import Array, Flag, Kind, Trace

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
