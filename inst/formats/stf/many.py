"""The lines of registers of many instructions at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from inst.formats.stf.record import STATUS, status_line
from inst.trace.model import Array

_PAIRS = np.frombuffer(b"".join(b"%02x" % n for n in range(256)), "u2")
_DECIMAL = np.frombuffer(b"".join(b"%02d" % n for n in range(100)), "u2")
_EQUALS = np.frombuffer(b" = ", "u1")
_BLANK, _LINE_END = b" \n"
_DIGITS_AT = len("R00 = ")


def hexadecimal(values: Array, digits: int) -> Array:
    """Return numbers (u8) as rows of so many lower-case digits (u1); `digits` is even."""
    pieces = values.astype(">u8").view("u1").reshape(-1, 8)[:, 8 - digits // 2 :]
    return np.asarray(_PAIRS[pieces].view("u1"))


def status_lines(values: Array, digits: int) -> list[bytes]:
    """Return the line of each row of status registers (u8, a column for each of `STATUS`)."""
    line = status_line(dict.fromkeys(STATUS, 0), digits)
    texts = np.tile(np.frombuffer(line, "u1"), (len(values), 1))
    numbers = hexadecimal(values.ravel(), digits).reshape(len(values), len(STATUS), digits)
    for column, name in enumerate(STATUS):
        at = line.index(f"{name} = ".encode()) + len(f"{name} = ")
        texts[:, at : at + digits] = numbers[:, column]
    whole, width = texts.tobytes(), len(line)
    return [whole[at : at + width] for at in range(0, len(whole), width)]


def register_lines_of(
    count: int, places: Array, bank: str, numbers: Array, values: Array, digits: int
) -> list[bytes]:
    """Return for each of `count` instructions the line of its registers; empty where it has none.

    `places` are those of the instructions, ascending, of each register; `numbers` are less than 32.
    """
    texts = np.empty((len(places), _DIGITS_AT + digits + 1), "u1")
    texts[:, 0] = ord(bank)
    texts[:, 1:3] = _DECIMAL[numbers].view("u1").reshape(-1, 2)
    texts[:, 3:_DIGITS_AT] = _EQUALS
    texts[:, _DIGITS_AT:-1] = hexadecimal(values, digits)
    texts[:, -1] = _LINE_END
    texts[:-1, -1][places[1:] == places[:-1]] = _BLANK
    whole = texts.tobytes()
    cuts = np.searchsorted(places, np.arange(count + 1)) * texts.shape[1]
    return [whole[start:end] for start, end in pairwise(cuts.tolist())]
