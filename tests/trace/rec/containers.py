"""The chunks of a recording in other containers: packed, and in rings as a program leaves them.

The layouts are written down again, after the format's page.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Collection

from inst.formats.rec.packing import Packer

FREE, WRITTEN, FULL, KEPT = range(4)
TABLE, ROW = 8192, 16


def chunks_of(data: bytes) -> dict[int, bytes]:
    """Return the chunks of a plain recording by number."""
    (size,) = struct.unpack_from(">I", data, 12)
    return {at // size: data[at : at + size] for at in range(0, len(data), size)}


def packed(data: bytes, first: int = 0) -> bytes:
    """Return a recording packed; of its first chunk so many bytes were there at the start."""
    chunks, file = chunks_of(data), io.BytesIO()
    packer = Packer(file, chunks[0][: first or len(chunks[0])])
    for number in sorted(chunks, key=lambda number: -number % 7):  # not in order
        if number:
            packer.add(number, chunks[number])
    packer.finish(chunks[0])
    return file.getvalue()


def ring(
    data: bytes,
    *,
    mode: bytes = b"f",
    spare: int = 2,
    lost: Collection[int] = (),
    complete_from: int = 0,
    output: bytes = b"",
    pid: int = 0,
    finished: int = 1,
) -> bytes:
    """Return the ring that a program with these chunks leaves, some of which were overwritten."""
    order = ">" if data[10:11] == b"b" else "<"
    size, chunks = len(chunks_of(data)[0]), chunks_of(data)
    kept = [number for number in chunks if number not in lost]
    slots = kept[::-1] + [-1] * spare
    numbers = len(slots), pid, len(chunks), finished, 0, len(lost)
    control = bytearray(b"INST-RNG" + data[8:11] + mode + data[12:16])
    control += struct.pack(order + "6I", *numbers)
    control = control.ljust(64, b"\0") + struct.pack(order + "QQ", 0, complete_from)
    control = control.ljust(128, b"\0") + output
    control = control.ljust(TABLE, b"\0")
    for number in slots:
        state = FREE if number < 0 else KEPT if number == 0 else FULL
        control += struct.pack(order + "IIQ", state, max(number, 0), 0)
    room = max(size, 8192 + ROW * len(slots))
    parts = [bytes(control).ljust(room, b"\0")[:size]]
    parts += [chunks[number] if number >= 0 else bytes(size) for number in slots]
    return b"".join(parts)
