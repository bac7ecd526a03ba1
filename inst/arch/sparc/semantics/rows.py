"""The language in which the instructions of SPARC are written.

A line is `mnemonic opcode | statement`; a line that begins with `|` goes on with the statement.

The opcode is the field op, then op2 (op 0) or op3 (op 2 and 3) in hexadecimal, joined by a dot,
then further fields by their names or their bits, such as `cond=8` or `10:5=0`. Bits that neither
the opcode nor the mnemonic's suffixes name belong to operands. A word is of the first row that has
it.

The mnemonic's optional suffixes stand for rows of their own, in which the statement finds a
constant: `[cc]` (op3 with bit 4 set: CC), `[a]` (the bit that annuls: ANNULS), and `[i]` (the
second operand is a number: IMMEDIATE; where it is a register, the bits between are 0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.replay.model import Row
from inst.replay.rows import Suffix, lines_of, variants

_FIELDS = {
    "a": (29, 29),
    "rd": (29, 25),
    "cond": (28, 25),
    "bcc": (21, 20),
    "cc2": (18, 18),
    "rs1": (18, 14),
    "i": (13, 13),
    "opf": (13, 5),
    "asi": (12, 5),
    "x": (12, 12),
    "cc": (12, 11),
}
"""Fields of words: their highest and lowest bits."""
_BETWEEN = 0xFF << 5
"""The bits between the registers of a word of format 3 whose second operand is one."""
_SUFFIXES = {
    "[cc]": Suffix("CC", 23, "cc"),
    "[a]": Suffix("ANNULS", 29, ",a"),
    "[i]": Suffix("IMMEDIATE", 13, ".i", mask_if_clear=_BETWEEN),
}
_LINE = re.compile(r"(?P<name>\S+)\s+(?P<opcode>[^|]+?)\s*\|\s*(?P<text>.*)")


def rows_of(table: str) -> Iterator[Row]:
    """Yield the rows of a table."""
    for line in lines_of(table):
        found = _LINE.fullmatch(line)
        assert found, line
        row = Row(found["name"], *pattern(found["opcode"]), found["text"])
        yield from variants(row, _SUFFIXES)


def pattern(opcode: str) -> tuple[int, int]:
    """Return mask and value of the words with an opcode."""
    first, *rest = opcode.split()
    op, _, extended = first.partition(".")
    mask, value = 3 << 30, int(op) << 30
    if extended:
        bits, low = (7, 22) if op == "0" else (0x3F, 19)
        mask, value = mask | bits << low, value | int(extended, 16) << low
    for word in rest:
        name, _, number = word.partition("=")
        high, low = map(int, name.split(":")) if ":" in name else _FIELDS[name]
        bits = (2 << high - low) - 1
        mask, value = mask | bits << low, value | int(number, 0) << low
    return mask, value
