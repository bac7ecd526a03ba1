"""What PowerPC's integer instructions compute, for columns of words and of their operands.

Only instructions whose result follows from general registers and the word: no carry is read.
A value is 64 bits, modulo 2 to the 64; programs of 32 bits take the low half.
Source: Power ISA 3.0B, Book I, sections 3.3.9 to 3.3.14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inst.words.access import Array
from inst.words.model import signed

_LOW = np.uint64(0xFFFFFFFF)
FIELDS = {"t": 21, "a": 16, "z": 16, "b": 11}
"""Register fields of a word and how far they are shifted; "z" is "a" where 0 is no register."""


@dataclass(frozen=True, slots=True)
class Computation:
    """An instruction that computes a general register from others."""

    target: str
    """Field of the register that it writes."""
    sources: str
    """Fields of the registers that it reads, in the order of `compute`'s parameters."""
    compute: Callable[..., Array]
    """From words (i8) and the registers' values (u8, this machine's order) to results (u8)."""


def _signed_immediate(words: Array) -> Array:
    return signed(words & 0xFFFF, 16).astype("i8").view("u8")


def _immediate(words: Array) -> Array:
    return (words & 0xFFFF).astype("u8")


def _high(words: Array) -> Array:
    return _immediate(words) << np.uint64(16)


def _extended(values: Array, bits: int) -> Array:
    """Return the low bits as numbers with a sign."""
    shift = np.uint64(64 - bits)
    return np.asarray(((values << shift).view("i8") >> shift.astype("i8")).view("u8"))


def _rotated(values: Array, count: Array) -> Array:
    """Return the low word turned left, in both halves."""
    low, count = values & _LOW, count.astype("u8") & np.uint64(31)
    turned = (low << count | low >> np.uint64(32) - count) & _LOW
    return np.asarray(turned | turned << np.uint64(32))


def _mask(words: Array) -> Array:
    """Return the mask from bit MB to ME of the low word; one that wraps has the high word, too."""
    first, last = words >> 6 & 31, words >> 1 & 31
    begin = _LOW >> first.astype("u8")
    end = _LOW << (31 - last).astype("u8") & _LOW
    return np.where(first <= last, begin & end, begin | end | ~_LOW)


def _inserted(words: Array, source: Array, target: Array) -> Array:
    mask = _mask(words)
    return np.asarray(_rotated(source, words >> 11) & mask | target & ~mask)


def _shift_left(_: Array, value: Array, count: Array) -> Array:
    amount = count & np.uint64(63)
    return np.where(amount < 32, value << (amount & np.uint64(31)) & _LOW, np.uint64(0))


def _shift_right(_: Array, value: Array, count: Array) -> Array:
    amount = count & np.uint64(63)
    return np.where(amount < 32, (value & _LOW) >> (amount & np.uint64(31)), np.uint64(0))


def _shift_signed(value: Array, amount: Array) -> Array:
    amount = np.minimum(amount & np.uint64(63), np.uint64(31)).astype("i8")
    return np.asarray((_extended(value, 32).view("i8") >> amount).view("u8"))


def _leading_zeros(_: Array, value: Array) -> Array:
    low = (value & _LOW).astype("f8")  # exact: 32 bits fit
    return np.asarray(32 - np.frexp(low)[1], "u8")


def _product(_: Array, one: Array, two: Array) -> Array:
    return np.asarray(_extended(one, 32) * _extended(two, 32))


_PRIMARY = {
    7: Computation("t", "a", lambda w, a: a * _signed_immediate(w)),
    8: Computation("t", "a", lambda w, a: _signed_immediate(w) - a),
    12: Computation("t", "a", lambda w, a: a + _signed_immediate(w)),
    13: Computation("t", "a", lambda w, a: a + _signed_immediate(w)),
    14: Computation("t", "z", lambda w, a: a + _signed_immediate(w)),
    15: Computation("t", "z", lambda w, a: a + (_signed_immediate(w) << np.uint64(16))),
    20: Computation("a", "ta", _inserted),
    21: Computation("a", "t", lambda w, s: _rotated(s, w >> 11) & _mask(w)),
    23: Computation("a", "tb", lambda w, s, b: _rotated(s, b) & _mask(w)),
    24: Computation("a", "t", lambda w, s: s | _immediate(w)),
    25: Computation("a", "t", lambda w, s: s | _high(w)),
    26: Computation("a", "t", lambda w, s: s ^ _immediate(w)),
    27: Computation("a", "t", lambda w, s: s ^ _high(w)),
    28: Computation("a", "t", lambda w, s: s & _immediate(w)),
    29: Computation("a", "t", lambda w, s: s & _high(w)),
}
"""By primary opcode: mulli, subfic, addic, addic., addi, addis, rlwimi, rlwinm, rlwnm, ori, oris,
xori, xoris, andi., andis."""

_ARITHMETIC = {
    8: Computation("t", "ab", lambda w, a, b: b - a),
    10: Computation("t", "ab", lambda w, a, b: a + b),
    40: Computation("t", "ab", lambda w, a, b: b - a),
    104: Computation("t", "a", lambda w, a: np.uint64(0) - a),
    235: Computation("t", "ab", _product),
    266: Computation("t", "ab", lambda w, a, b: a + b),
}
"""By extended opcode under 31, without the bit of overflow: subfc, addc, subf, neg, mullw, add."""

_LOGICAL = {
    24: Computation("a", "tb", _shift_left),
    26: Computation("a", "t", _leading_zeros),
    28: Computation("a", "tb", lambda w, s, b: s & b),
    60: Computation("a", "tb", lambda w, s, b: s & ~b),
    124: Computation("a", "tb", lambda w, s, b: ~(s | b)),
    284: Computation("a", "tb", lambda w, s, b: ~(s ^ b)),
    316: Computation("a", "tb", lambda w, s, b: s ^ b),
    412: Computation("a", "tb", lambda w, s, b: s | ~b),
    444: Computation("a", "tb", lambda w, s, b: s | b),
    476: Computation("a", "tb", lambda w, s, b: ~(s & b)),
    536: Computation("a", "tb", _shift_right),
    792: Computation("a", "tb", lambda w, s, b: _shift_signed(s, b)),
    824: Computation("a", "t", lambda w, s: _shift_signed(s, (w >> 11 & 31).astype("u8"))),
    922: Computation("a", "t", lambda w, s: _extended(s, 16)),
    954: Computation("a", "t", lambda w, s: _extended(s, 8)),
}
"""By extended opcode under 31: slw, cntlzw, and, andc, nor, eqv, xor, orc, or, nand, srw, sraw,
srawi, extsh, extsb."""

_EXTENDED, _OVERFLOW = 31, 512
_BY_KEY = (
    {primary << 10: each for primary, each in _PRIMARY.items()}
    | {_EXTENDED << 10 | n | o: each for n, each in _ARITHMETIC.items() for o in (0, _OVERFLOW)}
    | {_EXTENDED << 10 | number: each for number, each in _LOGICAL.items()}
)


def computations(words: Array) -> list[tuple[Computation, Array]]:
    """Return what some words (i8) compute, with the rows that do, ascending."""
    primary = words >> 26
    keys = primary << 10 | np.where(primary == _EXTENDED, words >> 1 & 0x3FF, 0)
    distinct, places = np.unique(keys, return_inverse=True)
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(len(distinct) + 1)).tolist()
    return [
        (_BY_KEY[key], order[low:high])
        for key, low, high in zip(distinct.tolist(), bounds, bounds[1:], strict=False)
        if key in _BY_KEY
    ]


_MOVE_FROM, _MOVE_TO = 339, 467
_SPECIAL = {"lr": 0x100, "ctr": 0x120}
"""The field that names a special register in mfspr and mtspr, halves exchanged."""


def special_moves(words: Array) -> list[tuple[str, Array, Array]]:
    """Return for lr and ctr the rows that move it to a general register, and those that set it."""
    extended = np.where(words >> 26 == _EXTENDED, words >> 1 & 0x3FF, -1)
    field = words >> 11 & 0x3FF
    comes, goes = extended == _MOVE_FROM, extended == _MOVE_TO
    return [
        (name, np.flatnonzero(comes & (field == number)), np.flatnonzero(goes & (field == number)))
        for name, number in _SPECIAL.items()
    ]
