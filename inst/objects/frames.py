"""The unwinding information of an object (`.eh_frame`) as directives of the assembler (.cfi_*).

Its lengths of code are plain numbers in the object, which are wrong when code is inserted; the
assembler counts them anew. Format: Linux Standard Base, "Exception Frames"; DWARF 5, 6.4.
"""

from __future__ import annotations

import io
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from inst.errors import InstError
from inst.objects.exceptions import NAME as TABLES
from inst.objects.exceptions import OMITTED, encoded_size
from inst.objects.leb128 import uleb128
from inst.objects.model import ObjectFile, Relocation, Section
from inst.objects.names import place, quoted

NAME = ".eh_frame"
_ADVANCE = frozenset(("advance_loc", "advance_loc1", "advance_loc2", "advance_loc4"))
_PLAIN = {
    "restore": "restore", "restore_extended": "restore", "undefined": "undefined",
    "same_value": "same_value", "register": "register", "remember_state": "remember_state",
    "restore_state": "restore_state", "def_cfa": "def_cfa", "def_cfa_offset": "def_cfa_offset",
    "def_cfa_register": "def_cfa_register", "AARCH64_negate_ra_state": "window_save",
    "GNU_window_save": "window_save",
}  # fmt: skip
"""Instructions whose operands their directives take as they are (pyelftools' name for 0x2d is not
that of targets with register windows)."""
_FACTORED = {
    "offset": "offset", "offset_extended": "offset", "offset_extended_sf": "offset",
    "val_offset": "val_offset", "val_offset_sf": "val_offset",
}  # fmt: skip
"""Instructions with a register and a multiple of the CIE's data alignment."""
_INITIAL = frozenset(("nop", "def_cfa"))
"""What a CIE may hold: `.cfi_restore` goes back to its rules, which become the functions' own."""
_WORD = 4


@dataclass(slots=True)
class Frames:
    """The directives by their place: index of a section, and an offset in it."""

    begin: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    rules: dict[tuple[int, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    """In functions, but where they begin and end."""
    end: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    tables: dict[tuple[int, int], tuple[int, int, int]] = field(default_factory=dict)
    """Where a table of exceptions begins -> its function's section, begin and end."""


@dataclass(frozen=True, slots=True)
class Common:
    """What the functions of one CIE share."""

    personality: str = ""
    """Operands of `.cfi_personality`."""
    address: int = 0
    """DW_EH_PE_* of the addresses of functions."""
    table: int = OMITTED
    """DW_EH_PE_* of the addresses of tables of exceptions."""


def read_frames(found: ObjectFile) -> Frames:
    """Return the directives of all functions.

    Raises InstError for rules that directives do not express.
    """
    frames = Frames()
    for section in found.sections:
        if section.name == NAME and section.size:
            _read(found, section, frames)
    return frames


def _refused(found: ObjectFile, offset: int, reason: str) -> InstError:
    return InstError(
        f"{found.name}: {NAME}+{offset:#x}: {reason}", hint="leave this object as it is"
    )


def _read(found: ObjectFile, section: Section, frames: Frames) -> None:
    from elftools.common.exceptions import ELFError
    from elftools.dwarf.callframe import CIE, FDE, CallFrameInfo
    from elftools.dwarf.structs import DWARFStructs

    structs = DWARFStructs(found.byte_order == "little", 32, found.bits // 8)
    stream = io.BytesIO(section.data)
    rows = {row.offset: row for row in section.relocations}
    try:
        entries = CallFrameInfo(stream, section.size, 0, structs, for_eh_frame=True).get_entries()
    except (ELFError, ValueError, LookupError, AssertionError) as error:
        raise _refused(found, 0, f"it cannot be read: {error}") from error
    common: dict[int, Common] = {}
    for entry in entries:
        if isinstance(entry, CIE):
            if any(one.opcode.name not in _INITIAL for one in entry.instructions):
                raise _refused(found, entry.offset, "all its functions begin with saved registers")
            common[entry.offset] = _common(found, section, entry, rows)
        elif isinstance(entry, FDE):
            row = rows.get(entry.offset + 8)
            symbol = found.symbols[row.symbol] if row else None
            if row is None or symbol is None or symbol.section not in found.by_index:
                raise _refused(found, entry.offset, "its function is not in this object")
            start = symbol.section, symbol.value + row.addend
            shared = common.get(entry.cie.offset) if entry.cie else None
            if shared is None:
                raise _refused(found, entry.offset, "it comes before its CIE")
            _function(found, entry, start, frames)
            _exceptions(found, section, entry, rows, shared, frames)


def _common(found: ObjectFile, section: Section, entry: Any, rows: dict[int, Relocation]) -> Common:
    """Return what a CIE's augmentation says (LSB, "Augmentation String Format")."""
    data = section.data
    letters = entry.header["augmentation"].decode(errors="replace")
    if not letters.startswith("z") or not set(letters) <= set("zPLRS"):
        raise _refused(found, entry.offset, f"its augmentation {letters!r} is not known")
    position = entry.offset + 9 + len(letters) + 1
    for _ in range(2 if entry.header["version"] == 1 else 3):  # alignments; the register
        position = uleb128(data, position)[1]
    position += entry.header["version"] == 1
    position = uleb128(data, position)[1]
    shared = Common()
    for letter in letters[1:].replace("S", ""):
        encoding = data[position]
        position += 1
        if letter == "R":
            shared = replace(shared, address=encoding)
        elif letter == "L":
            shared = replace(shared, table=encoding)
        else:
            size, row = encoded_size(encoding, found.bits), rows.get(position)
            name = found.symbols[row.symbol].name if row else ""
            if not size or row is None or not name or row.addend:
                raise _refused(found, entry.offset, "its personality routine has no name")
            shared = replace(shared, personality=f"{encoding:#x}, {quoted(name)}")
            position += size
    return shared


def _exceptions(
    found: ObjectFile,
    section: Section,
    entry: Any,
    rows: dict[int, Relocation],
    shared: Common,
    frames: Frames,
) -> None:
    """Add the personality routine and the table of exceptions to a function's directives."""
    first = rows[entry.offset + 8]
    start = found.symbols[first.symbol].section, found.symbols[first.symbol].value + first.addend
    begin = frames.begin[start]
    if shared.personality:
        begin.insert(1, f".cfi_personality {shared.personality}")
    if shared.table == OMITTED:
        return
    position = entry.offset + 8 + 2 * encoded_size(shared.address, found.bits)
    row = rows.get(uleb128(section.data, position)[1])
    if row is None:
        return  # a null pointer: the function has none
    symbol = found.symbols[row.symbol]
    index, offset = symbol.section, symbol.value + row.addend
    table = found.by_index.get(index)
    if table is None or not table.name.startswith(TABLES) or not 0 <= offset < table.size:
        raise _refused(found, entry.offset, "its table of exceptions is not in this object")
    if (index, offset) in frames.tables:
        raise _refused(found, entry.offset, "two functions share a table of exceptions")
    frames.tables[index, offset] = (*start, start[1] + entry.header["address_range"])
    begin.insert(2, f".cfi_lsda {shared.table:#x}, {place(index, offset)}")


def _function(found: ObjectFile, entry: Any, start: tuple[int, int], frames: Frames) -> None:
    index, first = start
    last = first + entry.header["address_range"]
    section = found.by_index[index]
    if first % _WORD or last % _WORD or not first < last <= section.size:
        raise _refused(found, entry.offset, "it covers no whole instructions of a section")
    if start in frames.begin or (index, last) in frames.end:
        raise _refused(found, entry.offset, "two functions are at the same place")
    signal = [".cfi_signal_frame"] if b"S" in entry.cie.header["augmentation"] else []
    begin = [".cfi_startproc simple", *signal]
    begin.append(f".cfi_return_column {entry.cie['return_address_register']}")
    place = first
    initial = [(first, _directive(found, entry, one)) for one in entry.cie.instructions]
    changes = []
    for one in entry.instructions:
        if one.opcode.name in _ADVANCE:
            place += one.args[0] * entry.cie["code_alignment_factor"]
            if place % _WORD or place >= last:
                raise _refused(found, entry.offset, "a rule begins outside of its function")
        else:
            changes.append((place, _directive(found, entry, one)))
    for where, text in [*initial, *changes]:
        if text and where == first:
            begin.append(text)
        elif text:
            frames.rules[index, where].append(text)
    frames.begin[start] = begin
    frames.end[index, last] = [".cfi_endproc"]


def _directive(found: ObjectFile, entry: Any, one: Any) -> str:
    name, operands = one.opcode.name, list(one.args)
    if name == "nop":
        return ""
    if name in _FACTORED:
        operands[1] *= entry.cie["data_alignment_factor"]
        name = _FACTORED[name]
    elif name in _PLAIN:
        name = _PLAIN[name]
    else:
        raise _refused(found, entry.offset, f"no directive expresses DW_CFA_{name}")
    return f".cfi_{name} {', '.join(str(n) for n in operands)}".rstrip()
