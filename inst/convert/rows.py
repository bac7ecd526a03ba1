"""Rows of tables that are read: their cells as numbers and texts, and where a bad one is."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from inst.trace.model import Array, TraceError

LINES = 1 << 14
"""Lines that are read together."""
LONGEST = 1 << 16
"""The most characters of a line."""
Cell = str | int | None


@dataclass(slots=True)
class Rows:
    """Some rows of a table, column by column; cells are texts (CSV) or values (Parquet)."""

    columns: Mapping[str, Sequence[Cell]]
    count: int
    error_at: Callable[[int, str, str], TraceError]
    """From a row, a column's name and a message to the error."""
    problems: list[tuple[int, str, str]] = field(default_factory=list)
    """What is wrong: rows, columns and messages."""

    def numbers(self, name: str, bits: int) -> tuple[Array, Array]:
        """Return a column's numbers as u64, and which rows have one; 0 where there is none."""
        cells = self.columns.get(name)
        if cells is None:
            return np.zeros(self.count, "u8"), np.zeros(self.count, bool)
        known = np.array([cell not in ("", None) for cell in cells], bool)
        try:
            found = np.array([_number(cell) for cell in cells], "u8")
        except (ValueError, OverflowError):
            found = self._first_bad(name, cells, bits)
        large = np.flatnonzero(found >> np.uint64(bits) > 0) if bits < 64 else found[:0]
        if len(large):
            row = int(large[0])
            self.problems.append((row, name, _too_large(cells[row], bits)))
        return found, known

    def _first_bad(self, name: str, cells: Sequence[Cell], bits: int) -> Array:
        """Note the first cell that is no number; return the numbers before it."""
        result = np.zeros(len(cells), "u8")
        for row, cell in enumerate(cells):
            try:
                number = _number(cell)
            except ValueError:
                message = f"{cell!r} is not a number: expected decimal, or hexadecimal with 0x"
                self.problems.append((row, name, message))
                break
            if not 0 <= number < 1 << 64:
                self.problems.append((row, name, _too_large(cell, bits)))
                break
            result[row] = number
        return result

    def required(self, name: str, known: Array) -> None:
        """Complain of the first row that lacks a number."""
        missing = np.flatnonzero(~known)
        if len(missing):
            self.problems.append((int(missing[0]), name, f"there is no {name}"))

    def chosen(self, name: str, words: Sequence[str]) -> Array:
        """Return the place of each cell of a column among words."""
        places = {word: place for place, word in enumerate(words)}
        cells = self.columns[name]
        found = [places.get(str(cell), -1) for cell in cells]
        if -1 in found:
            row = found.index(-1)
            message = f"{cells[row]!r} is not one of {', '.join(filter(None, words))}"
            self.problems.append((row, name, message))
        return np.array(found, "i8")

    def texts(self, name: str) -> list[str]:
        """Return the texts of a column, empty where it has none."""
        return [str(cell or "") for cell in self.columns.get(name, ("",) * self.count)]

    @property
    def good(self) -> int:
        """Return how many rows there are before the first bad one."""
        return min((row for row, _, _ in self.problems), default=self.count)

    def error(self) -> TraceError | None:
        """Return what is wrong with the first bad row."""
        return self.error_at(*min(self.problems)) if self.problems else None


def _number(cell: Cell) -> int:
    if isinstance(cell, str):
        return int(cell, 0) if cell else 0
    return int(cell or 0)


def _too_large(cell: Cell, bits: int) -> str:
    return f"{cell} does not fit into {bits} bits"


def lines_of(chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield the lines of a text, without what ends them; one that is too long is cut."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line[: LONGEST + 1].decode("utf-8", "surrogateescape").removesuffix("\r")
        rest = rest[: LONGEST + 1]
    if rest:
        yield rest.decode("utf-8", "surrogateescape").removesuffix("\r")


def csv_rows(name: str, header: Sequence[str], lines: Iterator[str]) -> Iterator[Rows]:
    """Yield the rows of CSV, the names of whose columns have been read."""
    first = 2
    while True:
        batch = list(islice(lines, LINES))
        if not batch:
            return
        yield _rows_of(name, header, batch, first)
        first += len(batch)


def _rows_of(name: str, header: Sequence[str], lines: list[str], first: int) -> Rows:
    def error_at(row: int, column: str, message: str) -> TraceError:
        place = column_of(lines[row], header.index(column)) if column else len(lines[row]) + 1
        start = f"{column}: " if column else ""
        return TraceError(start + message, name, line=first + row, column=place, source=lines[row])

    while lines and not lines[-1]:
        lines.pop()
    parsed: list[list[str]] = []
    problem = None
    for row, line in enumerate(lines):
        cells, wrong = _cells(line, len(header))
        if wrong:
            problem = row, "", wrong
            break
        parsed.append(cells)
    columns = dict(zip(header, zip(*parsed, strict=True), strict=True)) if parsed else {}
    rows = Rows(columns, len(parsed), error_at)
    if problem:
        rows.problems.append(problem)
    return rows


def _cells(line: str, count: int) -> tuple[list[str], str]:
    """Return a line's cells, and what is wrong with it."""
    if len(line) > LONGEST:
        return [], f"a line of more than {LONGEST} characters"
    try:
        cells = next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        return [], f"no CSV: {error}"
    if len(cells) != count:
        return [], f"{len(cells)} cells in a table of {count} columns"
    return cells, ""


def column_of(line: str, place: int) -> int:
    """Return where a cell of a line begins, from 1."""
    quoted, seen = False, 0
    if not place:
        return 1
    for at, character in enumerate(line, 2):
        quoted ^= character == '"'
        seen += character == "," and not quoted
        if seen == place:
            return at
    return len(line) + 1


def parquet_rows(name: str, file: Any) -> Iterator[Rows]:
    """Yield the rows of a Parquet file that the library has opened."""
    first = 1
    for batch in file.iter_batches(batch_size=LINES):
        start = first

        def error_at(row: int, column: str, message: str, start: int = start) -> TraceError:
            return TraceError(f"row {start + row}, column {column}: {message}", name)

        names = batch.schema.names
        columns = {each: batch.column(place).to_pylist() for place, each in enumerate(names)}
        yield Rows(columns, batch.num_rows, error_at)
        first += batch.num_rows
