"""The unwinding information of an object (`.eh_frame`) as directives of the assembler (.cfi_*).

Its lengths of code are plain numbers in the object, which are wrong when code is inserted; the
assembler counts them anew. Format: Linux Standard Base, "Exception Frames"; DWARF 5, 6.4.
"""

from __future__ import annotations

import io
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from inst.errors import InstError
from inst.objects.model import ObjectFile, Section

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


def read_frames(found: ObjectFile) -> Frames:
    """Return the directives of all functions.

    Raises InstError for tables of exceptions and for rules that directives do not express.
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
    for entry in entries:
        if isinstance(entry, CIE):
            letters = entry.header["augmentation"].decode(errors="replace")
            if letters not in ("zR", "zRS"):
                reason = f"exceptions are not supported (its augmentation is {letters!r})"
                raise _refused(found, entry.offset, reason)
            if any(one.opcode.name not in _INITIAL for one in entry.instructions):
                raise _refused(found, entry.offset, "all its functions begin with saved registers")
        elif isinstance(entry, FDE):
            row = rows.get(entry.offset + 8)
            symbol = found.symbols[row.symbol] if row else None
            if row is None or symbol is None or symbol.section not in found.by_index:
                raise _refused(found, entry.offset, "its function is not in this object")
            _function(found, entry, (symbol.section, symbol.value + row.addend), frames)


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
