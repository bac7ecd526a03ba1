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
    "above it, as the runtime tells it": (
        "sparc-v8",
        [access(ST, 0x7F40, 5), told(0x7F00, 0x40), access(LDW, 0x7F40, 6)],
        1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_a_function_took_is_not_known(name: str) -> None:
    arch, records, expected = CASES[name]
    assert min(findings(arch, records), 1) == min(expected, 1)
    if name.endswith("before"):
        assert findings(arch, records, ALL) == 1


def reference(events: np.ndarray) -> tuple[list[tuple[int, int]], int]:
    """Replay byte by byte; return which reads are not sound, and how many bytes were not known
    any more that had changed."""
    memory: dict[int, int] = {}
    before: dict[int, int] = {}
    found, fresh = [], 0
    for row, event in enumerate(events):
        address, value, size = (int(event[name]) for name in ("address", "value", "size"))
        if event["kind"] == Kind.FRAME:
            for at in range(address, address + value):
                if at in memory:
                    before[at] = memory.pop(at)
            continue
        for at, octet in enumerate(value.to_bytes(size, "big"), address):
            if event["kind"] == Kind.READ and memory.get(at, octet) != octet:
                found.append((row, at))
            fresh += event["kind"] == Kind.READ and before.get(at, octet) != octet
            memory[at] = octet
            before.pop(at, None)
    return sorted(found), fresh


@pytest.mark.parametrize("seed", range(40))
def test_a_second_implementation_finds_the_same(seed: int) -> None:
    """Frames of all sizes at random places between random accesses, in pieces of all lengths."""
    chance = random.Random(seed)
    events = np.zeros(600, EVENT)
    for number, event in enumerate(events):
        event["record"] = number
        event["flags"] = int(Flag.HAS_ADDRESS | Flag.HAS_VALUE)
        if chance.random() < 0.15:
            low, high = sorted(chance.sample(range(0x1FF8, 0x2038, 4), 2))
            event["kind"], event["address"], event["value"] = Kind.FRAME, low, high - low
            continue
        size = chance.choice([1, 1, 2, 4, 4, 8])
        event["kind"] = Kind.READ if chance.random() < 0.5 else Kind.WRITE
        event["address"], event["size"] = 0x1FF8 + chance.randrange(64 - size), size
        octets = chance.choices((0, 1, 255), (90, 8, 2), k=size)
        event["value"] = int.from_bytes(octets, "big")
    trace = SexpTrace("t", [b'(producer (id 0) (tid 0) (name "arch") (value "sparc-v8"))\n'])
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
    expected, forgotten = reference(events)
    assert sorted(found) == expected and len(found) > 20
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
