"""`rst-sound`: for each code the shortest trace that has it, and its neighbours that do not."""

from __future__ import annotations

import pytest

from inst.check import check_trace
from inst.check.rst_sound import CODES
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.trace.model import Flag, Kind

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
BUFFER = encode("tlb", type=0, index=3, tag=0, data=1 << 63 | 0x8000)
"""A page of instructions at 0."""
MAP = encode("pavadiff", ea_valid=1)
UNMAPPED = HEADER + encode_string("arch=sparc")
SPARC = UNMAPPED + MAP
POWERPC = HEADER + encode_string("arch=ppc") + MAP
TRAP, SWITCH, GAP = encode("trap", ttype=0x108, pc=0x404), encode("thread"), encode("recnum")

NOP, ADD, JMPL, DONE, TA = 0x01000000, 0x82004002, 0x81C3E008, 0x81F00000, 0x91D02010
PPC_NOP, BLR, SC, RFI = 0x60000000, 0x4E800020, 0x44000002, 0x4C000064


def bicc(distance: int, condition: int = 1, annul: int = 0) -> int:
    return annul << 29 | condition << 25 | 2 << 22 | distance >> 2 & 0x3FFFFF


def bpcc(distance: int) -> int:
    return 1 << 25 | 1 << 22 | distance >> 2 & 0x7FFFF


def bpr(distance: int) -> int:
    words = distance >> 2
    return 1 << 25 | 3 << 22 | (words >> 14 & 3) << 20 | words & 0x3FFF


def call(distance: int) -> int:
    return 1 << 30 | distance >> 2 & 0x3FFFFFFF


def b(distance: int, absolute: int = 0) -> int:
    return 18 << 26 | distance & 0x3FFFFFC | absolute << 1


def bc(distance: int, options: int = 12) -> int:
    return 16 << 26 | options << 21 | distance & 0xFFFC


def at(pc: int, word: int, **fields: int) -> bytes:
    return encode("instr", pc_va=pc, instr=word, **fields)


def run(*places: tuple[int, int] | tuple[int, int, int]) -> bytes:
    """Return instructions: (pc, word) and perhaps the bits bt (4) and an (2)."""
    return b"".join(
        at(place[0], place[1], bt=bits >> 2 & 1, an=bits >> 1 & 1)
        for place in places
        for bits in [place[2] if len(place) > 2 else 0]
    )


BT, AN = 4, 2

CLEAN = [
    # A ring has overwritten what threads did first, and what their addresses are.
    HEADER + encode_string("arch=ppc") + encode_string("whole-from=7") + at(0x404, PPC_NOP),
    SPARC + run((0x400, ADD), (0x404, ADD), (0x408, ADD)),
    SPARC + run((0x400, ADD), (0x404, bicc(0x40), BT), (0x408, ADD), (0x444, ADD)),
    SPARC + run((0x400, ADD), (0x404, bicc(0x40)), (0x408, ADD), (0x40C, ADD)),
    SPARC + run((0x400, ADD), (0x404, bicc(-4 & 0xFFFFFFFF), BT), (0x408, ADD), (0x400, ADD)),
    # Annulled slots: recorded, or left out.
    SPARC + run((0x400, ADD), (0x404, bicc(0x40, annul=1)), (0x408, ADD, AN), (0x40C, ADD)),
    SPARC + run((0x400, ADD), (0x404, bicc(0x40, annul=1)), (0x40C, ADD)),
    SPARC + run((0x400, ADD), (0x404, bicc(0x40, annul=1), BT), (0x408, ADD), (0x444, ADD)),
    SPARC + run((0x400, ADD), (0x404, bicc(0x40, 8, 1), BT), (0x408, ADD, AN), (0x444, ADD)),
    SPARC + run((0x400, ADD), (0x404, bicc(0x40, 8, 1), BT), (0x444, ADD), (0x448, ADD)),
    SPARC + run((0x400, ADD), (0x404, call(0x1000)), (0x408, ADD), (0x1404, ADD)),
    SPARC + run((0x400, ADD), (0x404, bpcc(0x80), BT), (0x408, ADD), (0x484, ADD)),
    SPARC + run((0x400, ADD), (0x404, bpr(0x80), BT), (0x408, ADD), (0x484, ADD)),
    SPARC + run((0x400, ADD), (0x404, JMPL), (0x408, ADD), (0x9000, ADD)),
    SPARC + run((0x400, ADD), (0x404, DONE), (0x9000, ADD)),
    SPARC + run((0x400, ADD), (0x404, TA), (0x9000, ADD)),
    SPARC + run((0x408, ADD), (0x9000, ADD), (0x9004, ADD)),  # begins in a delay slot
    # A couple: a branch in the slot of a branch.
    SPARC + run((0x400, ADD), (0x404, bicc(0x40), BT), (0x408, bicc(0x80), BT), (0x444, ADD),
                (0x488, ADD)),
    SPARC + run((0x400, ADD), (0x404, ADD)) + TRAP + run((0x9000, ADD), (0x9004, ADD)),
    SPARC + run((0x400, ADD), (0x404, ADD)) + GAP + run((0x9000, ADD), (0x9004, ADD)),
    SPARC + run((0x400, ADD), (0x404, ADD)) + SWITCH + run((0x9000, ADD), (0x9004, ADD)),
    # Two processors, interleaved.
    SPARC + encode("pavadiff", cpuid=1)
    + b"".join(at(0x400 + 4 * n, ADD) + at(0x9000 + 4 * n, ADD, cpuid=1) for n in range(4)),
    POWERPC + run((0x400, PPC_NOP), (0x404, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, b(0x40)), (0x444, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, b(0x800, 1)), (0x800, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, bc(0x40), BT), (0x444, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, bc(0x40)), (0x408, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, bc(0x40, 20)), (0x444, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, BLR), (0x9000, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, SC), (0x9000, PPC_NOP)),
    POWERPC + run((0x400, PPC_NOP), (0x404, RFI), (0x9000, PPC_NOP)),
    # What has no INSTR, such as instructions of two words, may be before another one.
    POWERPC + run((0x400, PPC_NOP)) + encode("event", kind=Kind.READ, flags=Flag.HAS_PC)
    + encode("event_pc", pc=0x404) + run((0x40C, PPC_NOP), (0x410, PPC_NOP)),
    # Accesses alone: what lies between them is not there.
    POWERPC + run((0x400, 0x80640000), (0x9000, 0x80640000), (0x500, 0x90640000)),
    SPARC + at(0x400, bicc(0x40), bt=1, ea_valid=1, ea_va=0x440),
    SPARC + at(0x400, bicc(0x40), ea_valid=1, ea_va=0x408),  # not taken: anything goes
    SPARC + at(0x404, ADD, tr=1) + TRAP,
    SPARC + TRAP + at(0x404, ADD, tr=1),
    SPARC + at(0x408, ADD, tr=1) + encode("trap", is_async=1, pc=0x404),
    SPARC + encode("pavadiff", pc_pa_va=0x2000, ea_pa_va=0x6004),  # ea_valid is 0
    SPARC + encode("pavadiff", pc_pa_va=0x2000) + encode("physaddr", pc_pa=0x2404)
    + at(0x404, ADD),
    UNMAPPED + BUFFER + encode("physaddr", pc_pa=0x8404) + at(0x404, ADD),
    UNMAPPED + BUFFER + encode("physaddr", pc_pa=0x77) + at(0x4404, ADD),  # another page
    UNMAPPED + BUFFER + encode("pavadiff", pc_pa_va=0x2000) + encode("physaddr", pc_pa=0x2404)
    + at(0x404, ADD),
]  # fmt: skip

WRONG = [
    (SPARC + run((0x400, ADD), (0x404, ADD), (0x40C, ADD)), "rst-continuity", 5),
    (SPARC + run((0x400, ADD), (0x404, bicc(0x40), BT), (0x408, ADD), (0x40C, ADD)),
     "rst-continuity", 6),
    (SPARC + run((0x400, ADD), (0x404, bicc(0x40)), (0x408, ADD), (0x444, ADD)),
     "rst-continuity", 6),
    (SPARC + run((0x400, ADD), (0x404, bicc(0x40), BT), (0x444, ADD)), "rst-continuity", 5),
    (SPARC + run((0x400, ADD), (0x404, bicc(0x40, annul=1)), (0x410, ADD)), "rst-continuity", 5),
    (SPARC + run((0x400, ADD), (0x404, bicc(0x40, 8, 1), BT), (0x40C, ADD)),
     "rst-continuity", 5),
    (SPARC + run((0x400, ADD), (0x404, call(0x1000)), (0x408, ADD), (0x1400, ADD)),
     "rst-continuity", 6),
    (POWERPC + run((0x400, PPC_NOP), (0x408, PPC_NOP)), "rst-continuity", 4),
    (POWERPC + run((0x400, PPC_NOP), (0x404, bc(0x40), BT), (0x408, PPC_NOP)),
     "rst-continuity", 5),
    (POWERPC + run((0x400, PPC_NOP), (0x404, bc(0x40)), (0x444, PPC_NOP)), "rst-continuity", 5),
    (POWERPC + run((0x400, PPC_NOP)) + at(0x404, BLR, ea_valid=1, ea_va=0x800)
     + run((0x804, PPC_NOP)), "rst-continuity", 5),
    (SPARC + at(0x400, bicc(0x40), bt=1, ea_valid=1, ea_va=0x444), "rst-target", 3),
    (POWERPC + at(0x400, b(-8), ea_valid=1, ea_va=0x400), "rst-target", 3),
    (SPARC + run((0x400, ADD)) + GAP + run((0x400, NOP)), "rst-word", 5),
    (SPARC + at(0x404, ADD, tr=1), "rst-trap", 3),
    (SPARC + at(0x404, ADD, tr=1) + GAP + at(0x9000, ADD) + TRAP, "rst-trap", 3),
    (SPARC + at(0x408, ADD, tr=1) + TRAP, "rst-trap", 4),
    (SPARC + TRAP + at(0x408, ADD, tr=1), "rst-trap", 3),
    (HEADER + encode_string("arch=ppc") + at(0x404, PPC_NOP), "rst-pavadiff", 2),
    (SPARC + at(0x404, ADD, cpuid=5), "rst-pavadiff", 3),
    (SPARC + encode("pavadiff", pc_pa_va=0x2004), "rst-pavadiff", 3),
    (SPARC + encode("pavadiff", ea_valid=1, ea_pa_va=0x2004), "rst-pavadiff", 3),
    (SPARC + encode("pavadiff", pc_pa_va=0x2000) + encode("physaddr", pc_pa=0x2400)
     + at(0x404, ADD), "rst-pavadiff", 4),
    (UNMAPPED + BUFFER + encode("physaddr", pc_pa=0x2404) + at(0x404, ADD), "rst-pavadiff", 3),
]  # fmt: skip


def codes(data: bytes, chunk: int) -> list[tuple[str, int]]:
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    report = check_trace(RstTrace("t", chunks), ("rst-sound",))
    assert report.error is None
    return [(finding.code, finding.record) for finding in report.findings]


@pytest.mark.parametrize("chunk", [24, 48, 72, 1 << 16])
def test_sound_traces(chunk: int) -> None:
    for number, data in enumerate(CLEAN):
        assert codes(data, chunk) == [], number


@pytest.mark.parametrize("chunk", [24, 48, 72, 1 << 16])
@pytest.mark.parametrize(("data", "code", "record"), WRONG)
def test_unsound_traces(data: bytes, code: str, record: int, chunk: int) -> None:
    assert codes(data, chunk) == [(code, record)]


def test_every_code_is_tested() -> None:
    assert {code for _, code, _ in WRONG} == set(CODES)
