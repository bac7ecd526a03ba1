"""Arrays of elements of any number of bits, as rstzip stores them, to numbers and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inst.trace.model import Array

WORD = 64


def stored_bytes(count: int, bits: int) -> int:
    """Return the bytes that so many elements take: whole words of 64 bits."""
    return (count * bits + WORD - 1) // WORD * 8


def unpack(data: bytes, count: int, bits: int) -> Array:
    """Return the elements as u64."""
    words = np.frombuffer(data, ">u8").astype("<u8")
    if bits == WORD:
        return words[:count]
    each = np.unpackbits(words.view("u1"), count=count * bits, bitorder="little")
    if bits == 1:
        return each.astype("u8")
    wide = np.zeros((count, WORD), "u1")
    wide[:, :bits] = each.reshape(count, bits)
    return np.packbits(wide, axis=1, bitorder="little").view("<u8").reshape(count)


def pack(values: Sequence[int] | Array, bits: int) -> bytes:
    """Return elements as they are stored; bits that do not fit are cut off."""
    numbers = np.asarray(values, "<u8")
    if bits != WORD:
        each = np.unpackbits(numbers.view("u1").reshape(-1, 8), axis=1, bitorder="little")
        flat = each[:, :bits].reshape(-1)
        room = stored_bytes(len(numbers), bits)
        octets = np.packbits(flat, bitorder="little").tobytes().ljust(room, b"\0")
        numbers = np.frombuffer(octets, "<u8")
    return numbers.astype(">u8").tobytes()
