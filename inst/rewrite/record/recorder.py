"""What an instruction set provides for recording (`inst.rewrite.record.model`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from inst.dataclass import dataclass
from inst.isa.model import Access, RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import Effect, Reservation
from inst.rewrite.sites import Site


@dataclass(frozen=True, slots=True)
class Parts:
    """How a register is stored by way of another, part by part, so that it can be set
    again from what has been recorded of these: the program runs all of it, to no effect."""

    through: str
    """The other register; empty: none is free."""
    copies: tuple[tuple[str, str], ...]
    """For each part what copies it there, and what copies it back."""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


Spill = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Loose:
    """How values are written that follow each other without a name: re-execution knows by the
    instruction which one is next."""

    put: Callable[[Rewriting, str, str, int], list[str]]
    """Store a register, whatever its kind, so many bytes ahead of the last word written."""
    put_value: Callable[[Rewriting, int, str, int], list[str]]
    """Store what the access at an instruction has loaded, in the same way."""
    name: Callable[[Rewriting, Reservation, str], list[str]]
    """Store the name of a segment, by an instruction with a label."""
    calls: re.Pattern[str]
    """A line of assembly that does nothing but call a function by its name, or go to it."""
    in_place_of: Callable[[Rewriting, str, str, str], str] = lambda *_: ""
    """Return an access that runs in the place of the program's own, with a label there: its
    registers have other names, since a window has been changed after it and not before."""
    fills: Callable[[Rewriting, Reservation], bool] = lambda _work, _place: False
    """Return whether a check of the limit has a slot for what comes after it."""
    move: Callable[[str, int], str] | None = None
    """Move the pointer over what has been stored ahead of it; None: each store moves it."""
    store_moved: Callable[[Rewriting, str], list[str]] = lambda _work, _pointer: []
    """Store a pointer that is not kept as the cursor."""
    passed: Callable[[Rewriting], Mapping[str, int]] = lambda _work: {}
    """Return the registers that functions leave to their callers as they were, with the numbers
    that unwinding tables have for them."""
    parts: Callable[[Rewriting, Site, str, str], Parts | None] = lambda *_: None
    """Return how a register that arrives at a site is stored by way of an integer register, beside
    the pointer; None for one that `put` stores."""
    saved_as: Callable[[Rewriting, Access], tuple[int, ...]] = lambda _work, _access: ()
    """Return the numbers that unwinding tables have for the registers that a load may restore."""
    loads_constant: Callable[[Rewriting, int], bool] = lambda _work, _index: False
    """Return whether an instruction loads an address from a table that the linker makes: nothing
    else writes there, and the recording has what it holds."""
    counter: str = ""
    """A register that counts down (`inst.rewrite.record.loops`); empty: none does."""
    set_counter: Callable[[Rewriting, int, int, bool], list[str] | None] = lambda *_: None
    """Set it before an instruction, to a number; None if no register is free for that, or, if the
    limit is to be looked at as well, for this."""
    copy: Callable[[str, str], str] = lambda _source, _to: ""
    """Copy an integer register to another one."""
    spillable: tuple[str, ...] = ()
    """The registers that `spill` may save."""
    spill: Callable[[Rewriting, tuple[str, ...]], Spill] = lambda *_: ((), ())
    """Return code that saves registers in a frame on the stack, and what undoes that."""
    reads_stack: Callable[[Iterable[str]], bool] = lambda _lines: False
    """Return whether inserted code reads a frame that it has not made itself."""
    has_stored: Callable[[str], list[str]] = lambda _to: []
    """Make a register 1 if the conditional store before has stored, and 0 if not: this and `copy`
    are for instruction sets with reservations."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """How the segments of one instruction set are written."""

    takes: Callable[[Rewriting, int], bool]
    """Return whether the access of an instruction can be recorded inline."""
    pointer: Callable[[Rewriting, RegisterSet], str]
    """Return a register for the pointer, where some are in use; empty if there is none."""
    reserve: Callable[[Rewriting, Reservation], list[str] | None]
    """Return the code that reserves space; None if there are no registers for it."""
    kept: Callable[[Rewriting], str]
    """Return the register in which the pointer stays from one segment to the next; empty: none.
    A segment may have another, where the program uses this one."""
    store_pointer: Callable[[Rewriting], str]
    """Store that register as the cursor."""
    put: Callable[[Rewriting, str, str, int], str]
    """Store an integer register below a pointer by so many bytes."""
    raw_bytes: Callable[[Rewriting, Access], int]
    """Return how many bytes a value takes that is put as it is in memory; 0: a register is."""
    put_raw: Callable[[Rewriting, int, str, int], list[str]]
    """Store such a value of an instruction below a pointer."""
    effect: Callable[[Rewriting, int], Effect | None]
    """Return what is known of the register that an instruction changes."""
    linked_address: Callable[[Rewriting, int, str], tuple[str, list[str]] | None]
    """Return a register and the code that computes the address in it, where the linker may change
    how the access does; None where no register is free, or the access needs none of this."""
    needs_address: Callable[[Rewriting, int], bool]
    """Return whether the linker may change how an access computes its address."""
    spilled: Callable[[Rewriting, tuple[str, ...]], str] = lambda *_: ""
    """Return a register for the pointer that is in use, and not among some; empty if there is no
    code that saves it."""
    spill_pointer: Callable[[Rewriting, str], Spill] = lambda *_: ((), ())
    """Return code that saves such a register beside the cursor, and what restores it."""
    carried: Callable[[Rewriting], tuple[str, ...]] = lambda _work: ()
    """The registers that are recorded for re-execution where they arrive
    (`inst.rewrite.record.arrivals`), the stack pointer first."""
    reads_link: Callable[[Rewriting, int], RegisterSet] = lambda _work, _index: 0
    """Return the register into which an instruction reads where a function returns to."""
    reads_special: Callable[[Rewriting, int], RegisterSet] = lambda _work, _index: 0
    """Return the register into which an instruction reads what re-execution does not know."""
    leaves_open: Callable[[Rewriting, int], RegisterSet] = lambda _work, _index: 0
    """Return the register in which an instruction may leave what re-execution does not know, and
    where it stops unless that is recorded."""
    leaves: Callable[[Rewriting, int], tuple[str, ...]] = lambda _work, _index: ()
    """Return the registers in which an instruction leaves something, as `loose` can store them
    after it; () if it leaves anything else."""
    left_by_system: tuple[str, ...] = ()
    """The registers in which a system call leaves its result, as `loose` can store them."""
    arriving_bytes: Callable[[str], int] = lambda _name: 0
    """Return how many bytes it takes; 0: those of an address."""
    adds_to_name: bool = False
    """Whether a name may follow from another one that a register has."""
    read_as_zero: tuple[str, ...] = ()
    """The registers to which nothing can be added: there they stand for the number 0."""
    can_put_raw: Callable[[Rewriting, int, str], bool] = lambda *_: True
    """Return whether registers are free for that, besides the pointer."""
    changes_kept: Callable[[Rewriting], Iterable[int]] = lambda _work: ()
    """Return the instructions after which other inserted code changes the register that is kept,
    but for sites of accesses and where the counter counts."""
    frames: Callable[[Rewriting], Iterable[int]] = lambda _work: ()
    """Return the instructions that make a frame with memory of its own, if that is to be recorded
    right after each."""
    put_frame: Callable[[Rewriting, int, str], list[str]] = lambda *_: []
    """Store the address and the size of a frame, before an instruction, below a pointer."""
    passes: Callable[[str], bool] = lambda _function: False
    """Return whether a function of that name leaves the register that is kept alone, and only finds
    the GOT."""
    loose: Loose | None = None
    """How values for re-execution are written; None: it is not offered."""
