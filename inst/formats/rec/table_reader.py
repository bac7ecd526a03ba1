"""Reads the tables of a recording, which a program has in the same form.

docs/formats/rec.md has their layout.
"""

from __future__ import annotations

import struct
import zlib
from typing import Protocol

import numpy as np

from inst.formats.rec.container import Layout
from inst.formats.rec.layout import TABLES
from inst.formats.rec.tables import (
    BITS,
    HALVES,
    NONE,
    RANGE_KINDS,
    REGISTER,
    REVERSED,
    SHIFTED,
    TWO,
    WIDE,
    Call,
    Code,
    Tables,
)
from inst.trace.model import Array, TraceError
from inst.words.access import BOTH, WRITE
from inst.words.decode import words_of

KNOWN, CONSTANT, RAW, WHOLE, ENTERED, LOOSE, NAME, INSTEAD = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of an item: its value is known; a constant; as in memory. The base is the address. It is
in the place of the item before, if the linker has made something else of that one's access."""
MOST_UNPACKED = 1 << 30
"""Bytes of the largest table of segments."""
LONGEST = 128
"""Words of the largest block, with the word that names it."""
ITEM, PLACE = 16, 4
CALL = 0x8000
"""In place of words: the row is of a call, and states what memory that touches."""
RANGE, RANGE_WORDS = 0x4000, 3
"""In place of words: blocks of the row have the address and the size of memory that a library
function has read, or written if 1 is added, or of a frame if 2 is; and the words that they have."""
HOOKED, WINDOWED = np.uint32(1 << 31), np.uint32(1 << 30)
"""Of a distance: that of an access that calls a hook; or one of the library `windows`, which may
leave its value out. Both: that of an instruction all of whose results are recorded."""


class Source(Protocol):
    """What has tables: a recording's chunks (`inst.formats.rec.layout.File`), or a program."""

    @property
    def layout(self) -> Layout:
        """Return the sizes of words and chunks."""
        ...

    def read(self, chunk: int, offset: int, size: int) -> bytes:
        """Return bytes from a place in a chunk on, and of those after it; less at the end."""
        ...

    def room(self, chunk: int) -> int:
        """Return how many bytes follow from a chunk on, without a gap."""
        ...

    def damage(self, message: str, chunk: int, offset: int = 0) -> TraceError:
        """Return the error for a place in a chunk."""
        ...


def _unpack(packing: str, data: bytes, size: int) -> bytes:
    if packing == "zlib":
        return zlib.decompressobj().decompress(data, size)
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(data) as stream:
        return stream.read(size)


def read_tables(file: Source, chunk: int, arch: str, base: int) -> Tables:
    """Read the tables that begin in a chunk, for a program that was loaded at a base."""
    return _Reader(file, chunk, arch, base).read()


class _Reader:
    def __init__(self, file: Source, chunk: int, arch: str, base: int) -> None:
        self.file, self.chunk, self.arch, self.base = file, chunk, arch, base
        self.code = Code()
        self.image: int | None = None
        self.segments: bytes | None = None
        self.instrumented: list[tuple[int, int]] = []
        self.places: tuple[list[Array], ...] = tuple([np.zeros(0, "u8")] for _ in range(4))
        """Of rows that state where code is: stores, hooked and windowed accesses, and instructions
        that are not executed again."""
        self.calls: dict[int, Call] = {}
        self.ranges: dict[int, int] = {}
        """Whether blocks at an address are ranges, as `Tables.ranges` has it."""
        self.glue: list[tuple[int, int]] = []
        self.addresses: list[tuple[int, bytes]] = []

    def read(self) -> Tables:
        self._read_entries()
        if self.segments is None or self.image is None:
            raise self._damage("a table of segments without its parts")
        return self._tables(*self._rows(self.segments))

    def _damage(self, message: str, offset: int = 0) -> TraceError:
        return self.file.damage(message, self.chunk, offset)

    def _read_entries(self) -> None:
        (size,) = struct.unpack(">Q", self._read(len(TABLES), 8).rjust(8, b"\xff"))
        at, end = 16, 16 + size
        if end > self.file.room(self.chunk):
            raise self._damage("the tables of segments are cut short")
        while at < end:
            head = self._read(at, 32)
            if len(head) < 32:
                raise self._damage("a table of segments is cut short", at)
            name, address, length = struct.unpack(">16sQQ", head)
            at += 32
            if length > end - at:
                raise self._damage("a table of segments is longer than its file", at)
            data = self._read(at, length)
            if len(data) < length:  # the file ends within its last chunk
                raise self._damage("a table of segments is cut short", at + len(data))
            self._take(name.rstrip(b"\0"), address, data)
            at += -(-length // 8) * 8

    def _read(self, offset: int, size: int) -> bytes:
        return self.file.read(self.chunk, offset, size)

    def _take(self, name: bytes, address: int, data: bytes) -> None:
        if name == b"segments":
            self.segments = data
        elif name == b"segments.z":
            self.segments = self._unpacked(data)
        elif name == b"code":
            words = np.frombuffer(data, f"{self.file.layout.order}u4", len(data) // 4)
            self.code.add(address, words.astype("u4"))
        elif name == b"addresses":
            self.addresses.append((address, data))
        elif name == b"glue":
            self.glue = self._glue(address, data)
        elif name == b"image":
            self.image = address

    def _glue(self, address: int, data: bytes) -> list[tuple[int, int]]:
        """Return where glue is: entries with the distance of its first byte, its size, its hook."""
        numbers = np.frombuffer(data, f"{self.file.layout.order}i4", len(data) // 12 * 3)
        return [
            (address + 12 * row + int(start), int(size))
            for row, (start, size, _) in enumerate(numbers.reshape(-1, 3).tolist())
        ]

    def _range_kind(self, code: int, at: int) -> int:
        """Return the place in `RANGE_KINDS` of what a row says, less what marks it."""
        if code + 1 >= len(RANGE_KINDS):
            raise self._damage(f"a range of kind {code}", at)
        return code + 1

    def _unpacked(self, data: bytes) -> bytes:
        """Return a section that the linker compressed, without the header that says so."""
        wide = self.file.layout.width == 8
        form = struct.Struct(self.file.layout.order + ("I4xQQ" if wide else "III"))
        if len(data) < form.size:
            raise self._damage("a compressed table of segments is cut short")
        kind, size, _ = form.unpack_from(data)
        packing = {1: "zlib", 2: "zstd"}.get(kind, "")
        if not packing or size > MOST_UNPACKED:
            raise self._damage(f"a table of segments of {size} bytes, compressed in way {kind}")
        try:
            found = _unpack(packing, data[form.size :], size)
        except Exception as error:  # zlib and zstandard have a class each
            raise self._damage(f"a damaged compressed table of segments ({error})") from error
        if len(found) != size:
            raise self._damage("a compressed table of segments is cut short")
        return found

    def _rows(self, data: bytes) -> tuple[Array, Array, Array, Array]:
        """Return address, words, number of items and place of the first of each segment."""
        layout = self.file.layout
        form = struct.Struct(layout.order + ("IHH" if layout.width == 4 else "QHH"))
        at, size, found = 0, len(data), []
        while at + form.size <= size:
            address, words, items = form.unpack_from(data, at)
            at += form.size
            if address and words & CALL:
                self.calls[address] = Call.of(address, words)
            elif address and words & RANGE:
                self.ranges[address] = self._range_kind(words & ~RANGE, at - form.size)
                found.append((address, RANGE_WORDS, 0, at))
            elif address and words:
                found.append((address, words, items, at))
            elif address:
                self._take_code(address, data[at : at + items * PLACE])
            at += items * (ITEM if words else PLACE)
        if at != size:
            raise self._damage("the table of segments is cut short")
        columns = np.array(found, "u8").reshape(-1, 4)
        columns = columns[np.argsort(columns[:, 0], kind="stable")]
        self._check_rows(columns, data)
        same = np.flatnonzero(columns[1:, 0] == columns[:-1, 0])
        columns = np.delete(columns, same + 1, axis=0)
        address, words, items, place = (columns[:, n] for n in range(4))
        return address, words.astype("i8"), items.astype("i8"), place.astype("i8")

    def _take_code(self, address: int, places: bytes) -> None:
        """Take a row that states where some code is, and its accesses, for re-execution."""
        distances = np.frombuffer(places, f"{self.file.layout.order}u4", len(places) // PLACE)
        if len(distances):
            found = np.uint64(address) + (distances & ~(HOOKED | WINDOWED)).astype("u8")
            self.instrumented.append((address, int(found[0])))
            hooked, windowed = (distances[1:] & bit != 0 for bit in (HOOKED, WINDOWED))
            ways = (~(hooked | windowed), hooked & ~windowed, windowed & ~hooked, hooked & windowed)
            for kept, way in zip(self.places, ways, strict=True):
                kept.append(found[1:][way])

    def _check_rows(self, columns: Array, data: bytes) -> None:
        wrong = (columns[:, 1] < 1) | (columns[:, 1] > LONGEST) | (columns[:, 0] % 4 != 0)
        wrong |= columns[:, 0] < self.image
        if wrong.any():
            address = int(columns[np.flatnonzero(wrong)[0], 0])
            raise self._damage(f"a damaged row of the table of segments, of {address:#x}")
        for row in np.flatnonzero(columns[1:, 0] == columns[:-1, 0]).tolist():
            one, other = (
                (words, data[at : at + items * ITEM])
                for _, words, items, at in columns[row : row + 2].tolist()
            )
            if one != other:
                address = int(columns[row, 0])
                raise self._damage(f"two different segments at {address:#x}")

    def _tables(self, address: Array, words: Array, items: Array, place: Array) -> Tables:
        assert self.image is not None and self.segments is not None
        layout = self.file.layout
        owner = np.repeat(np.arange(len(items)), items)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(items) - items, items)
        octets = np.frombuffer(self.segments, "u1")
        rows = octets[(place[owner] + number * ITEM)[:, None] + np.arange(ITEM)]
        kinds = np.dtype(
            [(name, layout.order + kind) for name, kind in zip(
                ("distance", "base", "index", "value", "flags", "addend", "constant"),
                ("u4", "u1", "u1", "u1", "u1", "i4", "i4"), strict=True)]
        )  # fmt: skip
        item = np.ascontiguousarray(rows).view(kinds).reshape(-1)
        pc = address[owner] + item["distance"]
        word, known = self.code.at(pc)
        if not known.all():
            bad = int(pc[np.flatnonzero(~known)[0]])
            raise self._damage(f"an access outside the code, at {bad:#x}")
        self._check_slots(item, words[owner], pc)
        loose = item["flags"] & LOOSE != 0
        if loose.any() and not loose.all():
            raise self._damage("objects of the program record in two ways, for re-execution or not")
        return self._made(address, words, owner, item, pc, word)

    def _check_slots(self, item: Array, words: Array, pc: Array) -> None:
        wrong = np.zeros(len(item), bool)
        for name in ("base", "index", "value"):
            wrong |= item[name] >= words
        if wrong.any():
            at = int(pc[np.flatnonzero(wrong)[0]])
            raise self._damage(f"an access outside its block, at {at:#x}")

    def _made(
        self, address: Array, words: Array, owner: Array, item: Array, pc: Array, word: Array
    ) -> Tables:
        assert self.image is not None
        layout, decoders = self.file.layout, words_of(self.arch)
        stores, hooked, windowed, left = (np.unique(np.concatenate(one)) for one in self.places)
        whole, _ = self.code.instructions(pc, decoders.prefix)
        what, size = decoders.lookup(whole, self.arch)
        kept = (what & BOTH != 0) & np.isin(size, (1, 2, 4, 8, WIDE))
        kept[1:] &= ~(kept[:-1] & (item["flags"][1:] & INSTEAD != 0))
        owner, item, pc, word, size = (each[kept] for each in (owner, item, pc, word, size))
        what, whole = what[kept], whole[kept]
        bits = np.uint64((1 << 8 * layout.width) - 1)
        bias = np.uint64(self.base - self.image & BITS)
        moved = decoders.recorded.displacements(word.astype("i8"))
        moved = np.where(item["flags"] & WHOLE, 0, moved)
        kind = self._kinds(item, whole, size, pc)
        first = np.searchsorted(owner, np.arange(len(address) + 1))
        native = f"u{layout.width}"
        return Tables(
            distance=(address - np.uint64(self.image)) & bits,
            words=words,
            ranges=np.array([self.ranges.get(one, 0) for one in address.tolist()], "u1"),
            first=first,
            pc=(pc + bias & bits).astype(native),
            word=word,
            size=size,
            write=what == WRITE,
            base=item["base"].astype("i4"),
            has_base=item["base"] != 0,
            index=item["index"].astype("i4"),
            addend=(item["addend"].astype("i8") + moved).astype(native),
            value=item["value"].astype("i4"),
            kind=kind,
            constant=item["constant"].astype("i8").astype("u8"),
            align=decoders.recorded.aligned(word.astype("i8")).astype(native),
            entered=item["flags"] & ENTERED != 0,
            name=item["flags"] & NAME != 0,
            is_loose=bool((item["flags"] & LOOSE).any()),
            mask=np.uint64(BITS) >> (64 - 8 * np.minimum(size, 8).astype("u8")),
            code=self.code,
            image=self.image,
            bias=int(bias),
            instrumented=np.array(sorted(set(self.instrumented)), "u8").reshape(-1, 2),
            calls=list(self.calls.values()),
            glue=self.glue,
            addresses=self.addresses,
            stores=stores,
            hooked=hooked,
            windowed=windowed,
            left=left,
        )

    def _kinds(self, item: Array, word: Array, size: Array, pc: Array) -> Array:
        """Return how the values are taken."""
        layout, flags = self.file.layout, item["flags"]
        decoders = words_of(self.arch)
        distinct, which = np.unique(word, return_inverse=True)
        found = [decoders.access_of(one, self.arch) for one in distinct.tolist()]
        backwards = np.array([one is not None and one.value == "reversed" for one in found], bool)
        kind = np.where(backwards[which], REVERSED, REGISTER)
        raw = (flags & RAW != 0) & (flags & CONSTANT == 0)
        narrow = raw & (size < layout.width) & (not layout.little)
        kind[raw] = REGISTER
        kind[narrow] = SHIFTED
        kind[raw & (size > layout.width)] = TWO
        kind[raw & (size == WIDE)] = HALVES
        short = (kind >= TWO) & (item["value"] < 2) & (flags & LOOSE == 0)
        short |= (kind < SHIFTED) & (size > layout.width) & (item["value"] != 0)
        short |= (kind == HALVES) & (2 * layout.width < WIDE)
        if short.any():
            at = int(pc[np.flatnonzero(short)[0]])
            raise self._damage(f"an access outside its block, at {at:#x}")
        kind[flags & KNOWN == 0] = NONE
        return kind.astype("u1")
