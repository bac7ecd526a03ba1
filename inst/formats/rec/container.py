"""What holds the chunks of a recording: they are numbered, and read by their numbers."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from inst.formats.rec import PACKED, RAW, RING
from inst.formats.rst.table import SIZE
from inst.isa.segments import RUNS
from inst.trace.model import TraceError

VERSIONS = tuple(range(1, 11))
"""Of recordings: with blocks; with values that follow each other; with rows of calls, too; and with
items that stand in the place of others; 5 is that of blocks again, of which some are ranges; 7 has
ranges among values, and 8 frames among blocks. In 9, and in 10, which is 6 otherwise, code may not
be executed again where what it leaves is recorded."""
SMALLEST, LARGEST = RUNS + SIZE, 1 << 24
"""Bytes of a chunk."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What the first record states: bytes of a word and of a chunk, and the order of bytes."""

    width: int
    chunk: int
    little: bool

    @property
    def order(self) -> str:
        """Return the order of bytes as numpy and struct write it."""
        return "<" if self.little else ">"

    @property
    def word(self) -> str:
        """Return the type of a word in the file."""
        return f"{self.order}u{self.width}"


class Container(ABC):
    """The chunks of a recording in a file."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self.stream = stream
        self.size = stream.seek(0, 2)
        self.layout = self.read_layout()
        self.unfinished = False
        """Whether chunks may be missing because their writer was stopped."""
        self.notes: list[str] = []
        """Why the recording is not complete."""
        self.failure: TraceError | None = None
        """Damage after all chunks that can be read."""
        self.whole_from = 0
        """From which place in the order of threads on no chunk was overwritten; 0: none was."""

    @property
    @abstractmethod
    def numbers(self) -> Sequence[int]:
        """Return the numbers of the chunks that are there, in order."""

    @abstractmethod
    def has(self, number: int) -> bool:
        """Return whether a chunk is there."""

    def was_overwritten(self, number: int) -> bool:
        """Return whether a chunk is not there since a later one has taken its place."""
        return False

    @abstractmethod
    def chunk(self, number: int, start: int, end: int) -> bytes:
        """Return a part of a chunk; less where a file was cut."""

    @abstractmethod
    def place(self, number: int) -> int:
        """Return where in the file a chunk is."""

    def damage(self, message: str, number: int, offset: int = 0) -> TraceError:
        """Return the error for a place in a chunk."""
        place = self.place(number) + offset
        return TraceError(f"{message} in chunk {number}", self.name, offset=place)

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes of the file from a place on; less at its end."""
        try:
            self.stream.seek(offset)
            return self.stream.read(size)
        except OSError as error:
            raise TraceError(f"cannot read the trace: {error.strerror}", self.name) from error

    def read_layout(self) -> Layout:
        """Read what the first bytes state, which all kinds have alike."""
        start = self.read(0, SIZE)
        if len(start) < SIZE or start[:8] not in (RAW, RING, PACKED):
            what = f"{len(start)} of {SIZE} bytes of its first record"
            raise TraceError(f"the recording is cut short: {what}", self.name, offset=0)
        version, width, order, _, chunk = struct.unpack_from(">BBcBI", start, 8)
        if version not in VERSIONS:
            raise TraceError(
                f"a recording of version {version}; this inst reads versions 1 to {VERSIONS[-1]}",
                self.name,
                offset=8,
                hint="read it with the release of inst that built the program",
            )
        if width not in (4, 8) or order not in (b"b", b"l") or chunk % SIZE:
            raise TraceError("a recording's first record is damaged", self.name, offset=9)
        if not SMALLEST <= chunk <= LARGEST:
            raise TraceError(f"a recording with chunks of {chunk} bytes", self.name, offset=12)
        return Layout(width, chunk, order == b"l")


class Placed(Container):
    """A file in which chunks have places of their own: slots or frames."""

    _places: dict[int, int]
    """Number of a chunk -> its place, in the order of numbers."""

    @property
    def numbers(self) -> Sequence[int]:
        """Return the numbers of the chunks."""
        return self._numbers

    def has(self, number: int) -> bool:
        """Return whether a chunk is there."""
        return number in self._places

    def _take_places(self, places: dict[int, int]) -> None:
        self._places = dict(sorted(places.items()))
        self._numbers = list(self._places)


class Raw(Container):
    """A file whose chunks follow each other, as a program writes it by itself."""

    @property
    def numbers(self) -> Sequence[int]:
        """Return the numbers of the chunks, the last of which may be cut."""
        return range(-(-self.size // self.layout.chunk))

    def has(self, number: int) -> bool:
        """Return whether a chunk is there."""
        return number in self.numbers

    def chunk(self, number: int, start: int, end: int) -> bytes:
        """Return a part of a chunk."""
        return self.read(self.place(number) + start, end - start)

    def place(self, number: int) -> int:
        """Return where a chunk is."""
        return number * self.layout.chunk
