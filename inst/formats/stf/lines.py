"""The general reader of one STF record, line by line, with exact errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inst.arch.powerpc.words.accesses import is_prefixed
from inst.formats.stf.gap import WORD as GAP
from inst.formats.stf.record import OLDER, PAIR, STATUS
from inst.trace.text_damage import Mistake, Unfinished

REGISTER = re.compile(rb"[RF](?:[0-2]?\d|3[01])")
HEX = re.compile(rb"[0-9a-fA-F]+")
BLANK = re.compile(rb"[ \t\r]*")
STATUS_NAMES = frozenset(name.encode() for name in (*STATUS, *OLDER))

# How many digits a value may have; names that are not here may hold anything.
_ADDRESS = (8, 16)
WORD_DIGITS = 8
_DIGITS = dict.fromkeys((b"PCN", b"OPC", *STATUS_NAMES), _ADDRESS)


@dataclass(slots=True)
class Draft:
    """A record being put together."""

    kind: str = ""
    start: int = 0
    """Where its instruction (or first line) begins."""
    end: int = 0
    pc: int = 0
    word: int = 0
    mnemonic: str = ""
    digits: int = 8
    before: bytes = b""
    after: bytes = b""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: bytes
    pairs: dict[bytes, tuple[int, bytes]]
    """Name -> position and value."""

    @property
    def role(self) -> str:
        """Return what the line is: blank, header, instruction, registers, status, unknown.

        A gap's line, which may have status registers, is one of those that go along.
        """
        if not self.text.strip():
            return "blank"
        if self.text.lstrip().startswith(b"|"):
            return "header"
        if b"PCN" in self.pairs:
            return "instruction"
        if any(REGISTER.fullmatch(name) for name in self.pairs):
            return "registers"
        if GAP in self.pairs:
            return "unknown"
        return "status" if STATUS_NAMES & self.pairs.keys() else "unknown"


def read_record(buffer: bytes, position: int, *, final: bool, started: bool) -> Draft | None:
    """Return the record that begins at `position`; None when nothing but blanks is left.

    `started` means that there were instructions before: then registers need one to belong to.
    """
    draft = Draft()
    for start, end in _lines(buffer, position, final):
        try:
            line = _Line(start, end, buffer[start:end], _pairs(buffer[start:end], start))
            _check_digits(line)
        except Mistake:
            if draft.kind and not REGISTER.match(buffer, start):
                return draft  # the record before the damage is whole
            raise
        role = line.role
        if role == "blank":
            continue
        if _begins_next(draft, role):
            return draft
        _add(draft, line, role, started)
        draft.end = line.end
        if role == "header":
            return draft
    if not final:
        raise Unfinished
    if not draft.end:
        return None
    if not draft.kind:
        raise Mistake(draft.start, "the trace ends before the instruction of this status line")
    return draft


def _lines(buffer: bytes, position: int, final: bool) -> Iterator[tuple[int, int]]:
    while position < len(buffer):
        newline = buffer.find(b"\n", position)
        if newline < 0 and not final:
            raise Unfinished
        end = newline + 1 if newline >= 0 else len(buffer)
        yield position, end
        position = end


def _pairs(text: bytes, start: int) -> dict[bytes, tuple[int, bytes]]:
    """Return the line's NAME = VALUE pairs; refuse anything between them."""
    if text.lstrip().startswith(b"|"):
        return {}
    pairs: dict[bytes, tuple[int, bytes]] = {}
    at, end = 0, len(text.rstrip())
    while True:
        blank = BLANK.match(text, at)
        at = blank.end() if blank else at
        if at >= end:
            return pairs
        match = PAIR.match(text, at)
        if match is None:
            raise Mistake(start + at, "expected NAME = VALUE")
        name, value = match.groups()
        pairs.setdefault(name, (start + match.start(2), value))
        at = match.end()


def _check_digits(line: _Line) -> None:
    for name, (position, value) in line.pairs.items():
        allowed: tuple[int, ...] | None = _DIGITS.get(name)
        if allowed is None and REGISTER.fullmatch(name):
            allowed = _ADDRESS if name[:1] == b"R" else (16,)
        if allowed and (len(value) not in allowed or not HEX.fullmatch(value)):
            digits = " or ".join(map(str, allowed))
            shown = value[:40].decode("utf-8", "backslashreplace")
            message = f"expected {digits} hexadecimal digits for {name.decode()}, found '{shown}'"
            raise Mistake(position, message)


def _begins_next(draft: Draft, role: str) -> bool:
    """Return whether a line of that role ends the record before it."""
    if draft.kind == "instr":
        return role in ("instruction", "status", "header")
    return draft.kind == "state" and role not in ("registers", "unknown")


def _add(draft: Draft, line: _Line, role: str, started: bool) -> None:
    if not draft.end:
        draft.start = line.start
    if role == "header":
        if draft.end:
            raise Mistake(line.start, "a header line between a status line and its instruction")
        draft.kind, draft.before = "header", line.text.strip()
    elif role == "instruction":
        _take_instruction(draft, line)
    elif draft.kind:
        draft.after += line.text
    elif role == "registers":
        if draft.end or started:
            raise Mistake(line.start, "expected PCN = ... before the registers it changed")
        draft.kind, draft.after = "state", line.text
        draft.digits = max((len(v) for n, (_, v) in line.pairs.items() if n[:1] == b"R"), default=8)
    else:
        draft.before += line.text


def _take_instruction(draft: Draft, line: _Line) -> None:
    if b"OPC" not in line.pairs:
        raise Mistake(line.end - 1, "expected OPC = ... after the address")
    draft.kind, draft.start = "instr", line.start
    draft.digits = len(line.pairs[b"PCN"][1])
    draft.pc = int(line.pairs[b"PCN"][1], 16)
    place, word = line.pairs[b"OPC"]
    draft.word = int(word, 16)
    if len(word) > WORD_DIGITS and not is_prefixed(draft.word):
        raise Mistake(place, "expected a word, or a prefix (04 to 07) and a word")
    draft.mnemonic = line.pairs.get(b"MNC", (0, b""))[1].decode("utf-8", "replace")
