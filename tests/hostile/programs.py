"""Small programs with symbols, line tables and site tables, and traces of them, to be damaged."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from inst.common.elf import Elf
from inst.formats.rst.record import encode, encode_string
from inst.target.targets import Target
from inst.translate import Options, translate

SOURCE = """
int table[4];
static int add(int *p) { return p[0] + p[1]; }
int other(int *p) { p[2] = add(p); return p[3]; }
int _start(void) { return other(table); }
"""
LEFT_OUT = (".text", ".data", ".bss", ".comment", ".eh_frame")
"""Sections whose content no command reads from a program."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program, a trace that names its addresses, and what is worth changing in it."""

    data: bytes
    trace: bytes
    starts: tuple[int, ...]
    """Where its headers and sections begin and end."""
    places: tuple[int, ...]
    """Offsets of the bytes that commands read: headers, names, symbols, lines, sites."""


def build(target: Target, directory: Path) -> Program:
    """Compile the program for a target; it is never run, so it has no hooks."""
    source, text, path = (directory / name for name in ("a.c", "a.s", "program"))
    source.write_text(SOURCE)
    compiler = [*target.compiler, "-g", "-O1"]
    _call(*compiler, "-S", source, "-o", text)
    text.write_text(translate(text.read_text(), target, Options(), "a.s"))
    _call(*compiler, "-Wa,-gdwarf-5", "-static", "-nostdlib", text, "-o", path,
          "-Wl,--unresolved-symbols=ignore-all,--build-id=none")  # fmt: skip
    return _described(path, target)


def _call(*words: str | Path) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def _described(path: Path, target: Target) -> Program:
    from elftools.elf.elffile import ELFFile

    data = path.read_bytes()
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        header = elf.header
        tables = [
            (0, header["e_ehsize"]),
            (header["e_phoff"], header["e_phentsize"] * header["e_phnum"]),
            (header["e_shoff"], header["e_shentsize"] * header["e_shnum"]),
        ]
        tables += [
            (section["sh_offset"], section["sh_size"])
            for section in elf.iter_sections()
            if section["sh_type"] != "SHT_NOBITS" and section.name not in LEFT_OUT
        ]
    starts = {edge for start, size in tables for edge in (start, start + size)}
    places = [place for start, size in tables for place in range(start, start + size)]
    return Program(data, _trace(path, target), tuple(sorted(starts)), tuple(places))


def _trace(path: Path, target: Target) -> bytes:
    addresses = [s.value for s in Elf(path).symbols(".symtab") if s.name in ("other", "_start")]
    records = [encode("header", majorVer=2, minorVer=13, percent=37)]
    records += [encode_string(f"arch={target.name}"), encode("thread", tid=1)]
    for address in addresses:
        for pc in range(address, address + 64, 4):
            records.append(encode("instr", ea_valid=1, instr=0x81230000, pc_va=pc, ea_va=0x2000))
    return b"".join(records)
