"""Traces of every format and packing that the tests of the browser read."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import zstandard

from inst.formats.rst.record import encode, encode_string

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
STWU, LWZ = 0x9421FFF0, 0x80010008
"""stwu r1, -16(r1) and lwz r0, 8(r1)."""


def rst(count: int) -> bytes:
    """Return a PowerPC trace: strings of several records, two threads, `count` accesses."""
    parts = [HEADER, encode_string("arch=ppc"), encode_string("a string " * 12)]
    for number in range(count):
        if number % 50 == 0:
            parts += [
                encode("cpu", cpu=1, timestamp=number),
                encode("thread", tid=number // 50 % 2),
            ]
        if number % 70 == 0:
            parts.append(encode_string(f"{number} and more than one record " * 3))
        word, address = (STWU, LWZ)[number % 2], 0x1000 + 4 * number
        pc = 0x400 + 4 * (number % 32)
        parts.append(encode("instr", cpuid=1, ea_valid=1, instr=word, pc_va=pc, ea_va=address))
        parts.append(encode("memval64", cpuid=1, addrisVA=1, size=4, addr=address, val=number))
    return b"".join(parts)


def sexp(count: int) -> bytes:
    """Return reads and writes of two threads with source lines; some records have two lines."""
    lines: list[str] = []
    for number in range(count):
        thread, address = number // 20 % 2 + 1, 0x1000 + 4 * number
        where = f'(src "list.c:{number % 30 + 1}")'
        if number % 45 == 44:
            lines.append(
                f"(lock (id {number})\\n  (tid {thread}) (address 0x9000))".replace("\\n", "\n")
            )
        elif number % 3:
            lines.append(
                f"(mem-write (id {number}) (tid {thread}) (mem-order plain) (address {address:#x})"
                f" (value {number:#x}) (size 4) {where})"
            )
        else:
            lines.append(
                f"(mem-read (id {number}) (tid {thread}) (address {address:#x})"
                f" (value {number:#x}) (size 4) {where})"
            )
    return ("\n".join(lines) + "\n").encode()


def stf(count: int) -> bytes:
    """Return stores whose addresses only the register r9 at the beginning tells."""
    lines = ["|VERSION = 1|", "R09 = 00001000"]
    for number in range(count):
        word = 0x91490000 + 4 * number  # stw r10, 4 * number(r9)
        lines.append(f"PCN = {0x400 + 4 * number:08x} OPC = {word:08x} MNC = stw")
    return ("\n".join(lines) + "\n").encode()


def _in_frames(data: bytes, size: int) -> bytes:
    """Return zstd frames, so that what is before damage can be decompressed."""
    pack = zstandard.ZstdCompressor().compress
    return b"".join(pack(data[start : start + size]) for start in range(0, len(data), size))


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: _in_frames(data, 3000),
}
FORMATS: dict[str, Callable[[int], bytes]] = {"rst": rst, "sexp": sexp, "stf": stf}


def trace(directory: Path, ending: str, count: int = 400) -> str:
    """Write a trace whose name ends in a format and a packing, and return its path."""
    name, dot, packing = ending.partition(".")
    path = directory / f"t.{ending}"
    path.write_bytes(PACKINGS[dot + packing](FORMATS[name](count)))
    return str(path)
