"""RST traces compressed by rstzip: version 3 is read and written, version 2 is read.

What is compressed are the records themselves, so that such a trace is an RST trace in all other
respects: `unpacked` turns its bytes into those of records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inst.formats.rst.rstzip.source import Bytes

VERSIONS = (b"RZ1", b"RZ2", b"RZ3")


def is_compressed(start: bytes) -> bool:
    """Return whether bytes begin an rstzip file."""
    return start[:3] in VERSIONS


def unpacked(name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of RST records, whether they are compressed or not.

    Raises TraceError, after everything before it was yielded, where a file is damaged, cut short or
    of a version that is not known; its offset counts the compressed bytes (those within gzip).
    """
    source = iter(chunks)
    start = b""
    for chunk in source:
        start += chunk
        if len(start) >= 3:
            break
    if not is_compressed(start):
        yield from chain([start] if start else [], source)
        return
    from inst.formats.rst.rstzip.source import Bytes

    yield from _records(Bytes(name, chain([start], source)), start[:3])


def _records(source: Bytes, version: bytes) -> Iterator[bytes]:
    if version == b"RZ3":
        from inst.formats.rst.rstzip.version3 import records

        yield from records(source)
    elif version == b"RZ2":
        from inst.formats.rst.rstzip.version2 import records

        yield from records(source)
    else:
        raise source.error(
            "version 1 of the compressed form has never been described",
            hint="decompress it with the rstzip that wrote it; versions 2 and 3 are read",
        )
