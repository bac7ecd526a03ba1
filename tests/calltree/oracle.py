"""The calls that an emulated program made, from the blocks that the emulator executed.

Nothing of inst's reconstruction is used: calls, tail calls and returns are recognised by the last
instruction of a block, by rules written down here, and matched by the addresses that are executed
next. Of each reported access it is known which functions were running.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol
from truth.emulator import Plugins, Result, code_extent, run, write_ranges

from tests.calltree.landing import read_landing_pads

BLOCK = np.dtype([("first", "u8"), ("last", "u4"), ("vcpu", "u4")])
_SKIPS = 0x20800002
"""SPARC: `bn,a .+8`."""
Path_ = tuple[str, ...]
Names = dict[str, set[str]]
"""Functions by name, each with the source files in which it is local, or "" where it is global."""
Moved = tuple[bool, Path_, int]
"""A call that begins (True) or ends: the functions that run with it, the outermost first, and where
it returns to; 0 where other code calls it, or at its end."""


def functions_of(files: list[Path]) -> Names:
    """Return the functions that object files define."""
    found: Names = {}
    for file in files:
        with file.open("rb") as stream:
            for one, within in _functions(ELFFile(stream)):
                if one["st_shndx"] != "SHN_UNDEF" and one["st_size"]:
                    found.setdefault(one.name, set()).add(within)
    return found


def _functions(elf: ELFFile) -> Iterator[tuple[Symbol, str]]:
    """Yield the symbols of functions, local ones with the name of their source file."""
    within = ""
    for one in elf.get_section_by_name(".symtab").iter_symbols():
        if one["st_info"]["type"] == "STT_FILE":
            within = one.name
        elif one["st_info"]["type"] == "STT_FUNC":
            yield one, within if one["st_info"]["bind"] == "STB_LOCAL" else ""


def _signed(word: int, bits: int) -> int:
    """Return the signed number in the lowest bits of a word."""
    low = word & (1 << bits) - 1
    return low - (low >> bits - 1 << bits)


class Layout:
    """Where the functions of a program are, and its words."""

    def __init__(self, program: Path, names: Names) -> None:
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
            found = [
                (one["st_value"], one["st_size"], one.name, within)
                for one, within in _functions(elf)
                if one["st_value"]
            ]
            if descriptors:
                whole = descriptors.data()
                found = [
                    (int.from_bytes(whole[at : at + 8]), size, name, within)
                    for value, size, name, within in found
                    if 0 <= (at := value - descriptors["sh_addr"]) < len(whole)
                ]
        self.own = {
            start: start + size
            for start, size, name, within in found
            if size and within in names.get(name.removesuffix(".cold"), names.get(name, ()))
        }
        """Where the code of the functions of interest begins and ends."""
        symbols = [(start, size, name) for start, size, name, _ in found]
        self.symbols = sorted(set(symbols))
        self._starts = [start for start, _, _ in self.symbols]
        self.slots = int(self.sparc)
        self.pads = read_landing_pads(program)
        self.landings = self.pads.places

    def at(self, pc: int) -> tuple[int, str]:
        """Return the entry point and the name of the function around an address."""
        place = bisect.bisect_right(self._starts, pc) - 1
        if place < 0 or pc >= self.symbols[place][0] + max(self.symbols[place][1], 4):
            return 0, ""
        return self.symbols[place][0], self.symbols[place][2].removesuffix(".cold")

    def is_own(self, pc: int) -> bool:
        """Return whether an address is in a function of interest."""
        return pc < self.own.get(self.at(pc)[0], 0)

    def word(self, pc: int) -> int:
        """Return an instruction."""
        at = (pc - self.start) // 4
        return int(self.words[at]) if 0 <= at < len(self.words) else 0

    def ending(self, last: int) -> tuple[str, int]:
        """Return what the transfer at the end of a block does, and where it returns to."""
        return self._sparc(last - 4) if self.sparc else self._powerpc(last)

    def target(self, last: int) -> int:
        """Return where the branch at the end of a block leads; 0 if its word does not say it."""
        pc = last - 4 * self.slots
        word, bits = self.word(pc), 0
        if self.sparc and word >> 30 == 1:
            return pc + 4 * _signed(word, 30)
        if self.sparc and word >> 30 == 0:
            bits = {1: 19, 2: 22, 3: 16, 5: 19, 6: 22}.get(word >> 22 & 7, 0)
            if bits == 16:  # BPr: the distance is in two parts
                word = (word >> 20 & 3) << 14 | word & 0x3FFF
            return pc + 4 * _signed(word, bits) if bits else 0
        if not self.sparc and word >> 26 in (16, 18):
            return pc + (_signed(word, 26) & -4 if word >> 26 == 18 else _signed(word, 16) & -4)
        return 0

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
        if op == 0 and self.at(self.target(pc + 4))[1].startswith("inst.restore"):
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
            if primary == 18 and self.at(self.target(pc))[1].startswith("_rest"):
                return "return", 0
        return "", 0


@dataclass(frozen=True, slots=True)
class Block:
    """What is known of a block whenever it is executed."""

    first: int
    last: int
    entry: int
    """Where its function begins."""
    name: str
    """Its function's."""
    ending: tuple[str, int]
    """As `Layout.ending`."""
    leads: str | None
    """The function to which its last branch leads; None if its word does not say it."""
    sites: tuple[int, ...]
    """Its reported accesses."""
    moves_window: bool
    """Whether a window may be spilled or filled at its first instruction."""

    catches: bool
    """Whether it is a landing pad, at which nothing but an exception arrives."""

    @property
    def is_probe(self) -> bool:
        """Whether it ends with a call of the hook library, which returns once."""
        leads = self.leads or ""
        return leads.startswith("inst.") and not leads.startswith("inst.wrap.")


@dataclass(slots=True)
class Frame:
    """A call that is not over."""

    name: str
    path: Path_
    back: int
    """Where it returns to; 0 if other code has called it."""
    awaiting: int = 0
    """Where its last call returns to."""
    returned: set[int] = field(default_factory=set)
    """Where other code has returned to, which may have been setjmp."""


@dataclass(slots=True)
class Thread:
    """What one thread did."""

    layout: Layout
    sites: list[int]
    moves: list[Moved] = field(default_factory=list)
    """The calls as they begin and end."""
    accesses: list[tuple[int, Path_]] = field(default_factory=list)
    """Each reported access: its site, and the functions that run, the outermost first."""
    _frames: list[Frame] = field(default_factory=list)
    _paths: dict[tuple[Path_, str], Path_] = field(default_factory=dict)
    """Each path once, by the path without its last function, and that."""
    _blocks: dict[tuple[int, int], tuple[Block, ...]] = field(default_factory=dict)
    """In one function each; a block may go on into the next one."""
    _before: Block | None = None

    @property
    def calls(self) -> list[Path_]:
        """What runs once each call has begun, in their order."""
        return [path for begins, path, _ in self.moves if begins]

    def block(self, first: int, last: int) -> None:
        """Take the next block that is executed."""
        key = (first, last)
        if key not in self._blocks:
            entry, _ = self.layout.at(last)
            parts = [(first, entry - 4), (entry, last)] if first < entry <= last else [key]
            self._blocks[key] = tuple(self._part(*part) for part in parts)
        for block in self._blocks[key]:
            self._take(block)

    def _part(self, first: int, last: int) -> Block:
        layout, word = self.layout, self.layout.word(first)
        entry, name = layout.at(first)
        # The program's own instruction does not run where another one stands in for it.
        over = 4 if layout.sparc and layout.word(last) == _SKIPS else 0
        low, high = (bisect.bisect_left(self.sites, at) for at in (first, last + over + 1))
        target = layout.target(last)
        return Block(
            first,
            last,
            entry,
            name,
            layout.ending(last),
            layout.at(target)[1] if target else None,
            tuple(self.sites[low:high]),
            layout.sparc and word >> 30 == 2 and word >> 19 & 63 in (0x39, 0x3C, 0x3D),
            first in layout.landings,
        )

    def end(self) -> None:
        """The program has ended; its last block may have returned to other code."""
        if self._before and self._before.ending[0] == "return" and self._frames:
            self._leave()

    def _take(self, block: Block) -> None:
        before = self._before
        if before and block.moves_window and before.first <= block.first <= before.last:
            # A window was spilled or filled: the last block goes on there.
            while self.accesses and block.first <= self.accesses[-1][0] <= before.last:
                self.accesses.pop()
        elif not before or before.ending != ("call", block.first) or block.catches:
            self._arrive(block, before)
        elif not before.is_probe:
            self._frames[-1].returned.add(block.first)
        if block.sites:
            path = self._frames[-1].path if self._frames else ()
            self.accesses += [(site, path) for site in block.sites]
        if block.ending[0] == "call":
            self._frames[-1].awaiting = block.ending[1]
        self._before = block

    def _arrive(self, block: Block, before: Block | None) -> None:
        """Go on elsewhere than after a call that has returned."""
        first, name = block.first, block.name
        kind, back = before.ending if before else ("", 0)
        frames = self._frames
        if kind == "return" and first != back and frames:
            self._leave()
        enters = first == block.entry
        enters |= first == block.entry + 8 and self.layout.local and kind != "return"
        if enters and (kind in ("call", "return") or not frames or name != frames[-1].name):
            returns = back if kind == "call" and before and before.leads in (name, None) else 0
            if kind not in ("call", "return") and frames:
                returns = self._leave().back  # a tail call
            self._enter(name, returns)
        elif kind == "call":
            self._cut(self._jumped(first, name))
        elif not (kind in ("", "jump") and before and self._is_within(block, before)):
            self._cut(self._returned(first, name))

    def _is_within(self, block: Block, before: Block) -> bool:
        """Return whether a jump or none at all stays in the innermost function.

        Else other code was called in tail position, and has returned to the function's caller:
        that can be the same function. Of a jump through a register in a function it is taken that
        it leads to where it arrives.
        """
        if not self._frames or self._frames[-1].name != block.name:
            return False
        return block.first == before.last + 4 or before.leads in (block.name, None)

    def _returned(self, first: int, name: str) -> int:
        """Return how many calls are left where one goes on to which a call returns."""
        for depth in range(len(self._frames), 0, -1):
            if self._frames[depth - 1].awaiting == first:
                return depth
        return self._innermost(name)

    def _jumped(self, first: int, name: str) -> int:
        """Return how many calls are left after a call from which another one goes on.

        That is the innermost one that has a landing pad there for the call it has made, or, after
        longjmp, that has come back there before.
        """
        for depth in range(len(self._frames), 0, -1):
            if self.layout.pads.of(self._frames[depth - 1].awaiting) == first:
                return depth
        for depth in range(len(self._frames), 0, -1):
            if first in self._frames[depth - 1].returned:
                return depth
        return self._returned(first, name)

    def _innermost(self, name: str) -> int:
        """Return how many calls there are up to the last one of a function."""
        for depth in range(len(self._frames), 0, -1):
            if self._frames[depth - 1].name == name:
                return depth
        return len(self._frames)

    def _cut(self, depth: int) -> None:
        while len(self._frames) > depth:
            self._leave()

    def _enter(self, name: str, back: int) -> None:
        outer = self._frames[-1].path if self._frames else ()
        path = self._paths.setdefault((outer, name), (*outer, name))
        self._frames.append(Frame(name, path, back))
        self.moves.append((True, path, back))

    def _leave(self) -> Frame:
        frame = self._frames.pop()
        self.moves.append((False, frame.path, 0))
        return frame


def observe(
    plugins: Plugins, program: Path, names: Names, sites: list[int], trace: Path,
    arguments: list[str] = [],  # noqa: B006
) -> tuple[list[Thread], Result]:  # fmt: skip
    """Run an instrumented program; return what each thread did, in the order of their starts.

    `names` are the functions of interest, `sites` the link-time addresses of reported accesses.
    """
    layout, log = Layout(program, names), trace.with_suffix(".blocks")
    environment = {"INST_OUT": str(trace)}
    result = log_blocks(plugins, program, layout.own.items(), log, arguments, environment)
    threads: dict[int, Thread] = {}
    for first, last, vcpu in read_blocks(log):
        thread = threads.setdefault(vcpu, Thread(layout, sites))
        thread.block(first, last)
    for thread in threads.values():
        thread.end()
    return list(threads.values()), result


def log_blocks(
    plugins: Plugins, program: Path, ranges: Iterable[tuple[int, int]], log: Path,
    arguments: list[str], environment: dict[str, str],
) -> Result:  # fmt: skip
    """Run a program, and log the blocks that are executed of ranges of its code."""
    start, _ = code_extent(program)
    option = f"{plugins.blocks},out={log},only={write_ranges(log, ranges)},linked={start:x}"
    return run(program, arguments, option, environment)


def read_blocks(log: Path) -> Iterator[tuple[int, int, int]]:
    """Yield of each block its first and last instruction, and the thread's number."""
    with log.open("rb") as stream:
        while len(batch := np.fromfile(stream, BLOCK, 1 << 20)):
            ends = batch["first"] + batch["last"]
            yield from zip(
                batch["first"].tolist(), ends.tolist(), batch["vcpu"].tolist(), strict=True
            )
