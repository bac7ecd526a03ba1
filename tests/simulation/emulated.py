"""What an emulator says of every instruction of a small program, and traces written from it.

The traces are written here by hand, from the formats' descriptions alone.
"""

from __future__ import annotations

import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from inst.target.targets import TARGETS

FLAGS = ["-O1", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie"]
SPARC_NAMES = [f"{bank}{n}" for bank in "goli" for n in range(8)]


@dataclass(frozen=True)
class Step:
    """The machine before one instruction."""

    pc: int
    word: int
    registers: dict[str, int]


def run(target: str, folder: Path) -> list[Step]:
    """Build tiny.c, run it step by step, and return what the emulator logged."""
    program, log = folder / "tiny", folder / "log"
    source = Path(__file__).parent / "tiny.c"
    subprocess.run([*TARGETS[target].compiler, *FLAGS, str(source), "-o", str(program)], check=True)
    emulator = [TARGETS[target].emulator, "-singlestep", "-d", "cpu,nochain", "-D", str(log)]
    subprocess.run([*emulator, str(program)], check=True)
    with program.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".text")
        code, base = section.data(), section["sh_addr"]
    read = _powerpc if target == "ppc32" else _sparc
    return [
        Step(pc, struct.unpack_from(">I", code, pc - base)[0], registers)
        for pc, registers in read(log.read_text())
    ]


def _powerpc(text: str) -> list[tuple[int, dict[str, int]]]:
    found = []
    for part in text.split("NIP ")[1:]:
        registers: dict[str, int] = {}
        for first, values in re.findall(r"^GPR(\d\d) (.*)$", part, re.MULTILINE):
            for n, value in enumerate(values.split()):
                registers[f"r{int(first) + n}"] = int(value, 16) & 0xFFFFFFFF
        head = re.match(r"(\w+)\s+LR (\w+) CTR (\w+) XER (\w+)", part)
        codes = re.search(r"^CR (\w+)", part, re.MULTILINE)
        assert head and codes
        registers |= {name: int(head[n], 16) for n, name in ((2, "lr"), (3, "ctr"), (4, "xer"))}
        registers |= {f"cr{n}": int(codes[1][n], 16) for n in range(8)}
        found.append((int(head[1], 16), registers))
    return found


def _sparc(text: str) -> list[tuple[int, dict[str, int]]]:
    found = []
    for part in re.split(r"^pc: ", text, flags=re.MULTILINE)[1:]:
        values = re.findall(r"^%[goli]\d-\d: (.*)$", part, re.MULTILINE)
        numbers = [int(value, 16) & 0xFFFFFFFF for line in values for value in line.split()]
        codes = re.search(r"ccr: (\w\w)", part)
        assert len(numbers) == 32 and codes
        registers = dict(zip(SPARC_NAMES, numbers, strict=True))
        registers["icc"] = int(codes[1], 16) & 15
        found.append((int(part.split()[0], 16), registers))
    return found


def stf(steps: list[Step], *, everything: bool) -> bytes:
    """Return the run as STF, with all or the changed registers after each instruction."""
    lines = ["||OPTIONS: 1 | TRACE: tiny | VERSION: TEST 1|"]
    general = [f"r{n}" for n in range(32)]

    def dump(registers: dict[str, int], names: list[str]) -> str:
        return " ".join(f"R{int(name[1:]):02d} = {registers[name]:08x}" for name in names)

    def status(registers: dict[str, int]) -> str:
        codes = "".join(f"{registers[f'cr{n}']:x}" for n in range(8))
        return (
            f"XER = {registers['xer']:08x} MSR = 00006940 CTR = {registers['ctr']:08x} "
            f"LNK = {registers['lr']:08x} CCR = {codes} MQ = 00000000 FPSCR = 00000000"
        )

    lines.append(dump(steps[0].registers, general))
    for step, following in zip(steps, [*steps[1:], steps[-1]], strict=True):
        lines += [status(step.registers), f"PCN = {step.pc:08x} OPC = {step.word:08x} MNC = x"]
        changed = [n for n in general if step.registers[n] != following.registers[n] or everything]
        if changed:
            lines.append(dump(following.registers, changed))
    return ("\n".join(lines) + "\n").encode()


def rst(steps: list[Step], arch: str, *, everything: bool) -> bytes:
    """Return the run as RST: INSTR, and REGVAL for every register or each that changed."""
    records = [struct.pack(">BBBc20s", 2, 2, 13, b"%", b"RST Header v2.13")]
    records.append(bytes([14]) + f"arch={arch}".encode().ljust(23, b"\0"))
    names = SPARC_NAMES if arch == "sparc" else [f"r{n}" for n in range(32)]

    def values(registers: dict[str, int], chosen: list[str], post: int) -> None:
        for start in range(0, len(chosen), 2):
            pair = [*chosen[start : start + 2], ""][:2]
            kinds = [1 if name else 5 for name in pair]
            numbers = [names.index(name) if name else 0 for name in pair]
            held = [registers[name] if name else 0 for name in pair]
            records.append(struct.pack(">BB2B2BxxQQ", 9, post << 7, *kinds, *numbers, *held))

    values(steps[0].registers, names, 0)
    for step, following in zip(steps, [*steps[1:], steps[-1]], strict=True):
        records.append(struct.pack(">BBxxIQQ", 3, 0, step.word, step.pc, 0))
        changed = [n for n in names if everything or step.registers[n] != following.registers[n]]
        values(following.registers, changed, 1)
    return b"".join(records)
