"""What the user chose when a file is instrumented."""

from __future__ import annotations

from inst.dataclass import dataclass
from inst.rewrite.selection import EVERYTHING, Selection

EXECUTED_LEVELS = ("loads", "windows")
"""The levels of code that is executed again; as levels of hooks they are "values"."""


@dataclass(frozen=True, slots=True)
class Options:
    """The translator's options."""

    level: str = "values"
    """"values": addresses and values; "addresses": addresses only. Where code records also "loads",
    what re-execution needs, and "windows", the same with hooks that choose which loads."""
    counter: bool = True
    """Count backward branches and calls for windowhook."""
    frames: bool = True
    """Report SPARC's frames to the library, so that it can guard where windows are saved."""
    restores: bool = True
    """Report SPARC's restores to the library, which moves them out of delay slots."""
    wrapping: bool = True
    """Redirect calls of C library functions to wrappers."""
    check_slots: bool = True
    """Open delay slots that insertion would break, and refuse those that cannot be opened."""
    check_registers: bool = True
    """Refuse code that uses registers which the instrumentation needs."""
    keep_conditions: bool = False
    """Save condition codes at every site, live or not."""
    keep_registers: bool = False
    """Save the return address at every site, live or not."""
    functions: bool = False
    """Call glue at the entry and at the exits of each function."""
    small_data: bool = False
    """Leave r13 to small data (32-bit PowerPC), also in files that do not use it themselves."""
    record: bool = False
    """Record plain accesses inline (`inst.rewrite.record`), instead of calling hooks."""
    global_cursor: bool = False
    """Where code records next is a word of memory at a fixed address, not of the thread: programs
    without an operating system have no threads."""
    keep_wrappers: bool = False
    """Where a function of `inst.calls.wraptable.EVENTS` is defined, others still call its wrapper,
    which calls it; without, its definition takes the wrapper's place as any other's does."""
    dropped: tuple[str, ...] = ()
    """Registers that sites need and code uses, but keeps nothing in where it calls or leaves a
    function (`inst.rewrite.writer.Kept`)."""
    barriers: bool = False
    """Report barriers, which any program executes: what runs without an operating system."""
    selection: Selection = EVERYTHING
    """Which functions are instrumented."""

    @property
    def executed(self) -> bool:
        """Return whether code records what executing it again needs."""
        return self.record and self.level in EXECUTED_LEVELS

    @property
    def windows(self) -> bool:
        """Return whether hooks choose which of the loads that needs (`hooks/windows`)."""
        return self.record and self.level == "windows"
