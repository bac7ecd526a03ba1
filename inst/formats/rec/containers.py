"""The three kinds of files that hold the chunks of a recording; their first bytes name them.

A plain file is what a program writes by itself, a ring is emptied by another process or keeps only
the end, and a packed file has compressed chunks.
"""

from __future__ import annotations

from typing import BinaryIO

from inst.formats.rec import PACKED, RING
from inst.formats.rec.container import Container, Raw
from inst.formats.rec.packed import Packed
from inst.formats.rec.ring import Ring


def open_container(name: str, stream: BinaryIO) -> Container:
    """Return the chunks of a file, whatever holds them."""
    stream.seek(0)
    start = stream.read(len(RING))
    if start == RING:
        return Ring(name, stream)
    if start == PACKED:
        return Packed(name, stream)
    return Raw(name, stream)
