"""What Linux calls system calls and signals."""

from __future__ import annotations

import functools

from inst.arch.registry import produced_by
from inst.calls.system import System


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
