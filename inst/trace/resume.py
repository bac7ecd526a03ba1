"""Reading a trace on from a place in its middle: what a reader remembers there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mark:
    """A place between two records, and what their reader has to know there."""

    offset: int
    """Bytes before the next record, of the records as they are when decompressed."""
    record: int
    """Ordinal of the next record."""
    arch: str
    """The instruction set as stated so far."""
    state: tuple[Any, ...] = ()
    """The rest, as the format's reader wants it."""


def tapped(chunks: Iterable[bytes], size: int, take: Callable[[bytes], object]) -> Iterator[bytes]:
    """Yield bytes in pieces of at most `size`; each goes to `take` before it is yielded.

    When `take` is called, the reader has used up all pieces before.
    """
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            piece = chunk[start : start + size]
            take(piece)
            yield piece
