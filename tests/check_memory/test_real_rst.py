"""What real RST traces do that the format's document does not show raises no finding.

The traces are encoded here as Sun's tracers wrote them, for every version with records of its own.
"""

from __future__ import annotations

import pytest

from inst.check import check_trace
from inst.formats.rst.record import encode
from inst.formats.rst.trace import RstTrace
from inst.trace.finding import Report

CHECKS = ("well-formed", "rst-sound")
VERSIONS = {1008: "1.8", 1009: "1.9", 1010: "1.10", 2000: "2.00", 2005: "2.05", 2009: "2.09",
            2010: "2.10", 2011: "2.11", 2012: "2.12", 2013: "2.13"}  # fmt: skip
WAYS = [*((version, 1 << 16) for version in VERSIONS), *((2013, size) for size in (24, 48, 72))]
"""Versions, and bytes of a chunk."""

NOP, ADD, LDUW = 0x01000000, 0x82004002, 0xC4004000
RET, RESTORE, SAVE, TA = 0x81C7E008, 0x81E80000, 0x9DE3BFA0, 0x91D02010
DONE, RETRY, SAVED, RESTORED = 0x81F00000, 0x83F00000, 0x81880000, 0x83880000
BE_A, BA_A, BN_A, BE = 0x22800010, 0x30800010, 0x20800010, 0x02800010  # to pc + 0x40


def header(version: int = 2013) -> bytes:
    text = f"RST Header v{VERSIONS[version]}"
    numbers = {"majorVer": version // 1000, "minorVer": version % 1000}
    return encode("header", percent=0x25, header_str=text, **numbers)


MAP = encode("traceinfo", rtype2=2) + encode("pavadiff", pc_pa_va=0x2000)


def at(pc: int, word: int, ea: int | None = None, **bits: int) -> bytes:
    valid = {} if ea is None else {"ea_valid": 1, "ea_va": ea}
    return encode("instr", pc_va=pc, instr=word, **valid, **bits)


def trap(pc: int, npc: int, **fields: int) -> bytes:
    return encode("trap", pc=pc, npc=npc, ttype=0x64, **fields)


def report(records: bytes, version: int = 2013, chunk: int = 1 << 16) -> Report:
    data = header(version) + records
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    found = check_trace(RstTrace("t.rst", chunks), CHECKS)
    assert found.error is None
    return found


def findings(records: bytes, version: int = 2013, chunk: int = 1 << 16) -> list[tuple[str, int]]:
    return [(each.code, each.record) for each in report(records, version, chunk).findings]


FILL = (
    at(0x1000, RET, 0x2000, bt=1) + trap(0x1004, 0x2000)
    + at(0x1004, RESTORE, 0x9000, tr=1)  # the handler's address
    + at(0x9000, RESTORED) + at(0x9004, RETRY, 0x1004, pr=1, bt=1)
)  # fmt: skip
"""A restore in the delay slot of ret traps: its window is filled, and it is tried again."""

REAL = {
    "fill in a slot": FILL + at(0x1004, RESTORE) + at(0x2000, NOP) + at(0x2004, NOP),
    "spill": at(0x1000, NOP) + trap(0x1004, 0x1008) + at(0x1004, SAVE, 0x8000, tr=1)
    + at(0x8000, SAVED) + at(0x8004, RETRY, bt=1) + at(0x1004, SAVE) + at(0x1008, NOP),
    "trap after its instruction": at(0x1000, RET, 0x2000, bt=1) + at(0x1004, RESTORE, 0x9000, tr=1)
    + trap(0x1004, 0x2000) + at(0x9000, RETRY) + at(0x1004, RESTORE) + at(0x2000, NOP),
    "a miss in the slot of a slot": at(0x1000, BE, 0x1040, bt=1)
    + trap(0x1004, 0x1040) + at(0x1004, LDUW, 0x5000, tr=1)
    + at(0x9000, NOP) + trap(0x9004, 0x9008, tl=1) + at(0x9004, LDUW, 0x6000, tr=1)
    + at(0xA000, RETRY) + at(0x9004, LDUW, 0x6000) + at(0x9008, RETRY)
    + at(0x1004, LDUW, 0x5000) + at(0x1040, NOP) + at(0x1044, NOP),
    "no trap record": at(0x9000, NOP) + at(0x9004, RETRY) + at(0x1004, RESTORE) + at(0x2000, NOP),
    "a trap without npc": trap(0x1004, 0) + at(0x1004, RESTORE, 0x9000, tr=1)
    + at(0x9000, RETRY) + at(0x1004, RESTORE) + at(0x2000, NOP),
    "another thread goes on": trap(0x1004, 0x2000) + at(0x1004, RESTORE, tr=1) + at(0x9000, NOP)
    + at(0x9004, RETRY) + at(0x7004, RESTORE) + at(0x3000, NOP),
    "system call": at(0x1000, NOP) + trap(0x1004, 0x1008) + at(0x1004, TA, 0x9000, bt=1, tr=1)
    + at(0x9000, DONE, 0x1008, bt=1) + at(0x1008, NOP) + at(0x100C, NOP),
    "a branch that traps": trap(0x1000, 0x1004, is_async=1) + at(0x1000, BE, 0x9000, bt=1, tr=1)
    + at(0x9000, RETRY) + at(0x1000, BE, 0x1040, bt=1) + at(0x1004, NOP) + at(0x1040, NOP),
    "annulled, recorded": at(0x1000, NOP) + at(0x1004, BE_A) + at(0x1008, NOP, an=1)
    + at(0x100C, NOP),
    "annulled, left out": at(0x1000, NOP) + at(0x1004, BE_A) + at(0x100C, NOP),
    "annulled, not fetched": at(0x1000, NOP) + at(0x1004, BE_A, bt=1) + at(0x1008, ADD)
    + encode("recnum") + at(0x1004, BE_A) + at(0x1008, 0, an=1) + at(0x100C, NOP),
    "always annulled": at(0x1000, NOP) + at(0x1004, BA_A, 0x1044, bt=1) + at(0x1008, NOP, an=1)
    + at(0x1044, NOP),
    "to the next but one": at(0x1000, NOP) + at(0x1004, 0x30800001, 0x1008, bt=1) + at(0x1008, NOP),
    "two processes": encode("pavadiff", icontext=7) + at(0x1000, NOP) + encode("recnum")
    + encode("pavadiff", icontext=8) + at(0x1000, ADD) + encode("recnum")
    + encode("pavadiff", icontext=7) + at(0x1000, NOP),
    "physical addresses": encode("physaddr", pc_pa=0x3000) + at(0x1000, NOP)
    + encode("physaddr", pc_pa=0x3004) + at(0x1004, NOP),
    "an address space": at(0x1000, LDUW, 0x5000) + at(0x1004, 0xC4D848A0) + at(0x1008, 0xC4F048A0),
}  # fmt: skip


@pytest.mark.parametrize(("version", "chunk"), WAYS)
def test_real_traces_are_clean(version: int, chunk: int) -> None:
    for name, records in REAL.items():
        found = report(MAP + records, version, chunk)
        assert found.findings == [], name
        assert [note[:20] for note in found.notes] == ["no STATUS EOF at the"], name


WRONG = {
    "untaken, in the trace": (at(0x1000, NOP) + at(0x1004, BE_A) + at(0x1008, ADD)
                              + at(0x100C, NOP), 5),
    "untaken, the first": (at(0x1004, BE_A) + at(0x1008, ADD) + at(0x100C, NOP), 4),
    "never taken": (at(0x1000, NOP) + at(0x1004, BN_A) + at(0x1008, ADD) + at(0x100C, NOP), 5),
    "always taken": (at(0x1000, NOP) + at(0x1004, BA_A, 0x1044, bt=1) + at(0x1008, ADD)
                     + at(0x1044, NOP), 5),
    "not where the trap's npc is": (FILL + at(0x1004, RESTORE) + at(0x3000, NOP), 9),
    "not into the slot": (FILL + at(0x1004, RESTORE) + at(0x1008, NOP), 9),
    "no slot": (at(0x1000, NOP) + trap(0x1004, 0x1008) + at(0x1004, SAVE, tr=1) + at(0x8000, RETRY)
                + at(0x1004, SAVE) + at(0x2000, NOP), 8),
    "after done": (at(0x1000, NOP) + trap(0x1004, 0x1008) + at(0x1004, TA, tr=1) + at(0x8000, DONE)
                   + at(0x1008, NOP) + at(0x2000, NOP), 8),
    "the physical address of the pc before": (at(0x1000, NOP) + encode("physaddr", pc_pa=0x3000)
                                              + at(0x1004, NOP), 4),
    "no address, no space": (at(0x1000, LDUW, 0x5000) + at(0x1004, LDUW), 4),
    "compare and swap": (at(0x1000, LDUW, 0x5000) + at(0x1004, 0xC5E05001), 4),
    "an address, no trap": (at(0x1000, RESTORE, 0x9000), 3),
    "another word of a process": (encode("pavadiff", icontext=7) + at(0x1000, NOP)
                                  + encode("recnum") + encode("pavadiff", icontext=8)
                                  + encode("recnum") + encode("pavadiff", icontext=7)
                                  + at(0x1000, ADD), 9),
    "another word": (at(0x1000, NOP) + at(0x1004, BE_A, bt=1) + at(0x1008, ADD) + encode("recnum")
                     + at(0x1004, BE_A) + at(0x1008, NOP, an=1) + at(0x100C, NOP), 8),
}  # fmt: skip


@pytest.mark.parametrize(("version", "chunk"), WAYS)
def test_each_neighbour_is_wrong(version: int, chunk: int) -> None:
    for name, (records, record) in WRONG.items():
        assert [at for _, at in findings(MAP + records, version, chunk)] == [record], name


def test_translations_of_older_traces() -> None:
    """By PHYSADDR alone, and by TLB records."""
    physical = encode("physaddr", pc_pa=0x3000) + at(0x1000, NOP)
    assert findings(physical) == []
    assert findings(encode("tlb") + at(0x1000, NOP)) == []
    assert findings(at(0x1000, NOP) + encode("tlb")) == [("rst-pavadiff", 1)]
    moved = encode("pavadiff", pc_pa_va=0x4000)
    assert findings(MAP + encode("physaddr", pc_pa=0x5000) + moved + at(0x1000, NOP)) == []
    assert findings(MAP + moved + physical) == [("rst-pavadiff", 4)]
