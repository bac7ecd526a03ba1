"""What an instruction set defines for the system."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class System:
    """What Linux calls system calls and signals on one instruction set.

    Names in the order of their numbers, as in `asm/unistd.h` and `bits/signum.h`; a number before
    a colon begins a run. Where a name belongs to one word size only, it has the number that the
    other leaves free.
    """

    calls: str
    signals: str
