"""What code has recorded inline as lines of text, among others: INST_DUMP and INST_DRAIN.

A line is `inst-flight 00`, bytes in hexadecimal, and their sum modulo 256 (`hooks/flight/dump.c`):
the head, or the number of a piece, the place of a word in it, and the words from there on. The last
line that has a word counts, and so does the last head. A place of -1 ends a full piece.
"""

from __future__ import annotations

import re

import numpy as np

from inst.errors import InstError
from inst.formats.flight.layout import HEAD, INCOMPLETE, PIECE, read_head

_LINE = re.compile(rb"inst-flight 00 ([0-9a-f]+) ([0-9a-f]{2})\r?$", re.MULTILINE)
_BEGIN = b"inst-flight "
_END = 0xFFFFFFFF
_MOST = 1 << 28
"""Bytes that one trace can have."""


def has_lines(data: bytes) -> bool:
    """Return whether a file has such lines."""
    return _LINE.search(data) is not None


def memory_of_lines(data: bytes, name: str) -> tuple[bytes, int]:
    """Return the memory, with room for all pieces, and how many lines are damaged.

    Raises InstError where the head is missing, or the pieces are too many.
    """
    head = b""
    pieces: dict[int, dict[int, int]] = {}
    good = 0
    for match in _LINE.finditer(data):
        content = bytes.fromhex(match[1].decode()) if len(match[1]) % 2 == 0 else b""
        if not content or len(content) % 4 or sum(content) & 0xFF != int(match[2], 16):
            continue
        good += 1
        if len(content) == HEAD.itemsize:
            head = content
            continue
        number, place, *words = np.frombuffer(content, ">u4").tolist()
        pieces.setdefault(number, {}).update(enumerate(words or [0], place))
    damaged = data.count(_BEGIN) - good
    if not head:
        raise InstError(f"{name}: no whole line has the head of the memory")
    size = read_head(head, name).piece
    if len(pieces) * size > _MOST:
        raise InstError(
            f"{name}: the lines have {len(pieces)} pieces of {size} bytes, and one trace can have "
            f"{_MOST} bytes",
            hint="read a part of the lines, such as the last million",
        )
    return _memory(head, pieces, size), damaged


def _memory(head: bytes, pieces: dict[int, dict[int, int]], size: int) -> bytes:
    """Return pieces in the order of their numbers, as if no other had taken their memory."""
    pieces = pieces or {1: {}}
    rows, contents = np.zeros(len(pieces), PIECE), []
    for row, number in enumerate(sorted(pieces)):
        words = np.zeros(size // 4, ">u4")
        found = {place: word for place, word in pieces[number].items() if place < len(words)}
        words[[*found]] = [*found.values()]
        is_whole = _END in pieces[number] or number == max(pieces)
        end = row * size + 4 * max(found, default=-1)
        rows[row] = (number, end & 0xFFFFFFFF | (0 if is_whole else INCOMPLETE))
        contents.append(words.tobytes())
    made = np.frombuffer(head, HEAD, 1).copy()
    made["pieces"], made["first"], made["paused"] = len(pieces), 0, 0
    made["cursor"] = rows["end"][-1]
    return made.tobytes() + rows.tobytes() + b"".join(contents)
