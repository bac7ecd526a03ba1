"""`memory-sound` and the stack: a new frame is undefined until its function writes it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from inst.check import Options, check_trace
from inst.check.frames import Frames
from inst.check.replay import Fresh, replay
from inst.check.shadow import Memory
from inst.check.straight import Code
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.formats.sexp.trace import SexpTrace
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.finding import Report
from inst.trace.model import EVENT, Flag, Kind
from tests.conftest import Shell

STRICT, ALL = (Options(settings={"memory": word}) for word in ("strict", "all"))
HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
LWZ, STW, LD, STD = 0x80690000, 0x90690000, 0xE8690000, 0xF8690000
LDW, ST = 0xC2066000, 0xC2266000
STX, LDX = 0xC2706000, 0xC2586000
LDW_FRAME, LDX_FRAME = 0xC207A000, 0xC25FA000
"""ld [%fp + 0],%g1; ldx [%fp + 0],%g1."""
STWU, STDU, STWUX_NEW, STD_RED = 0x9421FFC0, 0xF821FFC1, 0x7D21516E, 0xFBE1FFF8
"""stwu r1,-64(r1); stdu r1,-64(r1); stwux r9,r1,r10 (alloca); std r31,-8(r1)."""


def access(word: int, address: int, value: int, size: int = 4) -> bytes:
    record = encode("instr", instr=word, pc_va=0x400, ea_valid=1, ea_va=address)
    return record + encode("memval64", addrisVA=1, addr=address, size=size, val=value)


def told(address: int, size: int) -> bytes:
    flags = int(Flag.HAS_ADDRESS | Flag.HAS_VALUE)
    return encode("event", kind=Kind.FRAME, flags=flags, address=address, value=size)


def findings(arch: str, records: list[bytes], options: Options = STRICT) -> int:
    data = HEADER + encode_string(f"arch={arch}") + b"".join(records)
    report = check_trace(RstTrace("t", [data]), ("memory-sound",), options)
    assert report.error is None
    return len(report.findings)


FRAME = access(STWU, 0x7F00, 0x7F40)
"""[0x7f00, 0x7f40)"""
SAVED = access(ST, 0x8020, 5)
"""What a function left where another one's window is saved, which is at 0x8000."""
CASES = {
    "what was there before": ("ppc", [access(STW, 0x7F20, 5), FRAME, access(LWZ, 0x7F20, 6)], 0),
    "what it wrote": ("ppc", [FRAME, access(STW, 0x7F20, 5), access(LWZ, 0x7F20, 6)], 1),
    "the chain": ("ppc", [FRAME, access(LWZ, 0x7F00, 6)], 1),
    "its caller's": ("ppc", [access(STW, 0x7F40, 5), FRAME, access(LWZ, 0x7F40, 6)], 1),
    "below it": ("ppc", [access(STW, 0x7EFC, 5), FRAME, access(LWZ, 0x7EFC, 6)], 1),
    "the rest of a word": (
        "ppc",
        [access(STW, 0x7F20, 5), FRAME, access(STW, 0x7F21, 1, 1), access(LWZ, 0x7F20, 0x06010007)],
        0,
    ),
    "the word but not its rest": (
        "ppc",
        [access(STW, 0x7F20, 5), FRAME, access(STW, 0x7F21, 1, 1), access(LWZ, 0x7F20, 0x06020007)],
        1,
    ),
    "no stack pointer": (
        "ppc",
        [access(STW, 0x7F20, 5), access(0x9423FFC0, 0x7F00, 0x7F40), access(LWZ, 0x7F20, 6)],
        1,
    ),
    "alloca, which is below": (
        "ppc",
        [FRAME, access(STW, 0x7F20, 5), access(STW, 0x7EC0, 5), access(STWUX_NEW, 0x7E80, 0x7F40),
         access(LWZ, 0x7EC0, 6), access(LWZ, 0x7F20, 6)],
        1,
    ),
    "saved below the stack pointer": (
        "ppc64",
        [access(STD_RED, 0x7F38, 5, 8), access(STDU, 0x7F00, 0x7F40, 8), access(LD, 0x7F38, 6, 8)],
        2,
    ),
    "what was there before, in 64 bits": (
        "ppc64le",
        [access(STD, 0x7F30, 5, 8), access(STD_RED, 0x7F38, 5, 8), access(STDU, 0x7F00, 0x7F40, 8),
         access(LD, 0x7F30, 6, 8)],
        0,
    ),
    "as the runtime tells what was there before": (
        "sparc-v8",
        [access(ST, 0x7F20, 5), told(0x7F00, 0x40), access(LDW, 0x7F20, 6)],
        0,
    ),
    "the window that its caller had before": (
        "sparc-v8",
        [access(ST, 0x7F7C, 5), told(0x7F00, 0x40), access(LDW, 0x7F7C, 6)],
        0,
    ),
    "above that window": (
        "sparc-v8",
        [access(ST, 0x7F80, 5), told(0x7F00, 0x40), access(LDW, 0x7F80, 6)],
        1,
    ),
    "the window of 64 bits that its caller had before": (
        "sparc-v9",
        [access(STX, 0x7FB8, 5, 8), told(0x7F00, 0x40), access(LDX, 0x7FB8, 6, 8)],
        0,
    ),
    "above that window of 64 bits": (
        "sparc-v9",
        [access(STX, 0x7FC0, 5, 8), told(0x7F00, 0x40), access(LDX, 0x7FC0, 6, 8)],
        1,
    ),
    "a window found by the one of the frame before": (
        "sparc-v8",
        [SAVED, told(0x7F00, 0x40), access(LDW, 0x7F78, 0x8000), access(LDW, 0x8020, 6)],
        0,
    ),
    "three windows on, before": (
        "sparc-v8",
        [access(ST, 0x8164, 5), told(0x7F00, 0x40), access(LDW, 0x7F38, 0x8000),
         access(LDW, 0x8038, 0x8060), access(LDW, 0x8098, 0x8140), access(LDW, 0x8164, 6)],
        0,
    ),
    "a window of 64 bits found by another one": (
        "sparc-v9",
        [access(STX, 0x8120, 5, 8), told(0x7F00, 0x40), access(LDX, 0x7FB0, 0x8100 - 2047, 8),
         access(LDX, 0x8120, 6, 8)],
        0,
    ),
    "a pointer that is no frame pointer": (
        "sparc-v8",
        [SAVED, told(0x7F00, 0x40), access(LDW, 0x7F74, 0x8000), access(LDW, 0x8020, 6)],
        1,
    ),
    "a frame pointer of no known window": (
        "sparc-v8",
        [SAVED, access(LDW, 0x7F78, 0x8000), access(LDW, 0x8020, 6)],
        1,
    ),
    "a frame pointer that points down": (
        "sparc-v8",
        [access(ST, 0x7E20, 5), told(0x7F00, 0x40), access(LDW, 0x7F78, 0x7E00),
         access(LDW, 0x7E20, 6)],
        1,
    ),
    "the caller's window, by the word of the load": (
        "sparc-v8",
        [access(ST, 0x8020, 5), access(LDW_FRAME | 32, 0x8020, 6)],
        0,
    ),
    "an argument in the caller's frame": (
        "sparc-v8",
        [access(ST, 0x8044, 5), access(LDW_FRAME | 68, 0x8044, 6)],
        1,
    ),
    "the window after the caller's, by words": (
        "sparc-v8",
        [SAVED, access(LDW_FRAME | 56, 0x7FB8, 0x8000), access(LDW, 0x8020, 6)],
        0,
    ),
    "the caller's window of 64 bits, by the word of the load": (
        "sparc-v9",
        [access(STX, 0x8020, 5, 8), access(LDX_FRAME | 2047 + 32, 0x8020, 6, 8)],
        0,
    ),
    "below the caller's window of 64 bits": (
        "sparc-v9",
        [access(STX, 0x7FF8, 5, 8), access(LDX_FRAME | 2047 - 8, 0x7FF8, 6, 8)],
        1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_a_function_took_is_not_known(name: str) -> None:
    arch, records, expected = CASES[name]
    assert min(findings(arch, records), 1) == min(expected, 1)
    if name.endswith("before"):
        assert findings(arch, records, ALL) == 1


def reference(events: np.ndarray, window: int) -> tuple[list[tuple[int, int]], int]:
    """Replay byte by byte; return which reads are not sound, and how many bytes were not known
    any more that had changed.  `window` is how many bytes a register window takes, or 0."""
    memory: dict[int, int] = {}
    before: dict[int, int] = {}
    found, fresh = [], 0
    areas: set[int] = set()

    def take(low: int, high: int) -> None:
        for at in range(low, high):
            if at in memory:
                before[at] = memory.pop(at)

    for row, event in enumerate(events):
        address, value, size = (int(event[name]) for name in ("address", "value", "size"))
        if event["kind"] == Kind.FRAME:
            take(address, address + value + window)
            areas |= {address, address + value}
            continue
        for at, octet in enumerate(value.to_bytes(size, "big"), address):
            if event["kind"] == Kind.READ and memory.get(at, octet) != octet:
                found.append((row, at))
            fresh += event["kind"] == Kind.READ and before.get(at, octet) != octet
            memory[at] = octet
            before.pop(at, None)
        start = address - 56
        is_link = event["kind"] == Kind.READ and size == 4 and start in areas
        if window and is_link and start + 64 <= value < start + (1 << 24) and value % 8 == 0:
            areas.add(value)
            take(value, value + window)
    return sorted(found), fresh


def random_events(chance: random.Random, size: int) -> np.ndarray:
    """Return frames of all sizes between random accesses of some bytes of memory, and loads of
    numbers that point to where these frames begin and end."""
    events = np.zeros(600, EVENT)
    ends = [0x1FF8]
    for number, event in enumerate(events):
        event["record"] = number
        event["flags"] = int(Flag.HAS_ADDRESS | Flag.HAS_VALUE)
        kind = chance.random()
        if kind < 0.15:
            low, high = sorted(chance.sample(range(0x1FF8, 0x1FF8 + size, 4), 2))
            event["kind"], event["address"], event["value"] = Kind.FRAME, low, high - low
            ends += [low, high]
        elif kind < 0.25:
            start, target = (
                chance.choice(ends[-9:]),
                chance.choice(ends[-9:]) + chance.choice([0, 64]),
            )
            event["kind"], event["size"] = Kind.READ, 4
            event["address"], event["value"] = start + 56, target
            ends.append(target)
        else:
            length = chance.choice([1, 1, 2, 4, 4, 8])
            event["kind"] = Kind.READ if chance.random() < 0.5 else Kind.WRITE
            event["address"], event["size"] = 0x1FF8 + chance.randrange(size - length), length
            octets = chance.choices((0, 1, 255), (90, 8, 2), k=length)
            event["value"] = int.from_bytes(octets, "big")
    return events


@pytest.mark.parametrize(
    "seed",
    [*range(8), *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(8, 40))],
)
@pytest.mark.parametrize(("arch", "window", "size"), [("ppc", 0, 64), ("sparc-v8", 64, 400)])
def test_a_second_implementation_finds_the_same(
    seed: int, arch: str, window: int, size: int
) -> None:
    """In pieces of all lengths."""
    chance = random.Random(seed)
    events = random_events(chance, size)
    trace = SexpTrace("t", [f'(producer (id 0) (tid 0) (name "arch") (value "{arch}"))\n'.encode()])
    assert len(list(trace.events())) == 1 and trace.facts.arch == arch
    frames, memory, found = Frames(trace, Code(trace)), Memory(), []
    fresh = Fresh()
    step = chance.choice([1, 7, 50, 600])
    for start in range(0, len(events), step):
        rows = events[start : start + step]
        taken = frames.taken(rows)
        # In two parts, as ranges that libraries touch cut the rows.
        middle = len(rows) // 2
        for begin, end in ((0, middle), (middle, len(rows))):
            part = replay(memory, rows[begin:end], True, taken.part(begin, end), fresh)
            if part is not None:
                found += [
                    (start + begin + row, cell * 4 + lane)
                    for row, cell, mask in zip(part.rows.tolist(), part.cells.tolist(),
                                               part.masks.tolist(), strict=True)
                    for lane in range(4)
                    if mask >> lane & 1
                ]  # fmt: skip
    expected, forgotten = reference(events, window)
    assert sorted(found) == expected and len(found) > 10
    assert (step == 600) <= fresh.bytes <= forgotten  # those are not counted that pieces part


PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char text[64];
__attribute__((noinline)) int write_stack(int number)
{
    volatile char room[600];
    for (unsigned n = 0; n < sizeof room; n++)
        room[n] = n + number;
    return room[number];
}
/* What it reads it never wrote: the C library did, where nothing tells. */
__attribute__((noinline)) int peek(void)
{
    volatile int room[100];
    int sum = 0;
    for (unsigned n = 0; n < 100; n++)
        sum |= room[n] != 0;
    return sum;
}
__attribute__((noinline)) int keep(int *volatile *where)
{
    volatile int live = 0x5a5a5a5a;
    *where = (int *)&live;
    strtod("1.5", 0);
    live = 0x5a5a5a5b;
    return live != 0x5a5a5a5b;
}
int main(void)
{
    int *volatile where;
    write_stack(3);
    snprintf(text, sizeof text, "%s %d %.20g", "word", write_stack(7), strtod("1e-300", 0));
    return !peek() + keep(&where);
}
"""


def _checked(path: Path, options: Options) -> Report:
    return check_trace(open_trace(path), ("memory-sound",), options)


def test_the_library_below_the_stack_pointer(target: Target, shell: Shell) -> None:
    """Bytes that the C library left are no finding; a lost store to a live variable is one."""
    (shell.directory / "p.c").write_text(PROGRAM)
    command = ["inst-cc", "--inst-hooks=rst", *target.compiler, "-O1", "-g", "-static"]
    shell.check(*command, "p.c", "-o", "p")
    shell.check(target.emulator, "./p", INST_OUT="p.rst")
    path = shell.directory / "p.rst"
    clean, everything = _checked(path, Options()), _checked(path, ALL)
    assert clean.findings == []
    assert "bytes of the stack were read" in clean.notes[0]
    assert {one.code for one in everything.findings} == {"memory-hole"}
    data = path.read_bytes()
    records = [data[at : at + 24] for at in range(0, len(data), 24)]
    wanted = (0x5A5A5A5B).to_bytes(8, "big")
    stores = [n for n, r in enumerate(records) if r[0] == 26 and r[16:] == wanted]
    del records[stores[0] - 1 : stores[0] + 1]
    path.write_bytes(b"".join(records))
    assert [one.code for one in _checked(path, Options()).findings] == ["memory-hole"]


@pytest.mark.parametrize("name", ["sparc-v8", "ppc32"])
def test_s_expressions_tell_frames_as_well(name: str, shell: Shell) -> None:
    target = TARGETS[name]
    (shell.directory / "p.c").write_text(PROGRAM)
    command = ["inst-cc", "--inst-hooks=sexp", *target.compiler, "-O1", "-static"]
    shell.check(*command, "p.c", "-o", "p")
    shell.check(target.emulator, "./p", INST_OUT="p.sexp")
    report = _checked(shell.directory / "p.sexp", Options())
    assert report.findings == [] and "bytes of the stack were read" in report.notes[0]
