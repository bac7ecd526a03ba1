"""From the records of a ring to events.

Numbers of hooks say what a record is. What is missing is a `gap`, with the reason as its word and
the number of records as its value: `overwritten` before the oldest record, `torn` for records
that were not complete. A `gap` with the word `start` is a start of the program, whose number is
the value: the first has 1, a warm reset increments it.

The records of several processors come in the order of the places that records of kind ORDER state:
what a processor did after one of them comes after what others did before lower ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from inst.arch.registry import architecture
from inst.errors import InstError
from inst.formats.ring.layout import Ring
from inst.hooktable import ACCESS_HOOKS
from inst.hooktable import BY_NAME as HOOKS
from inst.target.targets import target_of_elf
from inst.trace.model import EVENT, Array, Flag, Kind, Trace, joined
from inst.words import decode
from inst.words.access import RESERVE_BIT

BATCH = 1 << 14
"""Records converted at a time."""
START, PAUSE, RESUME = 1, 2, 12
BARRIER, TLBI, SYSREG = 13, 14, 15
"""Numbers of records that no hook writes (inst/ring.h)."""
ORDER = 16
MARK = 0x80
_ACCESS = Flag.HAS_PC | Flag.HAS_ADDRESS | Flag.HAS_VALUE
_OTHERS = {
    "llhook": (Kind.RESERVE, Flag.HAS_PC | Flag.HAS_ADDRESS),
    "stblockhook": (Kind.WRITE, Flag.HAS_PC | Flag.HAS_ADDRESS),
    "lockhook": (Kind.LOCK, Flag.HAS_ADDRESS),
    "trylockhook": (Kind.TRYLOCK, Flag.HAS_ADDRESS),
    "unlockhook": (Kind.UNLOCK, Flag.HAS_ADDRESS),
    "meminithook": (Kind.INIT, Flag.HAS_ADDRESS),
    "memfreehook": (Kind.FREE, Flag.HAS_ADDRESS),
    "memsethook": (Kind.SET, Flag.HAS_ADDRESS | Flag.HAS_VALUE),
    "barrierhook": (Kind.BARRIER, Flag(0)),
    "hinthook": (Kind.HINT, Flag.HAS_ADDRESS | Flag.HAS_VALUE),
    "tlbihook": (Kind.TLBI, Flag(0)),
    "sysreghook": (Kind.SYSREG, Flag.HAS_VALUE),
}
"""Hook -> what its record is, and which columns it has."""
_INSTRUCTIONS = {
    BARRIER: (Kind.BARRIER, Flag.HAS_PC),
    TLBI: (Kind.TLBI, Flag.HAS_PC),
    SYSREG: (Kind.SYSREG, Flag.HAS_PC | Flag.HAS_VALUE),
}
"""The same for events that instructions are, not annotations."""
_SIZE_IN_LOW = ("llhook", "stblockhook", "meminithook", "memfreehook")
_WORD_AT_ADDRESS = ("barrierhook", "tlbihook", "sysreghook")


class Texts(Protocol):
    """The program of a ring, as far as it is known."""

    def text(self, address: int) -> str:
        """Return the string at an address of the program; "" where it is unknown."""
        ...

    def words(self, addresses: Array) -> tuple[Array, Array]:
        """Return the instruction words at addresses (u4), and which of them are known."""
        ...


def arch_of(machine: int) -> str:
    """Return the producer's word for the instruction set of an ELF machine."""
    target = target_of_elf(machine, "big")
    if target is None:
        raise InstError(f"the ring is of a program for the unknown ELF machine {machine}")
    return architecture(target.isa).producers[0]


def events_of(rings: list[Ring], trace: Trace, program: Texts) -> Iterator[Array]:
    """Yield the events of all rings, as far as it is known in their order, numbered through."""
    count = 0
    for batch in _ordered(rings, trace, program):
        batch["record"] = batch["id"] = np.arange(count, count + len(batch), dtype="u8")
        count += len(batch)
        yield batch


def _ordered(rings: list[Ring], trace: Trace, program: Texts) -> Iterator[Array]:
    """Yield events: of one processor after the other, where nothing states an order."""
    if len(rings) == 1:
        yield from _events_of(rings[0], trace, program)
        return
    every = [joined([*_events_of(ring, trace, program)]) for ring in rings]
    places = _renumbered(every)
    if not any(map(len, places)):
        yield from every
        return
    keys = [
        _keys(events, own, is_cut=ring.overwritten > 0)
        for ring, events, own in zip(rings, every, places, strict=True)
    ]
    events = joined(every)[np.argsort(np.concatenate(keys), kind="stable")]
    yield from (events[low : low + BATCH] for low in range(0, len(events), BATCH))


def _renumbered(every: list[Array]) -> list[Array]:
    """Let the places of all processors count from 1; return those of each (i8).

    They counted modulo 2^32, and are no further apart than half of that.
    """
    places = [events["value"][events["kind"] == Kind.ORDER].astype("i8") for events in every]
    known = np.concatenate(places)
    if not len(known):
        return places
    distances = [(own - known[0] + (1 << 31)) % (1 << 32) for own in places]
    least = min(int(own.min()) for own in distances if len(own))
    places = [own - least + 1 for own in distances]
    for events, own in zip(every, places, strict=True):
        events["value"][events["kind"] == Kind.ORDER] = own
    return places


def _keys(events: Array, places: Array, is_cut: bool) -> Array:
    """Return for each event of a processor the place that it comes after.

    What interrupts the processor between taking a place and recording it may record a later one
    before. Events before the first place come first; where older ones are lost, right before it.
    """
    if not len(places):
        return np.zeros(len(events), "i8")
    first = int(places[0]) - 1 if is_cut else 0
    after = np.concatenate([[first], np.maximum.accumulate(places)])
    keys: Array = after[np.cumsum(events["kind"] == Kind.ORDER)]
    return keys


def _events_of(ring: Ring, trace: Trace, program: Texts) -> Iterator[Array]:
    absent = ring.absent
    begin = int(np.argmin(absent)) if len(absent) and not absent.all() else len(absent)
    if ring.first + begin:
        yield _gap(ring, trace, "overwritten", ring.first + begin)
    edges = np.flatnonzero(np.diff(ring.whole) | np.diff(absent)) + 1
    starts = [begin, *(edge for edge in edges.tolist() if edge > begin)]
    ends = [*starts[1:], len(ring.slots)]
    for start, end in zip(starts, ends, strict=True):
        if start < end and not ring.whole[start]:
            yield _gap(ring, trace, "overwritten" if absent[start] else "torn", end - start)
            continue
        for low in range(start, end, BATCH):
            some = ring.slots[low : min(low + BATCH, end)]
            yield converted(ring.head.cpu, some, trace, program)


def _gap(ring: Ring, trace: Trace, word: str, count: int) -> Array:
    event = np.zeros(1, EVENT)
    event["kind"], event["flags"] = Kind.GAP, int(Flag.HAS_VALUE)
    event["value"], event["detail"] = count, trace.words.number(word)
    event["cpu"], event["thread"] = ring.head.cpu, ring.head.cpu + 1
    return event


def converted(cpu: int, slots: Array, trace: Trace, program: Texts) -> Array:
    """Return whole records of a processor (`SLOT`) as events."""
    events = np.zeros(len(slots), EVENT)
    numbers = slots["done"] >> 24
    marked = numbers & MARK != 0
    numbers = numbers & (MARK - 1)
    events["cpu"], events["thread"] = cpu, cpu + 1
    events["pc"], events["address"] = slots["pc"], slots["address"]
    events["value"] = slots["high"].astype("u8") << np.uint64(32) | slots["low"]
    _take_accesses(events, numbers, marked)
    for name, (kind, flags) in _OTHERS.items():
        rows = np.flatnonzero(numbers == HOOKS[name].id)
        if len(rows):
            events["kind"][rows], events["flags"][rows] = kind, int(flags)
            _take_other(name, events, slots, rows, trace, program)
    for number, (kind, flags) in _INSTRUCTIONS.items():
        rows = np.flatnonzero(numbers == number)
        events["kind"][rows], events["flags"][rows] = kind, int(flags)
        _name(events, "detail", rows, slots["address"][rows], trace, program)
    rows = np.flatnonzero(numbers == ORDER)
    events["kind"][rows] = Kind.ORDER
    events["flags"][rows] = int(Flag.HAS_VALUE)
    placed = rows[events["address"][rows] != 0]
    events["flags"][placed] |= int(Flag.HAS_ADDRESS)
    _name(events, "detail", rows, slots["pc"][rows], trace, program)
    with_operand = marked & np.isin(numbers, (HOOKS["tlbihook"].id, TLBI))
    events["flags"][with_operand] |= int(Flag.HAS_VALUE)
    _take_gaps(events, numbers, trace, program)
    _take_words(events, program, trace.facts.arch)
    for flag, column in ((Flag.HAS_PC, "pc"), (Flag.HAS_ADDRESS, "address")):
        events[column][events["flags"] & int(flag) == 0] = 0
    events["value"][events["flags"] & int(Flag.HAS_VALUE) == 0] = 0
    return events


def _take_accesses(events: Array, numbers: Array, marked: Array) -> None:
    for hook in ACCESS_HOOKS:
        rows = numbers == hook.id
        events["kind"][rows] = Kind.WRITE if hook.event.startswith("st") else Kind.READ
        events["size"][rows] = hook.size
        events["flags"][rows] = int(_ACCESS if hook.size <= 8 else _ACCESS & ~Flag.HAS_VALUE)
        events["flags"][rows & marked] |= int(Flag.ATOMIC)


def _take_other(
    name: str, events: Array, slots: Array, rows: Array, trace: Trace, program: Texts
) -> None:
    """Fill what is particular to a hook: its size, its word, its source."""
    if name in _SIZE_IN_LOW:
        events["size"][rows] = slots["low"][rows]
    if name == "memsethook":
        events["size"][rows], events["value"][rows] = slots["high"][rows], slots["low"][rows]
    if name == "hinthook":
        events["value"][rows] = slots["low"][rows]
        _name(events, "detail", rows, slots["high"][rows], trace, program)
    if name in _WORD_AT_ADDRESS:
        _name(events, "detail", rows, slots["address"][rows], trace, program)
    if not _OTHERS[name][1] & Flag.HAS_PC:
        _name(events, "site", rows, slots["pc"][rows], trace, program)


def _name(
    events: Array, column: str, rows: Array, places: Array, trace: Trace, program: Texts
) -> None:
    """Put the numbers of the texts at some places of the program into a column."""
    vocabulary = trace.words if column == "detail" else trace.sites
    for row, place in zip(rows.tolist(), places.tolist(), strict=True):
        events[column][row] = vocabulary.number(program.text(place))


def _take_gaps(events: Array, numbers: Array, trace: Trace, program: Texts) -> None:
    for number, word in ((START, "start"), (PAUSE, "pause"), (RESUME, "resume")):
        rows = np.flatnonzero(numbers == number)
        events["kind"][rows] = Kind.GAP
        events["flags"][rows] = int(Flag.HAS_VALUE) if number == START else 0
        events["detail"][rows] = trace.words.number(word)
        if number != START:
            _name(events, "site", rows, events["pc"][rows], trace, program)


def _take_words(events: Array, program: Texts, arch: str) -> None:
    """Take the instructions; a store that uses a reservation is half of an atomic access."""
    rows = np.flatnonzero(events["flags"] & int(Flag.HAS_PC))
    words, known = program.words(events["pc"][rows])
    events["word"][rows[known]] = words[known]
    events["flags"][rows[known]] |= int(Flag.HAS_WORD)
    what, _ = decode.lookup(events["word"], arch)
    conditional = (what & RESERVE_BIT != 0) & (events["kind"] == Kind.WRITE)
    events["flags"][conditional] |= int(Flag.ATOMIC)
