"""The sites of a file: what is reported, where it stands, and what is live there.

How a site is written is not decided here: see `inst.rewrite.writers`.
"""

from __future__ import annotations

from inst.dataclass import dataclass
from inst.isa.model import Access, RegisterSet, SystemEvent

NO_BRANCH = NO_INSTRUCTION = -1


@dataclass(slots=True)
class Site:
    """An access, a system call, a system event, or an instruction that switches stacks."""

    index: int
    access: Access | None
    """None for a system call, a system event, and a move to the stack pointer."""
    live_before: RegisterSet
    live_after: RegisterSet
    branch: int = NO_BRANCH
    """The transfer in whose delay slot it stands."""
    switches_stack: bool = False
    """A region begins here in which hooks stay on the old stack (`inst.rewrite.leaving`)."""
    event: SystemEvent = SystemEvent.NONE
    """What it does to memory without an access: its code finds the instruction right after it."""
    from_table: bool = False
    """The linker may turn it into an addition: a load of an address from a table."""
    reported: bool = True
    """False where a reservation is open: such an access is only counted."""
    arriving: tuple[str, ...] = ()
    """Registers that are recorded before the instruction, which is no site itself
    (`inst.rewrite.record.arrivals`)."""
    left_by: int = NO_INSTRUCTION
    """The instruction that leaves all of these, which re-execution does not execute: in the slot of
    the site's branch, or else the one before."""
    optional: bool = False
    """What arrives is left out where no register is free to record it."""
    enters: bool = False
    """A function is entered there."""
    entry: str = ""
    """The label where calls of the same file enter the function, after what is recorded for others
    (`inst.rewrite.record.within`)."""
    named: bool = False
    """Control may come there from other code: what is recorded says where that is."""
    frame: bool = False
    """The instruction before has made a frame with memory of its own, which is recorded."""

    @property
    def place(self) -> int:
        """Return the instruction before which its code stands: its own, or its branch."""
        return self.index if self.branch == NO_BRANCH else self.branch
