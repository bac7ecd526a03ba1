"""Numbers of variable length: DWARF 5, section 7.6, "Variable Length Data"."""

from __future__ import annotations


def uleb128(data: bytes, position: int) -> tuple[int, int]:
    """Return an unsigned number and where it ends; what ends too early has zeros after it."""
    value = shift = 0
    while position < len(data):
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    return value, position


def sleb128(data: bytes, position: int) -> tuple[int, int]:
    """Return a signed number and where it ends."""
    value, end = uleb128(data, position)
    bits = 7 * (end - position)
    return (value - (1 << bits) if bits and value >> (bits - 1) else value), end
