"""The general reader of one s-expression record, in any dialect, with exact errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from inst.formats.sexp.table import KIND_ALIASES, KINDS, WORDS, SexpField, SexpKind
from inst.trace.text_damage import Mistake, Unfinished

TOKEN = re.compile(rb'[ \t\r\n]*([()]|"(?:[^"\\]|\\.)*"|[^ \t\r\n()"\0]+)', re.DOTALL)
BLANK = re.compile(rb"[ \t\r\n]*")
NUMBER = re.compile(rb"(0[xX])?([0-9a-fA-F]+)")
DEPTH = 64
_DIGITS = 20
"""Digits of the largest number of 64 bits, in decimal."""

Value = int | str


class Item(NamedTuple):
    """An atom, a string or a list, and the byte position where it begins.

    (Named tuples are made several times faster than frozen dataclasses.)
    """

    position: int
    atom: bytes = b""
    string: str | None = None
    items: tuple[Item, ...] | None = None

    def describe(self) -> str:
        if self.items is not None:
            return f"a list ({self.items[0].describe()} ...)" if self.items else "()"
        return f'"{self.string}"' if self.string is not None else show(self.atom)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the general reader found in a record."""

    kind: str
    id: int
    thread: int
    fields: tuple[tuple[str, Value], ...]
    source: str | int | None


def show(atom: bytes) -> str:
    """Return an atom for a message, cut when it is long."""
    text = atom.decode("utf-8", "backslashreplace")
    return f"'{text[:40]}...'" if len(text) > 40 else f"'{text}'"


def unquote(data: bytes) -> str:
    """Return the value of a string in quotes: only the quote and the backslash are escaped."""
    text = re.sub(rb'\\(["\\])', rb"\1", data[1:-1])
    return text.decode("utf-8", "surrogateescape")


def read_list(buffer: bytes, position: int) -> tuple[Item, int]:
    """Return the list that begins at `position` and the position after it."""
    stack: list[tuple[int, list[Item]]] = []
    match_at = TOKEN.match
    while match := match_at(buffer, position):
        start, position = match.span(1)
        token = match[1]
        first = token[0]
        if first == 40:  # (
            stack.append((start, []))
            if len(stack) > DEPTH:
                raise Mistake(start, f"lists nested deeper than {DEPTH}")
        elif first == 41:  # )
            opened, items = stack.pop()
            item = Item(opened, b"", None, tuple(items))
            if not stack:
                return item, position
            stack[-1][1].append(item)
        elif first == 34:  # "
            stack[-1][1].append(Item(start, b"", unquote(token), None))
        elif position == len(buffer):
            break
        else:
            stack[-1][1].append(Item(start, token, None, None))
    _refuse_byte(buffer, position)
    raise Unfinished


def _refuse_byte(buffer: bytes, position: int) -> None:
    """Refuse a NUL that further data follows; anything else may be completed."""
    match = BLANK.match(buffer, position)
    start = match.end() if match else position
    if buffer[start : start + 1] == b"\0" and buffer[start:].strip(b"\0"):
        raise Mistake(start, "a NUL byte within a record")


def number(item: Item, base: int, what: str) -> int:
    """Return a number of at most 64 bits; `0x` always means hexadecimal."""
    match = NUMBER.fullmatch(item.atom)
    if match is None or (base == 10 and not match.group(1) and not item.atom.isdigit()):
        raise Mistake(item.position, f"expected {what}, a number, but found {item.describe()}")
    digits = match.group(2).lstrip(b"0")
    is_wide = len(digits) > _DIGITS
    value = 0 if is_wide else int(digits or b"0", 16 if match.group(1) else base)
    if is_wide or value >> 64:
        raise Mistake(item.position, f"{what} {show(item.atom)} is wider than 64 bits")
    return value


def interpret(record: Item) -> Parsed:
    """Return a record's fields, whichever of them are keyed."""
    items = record.items or ()
    if not items or not items[0].atom:
        raise Mistake(record.position, "expected a record kind such as mem-write after '('")
    name = items[0].atom.decode("latin-1").lower()
    name = KIND_ALIASES.get(name, name)
    kind = KINDS.get(name)
    return _Reader(record, name, kind).read(items[1:])


_LEADING = (SexpField("id", "int"), SexpField("tid", "int", "thread"))


class _Reader:
    """Fills the slots of one record in order."""

    def __init__(self, record: Item, name: str, kind: SexpKind | None) -> None:
        self.record = record
        self.name = name
        self.kind = kind
        self.slots = [*_LEADING, *(kind.fields if kind else ())]
        self.at = 0
        self.values: list[tuple[str, Value]] = []
        self.source: str | int | None = None

    def read(self, items: tuple[Item, ...]) -> Parsed:
        for place, item in enumerate(items, 1):
            if item.items is not None:
                self._keyed(item, item.items)
            elif item.string is not None:
                self._string(item, item.string)
            else:
                self._positional(item, last=place == len(items) and self.source is None)
        self._require_rest()
        (_, identity), (_, thread), *fields = self.values
        return Parsed(self.name, int(identity), int(thread), tuple(fields), self.source)

    def _keyed(self, item: Item, parts: tuple[Item, ...]) -> None:
        if not parts or not parts[0].atom:
            raise Mistake(item.position, "expected a key after '('")
        key = parts[0].atom.decode("latin-1").lower()
        if key == "src":
            self._src(item, parts)
            return
        index = self._slot_named(key)
        if index is None:
            self._extension(item, key, parts)
            return
        if len(parts) != 2:
            raise Mistake(item.position, f"({key} ...) holds {len(parts) - 1} values, not one")
        self.at = index + 1
        self._store(self.slots[index], parts[1], key)

    def _slot_named(self, key: str) -> int | None:
        """Find the key among the slots that may come next, skipping only what may be absent."""
        for index in range(self.at, len(self.slots)):
            slot = self.slots[index]
            if key in (slot.key, slot.older):
                return index
            if not slot.optional:
                return None
        return None

    def _extension(self, item: Item, key: str, parts: tuple[Item, ...]) -> None:
        if self._missing():
            raise Mistake(item.position, f"expected {self._expectation()} but found ({key} ...)")
        self.at = len(self.slots)
        extra = next((f for f in (self.kind.extra if self.kind else ()) if f.key == key), None)
        if extra and len(parts) == 2:
            self._store(extra, parts[1], key)
        else:
            self.values.append((key, " ".join(_plain(part) for part in parts[1:])))

    def _missing(self) -> bool:
        return any(not slot.optional for slot in self.slots[self.at :])

    def _src(self, item: Item, parts: tuple[Item, ...]) -> None:
        if len(parts) != 2 or parts[1].items is not None:
            raise Mistake(item.position, 'expected (src "FILE:LINE") or (src NUMBER)')
        value = parts[1]
        self.source = value.string if value.string is not None else number(value, 10, "src")

    def _string(self, item: Item, text: str) -> None:
        slot = self.slots[self.at] if self.at < len(self.slots) else None
        if slot and slot.type == "text":
            self.at += 1
            self.values.append((slot.key, text))
        elif self.source is None and self.at >= len(_LEADING):
            self.source = text
        else:
            raise Mistake(item.position, f"expected {self._expectation()} but found a string")

    def _positional(self, item: Item, last: bool) -> None:
        if self.at < len(self.slots):
            slot = self.slots[self.at]
            if not (slot.optional and self._is_source(slot, item, last)):
                self.at += 1
                self._store(slot, item, slot.key)
                return
        if self.source is not None:
            raise Mistake(item.position, f"{item.describe()} is one value too many")
        if self.kind is None and not NUMBER.fullmatch(item.atom):
            self.values.append(("", _plain(item)))
        else:
            self.source = number(item, 10, "src")

    def _is_source(self, slot: SexpField, item: Item, last: bool) -> bool:
        """Return whether the number means src, not for a field that may be left out.

        It does after `isb`, after a tlbi on everything, and where a level could stand
        but nothing follows: levels come from old traces, whose src follows them.
        """
        if self.name == "barrier":
            return NUMBER.fullmatch(item.atom) is not None
        if self.name != "tlbi" or self.kind is None:
            return False
        operation = dict(self.values).get("op")
        return operation not in self.kind.addressed or (slot.key == "level" and last)

    def _store(self, slot: SexpField, item: Item, key: str) -> None:
        if slot.type == "text":
            self.values.append((key, _plain(item)))
        elif slot.type != "word":
            what = f"{self.name} {key}"
            self.values.append((key, number(item, 16 if slot.type == "hex" else 10, what)))
        else:
            self.values.append((key, self._word(slot, item)))

    def _word(self, slot: SexpField, item: Item) -> str:
        word = item.atom.decode("latin-1").lower()
        allowed = WORDS.get(slot.key)
        if not word or word[0].isdigit() or (allowed and word not in allowed):
            wanted = " or ".join(sorted(allowed)) if allowed else "a word"
            raise Mistake(
                item.position,
                f"expected {wanted} as {slot.key} of {self.name} but found {item.describe()}",
            )
        return word

    def _require_rest(self) -> None:
        waiting = self.slots[self.at :]
        missing = [s for s in waiting if not s.optional]
        if missing:
            raise Mistake(
                self.record.position, f"{self.name} ends where {self._expectation()} should be"
            )

    def _expectation(self) -> str:
        if self.at >= len(self.slots):
            return "')'"
        slot = self.slots[self.at]
        return f"({slot.key} {slot.type.upper()})"


def _plain(item: Item) -> str:
    """Return an extension's value as text."""
    if item.items is not None:
        return "(" + " ".join(_plain(part) for part in item.items) + ")"
    return item.string if item.string is not None else item.atom.decode("utf-8", "replace")
