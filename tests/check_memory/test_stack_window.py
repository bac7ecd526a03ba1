"""`stack-window`: for each code the shortest trace that has it, and its neighbours."""

from __future__ import annotations

import pytest

from inst.check import check_trace
from inst.check.stack_window import CODES
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
SPARC, POWERPC = HEADER + encode_string("arch=sparc"), HEADER + encode_string("arch=ppc")
ST, LD, STD = 4, 0, 7
SP, FP, G1 = 14, 30, 1
STACK = 0xFFFF0000


def access(
    operation: int, base: int, offset: int, start: int = STACK, register: int = 0, **bits: int
) -> bytes:
    word = 3 << 30 | register << 25 | operation << 19 | base << 14 | 1 << 13 | offset & 0x1FFF
    return encode("instr", instr=word, pc_va=0x400, ea_valid=1, ea_va=start + offset, **bits)


def move(operation: int, offset: int = 0) -> bytes:
    word = 2 << 30 | SP << 25 | operation << 19 | SP << 14 | 1 << 13 | offset & 0x1FFF
    return encode("instr", instr=word, pc_va=0x400)


SAVE, RESTORE = move(0x3C, -96), move(0x3D)
FLUSH = encode("instr", instr=0x91D02003, pc_va=0x3FC)
L7, I5, I7, O7 = 23, 29, 31, 15

CLEAN = [
    SPARC + access(ST, SP, 64),
    SPARC + access(ST, SP, 92) + access(LD, FP, -4) + access(ST, FP, 64),
    SPARC + access(ST, FP, -4),
    SPARC + access(ST, SP, 0, pr=1),  # the trap handler that spills
    SPARC + access(ST, SP, 0, an=1),
    SPARC + access(ST, G1, 0),
    SPARC + access(ST, SP, 64) + access(ST, G1, 0),  # accesses alone: who knows
    SPARC + access(ST, SP, 64) + SAVE + access(ST, G1, 0, STACK - 32),
    SPARC + access(ST, SP, 64) + SAVE + RESTORE + access(ST, G1, 0, STACK - 96),
    # -mflat: each register where a spill would put it, and from there
    SPARC + access(ST, SP, 28, register=L7) + access(STD, SP, 56, register=I7 - 1),
    SPARC + access(STD, SP, 56, register=I7 - 1) + access(LD, FP, 60) + access(LD, FP, 56),
    # a backtrace: the caller's window, and its caller's, once all are flushed
    SPARC + access(ST, SP, 64) + SAVE + FLUSH + access(LD, FP, 60, register=I5),
    SPARC + access(ST, SP, 64) + FLUSH + SAVE + access(LD, G1, 32),
    POWERPC + access(ST, SP, 0),
    HEADER + encode_string("arch=sparc64") + access(ST, SP, 0),
    HEADER + encode_string("arch=sparc-v9") + access(ST, SP, 2047),
    HEADER + access(ST, SP, 0),  # a trace that names none is of Version 9
]

WRONG = [
    (SPARC + access(ST, SP, 0), "window-write", 2),
    (SPARC + access(ST, SP, 60), "window-write", 2),
    (SPARC + access(STD, FP, 56), "window-write", 2),
    (SPARC + access(LD, FP, 60), "window-read", 2),
    (SPARC + access(ST, SP, 24, register=L7), "window-write", 2),  # %l6's place
    (SPARC + access(ST, SP, 56, register=I7 - 1) + access(LD, FP, 60), "window-read", 3),
    (SPARC + access(LD, SP, 60, register=I7), "window-read", 2),  # nothing has put it there
    (SPARC + access(ST, SP, 60, register=O7), "window-write", 2),
    (SPARC + access(ST, FP, 28, register=L7), "window-write", 2),  # another's window
    (SPARC + FLUSH + access(ST, SP, 0), "window-write", 3),
    (SPARC + access(ST, SP, 64) + FLUSH + SAVE + access(LD, SP, 0, STACK - 96), "window-read", 5),
    (SPARC + access(ST, SP, 64) + FLUSH + RESTORE + access(LD, SP, 0), "window-read", 5),
    (SPARC + access(ST, SP, 64) + SAVE + access(ST, G1, 0), "window-write", 4),  # the caller's
    (SPARC + access(ST, SP, 64) + SAVE + access(ST, G1, 0, STACK - 96), "window-write", 4),
    (SPARC + access(ST, SP, 64) + SAVE + access(ST, G1, 0, STACK - 33), "window-write", 4),
    (SPARC + access(ST, SP, 64) + SAVE + RESTORE + access(LD, G1, 0), "window-read", 5),
]


def codes(data: bytes) -> list[tuple[str, int]]:
    report = check_trace(RstTrace("t", [data]), ("stack-window",))
    assert report.error is None
    return [(finding.code, finding.record) for finding in report.findings]


def test_frames_used_as_they_should_be() -> None:
    for number, data in enumerate(CLEAN):
        assert codes(data) == [], number


@pytest.mark.parametrize(("data", "code", "record"), WRONG)
def test_accesses_to_save_areas(data: bytes, code: str, record: int) -> None:
    assert codes(data) == [(code, record)]


def test_every_code_is_tested() -> None:
    assert {code for _, code, _ in WRONG} == set(CODES)
