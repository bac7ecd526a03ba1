"""What an instruction set says of the execution of its instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from inst.target.model import Target

_WORD_BITS = 32
_NO_PREFIX = (1 << _WORD_BITS) - 1 << _WORD_BITS


@dataclass(frozen=True, slots=True)
class Field:
    """Registers of one kind in the state of a processor: an array, or a single one."""

    name: str
    """Name in C and in `Machine.state`."""
    bits: int = 0
    """8, 16, 32 or 64; 0: as many as an address of the program has."""
    shape: tuple[int, ...] = ()
    """How many there are; () is a single register."""
    wider: bool = False
    """It may have more bits than addresses: those of V8+. `Machine.register` leaves them out."""


@dataclass(frozen=True, slots=True)
class Row:
    """One form of one instruction: the words it has and what it does."""

    name: str
    mask: int
    value: int
    """It is the words of which these bits (`mask`) are `value`, as a number of 32 bits, or of 64:
    an instruction of two words, the first of which is the high half."""
    statement: str
    """C, over the names that the prelude and `inst/replay/engine` define."""
    constants: tuple[tuple[str, int], ...] = ()
    """Names that the statement uses, and their values."""
    bits: int = 32
    """The narrowest programs that have it."""
    is_apart: bool = False
    """Its statement becomes a function, not a part of the interpreter's own: it compiles faster and
    runs slower, and cannot transfer control."""

    @property
    def size(self) -> int:
        """Return the bytes of the instruction; one of 8 has to be apart."""
        return 8 if self.mask >> _WORD_BITS else 4

    @property
    def pattern(self) -> tuple[int, int]:
        """Return mask and value of the instruction as a number of 64 bits."""
        return self.mask | (_NO_PREFIX if self.size == 4 else 0), self.value


class Processor(Protocol):
    """What an instruction set's own functions need of `inst.replay.machine.Machine`."""

    target: Target
    state: Any

    def read(self, address: int, size: int) -> bytes | None:
        """Return memory; None if any byte of it is not known."""

    def write(self, address: int, data: bytes) -> None:
        """Set memory, which is known from then on."""


@dataclass(frozen=True, slots=True)
class Semantics:
    """The execution of one instruction set's instructions."""

    fields: tuple[Field, ...]
    """The registers, after `pc`, which every state begins with; `npc` comes next where
    instructions have a delay slot."""
    rows: Callable[[], Iterable[Row]]
    """All instructions that can be executed; no word belongs to two of them."""
    prelude: tuple[Path, ...]
    """C that precedes the interpreter: names of operands, functions that statements call."""
    registers: Callable[[int], dict[str, tuple[str, tuple[int, ...]]]]
    """From the bits of an address to where each register is in the state, by its name in
    `inst.isa`: the field, and the place in it. A place with several numbers in it is a register of
    all their bits, the first number the most significant."""
    link: str
    """The register, by its name in `inst.isa`, in which a call leaves where it returns to."""
    beyond_link: int = 0
    """How many bytes after the address in it control returns."""
    bit_fields: Mapping[str, tuple[str, int, int]] = field(default_factory=dict)
    """Registers of `inst.isa` that are bits of a field: the field, the lowest bit, and how many."""
    prefix: tuple[int, int] | None = None
    """`Words.prefix`."""
    delay_slot: bool = False
    """The instruction after a transfer is executed before its target."""
    unwritten: int | None = None
    """What registers of a new window hold until an instruction writes them; None: no windows."""
    leave_windows: Callable[[Processor, int], None] = lambda _processor, _stack: None
    """Leave the windows of functions whose frames are below a stack pointer."""
    enter_window: Callable[[Processor], None] = lambda _processor: None
    """Enter the window of other code that was called, or of a signal, and calls back."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A register as a debugger knows it."""

    name: str
    bits: int
    register: str
    """Its name in `inst.isa`, or "pc" or "npc"; several names, the most significant part first, for
    a register that is as wide as all of them; "": it is never known."""
    type: str


@dataclass(frozen=True, slots=True)
class Debugger:
    """What gdb's remote protocol reports of an instruction set."""

    architecture: Callable[[int], str]
    """From the bits of an address to bfd's name of the processor."""
    features: Callable[[int], tuple[tuple[str, tuple[Shown, ...]], ...]]
    """From the same to gdb's features with their registers, in the order of their numbers."""
    unknown: Callable[[str, int], int | None]
    """From a register's name in `inst.isa`, and the bits, to what stands in the re-execution for
    content that is not known: a number that programs hardly compute; None: it keeps what it has."""
    recording: Callable[[int], tuple[str, ...]]
    """From the bits to the registers in which the code that records may keep its pointer."""
    watched_before: bool
    """gdb expects that a watched access stops the program before it, and steps over it by itself
    (`gdbarch_have_nonsteppable_watchpoint`); else it expects it to be done."""
    return_addresses: tuple[str, ...]
    """The registers that hold where a function was called from, and are unavailable in one that
    other code has called."""
    program_counter: int
    """Bytes before the program counter among all registers of a processor of 32 bits, in the order
    that gdb takes for granted where a stub describes none."""
    on_stack: Callable[[Processor], Iterable[tuple[int, list[int | None]]]] = lambda machine: ()
    """Registers that a debugger looks for in memory: addresses, and what words there hold; None for
    a word that is not known."""
    steps_by_breakpoints: bool = False
    """gdb steps by breakpoints at the next instructions (`gdbarch_software_single_step`)."""
