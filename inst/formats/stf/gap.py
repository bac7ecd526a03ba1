"""Gaps in STF, our extension: what is written where instructions were removed from a trace.

After the last instruction before a gap follows `GAP = count`, and then the registers that the
missing instructions changed. What the instruction itself needs of the one that followed it
is on the GAP line: `NXT`, the address (was the branch taken?), and that one's status registers
(was the conditional store done?). Before the first instruction the registers come first.
`BANKS` states once which registers the whole trace records: R, F, RF or none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from inst.formats.stf.record import OLDER, PAIR, STATUS

WORD = b"GAP"
BEGIN = re.compile(rb"^[ \t]*GAP\b", re.MULTILINE)
LINE = re.compile(
    rb"GAP = [0-9a-f]++(?: (?:NXT|XER|MSR|CTR|LNK|CCR|MQ|FPSCR) = (?:[0-9a-f]{16}|[0-9a-f]{8}))*"
    rb"(?: BANKS = (?:RF|R|F|none))?\n"
)
DTYPE = np.dtype([("row", "i8"), ("next", "u8"), ("follows", "?"), ("condition", "?")])
"""Of an instruction before a gap: what followed it, whether anything did, and whether the
follower stated the condition register."""

Stated = dict[bytes, bytes]
"""Registers by name, values as text."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The fields of a GAP line."""

    following: int | None
    """Address of the instruction that followed."""
    condition: bool
    """The condition register is on the line."""
    banks: str | None
    """Which registers the trace records, where the line states them."""


def gap_in(text: bytes) -> Gap | None:
    """Return the first GAP line in some lines."""
    begin = BEGIN.search(text) if WORD in text else None
    if begin is None:
        return None
    end = text.find(b"\n", begin.end())
    fields = dict(PAIR.findall(text, begin.start(), end if end >= 0 else len(text)))
    return Gap(_address(fields.get(b"NXT", b"")), b"CCR" in fields, banks_in(text))


def banks_in(text: bytes) -> str | None:
    """Return which registers the trace records, as some lines state."""
    if b"BANKS" not in text:
        return None
    fields = next((value for name, value in PAIR.findall(text) if name == b"BANKS"), None)
    return fields.decode("latin-1") if fields else None


def _address(text: bytes) -> int | None:
    try:
        return int(text, 16)
    except ValueError:
        return None


def gap_line(
    count: int, following: bytes = b"", status: Stated | None = None, banks: str = ""
) -> bytes:
    """Return a GAP line; `following` is the next instruction's address as text."""
    parts = [b"GAP = %x" % count]
    if following:
        parts.append(b"NXT = " + following)
    stated = status or {}
    parts += [b"%s = %s" % (name, stated[name]) for name in STATUS_NAMES if name in stated]
    if banks:
        parts.append(b"BANKS = " + banks.encode())
    return b" ".join(parts) + b"\n"


STATUS_NAMES = tuple(name.encode() for name in STATUS)
_REGISTER = re.compile(rb"([RF])(\d\d?)")


def stated_in(text: bytes, stated: Stated) -> None:
    """Add the registers that lines state, the last value of each."""
    for name, value in PAIR.findall(text):
        stated[name] = value


def register_text(stated: Stated) -> bytes:
    """Return an R line and an F line of the registers stated."""
    lines = []
    for bank in (b"R", b"F"):
        found = {}
        for name, value in stated.items():
            match = _REGISTER.fullmatch(name)
            if match and match[1] == bank and int(match[2]) < 32:
                found[int(match[2])] = value.lower()
        if found:
            pairs = (b"%s%02d = %s" % (bank, number, found[number]) for number in sorted(found))
            lines.append(b" ".join(pairs) + b"\n")
    return b"".join(lines)


def status_stated(stated: Stated) -> Stated:
    """Return the status registers among those stated, by their present names."""
    older = {old.encode(): new.encode() for old, new in OLDER.items()}
    named = {older.get(name, name): value.lower() for name, value in stated.items()}
    return {name: named[name] for name in STATUS_NAMES if name in named}


def status_text(stated: Stated) -> bytes:
    """Return a status line of the registers stated; nothing for none."""
    return b" ".join(b"%s = %s" % pair for pair in stated.items()) + b"\n" if stated else b""
