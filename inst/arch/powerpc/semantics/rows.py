"""The language in which the instructions of PowerPC are written.

A line is `mnemonic opcode | statement`; a line that begins with `|` goes on with the statement.

The opcode is in the language of `inst.arch.powerpc.words.patterns`; after it `64` in parentheses marks
what only 64-bit programs have. Statements find the first word of two as `prefix`, and the fields of the
second one as of others.

The mnemonic's optional suffixes `[o] [.] [l] [a]` stand for bits of the word that may be set. Each
combination is a row of its own, in which the statement finds the bits as the constants OE, RC,
LK and AA. Bits that the opcode does not name belong to operands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.arch.powerpc.words.patterns import pattern
from inst.replay.model import Row
from inst.replay.rows import Suffix, lines_of, variants

_SUFFIXES = {
    "[o]": Suffix("OE", 10, "o"),
    "[.]": Suffix("RC", 0, "."),
    "[l]": Suffix("LK", 0, "l"),
    "[a]": Suffix("AA", 1, "a"),
}
_LINE = re.compile(r"(?P<name>\S+)\s+(?P<opcode>[^|(]+?)\s*(?P<wide>\(64\))?\s*\|\s*(?P<text>.*)")


def rows_of(table: str, is_apart: bool = False) -> Iterator[Row]:
    """Yield the rows of a table; `is_apart` is that of each row."""
    for line in lines_of(table):
        found = _LINE.fullmatch(line)
        assert found, line
        mask, value = pattern(found["opcode"])
        bits = 64 if found["wide"] else 32
        apart = is_apart or bool(mask >> 32)
        row = Row(found["name"], mask, value, found["text"], bits=bits, is_apart=apart)
        yield from variants(row, _SUFFIXES)
