"""Instructions that were executed again, in columns, for whoever writes or compares them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inst.replay.machine import WHOLE_LIMIT, Array, Machine


@dataclass(frozen=True, slots=True)
class Executed:
    """Consecutive instructions of one thread, the registers they changed, and their accesses."""

    thread: int
    pc: Array
    """u8, of each instruction: its address."""
    word: Array
    """Of each instruction, as `Words.prefix` says."""
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


class Steps:
    """The number of instructions that all threads have executed, and where something is to be done.

    While `observing`, what is executed is passed on; otherwise it is executed faster.
    """

    def __init__(self) -> None:
        self.done = 0
        self.at = WHOLE_LIMIT
        """The number at which `reached` is called."""
        self.observing = True

    def left(self) -> int:
        """Return how many instructions may be executed before `reached` is called."""
        return self.at - self.done

    def ended(self, thread: int) -> None:
        """Note that a thread ends."""

    def reached(self, machine: Machine) -> None:
        """Do what is to be done at a number, which has been reached; `at` is greater afterwards.

        `machine` is the processor that executes the next instruction.
        """
        self.at = WHOLE_LIMIT


@dataclass(frozen=True, slots=True)
class Observation:
    """What takes executed instructions, and when."""

    observe: Observer
    steps: Steps
