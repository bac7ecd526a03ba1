"""Finds the blocks of a piece: from the last word back, since a block's last word is its name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.formats.flight.layout import Flight
from inst.formats.rec.tables import Tables
from inst.trace.model import Array

EVENT_NAME, EVENT_WORDS = 1, 6
"""Of blocks that are events: the last word, and how many words they have (inst/flight.h)."""
EVENT, LOST = -1, -2
"""In place of a segment: the block is an event; blocks before this place are lost."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of all pieces, in the order in which they were reserved."""

    data: Array
    """The words of all pieces, one after the other (u4)."""
    trailers: Array
    """The last word of each."""
    segments: Array
    """Which segment each is of, `EVENT` or `LOST`."""
    ends: list[tuple[int, int]]
    """In which piece each ends, by its number, and at how many of its words."""
    unreadable: int
    """Words before which no block could be recognised."""


def find_blocks(flight: Flight, tables: Tables) -> Blocks:
    """Return the blocks that can be read; where others are missing stands one that is `LOST`."""
    names = (-tables.distance.astype("i8")) & 0xFFFFFFFF
    sizes = dict(zip(names.tolist(), tables.words.tolist(), strict=True))
    rows = {name: row for row, name in enumerate(names.tolist())}
    trailers: list[int] = []
    segments: list[int] = []
    ends: list[tuple[int, int]] = []
    start = unreadable = 0
    expected = 1
    for piece in flight.pieces:
        words = piece.words.tolist()
        if not piece.is_whole:
            words = words[: _end_of_blocks(words, sizes)]
        found, rest = _walk(words, sizes)
        unreadable += rest
        if rest or piece.number != expected:
            trailers.append(start)
            segments.append(LOST)
            ends.append((0, 0))
        expected = piece.number + piece.is_whole
        trailers += [start + at for at in reversed(found)]
        segments += [rows.get(words[at], EVENT) for at in reversed(found)]
        ends += [(piece.number, at + 1) for at in reversed(found)]
        start += len(piece.words)
    data = np.concatenate([np.zeros(0, "u4"), *(piece.words for piece in flight.pieces)])
    return Blocks(data, np.array(trailers, "i8"), np.array(segments, "i8"), ends, unreadable)


def _walk(words: list[int], sizes: dict[int, int]) -> tuple[list[int], int]:
    """Return the last words of blocks, from the last block on, and how many words are none."""
    found: list[int] = []
    at = len(words) - 1
    while at >= 0:
        name = words[at]
        size = EVENT_WORDS if name == EVENT_NAME else sizes.get(name, 0)
        if not size or size > at + 1:
            return found, at + 1
        found.append(at)
        at -= size
    return found, 0


def _end_of_blocks(words: list[int], sizes: dict[int, int]) -> int:
    """Return before which word the last block ends that is whole, where words after it are missing.

    It is the last place from which blocks lead to the first word.
    """
    ends = range(len(words), 0, -1)
    return next((end for end in ends if not _walk(words[:end], sizes)[1]), 0)
