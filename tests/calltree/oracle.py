"""The calls that an emulated program made, from the blocks that the emulator executed.

Nothing of inst's reconstruction is used: calls, tail calls and returns are recognised by the last
instruction of a block, by rules written down here, and matched by the addresses that are executed
next. Of each reported access it is known which functions were running.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile
from truth.emulator import Plugins, Result, code_extent, run, write_ranges

BLOCK = np.dtype([("first", "u8"), ("last", "u4"), ("vcpu", "u4")])
Path_ = tuple[str, ...]


def functions_of(files: list[Path]) -> set[str]:
    """Return the names of the functions that object files define."""
    names = set()
    for file in files:
        with file.open("rb") as stream:
            for one in ELFFile(stream).get_section_by_name(".symtab").iter_symbols():
                if one["st_info"]["type"] == "STT_FUNC" and one["st_shndx"] != "SHN_UNDEF":
                    names.add(one.name)
    return names


class Layout:
    """Where the functions of a program are, and its words."""

    def __init__(self, program: Path, names: set[str]) -> None:
        with program.open("rb") as stream:
            elf = ELFFile(stream)
            order = "<" if elf.little_endian else ">"
            self.sparc = "SPARC" in elf["e_machine"]
            self.local = elf["e_machine"] == "EM_PPC64" and elf.little_endian
            """Whether calls may leave out the first two instructions of a function."""
            text = elf.get_section_by_name(".text")
            self.start, data = text["sh_addr"], text.data()
            self.words = np.frombuffer(data[: len(data) & -4], f"{order}u4")
            descriptors = elf.get_section_by_name(".opd")
            symbols = [
                (one["st_value"], one["st_size"], one.name)
                for one in elf.get_section_by_name(".symtab").iter_symbols()
                if one["st_info"]["type"] == "STT_FUNC" and one["st_value"]
            ]
            if descriptors:
                whole = descriptors.data()
                symbols = [
                    (int.from_bytes(whole[at : at + 8]), size, name)
                    for value, size, name in symbols
                    if 0 <= (at := value - descriptors["sh_addr"]) < len(whole)
                ]
        self.symbols = sorted(set(symbols))
        self._starts = [start for start, _, _ in self.symbols]
        self.names = names
        self.slots = int(self.sparc)

    def at(self, pc: int) -> tuple[int, str]:
        """Return the entry point and the name of the function around an address."""
        place = bisect.bisect_right(self._starts, pc) - 1
        if place < 0 or pc >= self.symbols[place][0] + max(self.symbols[place][1], 4):
            return 0, ""
        return self.symbols[place][0], self.symbols[place][2].removesuffix(".cold")

    def ranges(self) -> list[tuple[int, int]]:
        """Return where the code of the functions is that are of interest."""
        return [
            (start, start + size)
            for start, size, name in {one[0]: one for one in self.symbols}.values()
            if size and (name in self.names or name.removesuffix(".cold") in self.names)
        ]

    def word(self, pc: int) -> int:
        """Return an instruction."""
        at = (pc - self.start) // 4
        return int(self.words[at]) if 0 <= at < len(self.words) else 0

    def ending(self, last: int) -> tuple[str, int]:
        """Return what the transfer at the end of a block does, and where it returns to."""
        return self._sparc(last - 4) if self.sparc else self._powerpc(last)

    def _sparc(self, pc: int) -> tuple[str, int]:
        word, slot = self.word(pc), self.word(pc + 4)
        op, op3, target = word >> 30, word >> 19 & 63, word >> 25 & 31
        if op == 1 or (op == 2 and op3 == 0x38 and target == 15):
            hands_on = slot >> 30 == 2 and (slot >> 19 & 63 == 0x3D or slot >> 25 & 31 == 15)
            return ("jump" if hands_on else "call"), pc + 8
        if op == 2 and op3 in (0x38, 0x39):
            base = word >> 14 & 31
            returns = op3 == 0x39 or (target == 0 and base in (15, 31))
            return ("return" if returns else "jump"), 0
        if op == 0 and word >> 22 & 7 in (1, 2):
            sign = 1 << 18 if word >> 22 & 7 == 1 else 1 << 21  # BPcc, Bicc
            distance = (word & 2 * sign - 1) - ((word & sign) << 1)
            if self.at(pc + 4 * distance)[1].startswith("inst.restore"):
                return "return", 0
        return "", 0

    def _powerpc(self, pc: int) -> tuple[str, int]:
        word = self.word(pc)
        primary, extended = word >> 26, word >> 1 & 0x3FF
        if primary in (16, 18) or (primary == 19 and extended in (16, 528)):
            if word & 1:
                return "call", pc + 4
            if primary == 19 and extended == 16:
                return "return", pc + 4 if word >> 21 & 20 != 20 else 0
            if primary == 18:
                distance = (word & 0x3FFFFFC) - ((word & 0x2000000) << 1)
                if self.at(pc + distance)[1].startswith("_rest"):
                    return "return", 0
        return "", 0


@dataclass(slots=True)
class Frame:
    name: str
    awaiting: int = 0
    """Where its last call returns to."""


@dataclass(slots=True)
class Thread:
    """What one thread did."""

    layout: Layout
    sites: list[int]
    calls: list[Path_] = field(default_factory=list)
    """What runs once each call has begun, in their order."""
    accesses: list[tuple[int, Path_]] = field(default_factory=list)
    """Each reported access: its site, and the functions that run, the outermost first."""
    _frames: list[Frame] = field(default_factory=list)
    _ending: tuple[str, int] = ("", 0)
    _before: tuple[int, int] = (0, 0)
    """The last block."""

    def block(self, first: int, last: int) -> None:
        """Take the next block that is executed; it may go on into the next function."""
        entry, _ = self.layout.at(last)
        if first < entry <= last:
            self._block(first, entry - 4)
            self._ending = ("", 0)
            first = entry
        self._block(first, last)

    def _block(self, first: int, last: int) -> None:
        if self._is_restarted(first):
            while self.accesses and first <= self.accesses[-1][0] <= self._before[1]:
                self.accesses.pop()
        else:
            self._arrive(first)
        self._sites(first, last)
        self._before, self._ending = (first, last), self.layout.ending(last)
        if self._ending[0] == "call":
            self._frames[-1].awaiting = self._ending[1]

    def _is_restarted(self, first: int) -> bool:
        """Return whether a window was spilled or filled, and the last block goes on there."""
        word = self.layout.word(first)
        moves = word >> 30 == 2 and word >> 19 & 63 in (0x39, 0x3C, 0x3D)
        return self.layout.sparc and moves and self._before[0] <= first <= self._before[1]

    def _arrive(self, first: int) -> None:
        entry, name = self.layout.at(first)
        kind, back = self._ending
        frames = self._frames
        if kind == "return" and first != back and frames:
            frames.pop()
        enters = first == entry or (first == entry + 8 and self.layout.local and kind != "return")
        if enters and (kind in ("call", "return") or not frames or name != frames[-1].name):
            if kind not in ("call", "return") and frames:
                frames.pop()  # a tail call
            self._enter(name)
        elif frames and any(frame.awaiting == first for frame in frames):
            while frames[-1].awaiting != first:
                frames.pop()
        elif any(frame.name == name for frame in frames):
            while frames[-1].name != name:
                frames.pop()

    def _enter(self, name: str) -> None:
        self._frames.append(Frame(name))
        self.calls.append(tuple(frame.name for frame in self._frames))

    def _sites(self, first: int, last: int) -> None:
        low = bisect.bisect_left(self.sites, first)
        high = bisect.bisect_right(self.sites, last)
        if low < high:
            path = tuple(frame.name for frame in self._frames)
            self.accesses += [(site, path) for site in self.sites[low:high]]


def observe(
    plugins: Plugins, program: Path, names: set[str], sites: list[int], trace: Path,
    arguments: list[str] = [],  # noqa: B006
) -> tuple[list[Thread], Result]:  # fmt: skip
    """Run an instrumented program; return what each thread did, in the order of their starts.

    `names` are the functions of interest, `sites` the link-time addresses of reported accesses.
    """
    layout, log = Layout(program, names), trace.with_suffix(".blocks")
    ranges = write_ranges(log, layout.ranges())
    start, _ = code_extent(program)
    option = f"{plugins.blocks},out={log},only={ranges},linked={start:x}"
    result = run(program, arguments, option, {"INST_OUT": str(trace)})
    threads: dict[int, Thread] = {}
    for first, last, vcpu in _blocks(log):
        thread = threads.setdefault(vcpu, Thread(layout, sites))
        thread.block(first, first + last)
    return list(threads.values()), result


def _blocks(log: Path) -> Iterator[tuple[int, int, int]]:
    with log.open("rb") as stream:
        while len(batch := np.fromfile(stream, BLOCK, 1 << 20)):
            yield from zip(
                batch["first"].tolist(), batch["last"].tolist(), batch["vcpu"].tolist(), strict=True
            )
