"""What an instruction set says of its instruction words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inst.words.access import Access, Array

Text = Callable[[int, int], str]
"""From (word, pc) to the text of an instruction; "" where nothing decodes it."""
Candidates = Callable[[int], list[tuple[str, str]]]
"""From a word to the texts it may have, the likelier first: mnemonic and operands."""
NOWHERE = 0x10000000
"""Stands for the address while facts are looked up: they do not depend on it."""


@dataclass(frozen=True, slots=True)
class Transfers:
    """How the words of a column transfer control: columns of booleans, but for `target`."""

    is_transfer: Array
    """A branch, call, return or jump, also one that is never taken."""
    is_direct: Array
    """The word itself holds the target."""
    is_conditional: Array
    """Whether it is taken depends on more than the word."""
    is_never: Array
    """A branch that is never taken (SPARC's `bn`)."""
    is_call: Array
    """It saves its own address for a return; PowerPC's `bcl 20,31,.+4` only reads the address."""
    is_return: Array
    """A jump to where a call left its address."""
    annuls: Array
    """SPARC: the annul bit of a branch."""
    leaves: Array
    """The next instruction can be anywhere: system calls, traps, returns from traps, and SPARC's
    branches that compare (CBcond), which are not decoded further."""
    target: Array
    """Address as u8; 0 where the word does not hold one."""

    @classmethod
    def none(cls, count: int) -> Transfers:
        """Return the columns of words none of which transfers control, as in traces of accesses."""
        no = np.zeros(count, bool)
        no.setflags(write=False)
        return cls(no, no, no, no, no, no, no, no, np.zeros(count, "u8"))


@dataclass(frozen=True, slots=True)
class SaveArea:
    """Where the stack holds a window."""

    size: int
    """Bytes."""
    frame: int
    """How far from its first byte the stack pointer of the window before is."""
    bias: int
    """How far that byte is from what the stack pointer says."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Words by which register windows are changed and saved."""

    stack: int
    """Number of the stack pointer."""
    frame: int
    """Number of the stack pointer of the window before."""
    area: Callable[[str], SaveArea]
    """Return where a producer's architecture saves windows."""
    flushes: tuple[int, ...]
    """Words that save all windows."""
    changes: Callable[[Array], Array]
    """Return which words of a column save, restore or return."""
    makes: Callable[[int], bool]
    """Return whether a word that changes the window goes to a new one."""
    target: Callable[[int], int]
    """Return the number of the register that a word computes."""
    base: Callable[[int], int]
    """Return the number of the first register of an address or sum."""
    immediate: Callable[[int], int | None]
    """Return the number that is added to it; None if a register is."""
    in_own_place: Callable[[Array], Array]
    """Return which words store a register of the window to where it would be saved."""
    by_base: Callable[[Array, SaveArea], Array]
    """Return which accesses lie in a save area by their own words."""
    loads_frame: Callable[[Array, SaveArea], Array]
    """Return which accesses are to the stack pointer of the window before by their own words."""
    passed: Mapping[str, str]
    """The registers that a window has in common with the one before: name there -> name."""
    own: tuple[str, ...]
    """The other registers of a window."""


@dataclass(frozen=True, slots=True)
class Chains:
    """Words by which functions link the frames of the stack."""

    stack: int
    """Number of the stack pointer."""
    makes: Callable[[Array], Array]
    """Return which words of a column store a register and leave the address in its base."""
    base: Callable[[Array], Array]
    """Return the numbers of the registers that addresses are made of."""
    target: Callable[[Array], Array]
    """Return the numbers of the registers that are stored."""


@dataclass(frozen=True, slots=True)
class KeptLink:
    """Where code has saved the link register before it calls glue, which sets it again."""

    register: str
    """The register that holds it, or the stack pointer."""
    place: int | None = None
    """How far from the stack pointer the stack holds it, in a frame that glue releases."""
    frame: int = 0
    """Bytes of that frame."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What readers of recordings take from words: accesses, and code that reserves space."""

    displacements: Callable[[Array], Array]
    """Return the signed number that each access of a column, as i8, adds to its registers."""
    reserves: Callable[[Array, int, int], int]
    """Return how many of a segment's words, as i8, end where the space for the block of that
    name, and of so many bytes, is reserved; 0 if none of them does that."""
    aligned: Callable[[Array], Array] = np.ones_like
    """Return for accesses, as i8, what the address is rounded down to a multiple of."""
    restores: Callable[[Array], Array] | None = None
    """Return for a column of stores of registers, as i8, the words that load these registers from
    there; None if the instruction set is not re-executed."""
    restored_by_linker: Callable[[Array], Array] = lambda words: np.zeros(len(words), bool)
    """Return which words of a column, as i8, may be loads that the linker puts after calls, of
    what the way there through its own code saved."""
    read_as_data: Callable[[Array], Array] = lambda words: np.zeros(len(words), bool)
    """Return which words of a column, as i8, are no instructions but say how calls return."""
    skips: int = 0
    """The branch over an access in whose place another one runs, which comes next; 0: none."""
    kept_links: Mapping[int, KeptLink] = field(default_factory=dict)
    """By the word before a call of glue where the link register has been saved for it."""
    loads_bytes: Callable[[Array], Array] = lambda words: np.zeros(len(words), bool)
    """Return which words of a column, as i8, load a string, byte by byte."""
    saves_registers: Callable[[Array], tuple[Array, Array]] | None = None
    """Return which words of a column, as i8, stand in routines by which functions save and restore
    registers, and which return from one; None if there are no such routines."""
    nop: int = 0
    """A word that does nothing."""
    left_open: Callable[[Array], Array] = lambda words: np.full(len(words), -1)
    """Return for each word of a column, as i8, the number of the register in which it may leave
    what does not follow from the state, as clocks and divisions by 0 do; -1: none."""
    may_change: Callable[[Array, int], Array] = lambda words, _register: np.ones(len(words), bool)
    """Return which words of a column, as i8, may change that register, at most."""
    stored: Callable[[Array], Array] = lambda words: np.full(len(words), -1)
    """Return the number of the general register that each word of a column, as i8, stores."""
    takes_frame: Callable[[Array], Array] = lambda words: np.zeros(len(words), bool)
    """Return which words of a column, as i8, take a register window with a frame that may have
    memory of its own."""
    thread_word: Callable[[int, int], int | None] = lambda _word, _bits: None
    """Return how far from the thread pointer the word of memory lies that an instruction loads into
    a register, in programs of so many bits; None for another instruction."""
    thread_pointers: Mapping[int, str] = field(default_factory=dict)
    """That register, by the program's bits."""


@dataclass(frozen=True, slots=True)
class Words:
    """The decoders of one instruction set; `str` is a producer's word for the processor."""

    access_of: Callable[[int, str], Access | None]
    """Return the memory access that a word makes."""
    lookup: Callable[[Array, str], tuple[Array, Array]]
    """Return for a column of instructions what each accesses (bits) and the size."""
    transfers: Callable[[Array, Array], Transfers]
    """Decode a column of words, as i8, at their addresses, as u8."""
    text: Callable[[str], Text]
    """Return the disassembler."""
    candidates: Callable[[str, Text], Candidates]
    """Return what the tables of instructions may know a word as."""
    delay_slots: int
    """Instructions after a transfer that run before its target."""
    have_addresses: Callable[[Array], Array]
    """Return which words of a column have a target, or an address without an access."""
    longest: Callable[[Array], Array] | None
    """Return how many elements the accesses of a column have at most, if any has several."""
    c_tables: Callable[[], dict[str, Any]]
    """Return what `accesses.h.j2` of the runtime is rendered with: the memory instructions."""
    opcodes: Callable[[], dict[str, int]]
    """Return the operations and words that the runtime's C knows, by their names there."""
    windows: Windows | None
    """Register windows are saved in the stack, below which nothing of the program may lie."""
    chains: Chains | None
    """A function makes its frame by a store of the address of the frame before."""
    recorded: Recorded
    wide_floats: bool
    """A register holds a number of double precision; else two do."""
    prefix: tuple[int, int] | None = None
    """Mask and value of words that begin an instruction of two, which then is one number, with the
    first word above the second; None: there are none."""
    trap_returns: Callable[[Array], tuple[Array, Array]] | None = None
    """Return which words of a column return from a trap, and which of those may return into a
    delay slot; None if no instruction does the latter."""
    names_space: Callable[[Array], Array] | None = None
    """Return which loads and stores of a column name an address space in the word itself."""
    barriers: Callable[[Array], Array] | None = None
    """Return which words of a column access memory only to be a barrier, below the stack."""
    without_faults: Callable[[Array], Array] | None = None
    """Return which loads of a column never fault: they may read past the end of an object."""
    hook_tables: Callable[[], dict[str, Any]] | None = None
    """Return what `words.h.j2` of the STF library is rendered with, where that format has this
    instruction set."""
    event_tables: Callable[[], dict[str, Any]] | None = None
    """Return what `events.h.j2` of the runtime is rendered with: the instructions of system
    events."""
    event_names: Callable[[], frozenset[str]] | None = None
    """Return what traces call these instructions and the registers that they write."""
    page_tables: str = ""
    """Which page tables they change: "software" reads them at a TLB miss; those of the "reference"
    MMU the processor reads."""
    hand_on: Callable[[Array], Array] | None = None
    """Return which words, in the delay slot of a call, make it a tail call: the function called
    returns to where the caller would have."""


def split_text(text: str) -> tuple[str, str]:
    """Return mnemonic and operands of an instruction's text."""
    mnemonic, _, operands = text.partition(" ")
    return mnemonic, operands


def capstone_text(machine: str, modes: list[str]) -> Text:
    """Return capstone's disassembler: the modes are tried in order."""
    import capstone

    order = capstone.CS_MODE_BIG_ENDIAN
    engines = [
        capstone.Cs(getattr(capstone, machine), getattr(capstone, mode, 0) | order)
        for mode in modes
    ]

    def text(word: int, pc: int) -> str:
        data = word.to_bytes(4, "big")
        for engine in engines:
            for _, _, mnemonic, operands in engine.disasm_lite(data, pc):
                return f"{mnemonic} {operands}".rstrip()
        return ""

    return text


def signed(field: Array, bits: int) -> Array:
    field = field & (1 << bits) - 1
    return field - ((field >> (bits - 1)) << bits)


def reach(addresses: Array, base: Array, displacement: Array) -> Array:
    """Return targets; those of code below 4 GiB have 32 bits and wrap there."""
    target = base + displacement.astype("i8").view("u8")
    low = target & np.uint64(0xFFFFFFFF)
    return np.asarray(np.where(addresses >> np.uint64(32) == 0, low, target))
