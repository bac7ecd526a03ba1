"""A random function while it is written, and what a target's machine says about how.

Each is `unsigned long name(unsigned long flag, unsigned *words)` and follows the ABI, so that
it may pass for a compiler's.  What it returns must not depend on where code or data is:
an address is never in a register of `free` when the next instruction is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

ROOM = 128
"""Bytes at `words` that functions touch; `words` itself is divisible by 64."""

Shape = Callable[["Function"], None]
"""Writes a piece of code that instrumentation may get wrong."""


@dataclass(frozen=True, slots=True)
class Machine:
    """How functions are written for one target."""

    begin: Shape
    """Writes the entry; says which registers may hold anything, and gives them values."""
    finish: Shape
    """Folds what the registers hold into the result; returns."""
    single: Callable[[Function], str]
    """Gives an instruction that may stand anywhere, a slot too; half of them are accesses."""
    shapes: tuple[Shape, ...]
    leaf_shapes: tuple[Shape, ...]
    """In leaf functions, too."""
    calling_shapes: tuple[Shape, ...]
    """In the others, too."""
    loads: dict[str, int]
    """Mnemonic -> bytes, of what loads one register."""
    stores: dict[str, int]
    arithmetic: tuple[str, ...]
    """What takes three registers."""
    pointer: str
    """The directive of an address."""
    leaf: str
    """The functions that are called."""
    header: str = ""
    """What a file begins with."""
    trailer: str = ""
    """And ends with."""
    code: str = ""
    """What the name of a function's code begins with, where its own is that of a descriptor."""
    leaves: float = 0.45
    """How many functions are leaves."""
    wide: bool = False
    """Whether registers have 64 bits."""
    names: tuple[str, ...] = ()
    """Words that differ between targets of one instruction set: see its module."""

    def table(self, functions: list[str]) -> str:
        """Return the file with the table of functions that `run.c` goes through."""
        rows = "".join(f"\t{self.pointer} {name}\n" for name in [*functions, "0"])
        return f"\t.data\n\t.balign 8\n\t.globl fuzz_functions\nfuzz_functions:\n{rows}"


@dataclass(slots=True)
class Function:
    """One function while it is written."""

    random: Random
    name: str
    machine: Machine
    leaf: bool = False
    base: str = ""
    """The register that holds `words`."""
    free: list[str] = field(default_factory=list)
    """Registers that may hold anything but addresses."""
    lines: list[str] = field(default_factory=list)
    labels: int = 0

    def text(self) -> str:
        """Return the function."""
        machine, random = self.machine, self.random
        self.leaf = random.random() < machine.leaves
        machine.begin(self)
        shapes = machine.shapes + (machine.leaf_shapes if self.leaf else machine.calling_shapes)
        for _ in range(random.randint(3, 14)):
            random.choice(shapes)(self)
        machine.finish(self)
        self.lines.append(f"\t.size {self.name}, .-{machine.code}{self.name}")
        return "\n".join(self.lines) + "\n"

    def emit(self, *texts: str) -> None:
        """Append instructions."""
        self.lines += [f"\t{text}" for text in texts]

    def place(self) -> str:
        """Return a new label of this function."""
        self.labels += 1
        return f".L{self.name}_{self.labels}"

    def label(self, name: str) -> None:
        """Put a label here."""
        self.lines.append(f"{name}:")

    def register(self) -> str:
        """Return a register that may hold anything."""
        return self.random.choice(self.free)

    def offset(self, size: int) -> int:
        """Return the offset of something in the room."""
        return self.random.randrange(0, ROOM, size)

    def straight(self) -> None:
        """Write some instructions in a row."""
        for _ in range(self.random.randint(1, 4)):
            self.emit(self.machine.single(self))

    @contextmanager
    def without(self, *registers: str) -> Iterator[None]:
        """Leave registers alone for a while, because they hold addresses or counts."""
        kept, self.free = self.free, [name for name in self.free if name not in registers]
        yield
        self.free = kept

    @contextmanager
    def only(self, base: str, *registers: str) -> Iterator[None]:
        """Use other registers for a while."""
        kept = self.base, self.free
        self.base, self.free = base, list(registers)
        yield
        self.base, self.free = kept


def straight(function: Function) -> None:
    """Write accesses and others in a row."""
    function.straight()
