"""From events to s-expression records, in the current spelling.

The kinds of the format come first; what they have no field for follows as keyed extension
fields, and what no kind means is an `event` record with the model's word for it.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from inst.formats.sexp.record import quote
from inst.formats.sexp.table import SIZES, TLBI_BY_ADDRESS
from inst.trace.event_text import Texts
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.registry import codec_of
from inst.trace.writing import Job, Losses, Output, Writer

_ADDRESS, _VALUE, _PC, _WORD = (
    int(flag) for flag in (Flag.HAS_ADDRESS, Flag.HAS_VALUE, Flag.HAS_PC, Flag.HAS_WORD)
)
_STATED = int(Flag.STATED)
_SAID = np.uint16(~Flag.STATED & 0xFFFF)
"""The flags that a record may have: every record states its id."""
WORD = re.compile(r"[a-z_][a-z0-9_]*")

# kind: name, the word's key ("" for a bare word, None for no word), address key, size, value
_SHAPES: dict[int, tuple[str, str | None, str, bool, bool]] = {
    Kind.INIT: ("mem-init", None, "address", True, False),
    Kind.FREE: ("mem-free", None, "address", True, False),
    Kind.SET: ("mem-set", None, "address", True, True),
    Kind.TLBI: ("tlbi", "", "", False, False),
    Kind.SYSREG: ("sysreg-write", "sysreg", "", False, True),
    Kind.HINT: ("hint", "kind", "location", False, True),
    Kind.LOCK: ("lock", None, "address", False, False),
    Kind.TRYLOCK: ("trylock", None, "address", False, False),
    Kind.UNLOCK: ("unlock", None, "address", False, False),
    Kind.PRODUCER: ("producer", None, "", False, False),
}


class What(NamedTuple):
    """What an event is about, as columns."""

    kind: int
    words: str
    flags: int
    address: int
    size: int
    value: int


class Said(NamedTuple):
    """A record's kind and fields, and what a reader takes from them."""

    name: str
    fields: str
    flags: int
    """The flags that the fields imply."""
    rest: str
    """The event's word where the fields do not imply it."""


class SexpWriter(Writer):
    """Writes events, one record a line."""

    def __init__(self, trace: Trace, output: Output, losses: Losses | None = None) -> None:
        self._trace = trace
        self._output = output
        self._losses = losses or Losses()
        self._renumber = not codec_of(trace).states_ids
        self._next = 0
        self._changed_ids = 0
        """Ids that go back and that no s-expression stated: others were written."""
        self._strings = 0
        self._paths: dict[int, str] = {}
        self._images = 0
        self._arch_said = False
        self._was_sexp: bool | None = None
        """The trace was s-expressions once: events mean what the producer recorded."""
        self._waiting: deque[str] = deque()
        """Fields of producer records whose events may still come."""

    def events(self, events: Array) -> None:
        """Write a batch of events, and before it what became known of the trace."""
        facts = self._trace.facts
        if self._was_sexp is None and len(events):
            self._was_sexp = bool(events["flags"][0] & _STATED)
        lines = list(self._facts()) if self._renumber else []
        self._images = len(facts.images)
        ids: Iterable[int] = events["id"].tolist()
        if self._renumber:
            ids = self._numbers(events)
        lines += self.lines(events, ids)
        self._output.write("\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))

    def lines(self, events: Array, ids: Iterable[int]) -> list[str]:
        """Return the records of events, with the ids given."""
        known, lines = self._trace.facts.images, list[str]()
        if len(known) > len(self._paths):
            self._paths = {image.base: image.path for image in known}
        texts, sites = self._trace.words.texts, self._trace.sites.texts
        names = ("kind", "detail", "flags", "address", "size", "value", "thread", "pc", "word",
                 "value_high", "site", "cpu")  # fmt: skip
        columns = (
            (events[name] & _SAID if name == "flags" else events[name]).tolist() for name in names
        )
        for number, (kind, detail, flags, address, size, value, thread, pc, *rest) in zip(
            ids, zip(*columns, strict=True), strict=True
        ):
            said = self._say(What(kind, texts[detail], flags, address, size, value))
            word, high, site, cpu = rest
            extensions = source = ""
            if site:
                source = f" (src {quote(sites[site])})"
                extensions = f" (pc 0x{pc:x})" if flags & _PC else ""
            elif flags & _PC:
                source = f" (src 0x{pc:x})"
            if flags & _WORD:
                extensions += f" (word 0x{word:08x})"
            if high:
                extensions += f" (high 0x{high:x})"
            if cpu:
                extensions += f" (cpu {cpu})"
            if said.rest:
                extensions += f" (detail {quote(said.rest)})"
            if flags != said.flags | flags & (_PC | _WORD):
                extensions += f" (flags 0x{flags:x})"
            lines.append(
                f"({said.name} (id {number}) (tid {thread}){said.fields}{extensions}{source})"
            )
        return lines

    def finish(self) -> None:
        """Write what the producer recorded last."""
        self._was_sexp = False
        lines = list(self._facts()) if self._renumber else []
        if lines:
            self._output.write("\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))
        self._losses.add("ids that go back", self._changed_ids)

    def _numbers(self, events: Array) -> list[int]:
        """Count the events; where one states an id, go on from there.

        It may go back only if an s-expression stated it: others are places in another file.
        """
        # After the largest number follows 0, as in the file that was read.
        numbers: Array = np.arange(len(events), dtype="u8")
        numbers += np.uint64(self._next % (1 << 64))
        # A record that has no id has its place for one.
        stated = events["flags"] & _STATED != 0
        for row in np.flatnonzero(stated | (events["id"] != events["record"])).tolist():
            stated_id, counted = int(events["id"][row]), int(numbers[row])
            if stated[row] or (stated_id > counted and stated_id + len(events) < 1 << 64):
                numbers[row:] += np.uint64((stated_id - counted) % (1 << 64))
            else:
                self._changed_ids += stated_id < counted
        self._next = int(numbers[-1]) + 1 if len(numbers) else self._next
        counted_on: list[int] = numbers.tolist()
        return counted_on

    def _facts(self) -> Iterator[str]:
        """Yield producer and image records for what was read since the last batch.

        Where events are to come for them, with an id and a thread, their fields wait.
        """
        facts = self._trace.facts
        named = {f"image={image.path} base=0x{image.base:x}" for image in facts.images}
        for text in facts.strings[self._strings :]:
            if text in named or text.startswith("image="):
                continue
            name, equals, value = text.partition("=")
            pair = f"(name {quote(name)}) (value {quote(value)})"
            if not equals:
                pair = f"(name {quote('note')}) (value {quote(text)})"
            self._waiting.append(pair)
        said = self._arch_said or any(text.startswith("arch=") for text in facts.strings)
        if facts.arch and not said:
            self._waiting.append(f'(name "arch") (value {quote(facts.arch)})')
        while self._waiting and not self._was_sexp:
            yield f"(producer (id {self._count()}) (tid 0) {self._waiting.popleft()})"
        self._arch_said = said or bool(facts.arch)
        self._strings = len(facts.strings)
        for image in facts.images[self._images :] if not self._was_sexp else ():
            fields = f"(base 0x{image.base:x}) (path {quote(image.path)})"
            yield f"(image (id {self._count()}) (tid 0) {fields})"
        self._images = len(facts.images)

    def _count(self) -> int:
        self._next += 1
        return self._next - 1

    def _say(self, what: What) -> Said:
        """Return the record for what happened: of a kind that expresses it all, or an `event`."""
        if what.kind in (Kind.READ, Kind.WRITE):
            said = _access(what)
        elif what.kind == Kind.RESERVE:
            fields = f" (address 0x{what.address:x}) (size {what.size})"
            said = Said("mem-reserve", fields, _ADDRESS, what.words)
            said = said if not what.flags & _VALUE else None
        elif what.kind == Kind.IMAGE:
            said = self._image(what)
        elif what.kind == Kind.PRODUCER and self._waiting:
            said = Said("producer", f" {self._waiting.popleft()}", _VALUE, what.words)
        elif what.kind == Kind.BARRIER:
            said = _barrier(what)
        else:
            said = _shaped(what)
        return said or _event(what)

    def _image(self, what: What) -> Said | None:
        path = self._paths.get(what.address)
        if path is None or what.size or what.flags & (_ADDRESS | _VALUE) != _ADDRESS:
            return None
        fields = f" (base 0x{what.address:x}) (path {quote(path)})"
        return Said("image", fields, _ADDRESS, what.words)


def _access(what: What) -> Said | None:
    if what.size not in SIZES:  # a range that a function of a library touched
        return None
    valued = what.flags & _VALUE
    fields, rest = "", what.words
    if what.kind == Kind.WRITE:
        if not valued:
            return None
        order = rest if rest in ("plain", "release") else "plain"
        fields, rest = f" (mem-order {order})", "" if rest == order else rest
    fields += f" (address 0x{what.address:x})"
    fields += f" (value 0x{what.value:x})" if valued else ""
    fields += f" (size {what.size})" if what.size != 8 else ""
    name = "mem-read" if what.kind == Kind.READ else "mem-write"
    return Said(name, fields, _ADDRESS | valued, rest)


def _barrier(what: What) -> Said | None:
    barrier, _, kind = what.words.partition(" ")
    if barrier not in ("isb", "dsb") or what.size or what.flags & (_ADDRESS | _VALUE):
        return None
    if what.words != f"{barrier} {kind}".rstrip() or (kind and not WORD.fullmatch(kind)):
        return None
    fields = f" {barrier} (kind {kind})" if kind else f" {barrier}"
    return Said("barrier", fields, 0, "")


def _shaped(what: What) -> Said | None:
    """Return a record of a kind with fixed fields; None if they are not what is to be written."""
    shape = _SHAPES.get(what.kind)
    if shape is None:
        return None
    name, key, place, sized, valued = shape
    if what.kind == Kind.TLBI:
        valued = what.words in TLBI_BY_ADDRESS
    implied = _ADDRESS * (place != "") | _VALUE * valued
    if what.flags & (_ADDRESS | _VALUE) != implied or (what.size and not sized):
        return None
    if key is not None and not WORD.fullmatch(what.words):
        return None
    fields = "" if key is None else f" ({key} {what.words})" if key else f" {what.words}"
    fields += f" ({place} 0x{what.address:x})" if place else ""
    fields += f" (size 0x{what.size:x})" if sized else ""
    fields += f" (value 0x{what.value:x})" if valued else ""
    return Said(name, fields, implied, what.words if key is None else "")


def _event(what: What) -> Said:
    """Return the record that can express anything, column by column."""
    kinds = Kind._value2member_map_
    fields = f" {Kind(what.kind).name.lower() if what.kind in kinds else 'other'}"
    fields += f" (address 0x{what.address:x})" if what.flags & _ADDRESS else ""
    fields += f" (size {what.size})" if what.size else ""
    fields += f" (value 0x{what.value:x})" if what.flags & _VALUE else ""
    return Said("event", fields, what.flags & (_ADDRESS | _VALUE), what.words)


def writer(job: Job) -> SexpWriter:
    """Return the writer of a conversion."""
    return SexpWriter(job.trace, job.output, job.losses)


def event_texts(trace: Trace) -> Texts:
    """Return what `inst convert` would write, with the ids that the events have."""
    records = SexpWriter(trace, io.BytesIO())
    return lambda _decode, events: records.lines(events, events["id"].tolist())
