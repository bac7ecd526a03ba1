"""Instructions that were executed again, in columns, for whoever writes or compares them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inst.replay.machine import Array


@dataclass(frozen=True, slots=True)
class Executed:
    """Consecutive instructions of one thread, the registers they changed, and their accesses."""

    thread: int
    pc: Array
    """u8, of each instruction: its address."""
    word: Array
    """u4, of each instruction."""
    row: Array
    """u4, of each change in the order of time: its instruction's place in `pc`."""
    unit: Array
    """u4, of each change: number in `Machine.units`; with `BETWEEN` it is the change of other
    code, before the instruction."""
    value: Array
    """u8, of each change: what the unit then holds."""
    access_row: Array
    """i8, of each access: its instruction's place in `pc`."""
    address: Array
    """u8, of each access."""
    accessed: Array
    """u8, of each access: the number that was loaded or stored."""
    kind: Array
    """u4, of each access, as `Machine.set_outputs` has it."""


Observer = Callable[[Executed], None]
"""What takes them, many at a time."""
