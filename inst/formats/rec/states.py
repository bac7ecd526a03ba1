"""States of an execution: what the instructions from a place on need to be executed alone.

A state has the registers of each thread, the bytes of memory that it loads later and did not store
before, and where its records go on. It is taken between two instructions.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from inst.formats.rec.signals import Handlers
from inst.formats.rec.window import Begins
from inst.trace.model import Array


class Hooked(NamedTuple):
    """A hook that code has called at an access, and what it has recorded so far."""

    site: int = 0
    """Where its glue returns to; 0: none has been called."""
    pc: int = 0
    """The instruction of its records; 0: there are none yet."""
    address: int = 0
    """The first address of these."""


@dataclass(slots=True)
class Left:
    """Where control has left the code: by a call of other code, or by a signal."""

    link: int
    """Where the call returns to; 0: a signal."""
    stack: int
    state: bytes = b""
    """The registers; empty if the signal has interrupted other code."""
    writes: tuple[int, ...] = ()
    """The memory that is written when the call has returned: where each range of `size` begins."""
    size: int = 0
    begins: bool = False
    """The signal's handler has not begun."""
    hooked: Hooked = field(default_factory=Hooked)
    """Of a signal in glue: the hook that it interrupted."""
    in_glue: bool = False
    """The glue had just been called."""
    place: int | None = None
    """Of a signal: the instruction that it interrupted."""
    to_system: bool = False
    """It is a system call, which changes no more than what is recorded."""


@dataclass(frozen=True, slots=True)
class Control:
    """Where a thread's control is, besides its registers."""

    executed: int
    """How many instructions have been."""
    left: tuple[Left, ...]
    """Calls and signals that have not returned, the last one last."""
    is_outside: bool
    """Other code than what is executed has control."""
    hooked: Hooked
    called_glue: int
    """What had been executed when code called an entry of glue last."""
    cursor: int
    """Where the thread's next record goes."""
    resumed: tuple[int, int | None]
    """What had been executed when the last handler returned, and where its signal came."""
    left_out: int
    """How many loads come next whose values were left out."""
    ended: bool
    contexts: tuple[tuple[Left, ...], ...] = ()
    """As `left`, of the contexts that do not run."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a thread's stream can go on: the beginning of a window of its blocks."""

    begins: Begins = ((0, 0), (0, 0))
    part: int = 0
    """The part of its events that is read next."""
    last_place: int = 0
    """Of the event before that."""
    yielded: int = -1
    """The place up to which all was yielded."""
    is_within: bool = False
    """Some events of the part were."""
    handlers: Handlers = (-1, ())


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a thread's records."""

    mark: Mark
    pieces: int
    """How many come before it from there on."""


@dataclass(slots=True)
class ThreadState:
    """The state of a thread, as `Reexecution.resumed` needs it."""

    number: int
    is_current: bool
    """It executes the next instruction of all."""
    order: int
    """Of the records that it gives."""
    at: int
    """What it waits for in the order of all threads."""
    place: Place
    """Of the first records of which something is left."""
    pieces: int
    """How many pieces were taken from there on."""
    values: int
    """How many of their values, and of their others, are used."""
    others: int
    has_gap: bool
    registers: bytes
    control: Control
    routines: list[int]
    """Where routines begin that were added to the code."""
    addresses: bytes = b""
    """The bytes of memory that are loaded before they are stored, up to the next state; u8."""
    contents: bytes = b""
    own: tuple[int, int] = (0, 0)
    """First and end of the memory that belongs to the code that records, if it has any yet."""

    def memory(self) -> tuple[Array, Array]:
        """Return addresses and bytes."""
        return np.frombuffer(self.addresses, "<u8"), np.frombuffer(self.contents, "u1")

    def set_memory(self, addresses: Array, contents: Array) -> None:
        """Set them; addresses ascend."""
        self.addresses, self.contents = addresses.astype("<u8").tobytes(), contents.tobytes()

    def add_memory(self, addresses: Array, contents: Array, own: tuple[int, int]) -> None:
        """Add bytes that are loaded later; of an address that is there, the byte there counts.

        A thread that has no memory of the code that records is given that when it loads it first.
        """
        if not self.control.cursor:
            others = (addresses < own[0]) | (addresses >= own[1])
            addresses, contents = addresses[others], contents[others]
        columns = zip(self.memory(), (addresses.astype("<u8"), contents), strict=True)
        addresses, contents = (np.concatenate(each) for each in columns)
        addresses, rows = np.unique(addresses, return_index=True)
        self.set_memory(addresses, contents[rows])


@dataclass(slots=True)
class State:
    """The state of all threads."""

    executed: int
    """Instructions before it."""
    records: int
    """Records of the trace before it."""
    registers: dict[str, int] = field(default_factory=dict)
    """Of the thread that executes the next instruction."""
    threads: list[ThreadState] = field(default_factory=list)
    """Those that have begun and go on; of the beginning none."""
    finished: list[int] = field(default_factory=list)
    """The numbers of those that have ended."""
    window: int = 0
    """The bytes of blocks that were in memory at a time: places depend on it; 0: as many as
    usual."""

    def packed(self) -> bytes:
        """Return it as bytes."""
        return json.dumps(dataclasses.asdict(self), default=_text).encode()

    @classmethod
    def unpacked(cls, data: bytes) -> State:
        """Return what `packed` has given."""
        found: dict[str, Any] = json.loads(data)
        found["threads"] = [_thread(one) for one in found["threads"]]
        return cls(**found)


def joined(addresses: Array, contents: Array) -> Iterator[tuple[int, bytes]]:
    """Yield memory that follows each other in one piece each."""
    if not len(addresses):
        return
    cuts = np.flatnonzero(np.diff(addresses) != 1) + 1
    for part, data in zip(np.split(addresses, cuts), np.split(contents, cuts), strict=True):
        yield int(part[0]), data.tobytes()


def add_memory(state: State, later: list[State]) -> None:
    """Let the threads of a state have what they load up to a later one, too."""
    for thread in state.threads:
        for one in later:
            for same in one.threads:
                if same.number == thread.number:
                    thread.add_memory(*same.memory(), same.own)


def _text(data: object) -> str:
    assert isinstance(data, bytes)
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


def _thread(found: dict[str, Any]) -> ThreadState:
    mark = found["place"]["mark"]
    key, handlers = mark["handlers"]
    mark["begins"] = tuple(tuple(each) for each in mark["begins"])
    mark["handlers"] = (
        key,
        tuple(
            (number, later and (later[0], _bytes(later[1]), _bytes(later[2])))
            for number, later in handlers
        ),
    )
    found["place"] = Place(Mark(**mark), found["place"]["pieces"])
    for name in ("registers", "addresses", "contents"):
        found[name] = _bytes(found[name])
    control = found["control"]
    control["left"] = tuple(map(_left, control["left"]))
    control["contexts"] = tuple(tuple(map(_left, one)) for one in control.get("contexts", ()))
    control["hooked"] = Hooked(*control["hooked"])
    control["resumed"] = tuple(control["resumed"])
    found["control"], found["own"] = Control(**control), tuple(found["own"])
    return ThreadState(**found)


def _left(found: dict[str, Any]) -> Left:
    found["state"] = _bytes(found["state"])
    found["writes"] = tuple(found["writes"])
    found["hooked"] = Hooked(*found["hooked"])
    return Left(**found)
