"""Where a trace records every instruction, a race is reported with both call stacks."""

from __future__ import annotations

import io

from inst.check import check_trace
from inst.formats.rst.record import encode, encode_string
from inst.trace import open_trace

BL, BLR, STORE, NOP = 0x48000101, 0x4E800020, 0x90640000, 0x60000000


def instruction(cpu: int, pc: int, word: int, address: int | None = None) -> bytes:
    known = {} if address is None else {"ea_valid": 1, "ea_va": address}
    return encode("instr", cpuid=cpu, pc_va=pc, instr=word, **known)


def walk(cpu: int, at: int, address: int) -> bytes:
    """`at` calls at+0x100, which calls at+0x200, which stores; then a call that came back."""
    thread = encode("cpu", cpu=cpu) + encode("thread", tid=cpu + 1)
    inner = instruction(cpu, at + 0x100, BL) + instruction(cpu, at + 0x200, BLR)
    return b"".join(
        [
            thread,
            instruction(cpu, at, BL),
            inner,
            instruction(cpu, at + 0x104, BL),
            instruction(cpu, at + 0x204, STORE, address),
        ]
    )


def test_both_stacks_are_told() -> None:
    header = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    data = header + encode_string("arch=ppc") + walk(0, 0x1000, 0x8000) + walk(1, 0x5000, 0x8000)
    report = check_trace(open_trace(io.BytesIO(data)), ("races",))
    (finding,) = report.findings
    assert finding.code == "race" and finding.pc == 0x5204
    told = [(other.pc, other.text) for other in finding.others]
    assert [pc for pc, _ in told] == [0x5104, 0x5000, 0x1204, 0x1104, 0x1000]
    assert "thread 2" in told[0][1] and "thread 1" in told[-1][1]
