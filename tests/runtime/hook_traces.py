"""Traces of the hook libraries of three formats, read by decoders of their own."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

RECORD = 24
THREAD = 0x01000000
HEADER, INSTR, CPU, STRDESC, NULLREC, STATUS, MEMVAL = 2, 3, 11, 14, 20, 23, 26


@dataclass(frozen=True)
class Event:
    """One access of a trace."""

    thread: int
    value: int
    pc: int
    address: int


@dataclass(frozen=True)
class Trace:
    """What a trace holds, read without inst's own readers."""

    events: list[Event]
    ended: bool
    filled: int
    """Records or blanks that stand for nothing."""
    zeros: int
    """Records that were never written, before the last that was."""
    ids: list[int]
    strings: str


def read_rst(path: Path) -> Trace:
    """Return what an RST file holds."""
    data = path.read_bytes().rstrip(b"\0")
    data += bytes(-len(data) % RECORD)
    kinds = [data[at] for at in range(0, len(data), RECORD)]
    assert data[:4] == b"\2\2\x0d%"
    events = []
    for number, kind in enumerate(kinds):
        if kind == INSTR:
            at = number * RECORD
            first, _, pc, address = struct.unpack_from(">IIQQ", data, at)
            assert kinds[number + 1] == MEMVAL, "an access without its value"
            word, _, where, value = struct.unpack_from(">IIQQ", data, at + RECORD)
            assert where == address
            assert word & 15 == 4
            thread = (first >> 10 & 63) | (first >> 6 & 15) << 6
            assert thread == (word >> 8 & 255) | (word >> 16 & 3) << 8
            events.append(Event(thread, value, pc, address))
    strings = b"".join(
        data[n * RECORD + 1 : n * RECORD + 24].rstrip(b"\0") + (b"\n" if k == STRDESC else b"")
        for n, k in enumerate(kinds)
        if k in (STRDESC, 21)
    )
    ended = kinds[-1] == STATUS
    return Trace(events, ended, kinds.count(NULLREC), kinds.count(0), [], strings.decode())


LINE = re.compile(
    r"\(mem-read \(id (\d+)\) \(tid (\d+)\) \(address 0x([0-9a-f]+)\) \(value 0x([0-9a-f]+)\)"
    r" \(size 4\) \(src 0x([0-9a-f]+)\)\)$"
)

ORDER = re.compile(r"\(event \(id (\d+)\) \(tid \d+\) \(what order\) \(value 0x[0-9a-f]+\)\)")

SIGNAL = re.compile(
    r'\(event \(id (\d+)\) \(tid \d+\) \(what other\) \(detail "signal"\)'
    r' \(value 0x[0-9a-f]+\) \(src ""\)\)'
)


def read_sexp(path: Path) -> Trace:
    """Return what a trace of s-expressions holds; each line must be one whole record."""
    text = path.read_bytes().rstrip(b"\0")
    zeros = text.count(0)
    events, ids, strings = [], [], ""
    for line in text.decode().replace("\0", "").splitlines():
        if re.match(r" *\((producer|image) ", line):
            strings += line + "\n"
            continue
        if other := ORDER.fullmatch(line.strip()) or SIGNAL.fullmatch(line.strip()):
            ids.append(int(other[1]))
            continue
        if not line.strip():
            continue
        matched = LINE.fullmatch(line.strip())
        assert matched, line
        number, thread, address, value, pc = matched.groups()
        ids.append(int(number))
        events.append(Event(int(thread) - 1, int(value, 16), int(pc, 16), int(address, 16)))
    return Trace(events, True, text.count(b"      "), zeros, ids, strings)


INSTRUCTION = re.compile(
    r"(?:R(\d\d) = ([0-9a-f]+)(?: R(\d\d) = ([0-9a-f]+))?\n)?"
    r"PCN = ([0-9a-f]+) OPC = ([0-9a-f]{8}) MNC = lwz\nR(\d\d) = ([0-9a-f]+)\n"
)


def read_stf(path: Path) -> Trace:
    """Return what an STF trace holds; `touch` loads from its base register, without an offset.

    STF has no threads: here the number in the value is one.
    """
    data = path.read_bytes().rstrip(b"\0")
    zeros = data.count(0)
    text = re.sub(r"(?m)^ +", "", data.decode().replace("\0", "")).replace("\n\n", "\n")
    header, general, floating, rest = text.split("\n", 3)
    rest = rest.removesuffix("||ending: end of stream|\n")
    assert header.startswith("||OPTIONS: 0 | TRACE: ") and header.endswith("|")
    for line, bank in ((general, "R"), (floating, "F")):
        assert [name for name in line.split() if name[0] == bank] == [
            f"{bank}{n:02d}" for n in range(32)
        ]
    events = []
    at = 0
    while at < len(rest):
        if rest[at] == "\n":
            at += 1
            continue
        matched = INSTRUCTION.match(rest, at)
        assert matched, rest[at : at + 200]
        base, address, _, _, pc, word, target, value = matched.groups()
        assert int(word, 16) >> 16 & 31 == int(base) and not int(word, 16) & 0xFFFF
        assert int(word, 16) >> 21 & 31 == int(target)
        number = int(value, 16)
        events.append(Event(number // THREAD, number, int(pc, 16), int(address, 16)))
        at = matched.end()
    return Trace(events, True, data.count(b"      "), zeros, [], header)


READERS: dict[str, Callable[[Path], Trace]] = {
    "rst": read_rst,
    "sexp": read_sexp,
    "stf": read_stf,
}
