"""Parquet that `inst convert` wrote, read row group by row group."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from inst.common.arrow import library
from inst.trace.event_table import BOOLEANS, NULLABLE, NUMBERS, STORED
from inst.trace.model import EVENT, KIND_NAMES, Array, Image, Trace, TraceError, Vocabulary

BATCH = 1 << 16
"""Rows read at a time."""
_PLAIN = (*NUMBERS, "size")


def rows_of_parquet(trace: Trace, file: BinaryIO) -> Iterator[Array]:
    """Yield the rows as events; what is wrong is reported with its column and row."""
    arrow = library()
    try:
        table = arrow.parquet.ParquetFile(file)
        _take_facts(trace, table.metadata.metadata or {})
        _require(trace, table.schema_arrow.names)
        first = 0
        for batch in table.iter_batches(BATCH, columns=list(STORED)):
            yield _events(arrow, trace, batch, first)
            first += len(batch)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        text = " ".join(str(error).split())
        raise TraceError(f"damaged Parquet: {text}", trace.name) from None


def _require(trace: Trace, names: list[str]) -> None:
    missing = [name for name in STORED if name not in names]
    if missing:
        raise TraceError(
            f"the table has no column {missing[0]!r}",
            trace.name,
            hint="inst reads the tables that inst convert writes",
        )


def _take_facts(trace: Trace, metadata: dict[bytes, bytes]) -> None:
    facts = trace.facts
    facts.arch = metadata.get(b"inst.arch", b"").decode()
    facts.version = metadata.get(b"inst.version", b"").decode()
    try:
        for text in json.loads(metadata.get(b"inst.strings", b"[]")):
            facts.add_string(str(text))
        for path, base in json.loads(metadata.get(b"inst.images", b"[]")):
            facts.add_image(Image(str(path), int(base)))
    except (ValueError, TypeError) as error:
        raise TraceError(f"the metadata of the table cannot be read: {error}", trace.name) from None


def _events(arrow: Any, trace: Trace, batch: Any, first: int) -> Array:
    result = np.zeros(len(batch), EVENT)
    for name in _PLAIN:
        result[name] = _numbers(trace, batch, name, first)
    for name, flag in NULLABLE:
        column = batch.column(name)
        known = ~np.asarray(column.is_null().to_numpy(zero_copy_only=False), bool)
        result[name] = _numbers(trace, batch, name, first, null=True)
        if name != "value_high":
            result["flags"] |= np.where(known, np.uint16(int(flag)), np.uint16(0))
    for name, flag in BOOLEANS:
        known = np.asarray(batch.column(name).to_numpy(zero_copy_only=False), bool)
        result["flags"] |= np.where(known, np.uint16(int(flag)), np.uint16(0))
    for name, words in (("detail", trace.words), ("site", trace.sites)):
        result[name] = _texts(arrow, batch.column(name), words)
    result["kind"] = _kinds(arrow, trace, batch.column("kind"), first)
    return result


def _numbers(trace: Trace, batch: Any, name: str, first: int, *, null: bool = False) -> Array:
    column = batch.column(name)
    if not null and column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise TraceError(f"row {first + row}, column {name!r}: a number is missing", trace.name)
    return np.asarray(column.fill_null(0).to_numpy(zero_copy_only=False), EVENT[name])


def _dictionary(arrow: Any, column: Any) -> tuple[Array, list[str]]:
    """Return a number for each row and the texts that they stand for; null is ""."""
    if not arrow.types.is_dictionary(column.type):
        column = column.fill_null("").dictionary_encode()
    texts = [text or "" for text in column.dictionary.to_pylist()]
    numbers = column.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    return np.asarray(numbers, "i8"), [*texts, ""]


def _texts(arrow: Any, column: Any, vocabulary: Vocabulary) -> Array:
    numbers, texts = _dictionary(arrow, column)
    used = np.unique(numbers)
    mapped = np.zeros(len(texts), "u4")
    mapped[used] = [vocabulary.number(texts[number]) for number in used.tolist()]
    return mapped[numbers]


def _kinds(arrow: Any, trace: Trace, column: Any, first: int) -> Array:
    numbers, texts = _dictionary(arrow, column)
    known = {name: number for number, name in enumerate(KIND_NAMES)}
    mapped = np.array([known.get(text, len(known)) for text in texts], "u2")
    kinds = mapped[numbers]
    bad = np.flatnonzero(kinds == len(known))
    if len(bad):
        row = int(bad[0])
        text = texts[int(numbers[row])]
        raise TraceError(f"row {first + row}, column 'kind': no event is a {text!r}", trace.name)
    return kinds
