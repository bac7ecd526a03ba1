"""Physical addresses from TLB records: the translation buffers that a trace describes.

A TLB record enters a translation at an index of a buffer (its cpu, type and unit), or with `demap`
takes away those of a page and context. The tag is the virtual address with the context in its low
13 bits; the data is the translation table entry of UltraSPARC: valid (63), the page's size (62-61:
8 KB, 64 KB, 512 KB, 4 MB), the physical address (40-13) and global (0), which any context has.
PREG records state the contexts: 0 in trap handlers, else the primary one, and an alternate space's.

Facts: the format's document, and its examples of records with the physical address they mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from inst.formats.rst.codes import EA_VALID, INSTR, PREG, TLB
from inst.formats.rst.record import RstBatch, decode
from inst.trace.model import Array
from inst.words import decode as words

MASK = (1 << 64) - 1
PAGE = 13
SHIFTS = (13, 16, 19, 22)
"""Bits of an address within a page of each size."""
PHYSICAL = (1 << 41) - 1
CONTEXT = (1 << 13) - 1
INSTRUCTIONS, DATA = 0, 1
PRIMARY, BYPASS, NOWHERE = 0x80, -1, -2
"""The usual address space; spaces whose addresses are physical; and those that are no memory."""
_TRANSLATED = ((0x04, 0x11), (0x18, 0x19), (0x24, 0x2C), (0x70, 0x73), (0x78, 0x79), (0x80, 0xFF))
_NUCLEUS = ((0x04, 0x0F), (0x24, 0x2C))
_PHYSICAL = ((0x14, 0x15), (0x1C, 0x1D))
Slot = tuple[int, int, int]
"""Type, unit and index."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One translation."""

    start: int
    shift: int
    context: int
    everywhere: bool
    """Whether it is of all contexts."""
    difference: int
    """Physical minus virtual address, modulo 2^64."""


@dataclass(slots=True)
class _Cpu:
    """The buffers of one processor, and its contexts."""

    entries: dict[Slot, Entry] = field(default_factory=dict)
    pages: dict[tuple[int, int, int], dict[Slot, Entry]] = field(default_factory=dict)
    """By type, shift and number of the page."""
    level: int = 0
    primary: int = 0
    secondary: int = 0
    space: int = PRIMARY

    def enter(self, slot: Slot, entry: Entry | None) -> None:
        """Put an entry into its slot, in the place of the one there; None only removes that."""
        old = self.entries.pop(slot, None)
        if old is not None:
            key = slot[0], old.shift, old.start >> old.shift
            self.pages[key].pop(slot)
            if not self.pages[key]:
                del self.pages[key]
        if entry is not None:
            self.entries[slot] = entry
            key = slot[0], entry.shift, entry.start >> entry.shift
            self.pages.setdefault(key, {})[slot] = entry

    def find(self, kind: int, address: int, context: int) -> list[tuple[Slot, Entry]]:
        """Return the entries that translate an address of a context."""
        return [
            (slot, entry)
            for shift in SHIFTS
            for slot, entry in self.pages.get((kind, shift, address >> shift), {}).items()
            if entry.everywhere or entry.context == context
        ]

    def context_of(self, space: int) -> int:
        """Return the context of an address space, or BYPASS or NOWHERE."""
        if _within(space, _PHYSICAL):
            return BYPASS
        if not _within(space, _TRANSLATED):
            return NOWHERE
        if _within(space, _NUCLEUS) or (space == PRIMARY and self.level):
            return 0
        return self.secondary if space & 1 else self.primary


def _within(space: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= space <= last for first, last in ranges)


@dataclass(frozen=True, slots=True)
class Columns:
    """What the buffers give for each record; meaningful for instructions alone."""

    pc: Array
    """Physical minus virtual address of the pc, modulo 2^64."""
    pc_known: Array
    ea: Array
    """... of an access's address."""
    ea_known: Array
    icontext: Array
    dcontext: Array


class Buffers:
    """The translation buffers of all processors."""

    def __init__(self) -> None:
        self._cpus: dict[int, _Cpu] = {}
        self.used: set[int] = set()
        """Processors with TLB records."""

    def columns(self, batch: RstBatch, arch: str) -> Columns:
        """Take the TLB and PREG records of a batch; return what its instructions translate to."""
        count, codes = len(batch), batch.raw["rtype"]
        result = Columns(*(np.zeros(count, kind) for kind in ("u8", "?", "u8", "?", "u8", "u8")))
        rows = np.flatnonzero(codes == INSTR)
        changes = np.flatnonzero((codes == TLB) | (codes == PREG))
        if not self.used and not (codes == TLB).any():
            rows = rows[:0]
        cpus = batch.column("instr", "cpuid", rows)
        places = np.searchsorted(rows, [*changes, count])
        start = 0
        for place, change in zip(places.tolist(), [*changes.tolist(), None], strict=True):
            if place > start:
                self._translate(batch, rows[start:place], cpus[start:place], arch, result)
            start = place
            if change is not None:
                self._change(decode(batch.raw[change].tobytes(), batch.version))
        return result

    def _change(self, fields: dict[str, int | str]) -> None:
        numbers = {name: int(value) for name, value in fields.items()}
        cpu = self._cpus.setdefault(numbers["cpuid"], _Cpu())
        if "primD" in numbers:
            cpu.level, cpu.space = numbers["traplevel"], numbers["asiReg"]
            cpu.primary, cpu.secondary = numbers["primD"], numbers["secD"]
            return
        self.used.add(numbers["cpuid"])
        tag, data, kind = numbers["tag"], numbers["data"], numbers["type"]
        if numbers["demap"]:
            for slot, _ in cpu.find(kind, tag & ~CONTEXT, tag & CONTEXT):
                cpu.enter(slot, None)
            return
        slot = kind, numbers["unit"], numbers["index"]
        cpu.enter(slot, entry_of(tag, data))

    def _translate(
        self, batch: RstBatch, rows: Array, cpus: Array, arch: str, result: Columns
    ) -> None:
        for number in np.unique(cpus).tolist():
            if number not in self.used:
                continue
            cpu, own = self._cpus[number], rows[cpus == number]
            raw = batch.raw[own]
            context = cpu.context_of(PRIMARY)
            result.icontext[own] = context
            spaces = np.full(len(own), PRIMARY)
            _fill(cpu, INSTRUCTIONS, raw["first"], spaces, own, result.pc, result.pc_known)
            what, _ = words.lookup(raw["word"], arch)
            access = (what & 3 != 0) & (raw["flags"] & EA_VALID != 0)
            own, raw = own[access], raw[access]
            spaces = _spaces(raw["word"], cpu.space)
            _fill(cpu, DATA, raw["second"], spaces, own, result.ea, result.ea_known)
            contexts = {space: max(cpu.context_of(space), 0) for space in set(spaces.tolist())}
            result.dcontext[own] = [contexts[space] for space in spaces.tolist()]


def entry_of(tag: int, data: int) -> Entry | None:
    """Return the translation of a tag and its data; None if it is not valid."""
    if not data >> 63:
        return None
    shift = SHIFTS[data >> 61 & 3]
    start = (tag & ~CONTEXT) >> shift << shift
    physical = (data & PHYSICAL) >> shift << shift
    return Entry(start, shift, tag & CONTEXT, bool(data & 1), physical - start & MASK)


def _spaces(instructions: Array, register: int) -> Array:
    """Return the address space of each access: of alternate ones what the word or %asi states."""
    values = instructions.astype("i8")
    alternate = values >> 23 & 1 == 1
    immediate = np.where(values >> 13 & 1 == 1, register, values >> 5 & 0xFF)
    return np.where(alternate, immediate, PRIMARY)


def _fill(
    cpu: _Cpu, kind: int, addresses: Array, spaces: Array, rows: Array, to: Array, known: Array
) -> None:
    """Put the differences of addresses in place; several addresses of a page are one search."""
    pages = addresses.astype("u8") >> np.uint64(PAGE)
    keys = np.stack([pages, spaces.astype("u8")], axis=1)
    distinct, which = np.unique(keys, axis=0, return_inverse=True)
    found = np.array(list(_differences(cpu, kind, distinct)), "u8").reshape(-1, 2)
    to[rows] = found[which.reshape(-1), 0]
    known[rows] = found[which.reshape(-1), 1] != 0


def _differences(cpu: _Cpu, kind: int, keys: Array) -> Iterator[tuple[int, int]]:
    """Yield the difference of each page and address space, and whether it is known."""
    for page, space in keys.tolist():
        context = cpu.context_of(space)
        if context == BYPASS:
            yield 0, 1
            continue
        entries = cpu.find(kind, page << PAGE, context) if context >= 0 else []
        yield (entries[0][1].difference, 1) if entries else (0, 0)
