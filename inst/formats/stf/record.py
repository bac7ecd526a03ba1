"""One STF record as a value, and how it is written.

A record is the header line, a dump of registers before any instruction, or an instruction
with the status registers before it and the changed registers after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import BinaryIO, NamedTuple

from inst.arch.powerpc.words.accesses import is_prefixed, words_in
from inst.arch.registry import produced_by
from inst.errors import InstError

STATUS = ("XER", "MSR", "CTR", "LNK", "CCR", "MQ", "FPSCR")
"""The status registers, in the order of the line."""

OLDER = {"HQ": "MQ"}
"""Names that old files have, and what they are called now."""

PAIR = re.compile(rb"([^\s=]+)[ \t]*=[ \t]*([^\s=]*(?=[ \t\r\n]|$))")
"""NAME = VALUE; the value may be empty where no other name follows."""

BARS = re.compile(r"[|\r\n]")

WIDE_DIGITS = 16
"""Hexadecimal digits of an address of 64 bits."""


def lacks_code(version: str) -> bool:
    """Return whether a producer writes the instructions of some code only.

    Ours do: those that access memory, or those of instrumented code.
    """
    return version.startswith("inst ")


def is_written_for(arch: str) -> bool:
    """Return whether a producer's word means an instruction set that STF has traces of."""
    found = produced_by(arch)
    return found is not None and "stf" in found.formats


class StfRecord(NamedTuple):
    """One record: its fields, where it is, and the bytes it was read from.

    Registers stay text until they are asked for: most readers ask for few.
    """

    ordinal: int
    kind: str
    """"header", "state" (registers before the first instruction) or "instr"."""
    pc: int = 0
    word: int = 0
    """The instruction; of two words the first is above the second."""
    mnemonic: str = ""
    before: bytes = b""
    """The status lines before the instruction; the header line itself."""
    after: bytes = b""
    """The register lines after the instruction, or of the state."""
    digits: int = 8
    """Hexadecimal digits of an address: 8, or 16 for a 64-bit target."""
    text: bytes = b""
    """The record as it stood in the file."""
    line: int = 0
    """Line of the file its instruction (or its first line) is on; 0 if from none."""

    @property
    def status(self) -> dict[str, int]:
        """Return the status registers before the instruction."""
        return {} if self.kind == "header" else registers_of(self.before)

    @property
    def registers(self) -> dict[str, int]:
        """Return the registers after the instruction: R00 to R31, F00 to F31."""
        return registers_of(self.after)

    @property
    def header(self) -> dict[str, str]:
        """Return the header's fields: OPTIONS, TRACE, VERSION and whatever else."""
        if self.kind != "header":
            return {}
        parts = self.before.decode("utf-8", "replace").strip().strip("|").split("|")
        pairs = (part.partition(":") for part in parts if part.strip())
        return {key.strip(): value.strip() for key, _, value in pairs}


def registers_of(text: bytes) -> dict[str, int]:
    """Return the registers named in some lines; names that hold no number are left out."""
    found = {}
    for name, value in PAIR.findall(text):
        key = name.decode("latin-1")
        try:
            found[OLDER.get(key, key)] = int(value, 16)
        except ValueError:
            continue
    return found


def make_header(fields: Mapping[str, str]) -> StfRecord:
    """Return a header record; bars and line ends in the values become blanks."""
    parts = [f"{key}: {BARS.sub(' ', value)}" for key, value in fields.items()]
    line = ("||" + " | ".join(parts) + "|").encode("utf-8", "surrogateescape")
    return StfRecord(0, "header", before=line, text=line + b"\n")


def make_state(registers: Mapping[str, int], *, wide: bool = False) -> StfRecord:
    """Return a record of registers to stand before the first instruction."""
    after = register_lines(registers, wide)
    return StfRecord(0, "state", after=after, digits=16 if wide else 8, text=after)


def make_instruction(
    pc: int,
    word: int,
    mnemonic: str,
    *,
    status: Mapping[str, int] | None = None,
    registers: Mapping[str, int] | None = None,
    wide: bool = False,
) -> StfRecord:
    """Return an instruction record in the spelling of the classic producer."""
    digits = 16 if wide else 8
    before = status_line(status or {}, digits)
    after = register_lines(registers or {}, wide)
    text = before + instruction_line(pc, word, mnemonic, digits) + after
    return StfRecord(0, "instr", pc, word, mnemonic, before, after, digits, text)


def instruction_line(pc: int, word: int, mnemonic: str, digits: int) -> bytes:
    """Return the line of an instruction itself."""
    if pc >> digits * 4 or (word >> 32 and not is_prefixed(word)):
        raise InstError(f"STF: pc {pc:#x} or word {word:#x} does not fit into its digits")
    return f"PCN = {pc:0{digits}x} OPC = {word:0{8 * words_in(word)}x} MNC = {mnemonic}\n".encode()


def status_line(status: Mapping[str, int], digits: int) -> bytes:
    """Return the line of status registers before an instruction; nothing for none."""
    if not status:
        return b""
    order = [name for name in STATUS if name in status]
    order += [name for name in status if name not in STATUS]
    return (" ".join(_pair(name, status[name], digits) for name in order) + "\n").encode()


def register_lines(registers: Mapping[str, int], wide: bool) -> bytes:
    """Return the R line and the F line that name these registers; nothing for none."""
    if not registers:
        return b""
    if len(registers) == 1:  # most instructions change one
        ((name, value),) = registers.items()
        if name[0] in "RF":
            return f"{_pair(name, value, 16 if wide or name[0] == 'F' else 8)}\n".encode()
    lines = []
    for bank, digits in (("R", 16 if wide else 8), ("F", 16)):
        names = sorted(name for name in registers if name[0] == bank)
        if names:
            lines.append(" ".join(_pair(name, registers[name], digits) for name in names) + "\n")
    return "".join(lines).encode()


def _pair(name: str, value: int, digits: int) -> str:
    if not 0 <= value < 1 << digits * 4:
        raise InstError(f"STF: {name} {value:#x} does not fit into {digits} digits")
    return f"{name} = {value:0{digits}x}"


def write(records: Iterable[StfRecord], output: BinaryIO) -> int:
    """Write records as their texts stand; return how many."""
    count = 0
    for record in records:
        output.write(record.text)
        count += 1
    return count
