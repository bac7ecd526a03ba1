"""The source line of each instruction: the section .debug_line (DWARF 2 to 5, 6.2).

The section is read from its first table to its last, without the units that refer to them. No
count that a table states is trusted: each directory, file and row takes bytes of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from inst.common.elf import Elf, reading
from inst.program.cursor import Cursor

_WIDE = 0xFFFFFFFF
_PATH = 1  # DW_LNCT_path
_LONGEST_NAME = 1 << 16

# Forms of DWARF 5, 7.5.6: those of a fixed length, of strings and of blocks.
_FIXED = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16}
_STRING, _UDATA, _BLOCK, _STRP, _LINE_STRP = 0x08, 0x0F, 0x09, 0x0E, 0x1F

Row = tuple[int, str, int]
"""Address, file and line; line 0 and no file where a stretch of code ends."""


def read_lines(elf: Elf) -> Iterator[Row]:
    """Yield the rows of all tables of a program, in their order; none if it has no tables."""
    data = elf.debug_section("line")
    strings = {_STRP: elf.debug_section("str"), _LINE_STRP: elf.debug_section("line_str")}
    with reading(elf.path, "line table"):
        cursor = Cursor(data, "little" if elf.is_little else "big")
        while cursor.at < len(cursor.data):
            yield from _read_table(cursor, strings)


@dataclass(slots=True)
class _Header:
    """The fields of a table's header that its rows depend on."""

    step: int
    operations: int
    line_base: int
    line_range: int
    first_special: int
    lengths: bytes
    """How many operands each standard opcode has, from opcode 1 on."""
    names: dict[int, str] = field(default_factory=dict)


def _read_table(cursor: Cursor, strings: dict[int, bytes]) -> Iterator[Row]:
    width, length = 4, cursor.number(4)
    if length == _WIDE:
        width, length = 8, cursor.number(8)
    end = cursor.at + length
    if end > len(cursor.data):
        raise ValueError
    version = cursor.number(2)
    if not 2 <= version <= 5:
        raise ValueError
    if version == 5:
        cursor.take(2)
    start = cursor.number(width)
    start += cursor.at
    header = _read_header(cursor, version)
    names = _new_names(cursor, width, strings) if version == 5 else _old_names(cursor)
    header.names = dict(enumerate(names, 0 if version == 5 else 1))
    if not cursor.at <= start <= end:
        raise ValueError
    cursor.at = start
    yield from _run(cursor, end, header)
    cursor.at = end


def _read_header(cursor: Cursor, version: int) -> _Header:
    step = cursor.number(1)
    operations = cursor.number(1) if version >= 4 else 1
    cursor.take(1)
    base, span, first = cursor.number(1), cursor.number(1), cursor.number(1)
    if not (span and first and operations):
        raise ValueError
    lengths = cursor.take(first - 1)
    return _Header(step, operations, base - 256 if base > 127 else base, span, first, lengths)


def _old_names(cursor: Cursor) -> list[str]:
    while cursor.text():
        pass
    names = []
    while name := cursor.text():
        names.append(name.decode(errors="replace"))
        for _ in range(3):
            cursor.unsigned()
    return names


def _new_names(cursor: Cursor, width: int, strings: dict[int, bytes]) -> list[str]:
    """Read the directories, which are not used, and the files."""
    _entries(cursor, width, strings)
    return _entries(cursor, width, strings)


def _entries(cursor: Cursor, width: int, strings: dict[int, bytes]) -> list[str]:
    columns = [(cursor.unsigned(), cursor.unsigned()) for _ in range(cursor.number(1))]
    count = cursor.unsigned()
    if count > len(cursor.data) - cursor.at or (count and not columns):
        raise ValueError
    names = []
    for _ in range(count):
        name = b"?"
        for content, form in columns:
            value = _value(cursor, width, form, strings)
            name = value if content == _PATH else name
        names.append(name.decode(errors="replace"))
    return names


def _value(cursor: Cursor, width: int, form: int, strings: dict[int, bytes]) -> bytes:
    """Skip one value, of one byte at least, and return it if it is a text."""
    if form == _STRING:
        return cursor.text()
    if form in strings:
        place = cursor.number(width)
        return strings[form][place : strings[form].index(b"\0", place, place + _LONGEST_NAME)]
    if form == _UDATA:
        cursor.unsigned()
        return b""
    return cursor.take(cursor.unsigned() if form == _BLOCK else _FIXED[form])


@dataclass(slots=True)
class _State:
    """The registers of the table's state machine that are used here."""

    address: int = 0
    operation: int = 0
    file: int = 1
    line: int = 1

    def advance(self, operations: int, header: _Header) -> None:
        """Advance by some operations: a VLIW instruction may hold several."""
        whole, self.operation = divmod(self.operation + operations, header.operations)
        self.address += whole * header.step


def _run(cursor: Cursor, end: int, header: _Header) -> Iterator[Row]:
    """Run the table's opcodes up to its end; yield the rows that they append."""
    state, first, span, base = _State(), header.first_special, header.line_range, header.line_base
    data, names = cursor.data, header.names
    while cursor.at < end:
        opcode = data[cursor.at]
        cursor.at += 1
        if opcode >= first:
            steps, lines = divmod(opcode - first, span)
            state.advance(steps, header)
            state.line += base + lines
            yield state.address, names.get(state.file, "?"), state.line
        elif opcode == 1:  # DW_LNS_copy
            yield state.address, names.get(state.file, "?"), state.line
        elif opcode == 0:
            if _extended(cursor, state, header):
                yield state.address, "", 0
                state = _State()
        else:
            _standard(opcode, cursor, state, header)


def _extended(cursor: Cursor, state: _State, header: _Header) -> bool:
    """Execute an extended opcode; return whether it is the end of a sequence."""
    length = cursor.unsigned()
    after = cursor.at + length
    opcode = cursor.number(1)
    if opcode == 2:  # DW_LNE_set_address
        if length > 9:
            raise ValueError
        state.address, state.operation = cursor.number(length - 1), 0
    elif opcode == 3:  # DW_LNE_define_file
        header.names[len(header.names) + 1] = cursor.text().decode(errors="replace")
    if after > len(cursor.data) or not length:
        raise ValueError
    cursor.at = after
    return opcode == 1


def _advance_pc(cursor: Cursor, state: _State, header: _Header) -> None:
    state.advance(cursor.unsigned(), header)


def _advance_line(cursor: Cursor, state: _State, header: _Header) -> None:
    state.line += cursor.signed()


def _set_file(cursor: Cursor, state: _State, header: _Header) -> None:
    state.file = cursor.unsigned()


def _const_add_pc(cursor: Cursor, state: _State, header: _Header) -> None:
    state.advance((255 - header.first_special) // header.line_range, header)


def _fixed_advance_pc(cursor: Cursor, state: _State, header: _Header) -> None:
    state.address, state.operation = state.address + cursor.number(2), 0


_STANDARD: dict[int, Callable[[Cursor, _State, _Header], None]] = {
    2: _advance_pc,
    3: _advance_line,
    4: _set_file,
    8: _const_add_pc,
    9: _fixed_advance_pc,
}


def _standard(opcode: int, cursor: Cursor, state: _State, header: _Header) -> None:
    """Execute a standard opcode; skip the operands of those that change nothing here."""
    if action := _STANDARD.get(opcode):
        action(cursor, state, header)
        return
    for _ in range(header.lengths[opcode - 1]):
        cursor.unsigned()
