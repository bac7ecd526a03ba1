"""Parquet: the columns of `inst.trace.event_table`, compressed with zstd, in row groups.

Numbers that go on by little (`DELTA`) are written as differences, addresses and values by the
places of their bytes (`SPLIT`): neighbours have their upper bytes in common, which zstd finds.

What the producer recorded about the trace is in the file's key-value metadata: `inst.arch`,
`inst.version`, `inst.strings` and `inst.images` (JSON).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from inst.common.arrow import library
from inst.convert.derived import Derived
from inst.trace.event_table import BOOLEANS, NAMES, NULLABLE, NUMBERS, TEXTS
from inst.trace.model import EVENT, KIND_NAMES, Array, Vocabulary
from inst.trace.writing import Job, Writer

if TYPE_CHECKING:
    import pyarrow

GROUP = 1 << 16
"""Events in a row group."""
LEVEL = 9
DICTIONARY = (*TEXTS, "thread", "cpu", "size", "pc", "word", "value_high", "line")
"""Columns of few distinct values."""
DELTA = ("record", "id")
SPLIT = ("address", "value", "physical")
ENCODINGS = dict.fromkeys(DELTA, "DELTA_BINARY_PACKED") | dict.fromkeys(SPLIT, "BYTE_STREAM_SPLIT")


class ParquetWriter(Writer):
    """Writes events to Parquet."""

    def __init__(self, job: Job) -> None:
        self._arrow = library()
        self._job = job
        self._derived = Derived(job)
        self._waiting: list[Array] = []
        self._count = 0
        self._schema = self._make_schema()
        self._sink = _Sink(job.output)
        self._file = self._arrow.parquet.ParquetWriter(
            self._arrow.PythonFile(self._sink, mode="w"),
            self._schema,
            compression="zstd",
            compression_level=LEVEL,
            use_dictionary=list(DICTIONARY),
            column_encoding=ENCODINGS,
            write_statistics=["record", "pc", "address", "thread"],
        )

    def events(self, events: Array) -> None:
        """Take a batch; a row group is written when enough have come."""
        self._waiting.append(events)
        self._count += len(events)
        if self._count >= GROUP:
            self._flush()

    def finish(self) -> None:
        """Write the last row group and what is known of the trace."""
        self._flush()
        facts = self._job.trace.facts
        images = [[image.path, image.base] for image in facts.images]
        metadata = {
            "inst.arch": facts.arch,
            "inst.version": facts.version,
            "inst.strings": json.dumps(facts.strings),
            "inst.images": json.dumps(images),
        }
        self._file.add_key_value_metadata(metadata)
        self._file.close()

    def abandon(self) -> None:
        """Close the library's file without writing any more."""
        self._sink.abandoned = True
        self._file.close()

    def _flush(self) -> None:
        if self._waiting:
            events = self._waiting[0] if len(self._waiting) == 1 else _joined(self._waiting)
            self._file.write_batch(self._record_batch(events), row_group_size=len(events))
            self._arrow.default_memory_pool().release_unused()
        self._waiting, self._count = [], 0

    def _make_schema(self) -> pyarrow.Schema:
        arrow = self._arrow
        types = dict.fromkeys(TEXTS, self._text_type())
        types |= dict.fromkeys((name for name, _ in BOOLEANS), arrow.bool_())
        types |= {"cpu": arrow.uint16(), "word": arrow.uint32(), "line": arrow.uint32()}
        nullable = {"physical", "line", *(name for name, _ in NULLABLE)}
        return arrow.schema(
            arrow.field(name, types.get(name, arrow.uint64()), nullable=name in nullable)
            for name in NAMES
        )

    def _text_type(self) -> Any:
        return self._arrow.dictionary(self._arrow.int32(), self._arrow.string())

    def _record_batch(self, events: Array) -> pyarrow.RecordBatch:
        arrow, flags, trace = self._arrow, events["flags"], self._job.trace
        columns: dict[str, Any] = {}
        for name in (*NUMBERS, "size"):
            columns[name] = arrow.array(np.ascontiguousarray(events[name]))
        for name, flag in NULLABLE:
            missing = flags & int(flag) == 0
            values = np.ascontiguousarray(events[name])
            columns[name] = arrow.array(values, mask=missing if missing.any() else None)
        for name, flag in BOOLEANS:
            columns[name] = arrow.array(flags & int(flag) != 0)
        columns["kind"] = self._texts(events["kind"], KIND_NAMES)
        columns["detail"] = self._texts(*_used(events["detail"], trace.words))
        columns["site"] = self._texts(*_used(events["site"], trace.sites))
        derived = self._derived.of(events)
        columns |= {name: self._texts(*texts) for name, texts in derived.texts.items()}
        for name, (numbers, known) in derived.numbers.items():
            columns[name] = arrow.array(numbers, mask=None if known.all() else ~known)
        return arrow.record_batch([columns[name] for name in NAMES], schema=self._schema)

    def _texts(self, numbers: Array, texts: list[str]) -> Any:
        arrow = self._arrow
        spelled = [text.encode("utf-8", "replace").decode() for text in texts]
        return arrow.DictionaryArray.from_arrays(
            arrow.array(numbers.astype("i4")), arrow.array(spelled, arrow.string())
        )


def _joined(parts: list[Array]) -> Array:
    result = np.empty(sum(map(len, parts)), EVENT)
    start = 0
    for part in parts:
        result[start : start + len(part)] = part
        start += len(part)
    return result


def _used(numbers: Array, vocabulary: Vocabulary) -> tuple[Array, list[str]]:
    """Return the numbers counted anew among the texts that occur, and those texts."""
    distinct, places = np.unique(numbers, return_inverse=True)
    return places, [vocabulary.texts[number] for number in distinct.tolist()]


class _Sink:
    """An output for the library: it has a position, and is not closed."""

    closed = False

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._position = 0
        self.abandoned = False

    def write(self, data: bytes) -> int:
        if not self.abandoned:
            self._output.write(bytes(data))
        self._position += len(data)
        return len(data)

    def tell(self) -> int:
        return self._position

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass
