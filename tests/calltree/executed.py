"""A trace of every instruction, as a simulator writes it, from the blocks that were executed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile

from inst.formats.rst.record import encode, encode_string
from inst.trace.model import Array

INSTRUCTION = np.dtype(
    [("kind", "u1"), ("flags", "u1"), ("", "u2"), ("word", ">u4"), ("pc", ">u8"), ("ea", ">u8")]
)
"""RST's record `instr`."""
Block_ = tuple[int, int]
"""First and last instruction."""
_ANNULS = 1 << 29


class Words:
    """The instructions of a program, by their addresses as linked."""

    def __init__(self, program: Path) -> None:
        with program.open("rb") as stream:
            elf = ELFFile(stream)
            order = "<" if elf.little_endian else ">"
            self.sparc = "SPARC" in elf["e_machine"]
            parts = [
                (one["p_vaddr"], np.frombuffer(one.data()[: one["p_filesz"] & -4], f"{order}u4"))
                for one in elf.iter_segments()
                if one["p_type"] == "PT_LOAD" and one["p_flags"] & 1
            ]
        self.start = min(start for start, _ in parts)
        end = max(start + 4 * len(words) for start, words in parts)
        self.words = np.zeros((end - self.start) // 4, "u4")
        for start, words in parts:
            place = (start - self.start) // 4
            self.words[place : place + len(words)] = words

    def at(self, pcs: Array) -> Array:
        """Return the words at addresses."""
        found: Array = self.words[(pcs - self.start) // 4]
        return found

    def moves_window(self, pc: int) -> bool:
        """Return whether a window may be spilled or filled at an instruction."""
        word = int(self.words[(pc - self.start) // 4])
        return self.sparc and word >> 30 == 2 and word >> 19 & 63 in (0x39, 0x3C, 0x3D)


def whole_blocks(blocks: Iterator[Block_], words: Words) -> Iterator[Block_]:
    """Yield the blocks as far as they ran: one in which a window is spilled goes on anew."""
    before: Block_ | None = None
    for first, last in blocks:
        if before and before[0] <= first <= before[1] and words.moves_window(first):
            before = (before[0], first - 4)
        if before and before[0] <= before[1]:
            yield before
        before = (first, last)
    if before:
        yield before


def write_trace(path: Path, blocks: Iterator[Block_], words: Words, arch: str) -> int:
    """Write an RST trace of what was executed; return how many instructions there are."""
    spans = np.array(list(whole_blocks(blocks, words)), "i8").reshape(-1, 2)
    lengths = (spans[:, 1] - spans[:, 0]) // 4 + 1
    starts = np.repeat(spans[:, 0] - 4 * (np.cumsum(lengths) - lengths), lengths)
    pcs = starts + 4 * np.arange(lengths.sum())
    found = words.at(pcs)
    jumps = np.append(np.diff(pcs) != 4, False)
    taken = jumps.copy()
    if words.sparc:
        # An annulling branch that is not taken goes on after its slot, which does not run.
        skips = np.append(np.diff(pcs) == 8, False) & (found & _ANNULS != 0) & (found >> 30 == 0)
        taken = jumps & ~skips
        taken[:-1] |= jumps[1:] & ~skips[1:]
    records = np.zeros(len(pcs), INSTRUCTION)
    plain, branch = encode("instr"), encode("instr", bt=True)
    records["kind"], records["flags"] = plain[0], np.where(taken, branch[1], plain[1])
    records["word"], records["pc"] = found, pcs
    head = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    head += encode("traceinfo", rtype2=2) + encode_string(f"arch={arch}")
    head += encode("cpu", cpu=0) + encode("thread", tid=7)
    path.write_bytes(head + records.tobytes() + encode("status", status=2))
    return len(pcs)
