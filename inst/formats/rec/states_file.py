"""A file of states beside a recording: which windows of it can be executed alone.

It begins with 16 bytes, which name it. Each state is packed by itself; then comes the index, also
packed, and its place. All numbers are big-endian.
"""

from __future__ import annotations

import json
import struct
import zlib
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from inst.errors import InstError
from inst.formats.rec.states import State, add_memory

ENDING = ".states"
_NAME = b"INST-STS"
MAGIC = (_NAME + b"\x02").ljust(16, b"\0")
_END = struct.Struct(">QQI8s")
"""Of the index: where it begins, its bytes, their checksum; the letters that end the file."""
_LETTERS = b"INST-END"
_LEVEL = 3
_BEGINNING = 4096
"""Bytes of a recording's beginning, which names the run."""
_MOST = 1 << 32


@dataclass(frozen=True, slots=True)
class _Row:
    """Where a state is."""

    executed: int
    records: int
    offset: int
    size: int
    checksum: int


def identity(stream: BinaryIO) -> list[int]:
    """Return what a recording is known by, even if it is damaged later."""
    size = stream.seek(0, 2)
    stream.seek(0)
    return [size, zlib.crc32(stream.read(_BEGINNING))]


class StatesWriter:
    """Writes states as they are taken."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._place = output.write(MAGIC)
        self._rows: list[list[int]] = []

    def add(self, state: State) -> None:
        """Write a state."""
        self._rows.append([state.executed, state.records, *self._frame(state.packed())])

    def finish(self, recording: list[int], executed: int, records: int) -> None:
        """Write the index, with how many instructions and records there are in all."""
        index = {
            "recording": recording, "executed": executed, "records": records, "states": self._rows,
        }  # fmt: skip
        self._output.write(_END.pack(*self._frame(json.dumps(index).encode()), _LETTERS))

    def _frame(self, data: bytes) -> tuple[int, int, int]:
        packed = zstandard.compress(data, _LEVEL)
        place, self._place = self._place, self._place + len(packed)
        self._output.write(packed)
        return place, len(packed), zlib.crc32(packed)


class States:
    """The states of a recording, found by number, by count, and by record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as stream:
                beginning = stream.read(len(MAGIC))
                stream.seek(-_END.size, 2)
                place, size, check, letters = _END.unpack(stream.read(_END.size))
        except (OSError, struct.error) as error:
            raise self._error(f"cannot be read: {error}") from error
        if beginning != MAGIC and beginning.startswith(_NAME):
            raise self._error("was written by another version of inst")
        if beginning != MAGIC or letters != _LETTERS:
            raise self._error("is not a file of states, or is cut")
        index: dict[str, Any] = json.loads(self._frame(place, size, check, "the index"))
        self.recording: list[int] = index["recording"]
        self.executed: int = index["executed"]
        """All instructions of the recording, and all records of its trace."""
        self.records: int = index["records"]
        self._rows = [_Row(*row) for row in index["states"]]

    @classmethod
    def beside(cls, recording: str) -> States | None:
        """Return the states beside a recording; None if there are none."""
        path = Path(recording + ENDING)
        return cls(path) if path.is_file() else None

    def is_of(self, recording: str) -> bool:
        """Return whether a file is the recording that the states are of."""
        try:
            with open(recording, "rb") as stream:
                return identity(stream) == self.recording
        except OSError as error:
            raise InstError(f"cannot read {recording}: {error.strerror}") from error

    def __len__(self) -> int:
        return len(self._rows)

    def by_count(self, executed: int) -> int:
        """Return the number of the state from which an instruction is executed."""
        return bisect_right(self._rows, executed, key=lambda row: row.executed) - 1

    def by_record(self, record: int) -> int:
        """Return that from which the instruction is executed that a record is of."""
        return bisect_right(self._rows, record, key=lambda row: row.records) - 1

    def bounds(self, number: int) -> tuple[int, int]:
        """Return the first instruction after a state, and that after the next one; the end after
        the last state."""
        rows = self._rows
        if number >= len(rows):
            return self.executed, self.executed
        end = rows[number + 1].executed if number + 1 < len(rows) else self.executed
        return rows[number].executed, end

    def read(self, number: int) -> State:
        """Return a state."""
        row = self._rows[number]
        what = f"the state of instruction {row.executed}"
        return State.unpacked(self._frame(row.offset, row.size, row.checksum, what))

    def for_window(self, start: int, end: int | None) -> State:
        """Return the state from which instructions are executed that follow each other.

        The one that comes after the last is among them.
        """
        number = self.by_count(start)
        last = len(self) - 1 if end is None else self.by_count(max(end - 1, start))
        state = self.read(number)
        if state.threads:
            add_memory(state, [self.read(later) for later in range(number + 1, last + 1)])
        return state

    def registers_at(self, executed: int) -> dict[str, int]:
        """Return the registers of a state; nothing if there is none at that instruction."""
        number = self.by_count(executed)
        is_there = self._rows[number].executed == executed
        return self.read(number).registers if is_there else {}

    def _frame(self, offset: int, size: int, checksum: int, what: str) -> bytes:
        with self.path.open("rb") as stream:
            stream.seek(offset)
            data = stream.read(size)
        if len(data) != size or zlib.crc32(data) != checksum:
            raise self._error(f"is damaged: {what}, at byte offset {offset}")
        return zstandard.decompress(data, max_output_size=_MOST)

    def _error(self, what: str) -> InstError:
        return InstError(
            f"{self.path} {what}", hint="`inst replay --states` writes it again, or remove it"
        )
