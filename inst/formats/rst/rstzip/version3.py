"""Files of rstzip version 3: sections of up to 131,072 records."""

from __future__ import annotations

from collections.abc import Iterator

from inst.formats.rst.rstzip.arrays import stored_bytes, unpack
from inst.formats.rst.rstzip.decode import Decoder
from inst.formats.rst.rstzip.layout import (
    ARRAYS,
    HEADER,
    MAGIC,
    MINOR,
    OLDEST,
    SECTION,
    SECTION_MAGIC,
    SECTION_RECORDS,
    WIDE_CPUS,
)
from inst.formats.rst.rstzip.source import Bytes
from inst.trace.model import Array
from inst.trace.source import CHUNK

MOST_ELEMENTS = 4
"""More elements than any record has in one array."""


def records(source: Bytes) -> Iterator[bytes]:
    """Yield the records of a file in chunks; raises TraceError where it is damaged."""
    minor = _minor_version(source)
    decoder, done = Decoder(minor), 0
    while True:
        start = source.offset
        head = source.take(SECTION.size, "a section's header", or_nothing=True)
        if not head:
            return
        count, arrays = _section(source, head, start, minor)
        data, wrong = decoder.section(count, arrays)
        for place in range(0, len(data), CHUNK):
            yield bytes(data[place : place + CHUNK])
        if wrong:
            row = len(data) // 24
            raise source.error(f"{wrong} (record {done + row}, {row} of its section)", offset=start)
        done += count


def _minor_version(source: Bytes) -> int:
    magic, major, minor = HEADER.unpack(source.take(HEADER.size, "the header"))
    if magic != MAGIC:
        raise source.error(f"{magic!r} where {MAGIC!r} begins a file of version 3", offset=0)
    if major != 3 or not OLDEST <= minor <= MINOR:
        raise source.error(
            f"version {major}.{minor} is not known: versions 3.{OLDEST} to 3.{MINOR} are read",
            offset=len(MAGIC),
        )
    return int(minor)


def _section(source: Bytes, head: bytes, start: int, minor: int) -> tuple[int, list[Array]]:
    """Return how many records a section has, and its arrays."""
    magic, count, _, *counts = SECTION.unpack(head)
    if magic != SECTION_MAGIC:
        raise source.error(f"{magic!r} where a section begins with {SECTION_MAGIC!r}", offset=start)
    if not 0 < count <= SECTION_RECORDS:
        raise source.error(
            f"a section of {count} records: there can be 1 to {SECTION_RECORDS}", offset=start + 16
        )
    arrays = []
    for place, (array, elements) in enumerate(zip(ARRAYS, counts, strict=True)):
        if not 0 <= elements <= count * MOST_ELEMENTS:
            raise source.error(
                f"{elements} elements of {array.name} in a section of {count} records",
                offset=start + 32 + 4 * place,
            )
        bits = array.bits if minor >= WIDE_CPUS else array.old_bits
        data = source.take(stored_bytes(elements, bits), f"the array {array.name}")
        arrays.append(unpack(data, elements, bits))
    return count, arrays
