"""Bring the emulator's log and a trace into one form that can be compared row by row.

A row is one execution of one instruction that accesses memory: its address in the program,
the first byte accessed, the bytes, whether it stores. What one instruction does in several
steps (ldstub, lmw, ...) is one row in both; README.md has the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from truth.binary import Binary
from truth.emulator import FORGETTING_WORDS, Array
from truth.machine import Manner
from truth.rst import EVENT

ROW = np.dtype([("pc", "u8"), ("address", "u8"), ("size", "u2"), ("store", "u1")])
"""store: 0 load, 1 store, 2 both. size and address are 0 where the emulator says nothing."""
_OUTSIDE = 255
_EXECUTIONS = (Manner.PAIR, Manner.COMPARE, Manner.BULK)
"""What the emulator logs as executed, since it may not show the accesses."""
_UNCOUNTED = (Manner.CONDITIONAL, Manner.COUNTED)
"""Instructions that may access nothing, unreported by the emulator: no rows in either form."""


@dataclass(frozen=True, slots=True)
class CodeTable:
    """The access instructions of a program as columns, to be looked up by address."""

    isa: str
    addresses: Array
    manner: Array
    load: Array
    store: Array
    size: Array
    word: Array
    shape: Array
    atomic_calls: Array
    """Calls of libatomic's functions, whose accesses have their places."""

    def find(self, pcs: Array) -> tuple[Array, Array]:
        """Return each address's index in the table, and whether it is there."""
        index = np.minimum(np.searchsorted(self.addresses, pcs), len(self.addresses) - 1)
        return index, self.addresses[index] == pcs

    def finds_windows(self, events: Array) -> Array:
        """Return which of these events may load what the processor saved of its windows.

        Those are SPARC's between the lowest and the highest address that instructions with %sp or
        %fp as their base have: where a function has set nothing, they find what was saved for an
        earlier frame there, which the emulator's log does not have.
        """
        if self.isa != "sparc" or not len(self.addresses):
            return np.zeros(len(events), bool)
        index, known = self.find(events["pc"])
        frames = events["address"][known & np.isin(self.word[index] >> 14 & 31, (14, 30))]
        if not len(frames):
            return np.zeros(len(events), bool)
        address = events["address"]
        return (address >= frames.min()) & (address <= frames.max())


def code_table(binary: Binary) -> CodeTable:
    """Return the access instructions of the user's code."""
    rows = [
        (
            *(address, known.manner, known.load, known.store, known.size),
            word if word >> 32 == 0 else 0,
            binary.shape(address),
        )
        for address, word in sorted(binary.code.items())
        if (known := binary.memory(address)) is not None
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * 7
    kinds = ("u8", "u1", "u1", "u1", "u2", "u4", "u4")
    return CodeTable(
        binary.isa,
        *(np.array(c, kind) for c, kind in zip(columns, kinds, strict=True)),
        np.array(sorted(binary.atomic_calls), "u8"),
    )


def whole_groups(batches: Iterable[Array], table: CodeTable) -> Iterator[Array]:
    """Cut batches anew so that no instruction's rows are spread over two."""
    waiting: Array | None = None
    for batch in batches:
        joined = batch if waiting is None else np.concatenate([waiting, batch])
        index, known = table.find(joined["pc"])
        plain = np.flatnonzero(known & (table.manner[index] == Manner.PLAIN))
        cut = int(plain[-1]) if len(plain) else 0
        waiting = joined[cut:]
        yield joined[:cut]
    if waiting is not None:
        yield waiting


def log_rows(batch: Array, table: CodeTable) -> tuple[Array, Array]:
    """Split a batch of memlog into rows of the user's code and what else happened to memory.

    The second array has memlog's records of stores, helper executions and system calls
    elsewhere; its `store` column is replaced by the number of rows before each.
    """
    index, known = table.find(batch["pc"])
    manner = np.where(known, table.manner[index], _OUTSIDE)
    executed = np.isin(manner, _EXECUTIONS)
    dropped = executed & (batch["size"] != 0) | np.isin(manner, _UNCOUNTED)
    kept = known & ~dropped
    rows = np.zeros(int(kept.sum()), ROW)
    for name in ("pc", "address", "size"):
        rows[name] = batch[name][kept]
    directions = table.load[index] + 2 * table.store[index] - 1
    rows["store"] = np.where(executed, directions, batch["store"])[kept]
    lock = (batch["size"] == 0) & (batch["store"] >= FORGETTING_WORDS[table.isa])
    other = ~known & ((batch["store"] == 1) | (batch["size"] == 0)) & ~lock
    elsewhere = np.zeros(int(other.sum()), [*batch.dtype.descr, ("row", "u8")])
    for name in ("pc", "address", "size"):
        elsewhere[name] = batch[name][other]
    elsewhere["row"] = np.cumsum(kept)[other]
    return rows, elsewhere


@dataclass(frozen=True, slots=True)
class TraceRows:
    """A batch of a trace in canonical form, and its events in order of effect."""

    rows: Array
    events: Array
    """Events with `size` filled in and the loads of atomic accesses before their stores."""
    stores: Array
    """For each event, whether it stores."""
    row: Array
    """For each event, the row it belongs to."""
    problems: list[str]


def trace_rows(batch: Array, table: CodeTable) -> TraceRows:
    """Bring a batch of events (rst.EVENT, pcs as linked) into rows."""
    batch = _in_halves(batch[~np.isin(batch["pc"], table.atomic_calls)], table)
    index, known = table.find(batch["pc"])
    problems = [f"event at {pc:#x}, which accesses no memory" for pc in batch["pc"][~known][:5]]
    wrong = known & (batch["word"] != table.word[index]) & (batch["word"] != 0)
    problems += [f"event at {pc:#x} with a wrong instruction word" for pc in batch["pc"][wrong][:5]]
    events, index = batch[known].copy(), index[known]
    manner, load = table.manner[index], table.load[index].astype(bool)
    unsized = events["size"] == 0
    events["size"] = np.where(unsized, table.size[index], events["size"])
    first, ordinal = _groups(events, manner, table.size[index])
    stores = _directions(events, manner, load)
    odd = (events["word"] == 0) & (events["stores"].astype(bool) != stores)
    problems += [f"event at {pc:#x} in the wrong direction" for pc in events["pc"][odd][:5]]
    order = np.lexsort((stores, ordinal))
    paired = (manner == Manner.PAIR) | (manner == Manner.COMPARE)
    order = np.where(paired, order, np.arange(len(events)))
    events, stores = events[order], stores[order]
    rows = np.zeros(int(first.sum()), ROW)
    for name in ("pc", "address", "size"):
        rows[name] = events[name][first]
    heads = manner[first]
    rows["store"] = np.where(paired[first], 2, stores[first])
    silent = np.isin(heads, _EXECUTIONS)
    rows["address"][silent] = rows["size"][silent] = 0
    problems += _group_problems(events, manner, ordinal, table.size[index])
    counted = np.isin(heads, _UNCOUNTED)
    kept = np.maximum(np.cumsum(~counted) - 1, 0)
    return TraceRows(rows[~counted], events, stores, kept[ordinal], problems)


def _in_halves(events: Array, table: CodeTable) -> Array:
    """Make two events of 8 bytes of each event of 16, as the emulator sees them."""
    index, known = table.find(events["pc"])
    is_wide = known & (table.size[index] == 16) & (table.manner[index] == Manner.PLAIN)
    wide = (events["size"] == 16) | (is_wide & (events["size"] == 0))
    if not wide.any():
        return events
    made = np.repeat(events, np.where(wide, 2, 1))
    second = np.flatnonzero(np.repeat(wide, np.where(wide, 2, 1)))
    made["size"][second] = 8
    made["address"][second[1::2]] += np.uint64(8)
    made["known"][second] = 0  # one value in the record, for which there is no room here
    return made


def _groups(events: Array, manner: Array, expected: Array) -> tuple[Array, Array]:
    """Return which events begin a row, and the number of each event's row.

    Only instructions that are not plain make several events; these few are walked.
    """
    first = np.ones(len(events), bool)
    previous = 0
    covered = 0
    for i in np.flatnonzero(manner != Manner.PLAIN).tolist():
        kind = manner[i]
        together = i > 0 and previous == i - 1 and events["pc"][i] == events["pc"][i - 1]
        if together and kind == Manner.PAIR:
            first[i] = not first[i - 1]
        elif together and kind == Manner.COMPARE:
            first[i] = not (first[i - 1] and events["stores"][i])
        elif together and kind in (Manner.BULK, Manner.COUNTED):
            end = int(events["address"][i - 1]) + int(events["size"][i - 1])
            more = kind == Manner.COUNTED or covered < expected[i]
            first[i] = not (more and end == events["address"][i])
        covered = int(events["size"][i]) + (0 if first[i] else covered)
        previous = i
    return first, np.cumsum(first) - 1


def _directions(events: Array, manner: Array, load: Array) -> Array:
    """Return which events store; for atomic ones the record itself states it."""
    paired = (manner == Manner.PAIR) | (manner == Manner.COMPARE)
    return np.where(paired, events["stores"], ~load).astype(bool)


def _group_problems(events: Array, manner: Array, ordinal: Array, expected: Array) -> list[str]:
    """Check that what one instruction reports adds up to what it does."""
    problems = []
    special = np.flatnonzero((manner == Manner.BULK) & (expected > 0) | (manner == Manner.PAIR))
    for row in np.unique(ordinal[special]).tolist():
        low, high = np.searchsorted(ordinal, [row, row + 1])
        group = events[low:high]
        wanted = int(expected[low]) * (2 if manner[low] == Manner.PAIR else 1)
        if int(group["size"].sum()) != wanted:
            problems.append(f"{group['pc'][0]:#x} reports {group['size'].sum()} of {wanted} bytes")
    return problems[:5]


class TraceFeed:
    """A trace's rows, handed out in whatever numbers the reader asks for."""

    def __init__(self, batches: Iterable[Array], table: CodeTable) -> None:
        self._parts = (trace_rows(batch, table) for batch in whole_groups(batches, table))
        self._held = trace_rows(np.zeros(0, EVENT), table)

    def take(self, count: int) -> TraceRows:
        """Return the next `count` rows with their events; fewer at the end."""
        while len(self._held.rows) <= count and (part := next(self._parts, None)) is not None:
            self._held = _joined(self._held, part)
        held = self._held
        ours = held.row < count
        self._held = TraceRows(
            held.rows[count:], held.events[~ours], held.stores[~ours], held.row[~ours] - count, []
        )
        return TraceRows(
            held.rows[:count], held.events[ours], held.stores[ours], held.row[ours], held.problems
        )


def _joined(one: TraceRows, two: TraceRows) -> TraceRows:
    return TraceRows(
        np.concatenate([one.rows, two.rows]),
        np.concatenate([one.events, two.events]),
        np.concatenate([one.stores, two.stores]),
        np.concatenate([one.row, two.row + len(one.rows)]),
        one.problems + two.problems,
    )
