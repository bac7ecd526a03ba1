"""The layout of that memory: a head, and pieces in which blocks lie one after the other.

All numbers are big-endian words of 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.errors import InstError
from inst.formats.flight import MAGIC
from inst.trace.model import Array

VERSION = 1
HEAD = np.dtype(
    [
        ("magic", "S8"),
        ("version", ">u4"),
        ("build", ">u4"),
        ("machine", ">u4"),
        ("piece", ">u4"),
        ("pieces", ">u4"),
        ("cursor", ">u4"),
        ("first", ">u4"),
        ("paused", ">u4"),
        ("starts", ">u4"),
        ("unreported", ">u4"),
        ("unpinned", ">u4"),
        ("reserved", ">u4", 3),
    ]
)
"""struct inst_flight, 64 bytes."""
PIECE = np.dtype([("number", ">u4"), ("end", ">u4")])
"""struct inst_flight_piece."""
INCOMPLETE = 1
"""In the end of a piece, of memory that came as lines of text: words after it are missing."""
_SMALLEST, _LARGEST, _MOST_PIECES = 1 << 12, 1 << 26, 1 << 16


@dataclass(frozen=True, slots=True)
class Head:
    """What the head states; `cursor` is that of what is recorded, also during a pause."""

    build: int
    machine: int
    piece: int
    pieces: int
    cursor: int
    first: int
    starts: int
    unreported: int
    unpinned: int
    cpu: int = 0
    cpus: int = 1

    @property
    def size(self) -> int:
        """Return the bytes of head and pieces."""
        return HEAD.itemsize + self.pieces * (PIECE.itemsize + self.piece)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece that has been used."""

    number: int
    """Pieces count from 1 in the order in which they are used."""
    words: Array
    """What has been written to it (u4)."""
    is_whole: bool = True
    """What came after these words is in the next piece."""


@dataclass(frozen=True, slots=True)
class Flight:
    """The memory: the pieces that are there, in their order."""

    head: Head
    pieces: list[Piece]
    cut: bool
    """Whether some of it lies beyond the end of the memory that was read."""

    @property
    def used(self) -> int:
        """Return how many pieces have been used."""
        return max((one.number for one in self.pieces), default=0)

    @property
    def overwritten(self) -> int:
        """Return how many of them are not here, or not whole."""
        return self.used - sum(one.is_whole for one in self.pieces)


def read_head(data: bytes, name: str) -> Head:
    """Return what the head states; raise InstError where that is impossible."""
    if len(data) < HEAD.itemsize:
        raise InstError(f"{name}: a head has {HEAD.itemsize} bytes, and {len(data)} are here")
    row = np.frombuffer(data, HEAD, 1)[0]
    if data[: len(MAGIC)] != MAGIC:
        raise InstError(
            f"{name}: it begins with {data[:8].hex(' ')} instead of {MAGIC.decode()}: nothing was "
            "recorded",
            hint="was the memory saved after the program's first access, and was it kept?",
        )
    if int(row["version"]) != VERSION:
        raise InstError(
            f"{name}: version {int(row['version'])} of the layout is unknown",
            hint=f"this is for version {VERSION}: read it with the inst that linked the program",
        )
    piece, pieces, first = (int(row[one]) for one in ("piece", "pieces", "first"))
    cursor = int(row["paused"]) or int(row["cursor"])
    cursor -= (cursor == 0xFFFFFFFC) << 32  # before the word at address 0
    is_sound = _SMALLEST <= piece <= _LARGEST and piece & (piece - 1) == 0 and first % 4 == 0
    is_sound &= 1 <= pieces <= _MOST_PIECES and cursor % 4 == 0
    is_sound &= -4 <= cursor - first < pieces * piece
    if not is_sound:
        raise InstError(
            f"{name}: a damaged head: {pieces} pieces of {piece} bytes at {first:#x}, and the last "
            f"word at {cursor:#x}"
        )
    numbers = {one: int(row[one]) for one in ("build", "machine", "starts", "unreported")}
    return Head(
        piece=piece,
        pieces=pieces,
        first=first,
        cursor=cursor,
        unpinned=int(row["unpinned"]),
        **numbers,
    )


def read_flight(data: bytes, name: str) -> Flight:
    """Return the pieces in the order in which they were used."""
    head = read_head(data, name)
    start = HEAD.itemsize + head.pieces * PIECE.itemsize
    rows = np.frombuffer(data[HEAD.itemsize : start], PIECE)
    present = (head.cursor + 4 - head.first) // head.piece
    found = []
    cut = len(data) < head.size
    for index, (number, end) in enumerate(rows.tolist()):
        if not number:
            continue
        low, last = (
            start + index * head.piece,
            head.cursor if index == present else end & ~INCOMPLETE,
        )
        count = (last + 4 - head.first - index * head.piece) // 4
        if not 0 <= count <= head.piece // 4:
            raise InstError(f"{name}: a damaged head: piece {index} ends at {last:#x}")
        words = np.frombuffer(data[low : low + 4 * count].ljust(4 * count, b"\0"), ">u4")
        found.append(Piece(number, words.astype("u4"), not end & INCOMPLETE))
    return Flight(head, sorted(found, key=lambda one: one.number), cut)
