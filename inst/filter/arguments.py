"""The arguments of filters: ranges, counts, fractions, words; text in, value out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inst.common import usage
from inst.trace.model import Array

LIMIT = (1 << 64) - 1


class Problem(Exception):
    """An argument that cannot be read; `offset` is the place in its text."""

    def __init__(self, message: str, hint: str = "", offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.offset = offset


def nearest(word: str, known: list[str]) -> str:
    """Return a hint naming the nearest right word, or all of them when they are few."""
    close = usage.nearest(word, known, 0.5)
    if close:
        return f"did you mean {close!r}?"
    return f"known are {', '.join(known)}" if len(known) <= 30 else ""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Closed ranges of 64-bit numbers."""

    pairs: tuple[tuple[int, int], ...]

    def holds(self, values: Array) -> Array:
        """Return for a column of u64 which of them are in a range."""
        result = np.zeros(len(values), bool)
        for first, last in self.pairs:
            if first == last:
                result |= values == np.uint64(first)
            else:
                result |= (values >= np.uint64(first)) & (values <= np.uint64(last))
        return result

    def has(self, value: int) -> bool:
        return any(first <= value <= last for first, last in self.pairs)


def items(text: str) -> list[tuple[int, str]]:
    """Return the items of a comma list, without quotes and blanks, with their offsets."""
    return [
        (match.start(), match[0].replace('"', ""))
        for match in re.finditer(r'(?:"[^"]*"|[^\s,"])+', text)
    ]


def _ranges(text: str, base: int) -> Ranges:
    pairs = []
    for offset, item in items(text):
        match = re.fullmatch(r"(\w*)(?:(-|\+)(\w*))?", item)
        if match is None or not item.strip("-+"):
            raise Problem(f"{item!r} is not a number or a range", _RANGE_HINT, offset)
        first = _number(match[1], base, offset) if match[1] else 0
        last = first
        if match[2] == "-":
            last = _number(match[3], base, offset) if match[3] else LIMIT
        elif match[2]:
            last = first + _number(match[3], base, offset) - 1
        if last < first:
            raise Problem(f"the range {item} ends before it begins", "", offset)
        pairs.append((first, min(last, LIMIT)))
    return Ranges(tuple(pairs))


_RANGE_HINT = "write 7, 3-9, 3- (from 3 on), -9 (up to 9) or START+LENGTH, with commas between"


def _number(text: str, base: int, offset: int = 0) -> int:
    try:
        value = int(text, 16 if base == 16 else 0 if text[:2].lower() == "0x" else 10)
    except ValueError:
        what = "a hexadecimal number" if base == 16 else "a number"
        raise Problem(f"{text!r} is not {what}", "", offset) from None
    if not 0 <= value <= LIMIT:
        raise Problem(f"{text} does not fit into 64 bits", "", offset)
    return value


def numbers(text: str) -> Ranges:
    """Read `3,5-9`: decimal, or hexadecimal with 0x."""
    return _ranges(text, 10)


def addresses(text: str) -> Ranges:
    """Read `1000-1fff,0x4000`: hexadecimal, with or without 0x."""
    return _ranges(text, 16)


def address(text: str) -> int:
    """Read one hexadecimal number."""
    return _number(text, 16)


def number(text: str) -> int:
    """Read one number: decimal, or hexadecimal with 0x."""
    return _number(text, 10)


def positive(text: str) -> int:
    """Read a number of at least 1."""
    value = number(text)
    if value == 0:
        raise Problem("0 is too small: at least 1 is needed")
    return value


@dataclass(frozen=True, slots=True)
class Count:
    """How many, and of what: events (""), instructions ("i") or records ("r")."""

    number: int
    unit: str = ""


def count(text: str) -> Count:
    """Read `100`, `100i` or `100r`."""
    match = re.fullmatch(r"([0-9]+)([ir]?)", text)
    if match is None:
        raise Problem(
            f"{text!r} is not a count",
            "write 100 events, 100i instructions or 100r records without the words",
        )
    return Count(number(match[1]), match[2])


def fraction(text: str) -> tuple[int, int]:
    """Read `1/100`: take so many out of so many."""
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if match is None:
        raise Problem(f"{text!r} is not a fraction", "write 1/100 to take one in a hundred")
    part, whole = int(match[1]), int(match[2])
    if not 0 < part <= whole <= 1 << 40:
        raise Problem(f"{text} is not between 0 and 1")
    return part, whole


def words(known: list[str]) -> Callable[[str], tuple[str, ...]]:
    """Return a reader of comma lists of the words known, or record types as `rtype=N`."""

    def read(text: str) -> tuple[str, ...]:
        found = []
        for offset, item in items(text):
            word = item.lower()
            if word not in known and not re.fullmatch(r"rtype=[0-9]{1,3}", word):
                raise Problem(
                    f"{item!r} is not one of the words known here", nearest(word, known), offset
                )
            found.append(word)
        return tuple(found)

    return read


def choice(*known: str) -> Callable[[str], str]:
    """Return a reader of one of the words."""

    def read(text: str) -> str:
        if text not in known:
            raise Problem(f"{text!r} is not {' or '.join(known)}", nearest(text, list(known)))
        return text

    return read


def patterns(text: str) -> tuple[str, ...]:
    """Read a comma list of words in which * and ? stand for others."""
    return tuple(item for _, item in items(text))


def text(value: str) -> str:
    """Read any text; quotes are taken off."""
    return value.replace('"', "")


@dataclass(frozen=True, slots=True)
class SourceLines:
    """A source file, by the end of its path, and the lines wanted in it."""

    file: str
    lines: Ranges | None


def sources(value: str) -> tuple[SourceLines, ...]:
    """Read `a.c,dir/b.c:10-20`."""
    found = []
    for offset, item in items(value):
        file, colon, lines = item.rpartition(":")
        if not colon:
            file, lines = item, ""
        if not file:
            raise Problem(
                f"{item!r} names no file", "write FILE or FILE:LINE or FILE:FIRST-LAST", offset
            )
        found.append(SourceLines(file, numbers(lines) if colon else None))
    return tuple(found)


def version(value: str) -> int:
    """Read `2.13` as major * 1000 + minor."""
    match = re.fullmatch(r"([0-9]{1,3})\.([0-9]{1,3})", value)
    if match is None or not 1000 <= (result := int(match[1]) * 1000 + int(match[2])) <= 2013:
        raise Problem(f"{value!r} is not a version of RST", "versions are 1.0 to 2.13")
    return result
