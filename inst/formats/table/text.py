"""CSV that `inst convert` wrote, read some lines at a time."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np

from inst.trace.event_table import BOOLEANS, NAMES, NULLABLE, NUMBERS, STORED
from inst.trace.model import EVENT, KIND_NAMES, Array, Trace, TraceError

BATCH = 1 << 14
"""Lines read at a time."""
_KINDS = {name: number for number, name in enumerate(KIND_NAMES)}
_BITS = {"": 0, "0": 0, "1": 1}
_LIMIT = 1 << 64

Line = list[str]


def rows_of_csv(trace: Trace, file: BinaryIO) -> Iterator[Array]:
    """Yield the lines as events; what is wrong is reported with its column and line."""
    text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
    reader = csv.reader(text)
    try:
        names = next(reader, [])
        at = _places(trace, names)
        while lines := list(itertools.islice(reader, BATCH)):
            first = reader.line_num - len(lines) + 1
            batch = _Batch(trace, at, lines, first, len(names))
            trace.facts.arch = trace.facts.arch or batch.arch()
            yield batch.events()
    except csv.Error as error:
        raise TraceError(f"not CSV: {error}", trace.name, line=reader.line_num) from None
    finally:
        text.detach()


def _places(trace: Trace, names: Line) -> dict[str, int]:
    """Return where each column is."""
    for name in names:
        if names.count(name) > 1:
            raise TraceError(f"two columns are called {name!r}", trace.name, line=1)
    for name in STORED:
        if name not in names:
            raise TraceError(
                f"the table has no column {name!r}",
                trace.name,
                line=1,
                hint="inst reads the tables that inst convert writes",
            )
    return {name: names.index(name) for name in NAMES if name in names}


class _Batch:
    """Some lines, from one line of the file on."""

    def __init__(
        self, trace: Trace, at: dict[str, int], lines: list[Line], first: int, columns: int
    ) -> None:
        self._trace, self._at, self._lines, self._first = trace, at, lines, first
        for row, line in enumerate(lines):
            if len(line) != columns:
                raise self._wrong(row, f"{len(line)} columns instead of {columns}")

    def _wrong(self, row: int, what: str) -> TraceError:
        return TraceError(what, self._trace.name, line=self._first + row)

    def _column(self, name: str) -> Line:
        at = self._at[name]
        return [line[at] for line in self._lines]

    def arch(self) -> str:
        """Return the instruction set that the lines state."""
        return self._column("arch")[0] if "arch" in self._at else ""

    def events(self) -> Array:
        """Return the lines as events."""
        result = np.zeros(len(self._lines), EVENT)
        for name in (*NUMBERS, "size"):
            result[name] = self._numbers(name, self._column(name))
        for name, flag in NULLABLE:
            texts = self._column(name)
            result[name] = self._numbers(name, [text or "0" for text in texts])
            if name != "value_high":
                stated = np.array([text != "" for text in texts], bool)
                result["flags"] |= np.where(stated, np.uint16(int(flag)), np.uint16(0))
        for name, flag in BOOLEANS:
            bits = self._converted(name, _BITS.__getitem__, "0 or 1")
            result["flags"] |= np.array(bits, "u2") * np.uint16(int(flag))
        result["kind"] = self._converted("kind", _KINDS.__getitem__, "a kind of event")
        result["detail"] = [self._trace.words.number(text) for text in self._column("detail")]
        result["site"] = [self._trace.sites.number(text) for text in self._column("site")]
        return result

    def _numbers(self, name: str, texts: Line) -> Array:
        limit = np.iinfo(EVENT[name]).max
        try:
            return np.array([int(text, 0) for text in texts], EVENT[name])
        except (ValueError, OverflowError):
            for row, text in enumerate(texts):
                if not _is_number(text, int(limit)):
                    raise self._wrong(
                        row, f"column {name!r}: {text!r} is not a number up to {limit:#x}"
                    ) from None
            raise

    def _converted(self, name: str, convert: Callable[[str], int], what: str) -> list[int]:
        texts = self._column(name)
        try:
            return [convert(text) for text in texts]
        except KeyError as error:
            row = texts.index(error.args[0])
            text = f"column {name!r}: {error.args[0]!r} is not {what}"
            raise self._wrong(row, text) from None


def _is_number(text: str, limit: int) -> bool:
    try:
        return 0 <= int(text, 0) <= limit
    except ValueError:
        return False
