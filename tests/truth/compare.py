"""Compare streams of rows, and replay values against what memory must have held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from truth.emulator import Array

_CHANGE_NO_MEMORY = (4, 121, 146, 20, 143, 207)
"""System calls that change no memory: write, writev (SPARC, PowerPC), getpid, gettid (SPARC,
PowerPC), the last two of which the run-time library makes when a thread begins."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two streams part, in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """What replaying values has found."""

    checked: int
    """Bytes compared."""
    saved: int
    """Those of them that were others, where the processor may have saved register windows."""
    differences: list[Difference]


def compare_rows(
    names: tuple[str, str], left: Iterable[Array], right: Iterable[Array], columns: tuple[str, ...]
) -> tuple[int, list[Difference]]:
    """Compare two streams of batches; return how many rows agree, and where they part."""
    agreed = 0
    for one, other in _lockstep(left, right):
        same = np.ones(min(len(one), len(other)), bool)
        for column in columns:
            same &= one[column][: len(same)] == other[column][: len(same)]
        bad = np.flatnonzero(~same)
        if len(bad):
            at = int(bad[0])
            return agreed + at, [_parting(names, one, other, at, agreed + at)]
        agreed += len(same)
        if len(one) != len(other):
            longer = names[0] if len(one) > len(other) else names[1]
            rest = one[len(same) :] if len(one) > len(other) else other[len(same) :]
            text = f"after {agreed} rows {longer} goes on: {_show(rest[0])}"
            return agreed, [Difference(text)]
    return agreed, []


def _lockstep(left: Iterable[Array], right: Iterable[Array]) -> Iterator[tuple[Array, Array]]:
    """Yield batches of equal length; the last pair may differ in length."""
    sides = [iter(left), iter(right)]
    held = [_more(side, None) for side in sides]
    while held[0] is not None and held[1] is not None:
        length = min(len(held[0]), len(held[1]))
        yield held[0][:length], held[1][:length]
        held = [_more(side, h[length:]) for side, h in zip(sides, held, strict=True)]
    if held[0] is not None:
        yield held[0], held[0][:0]
    elif held[1] is not None:
        yield held[1][:0], held[1]


def _more(side: Iterator[Array], held: Array | None) -> Array | None:
    while held is None or len(held) == 0:
        held = next(side, None)
        if held is None:
            return None
    return held


def _parting(names: tuple[str, str], one: Array, other: Array, at: int, row: int) -> Difference:
    lines = [f"row {row} differs"]
    for name, batch in zip(names, (one, other), strict=True):
        near = "; ".join(_show(r) for r in batch[max(at - 2, 0) : at + 3])
        lines.append(f"  {name}: {near}")
    return Difference("\n".join(lines))


def _show(row: Array) -> str:
    fields = [f"{name}={int(row[name]):#x}" for name in row.dtype.names or ()]
    return " ".join(fields)


_BYTE = np.dtype([("address", "u8"), ("order", "u8"), ("epoch", "u8"), ("value", "i2"),
                  ("load", "?"), ("event", "u8")])  # fmt: skip
_LINE = np.uint64(4)
"""The logarithm of a line's bytes: most accesses are in one or two lines."""


def replay(
    events: Array,
    stores: Array,
    row: Array,
    elsewhere: Array,
    windows: Array,
    little: bool = False,
) -> Replayed:
    """Check that each byte loaded is the byte last stored or loaded there, where that is known.

    `elsewhere` is what code outside of the program did; system calls other than writes, and
    the emulator's unreported accesses, forget everything.  So does the beginning of a batch.
    `windows` are the loads that may find what the processor saved of its register windows;
    `little` says that memory has the lowest byte of a number first.
    """
    forgets = elsewhere[elsewhere["size"] == 0]
    silent = (forgets["pc"] == 0) & np.isin(forgets["address"], _CHANGE_NO_MEMORY)
    borders = forgets["row"][~silent]
    ours = _bytes(events, stores, row, little)
    theirs = _unknown_bytes(_near(elsewhere[elsewhere["size"] > 0], ours["address"]))
    ours["epoch"] = np.searchsorted(borders, ours["epoch"], side="right")
    theirs["epoch"] = np.searchsorted(borders, theirs["epoch"], side="right")
    both = np.concatenate([theirs, ours])
    both = both[np.lexsort((both["order"], both["address"]))]
    before, after = both[:-1], both[1:]
    comparable = after["load"] & (before["address"] == after["address"])
    comparable &= (before["epoch"] == after["epoch"]) & (before["value"] >= 0)
    comparable &= after["value"] >= 0
    other = comparable & (before["value"] != after["value"])
    saved = windows[after["event"]] if len(events) else np.zeros(len(after), bool)
    wrong = np.flatnonzero(other & ~saved)
    differences = []
    for i in wrong[:3].tolist():
        event = events[int(after["event"][i])]
        text = (
            f"load at {int(event['pc']):#x} got {int(event['value']):#x}, but byte "
            f"{int(after['address'][i]):#x} was last {int(before['value'][i]):#x}"
        )
        differences.append(Difference(text))
    return Replayed(int(comparable.sum()), int((other & saved).sum()), differences)


def _near(elsewhere: Array, addresses: Array) -> Array:
    """Return what other code did in the lines of memory that these bytes are in: a C library has
    many times the program's accesses, and few to the same memory."""
    first = elsewhere["address"] >> _LINE
    last = (elsewhere["address"] + elsewhere["size"] - np.uint64(1)) >> _LINE
    lines = np.unique(addresses >> _LINE)
    is_near = np.isin(first, lines) | np.isin(last, lines)
    return elsewhere[is_near | (elsewhere["size"] > np.uint64(1) << _LINE)]


def _bytes(events: Array, stores: Array, row: Array, little: bool) -> Array:
    """Expand events to one record for each byte; epoch holds the event's row for now."""
    sizes = events["size"].astype("u8")
    index = np.repeat(np.arange(len(events)), sizes.astype("i8"))
    within = np.arange(len(index)) - np.repeat(np.cumsum(sizes) - sizes, sizes.astype("i8"))
    within = within.astype("u8")
    made = np.zeros(len(index), _BYTE)
    made["address"] = events["address"][index] + within
    made["order"] = 2 * row[index] + 1
    made["epoch"] = row[index]
    place = within if little else sizes[index] - within - np.uint64(1)
    shift = np.minimum(place * np.uint64(8), 63)
    value = (events["value"][index] >> shift.astype("u8")) & np.uint64(255)
    made["value"] = np.where(events["known"][index], value, -1)
    made["load"] = ~stores[index]
    made["event"] = index
    return made


def _unknown_bytes(elsewhere: Array) -> Array:
    sizes = elsewhere["size"].astype("i8")
    index = np.repeat(np.arange(len(elsewhere)), sizes)
    within = np.arange(len(index)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    made = np.zeros(len(index), _BYTE)
    made["address"] = elsewhere["address"][index] + within.astype("u8")
    made["order"] = 2 * elsewhere["row"][index]
    made["epoch"] = elsewhere["row"][index]
    made["value"] = -1
    return made
