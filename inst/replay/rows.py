"""What the languages have in common in which instruction sets write their instructions' execution.

A line is `mnemonic opcode | statement`; a line that begins with `|` goes on with the statement. The
mnemonic may end in optional suffixes, each of which stands for a bit of the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from inst.replay.model import Row

_SUFFIX = re.compile(r"\[[^]]+\]")


@dataclass(frozen=True, slots=True)
class Suffix:
    """An optional part of a mnemonic: a row for the words with the bit set, and one for others."""

    constant: str
    """What statements call the bit."""
    bit: int
    text: str
    """What the mnemonic has where it is set."""
    mask_if_clear: int = 0
    """More bits that are 0 in words without it."""


def lines_of(table: str) -> list[str]:
    """Return the lines of a table, each with what goes on with its statement."""
    lines: list[str] = []
    for line in filter(None, map(str.strip, table.splitlines())):
        if line.startswith("|"):
            lines[-1] += " " + line[1:].strip()
        else:
            lines.append(line)
    return lines


def variants(row: Row, suffixes: Mapping[str, Suffix]) -> Iterator[Row]:
    """Yield the rows that a row stands for whose mnemonic has suffixes."""
    written = _SUFFIX.findall(row.name)
    plain = _SUFFIX.sub("", row.name)
    for chosen in product((0, 1), repeat=len(written)):
        mask, value, name = row.mask, row.value, plain
        constants = []
        for suffix, is_set in zip((suffixes[one] for one in written), chosen, strict=True):
            mask |= 1 << suffix.bit
            mask |= 0 if is_set else suffix.mask_if_clear & ~row.mask
            value |= is_set << suffix.bit
            name += suffix.text * is_set
            constants.append((suffix.constant, is_set))
        yield replace(row, name=name, mask=mask, value=value, constants=tuple(constants))
