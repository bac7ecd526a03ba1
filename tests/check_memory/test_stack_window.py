"""`stack-window`: for each code the shortest trace that has it, and its neighbours."""

from __future__ import annotations

import pytest

from inst.check import check_trace
from inst.check.stack_window import CODES
from inst.trace.rst import RstTrace, encode, encode_string

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
SPARC, POWERPC = HEADER + encode_string("arch=sparc"), HEADER + encode_string("arch=ppc")
ST, LD, STD = 4, 0, 7
SP, FP, G1 = 14, 30, 1
STACK = 0xFFFF0000


def access(operation: int, base: int, offset: int, start: int = STACK, **bits: int) -> bytes:
    word = 3 << 30 | operation << 19 | base << 14 | 1 << 13 | offset & 0x1FFF
    return encode("instr", instr=word, pc_va=0x400, ea_valid=1, ea_va=start + offset, **bits)


def move(operation: int, offset: int = 0) -> bytes:
    word = 2 << 30 | SP << 25 | operation << 19 | SP << 14 | 1 << 13 | offset & 0x1FFF
    return encode("instr", instr=word, pc_va=0x400)


SAVE, RESTORE = move(0x3C, -96), move(0x3D)

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
    POWERPC + access(ST, SP, 0),
    HEADER + encode_string("arch=sparc64") + access(ST, SP, 0),
]

WRONG = [
    (SPARC + access(ST, SP, 0), "window-write", 2),
    (SPARC + access(ST, SP, 60), "window-write", 2),
    (SPARC + access(STD, FP, 56), "window-write", 2),
    (SPARC + access(LD, FP, 60), "window-read", 2),
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
