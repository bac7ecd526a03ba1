"""Records as keys that are equal where records are: what traces are compared by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inst.trace.model import Array, Kind, Trace

VALUED = (Kind.READ, Kind.WRITE, Kind.SET, Kind.SYSREG, Kind.TLBI)
"""Kinds of events whose value is of memory or of a register."""

IMAGE_LIMIT = 1 << 28
"""Bytes after an image's base that may be its own."""


def relative(values: Array, trace: Trace) -> Array:
    """Return addresses as offsets in their images, or else in their pages."""
    bases = sorted({image.base for image in trace.facts.images})
    page = values & np.uint64(0xFFF) | np.uint64(0xFF << 56)
    if not bases:
        return page
    known = np.array(bases, "u8")
    which = np.searchsorted(known, values, side="right") - 1
    offsets = values - known[np.maximum(which, 0)]
    inside = (which >= 0) & (offsets < np.uint64(IMAGE_LIMIT))
    numbered = offsets | np.maximum(which, 0).astype("u8") << np.uint64(48)
    return np.where(inside, numbered, page)


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows: their ordinals in the file, their keys, and what they were."""

    index: Array
    keys: Array
    """u64, one line of columns a row."""
    rows: Sequence[Any] | Array

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, start: int, end: int | None = None) -> Block:
        return Block(self.index[start:end], self.keys[start:end], self.rows[start:end])


def relative_address(trace: Trace, value: int, ignored: frozenset[str]) -> int:
    """Return one address in relation to its base, or 0 where all addresses are ignored."""
    if "all-addresses" in ignored:
        return 0
    return int(relative(np.array([value], "u8"), trace)[0])


Words = Callable[[Trace, Any, frozenset[str]], bytes]
"""Returns what two equal records of text have in common."""


def compared_texts(trace: Trace, ignored: frozenset[str], words: Words) -> Iterator[Block]:
    """Yield a trace's records of text as blocks."""
    for batch in trace.batches():
        records = batch.records
        if "strings" in ignored:
            records = [r for r in records if r.kind not in ("producer", "image", "header")]
        index = np.array([record.ordinal for record in records], "i8")
        texts = [words(trace, record, ignored) for record in records]
        digests = [hashlib.blake2b(text, digest_size=16).digest() for text in texts]
        keys = np.frombuffer(b"".join(digests), "u8").reshape(len(records), 2)
        yield Block(index, keys, records)


def describe_text(_trace: Trace, record: Any) -> tuple[str, str, dict[str, Any]]:
    """Return a record's kind, its text on one line, and its fields."""
    text = " ".join(record.text.decode("utf-8", "replace").split())
    return record.kind, text, {"text": text}
