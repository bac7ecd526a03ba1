"""Small traces for the tests of filters, and ways to send them through."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.cli import main
from inst.formats.rst.record import decode, encode, encode_string
from inst.formats.rst.table import SIZE, type_of

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
LD, ST, BA, BNE, NOP, CALL = 0xC4004000, 0xC4204000, 0x10800004, 0x12800004, 0x01000000, 0x40000010
LDD = 0xC4184000
UNKNOWN = bytes([60]) + b"own" + bytes(20)


def preamble(arch: str = "sparc-v8") -> bytes:
    return HEADER + encode("traceinfo", rtype2=2, level=1) + encode_string(f"arch={arch}")


def instr(word: int, pc: int, ea: int | None = None, cpu: int = 0, **more: int) -> bytes:
    valid = ea is not None
    return encode(
        "instr", cpuid=cpu, instr=word, pc_va=pc, ea_valid=int(valid), ea_va=ea or 0, **more
    )


def memval(ea: int, size: int, value: int, cpu: int = 0) -> bytes:
    return encode("memval64", cpuid=cpu, addrisVA=1, size=size, addr=ea, val=value)


def load(pc: int, ea: int, value: int, cpu: int = 0) -> bytes:
    return instr(LD, pc, ea, cpu) + memval(ea, 4, value, cpu)


def store(pc: int, ea: int, value: int, cpu: int = 0) -> bytes:
    return instr(ST, pc, ea, cpu) + memval(ea, 4, value, cpu)


def cpu(number: int, tid: int, time: int = 0) -> bytes:
    return encode("cpu", cpu=number, timestamp=time) + encode("thread", tid=tid)


END = encode("status", status=2)
START = preamble() + cpu(0, 3) + encode("pavadiff", cpuid=0, ea_valid=1)


def records(data: bytes) -> list[bytes]:
    assert len(data) % SIZE == 0
    return [data[start : start + SIZE] for start in range(0, len(data), SIZE)]


def names(data: bytes) -> list[str]:
    found = []
    for raw in records(data):
        kind = type_of(raw[0], raw[1])
        found.append(kind.name if kind else "unknown")
    return found


def fields(data: bytes, name: str, field: str) -> list[int | str]:
    """Return one field of every record of a type."""
    version = 2013
    found = []
    for raw in records(data):
        kind = type_of(raw[0], raw[1])
        if raw[0] == 2:
            version = raw[1] * 1000 + raw[2]
        if kind and kind.name == name:
            found.append(decode(raw, version)[field])
    return found


def filtered(directory: Path, pipeline: str, *data: bytes, options: tuple[str, ...] = ()) -> bytes:
    """Return what the command makes of some traces; it must succeed and say nothing."""
    inputs = []
    for number, each in enumerate(data):
        path = directory / f"in{number}"
        path.write_bytes(each)
        inputs.append(str(path))
    output = directory / "out"
    assert main(["filter", *options, pipeline, *inputs, str(output)]) == 0
    return output.read_bytes()


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what the command says when it refuses."""
    assert main(["filter", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err
