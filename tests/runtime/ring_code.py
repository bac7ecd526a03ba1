"""Rings of chunks: a decoder of its own for their files, and a process that empties them."""

from __future__ import annotations

import fcntl
import mmap
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from segment_code import CHUNK

FREE, BEING_WRITTEN, FULL, KEPT = range(4)
TABLE, ENTRY = 8192, 16


class Ring:
    """A mapped file of slots, which may become more."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.map()
        assert self.bytes[:9] == b"INST-RNG\x08"
        self.order = {ord("b"): ">", ord("l"): "<"}[self.bytes[10]]
        self.kind = chr(self.bytes[11])
        assert int.from_bytes(self.bytes[12:16], "big") == CHUNK

    def map(self) -> None:
        """Map the whole file, as large as it is now."""
        with self.path.open("r+b") as stream:
            self.bytes = mmap.mmap(stream.fileno(), 0)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Slots, process, next chunk, whether it is over, waits, overwritten chunks."""
        return struct.unpack_from(f"{self.order}6I", self.bytes, 16)

    @property
    def complete_from(self) -> int:
        """The greatest order at which an overwritten chunk was given up."""
        return struct.unpack_from(f"{self.order}Q", self.bytes, 72)[0]

    @property
    def name(self) -> str:
        """The output's name."""
        return self.bytes[128:4128].split(b"\0")[0].decode()

    def slots(self) -> list[tuple[int, int, int]]:
        """Return state, number and order of each slot."""
        entry = struct.Struct(f"{self.order}IIQ")
        count = self.numbers[0]
        if len(self.bytes) < CHUNK * (1 + count):
            self.map()
        return [entry.unpack_from(self.bytes, TABLE + ENTRY * n) for n in range(count)]

    def chunk(self, slot: int) -> bytes:
        """Return what a slot holds."""
        return self.bytes[CHUNK * (1 + slot) : CHUNK * (2 + slot)]

    def chunks(self) -> dict[int, bytes]:
        """Return the chunks that are in the ring by their numbers."""
        found = [
            (number, self.chunk(n)) for n, (state, number, _) in enumerate(self.slots()) if state
        ]
        assert len({number for number, _ in found}) == len(found)
        return dict(found)

    def take(self) -> dict[int, bytes]:
        """Return the full chunks and free their slots."""
        taken = {}
        for n, (state, number, _) in enumerate(self.slots()):
            if state == FULL:
                taken[number] = self.chunk(n)
                start = CHUNK * (1 + n)
                self.bytes[start : start + CHUNK] = bytes(CHUNK)
                struct.pack_into(f"{self.order}I", self.bytes, TABLE + ENTRY * n, FREE)
        return taken


def plain(chunks: dict[int, bytes], path: Path) -> Path:
    """Write chunks as a file that holds all of them; missing ones are zeros."""
    with path.open("wb") as stream:
        for number in range(max(chunks) + 1):
            stream.write(chunks.get(number, bytes(CHUNK)))
    return path


class Drain:
    """Rings of a directory, emptied by a thread."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.over = directory, False
        self.rings: dict[str, Ring] = {}
        self.taken: dict[str, dict[int, bytes]] = {}

    def run(self) -> None:
        """Empty rings until it is over."""
        while not self.over:
            self._look()
        self._look()

    def _look(self) -> None:
        for path in self.directory.glob("*.ring"):
            if path.name not in self.rings and path.read_bytes()[:8] == b"INST-RNG":
                self.rings[path.name] = Ring(path)
        for name, ring in self.rings.items():
            self.taken.setdefault(name, {}).update(ring.take())

    def write(self, directory: Path) -> dict[str, Path]:
        """Write all that there was; return the files by the names of the outputs."""
        found = {}
        for name, ring in self.rings.items():
            chunks = self.taken[name] | ring.chunks()
            found[ring.name] = plain(chunks, directory / f"{name}.plain")
        return found


@contextmanager
def drain_lock(directory: Path) -> Iterator[None]:
    """Lock the file that shows programs that the rings of a directory are emptied."""
    with (directory / "drain").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def drained(directory: Path) -> Iterator[Drain]:
    """Empty the rings of a directory as long as the context lasts."""
    directory.mkdir()
    drain = Drain(directory)
    thread = threading.Thread(target=drain.run)
    with drain_lock(directory):
        thread.start()
        try:
            yield drain
        finally:
            drain.over = True
            thread.join()
