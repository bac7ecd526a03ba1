"""The event model that every trace format is read into.

A trace has two faces. **Records** are what the file holds, format by format, nothing lost:
a codec that reads a record can write it back byte for byte. **Events** are what happened,
the same for every format: rows of the numpy dtype `EVENT`, delivered in batches of bounded
size, or `Event` objects one at a time. A check or a statistic reads events; a viewer, a copy
or a well-formedness check reads records.
"""

from __future__ import annotations

import abc
import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from inst.errors import InstError, Location
from inst.shown import shown
from inst.trace.resume import Mark, tapped

Array = npt.NDArray[Any]
Batch = TypeVar("Batch")


class Kind(enum.IntEnum):
    """What an event is about (`EVENT["kind"]`)."""

    OTHER = 0  # a record without a meaning here; it survives in the records
    READ = 1
    WRITE = 2
    INSTRUCTION = 3  # an instruction that touched no memory, was annulled or trapped
    TRAP = 4  # address: trap type, value: system call
    INIT = 5  # memory came into being
    FREE = 6
    SET = 7  # every byte of the region became value
    BARRIER = 8
    TLBI = 9
    SYSREG = 10
    HINT = 11
    LOCK = 12
    TRYLOCK = 13
    UNLOCK = 14
    RESERVE = 15  # a load that makes a reservation; its value is not recorded
    IMAGE = 16  # a program or shared object was loaded; address: its base
    PRODUCER = 17  # who wrote the trace
    GAP = 18  # records are missing here on purpose
    ORDER = 19  # value: the place of the thread's next event among those of all threads
    FRAME = 20  # a function took stack memory: from address on, value bytes
    ENTER = 21  # pc: the function that is entered, value: its return address, address: the stack
    LEAVE = 22  # value: the function that is left, at pc; address: the stack when it was entered


def among(*kinds: Kind) -> Array:
    """Return a table that has for each number an event's kind may be whether it is one of these.

    Looking a column up takes a fraction of numpy's isin.
    """
    table = np.zeros(1 << 16, bool)
    table[list(kinds)] = True
    return table


EVENT_NAMES = [
    {"READ": "load", "WRITE": "store"}.get(kind.name, kind.name.lower()) for kind in Kind
]
"""What viewers call each kind."""
KIND_NAMES = [kind.name.lower() for kind in Kind]
"""What tables of events and conversions call each kind."""


class Flag(enum.IntFlag):
    """Which columns hold something, and what else is known (`EVENT["flags"]`)."""

    HAS_PC = 1
    HAS_ADDRESS = 2
    HAS_VALUE = 4
    HAS_WORD = 8
    ATOMIC = 16  # half of a read-modify-write, or a conditional store
    PRIVILEGED = 32
    TAKEN = 64  # the branch was taken
    ANNULLED = 128
    TRAPPED = 256  # the instruction trapped: its access did not happen
    STATED = 512  # RST: the id is one that s-expressions state, not the record's ordinal


EVENT = np.dtype(
    [
        ("record", "u8"),  # ordinal of the record in the file, from 0
        ("id", "u8"),  # sequence id, or the record ordinal where the format has none
        ("thread", "u8"),  # thread id; the cpu where no thread is named
        ("pc", "u8"),  # run-time address of the instruction
        ("address", "u8"),  # effective address, or start of the region
        ("size", "u8"),  # bytes accessed; 0 when unknown
        ("value", "u8"),  # low 64 bits of what was read or written
        ("value_high", "u8"),  # bits 64 to 127 of a 16-byte access
        ("word", "u4"),  # instruction word
        ("site", "u4"),  # index into Trace.sites ("file:line"); 0 is none
        ("kind", "u2"),  # Kind
        ("flags", "u2"),  # Flag bits
        ("detail", "u2"),  # index into Trace.words: memory order, barrier, register, hint
        ("cpu", "u2"),  # cpu number; 0 where the format has none
    ]
)


def joined(parts: list[Array]) -> Array:
    """Return a copy of rows of one structured dtype, one part after the other.

    They are copied as bytes: numpy copies and joins structured rows field by field, which takes
    twenty times as long.
    """
    kind = parts[0].dtype
    return np.concatenate([part.view(f"V{kind.itemsize}") for part in parts]).view(kind)


@dataclass(frozen=True, slots=True)
class Event:
    """One event as an object; None means that the record does not state it."""

    record: int
    kind: Kind
    id: int
    thread: int
    cpu: int
    pc: int | None
    address: int | None
    size: int
    value: int | None
    word: int | None
    detail: str
    site: str
    flags: Flag


@dataclass(frozen=True, slots=True)
class Image:
    """A program or shared object the trace names, and where it was loaded."""

    path: str
    base: int


WHOLE_FROM = "whole-from"
"""What a producer states of a trace that lacks accesses of some threads: the place in the order of
all threads from which on it lacks none."""
FACT_LIMIT, FACT_CHARACTERS = 10_000, 1 << 22
"""What is remembered of the producer's statements: strings or images, and their length in all."""
NOTE_LIMIT = 100
"""Sentences of one trace that are stored."""


@dataclass(slots=True)
class Facts:
    """What the leading records of a trace state about it; filled while reading."""

    version: str = ""
    arch: str = ""
    """The producer's word for the instruction set, such as "ppc" or "sparc-v8"."""
    images: list[Image] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    """Everything else the producer stated, in order."""

    lacks_code: bool = False
    """Whether instructions are those of some of the program's code only, by the header: other code
    ran between them without being in the trace."""
    is_filtered: bool = False
    """Whether instructions were taken out of the trace afterwards, as a record so far states."""
    characters: int = 0
    """Length of the strings and paths."""

    def add_string(self, text: str) -> None:
        """Remember the producer's statement, unless there are too many."""
        if text.startswith("ending="):  # of a fixed width, so that it can be changed
            text = text.rstrip()
        if len(self.strings) < FACT_LIMIT and self._has_room(text):
            self.strings.append(text)

    def add_image(self, image: Image) -> None:
        """Remember an image, unless there are too many."""
        if len(self.images) < FACT_LIMIT and self._has_room(image.path):
            self.images.append(image)

    def _has_room(self, text: str) -> bool:
        if self.characters + len(text) > FACT_CHARACTERS:
            return False
        self.characters += len(text)
        return True

    @property
    def producer(self) -> dict[str, str]:
        """Return what was stated as NAME=VALUE by name; ours are translator, runtime, hooks,
        hooks-version, compiler, host, date, uninstrumented, command, arch and image."""
        pairs = (text.partition("=") for text in self.strings)
        named = {name.strip(): value for name, _, value in pairs if value and name.strip()}
        for image in self.images[:1]:
            named.setdefault("image", f"{image.path} base={image.base:#x}")
        return named


class TraceError(InstError):
    """Damage in a trace: where it is; what is before it was delivered."""

    def __init__(
        self,
        message: str,
        name: str,
        *,
        offset: int | None = None,
        line: int = 0,
        column: int = 0,
        source: str = "",
        hint: str = "",
    ) -> None:
        self.offset = offset
        text = shown(message if offset is None else f"{message}, at byte offset {offset}")
        super().__init__(text, location=Location(name, line, column), source=source, hint=hint)


class Vocabulary:
    """Strings numbered in the order they are first seen; number 0 is the empty string."""

    def __init__(self, limit: int, characters: int) -> None:
        self.texts: list[str] = [""]
        self.limit = limit
        self.refused = 0
        """How often a text had to be given number 0, since there were too many before it."""
        self._numbers: dict[str, int] = {"": 0}
        self._room = characters
        self._beginning: dict[str, list[int]] = {}
        self._looked_at: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the text's number, giving it the next one; 0 once the limit is reached."""
        known = self._numbers.get(text)
        if known is not None:
            return known
        if len(self.texts) >= self.limit or len(text) > self._room:
            self.refused += 1
            return 0
        self._room -= len(text)
        self._numbers[text] = len(self.texts)
        self.texts.append(text)
        return len(self.texts) - 1

    def beginning(self, start: str) -> list[int]:
        """Return the numbers of the texts so far that begin so; each text is looked at once."""
        found = self._beginning.setdefault(start, [])
        seen = self._looked_at.get(start, 0)
        found += [n for n, text in enumerate(self.texts[seen:], seen) if text.startswith(start)]
        self._looked_at[start] = len(self.texts)
        return found


class Trace(abc.ABC):
    """A trace being read, once, front to back, through one of its iterators.

    Damage raises `TraceError` after everything before it was yielded. `facts`, `notes`,
    `words` and `sites` fill up as reading goes on.
    """

    format = ""
    """The format's name."""
    events_resume = True
    """Whether events after a mark are what they are in the whole trace, but for strings and
    threads: those of STF have addresses from all register values before."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.facts = Facts()
        self.notes: list[str] = []
        """Sentences about the trace that are not errors: where it was cut, ..."""
        self.incomplete = False
        """Whether something is known to be missing, or nothing confirms that all is there."""
        self.words = Vocabulary(1 << 16, 1 << 22)
        """What EVENT["detail"] counts."""
        self.sites = Vocabulary(1 << 17, 1 << 23)
        """What EVENT["site"] counts."""
        self.on_close: Callable[[], object] = bool
        self._chunks: Iterator[bytes] = iter(())
        self._observers: list[Callable[[Any], object]] = []
        self._more_notes = 0

    @property
    def called(self) -> int:
        """Return how many accesses were recorded by calls of hooks where others were inline."""
        return 0

    def note(self, text: str) -> None:
        """Keep a sentence about the trace; of very many, how many there are more."""
        text = shown(text)
        if len(self.notes) < NOTE_LIMIT:
            self.notes.append(text)
            return
        self._more_notes += 1
        self.notes[NOTE_LIMIT:] = [f"... and {self._more_notes} more"]

    def lacks(self, text: str) -> None:
        """Keep a sentence about what is missing in the trace."""
        self.incomplete = True
        self.note(text)

    def observe(self, observer: Callable[[Any], object]) -> None:
        """Call the observer with each batch, after it is read and before its events are made."""
        self._observers.append(observer)

    def _observed(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yield the batches, each after every observer has seen it."""
        for batch in batches:
            for observer in self._observers:
                observer(batch)
            yield batch

    def close(self) -> None:
        """Let go of the file before its end has been read."""
        self.on_close()

    def tap(self, size: int, take: Callable[[bytes], object]) -> None:
        """Have the records' bytes read in pieces of at most `size`, and `take` called with each.

        It is called between two pieces, when the records that were whole have been delivered.
        """
        self._chunks = tapped(self._chunks, size, take)

    def mark(self) -> Mark | None:
        """Return where reading is, between two pieces; None in what cannot be read on from."""
        return None

    def resume(self, mark: Mark, chunks: Iterable[bytes]) -> None:
        """Read on from a mark of another reader of this format: `chunks` begin there.

        Only for a trace of which nothing has been read.
        """
        self._chunks = iter(chunks)
        self.facts.arch = mark.arch

    @abc.abstractmethod
    def batches(self) -> Iterator[Any]:
        """Yield the format's own batches of records."""

    @abc.abstractmethod
    def records(self) -> Iterator[Any]:
        """Yield the format's own records, one object each."""

    @abc.abstractmethod
    def events(self) -> Iterator[Array]:
        """Yield arrays of dtype EVENT."""

    def longer_at(self, pcs: Array) -> Array:
        """Return the instructions of two words at addresses of events, the first word above the
        second; 0 where the trace has none. Events have no room for them."""
        return np.zeros(len(pcs), "u8")

    def objects(self) -> Iterator[Event]:
        """Yield every event as an object: comfortable and slow."""
        for batch in self.events():
            for row in batch:
                yield self.event(row)

    def event(self, row: Any) -> Event:
        """Return one row of an EVENT array as an object."""
        flags = Flag(int(row["flags"]))
        value = int(row["value"]) | int(row["value_high"]) << 64
        return Event(
            record=int(row["record"]),
            kind=Kind(int(row["kind"])),
            id=int(row["id"]),
            thread=int(row["thread"]),
            cpu=int(row["cpu"]),
            pc=pc_of(row),
            address=int(row["address"]) if flags & Flag.HAS_ADDRESS else None,
            size=int(row["size"]),
            value=value if flags & Flag.HAS_VALUE else None,
            word=int(row["word"]) if flags & Flag.HAS_WORD else None,
            detail=self.words.texts[int(row["detail"])],
            site=self.sites.texts[int(row["site"])],
            flags=flags,
        )


def pc_of(row: Any) -> int | None:
    """Return the address of the instruction of one row of an EVENT array, if that has it."""
    return int(row["pc"]) if int(row["flags"]) & Flag.HAS_PC else None
