"""What explains the blocks: the table of segments in the program's file, and its instructions."""

from __future__ import annotations

import struct

from inst.errors import InstError
from inst.formats.rec.container import Layout
from inst.formats.rec.layout import TABLES
from inst.formats.rec.table_reader import read_tables
from inst.formats.rec.tables import Tables
from inst.hooktable import SEGMENT_SECTION
from inst.program.firmware import Firmware
from inst.trace.model import TraceError

_ENTRY = struct.Struct(">16sQQ")


class _Source:
    """A program's parts as the tables of a recording (docs/formats/rec.md)."""

    def __init__(self, program: Firmware) -> None:
        segments = program.section(SEGMENT_SECTION)
        if not segments:
            raise InstError(
                f"{program.path} does not say what its code records: it has no section "
                f"{SEGMENT_SECTION}",
                hint="name the file as it was linked, and do not strip it",
            )
        self.name = str(program.path)
        entries = [(b"image", program.image_start, b""), (b"segments", 0, segments)]
        entries += [(b"code", start, data) for start, data in program.contents]
        body = b"".join(
            _ENTRY.pack(name, address, len(data)) + data.ljust(-(-len(data) // 8) * 8, b"\0")
            for name, address, data in entries
        )
        self.data = TABLES + struct.pack(">Q", len(body)) + body

    @property
    def layout(self) -> Layout:
        """Return big-endian words of 32 bits."""
        return Layout(4, len(self.data), little=False)

    def read(self, chunk: int, offset: int, size: int) -> bytes:
        """Return bytes from a place on; less at the end."""
        return self.data[offset : offset + size]

    def room(self, chunk: int) -> int:
        """Return how many bytes there are."""
        return len(self.data)

    def damage(self, message: str, chunk: int, offset: int = 0) -> TraceError:
        """Return the error for a part that is damaged."""
        return TraceError(message, self.name, offset=offset)


def tables_of(program: Firmware, arch: str) -> Tables:
    """Return the tables of a program; raise an InstError where it has none, or damaged ones."""
    return read_tables(_Source(program), 0, arch, program.image_start)
