"""Chrome trace-event JSON, which Perfetto and chrome://tracing show: functions, system calls.

Traces carry no clock, so an event's ordinal stands for its microsecond: lengths count
instructions or accesses, not time. Functions have their names from the program (`--program`); which
calls there are is what `inst.calltree` knows, and `otherData` states what it does not. A function
whose caller is not known is a slice within the innermost function that is known to run then, with
`"caller": "unknown"`.

The format requires that begins and ends of one thread come in the order of time, and nothing else:
a thread's records stand in a trace in its program's order, so here they do. A slice is written
when it ends, after what began in it, which the format allows. Between threads the ordinals are
those of the file, where chunks may be in another order than the threads ran.

A system call is a slice up to the next event of its thread that is neither privileged nor a
range without a pc; those ranges, which are what it read and wrote, are its arguments. Signals,
other traps, locks and hints are instants.
"""

from __future__ import annotations

import json

import numpy as np

from inst.calls import system_names
from inst.calltree.calls import Calls
from inst.calltree.tree import Move
from inst.trace import system_events
from inst.trace.model import KIND_NAMES, Array, Flag, Kind
from inst.trace.writing import Job, Writer

DEPTH = 256
"""Functions of a thread that are shown: deeper ones are left out."""
THREADS = 1 << 13
"""Threads whose functions and system calls are followed."""
RANGES = 16
"""Ranges that the arguments of a system call list; the rest is counted."""

_PC = int(Flag.HAS_PC)
_PRIVILEGED = int(Flag.PRIVILEGED)
_LOCKS = (Kind.LOCK, Kind.TRYLOCK, Kind.UNLOCK)
_SHOWN = (Kind.TRAP, Kind.HINT, *_LOCKS)

Mark = dict[str, object]


class ChromeWriter(Writer):
    """Writes begin and end events of functions, slices of system calls, instants of the rest."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._tree = Calls(job.trace, list(job.programs), demangle=job.demangle, lenient=False)
        self._threads: set[int] = set()
        self._calls: dict[int, _Call] = {}
        """The system call that each thread is in."""
        self._time = 0
        self._first = True
        job.output.write(b'{"displayTimeUnit":"ns","traceEvents":[')

    def events(self, events: Array) -> None:
        """Write what the batch enters, leaves and calls."""
        threads = events["thread"]
        signals = system_events.signals(events, self._job.trace)
        self._count_losses(events, signals)
        instants = signals | np.isin(events["kind"], _SHOWN)
        calls, ranges = system_events.calls(events), system_events.ranges(events)
        inside = ranges | (events["flags"] & _PRIVILEGED != 0)
        # The runtime's hints of what a call orders stand among the ranges of the call.
        inside |= np.isin(events["kind"], (Kind.HINT, Kind.ORDER))
        wanted = instants | _next_of_thread(threads, calls, ~inside, set(self._calls))
        if calls.any() or self._calls:
            wanted |= ranges
        moves: dict[int, list[Move]] = {}
        for move in self._tree.take(events).moves:
            moves.setdefault(move.row, []).append(move)
        wanted[list(moves)] = True
        for row in np.flatnonzero(wanted).tolist():
            thread, time, event = int(threads[row]), self._time + row, events[row]
            if not self._follows(thread):
                self._job.losses.add(f"events of threads beyond {THREADS}", 1)
                continue
            self._in_call(event, thread, time, goes_on=bool(inside[row]))
            self._write(
                [self._mark(move, time) for move in moves.get(row, ()) if self._shows(move)]
            )
            if calls[row]:
                self._calls[thread] = _Call(event, time)
            elif instants[row]:
                self._write([self._instant(event, thread, time, signal=bool(signals[row]))])
        self._time += len(events)

    def _shows(self, move: Move) -> bool:
        return self._tree.tree.depths[move.node] <= DEPTH

    def _mark(self, move: Move, time: int) -> Mark:
        """Return the begin or the end of a call."""
        tree, node = self._tree.tree, move.node
        mark: Mark = {
            "name": tree.names[node],
            "cat": "function",
            "ph": "B" if move.enters else "E",
        }
        mark |= {"ts": time, "pid": 1, "tid": move.thread}
        unknown = move.enters and not tree.direct[node] and tree.parents[node]
        return mark | ({"args": {"caller": "unknown"}} if unknown else {})

    def _follows(self, thread: int) -> bool:
        """Return whether a thread is one of those that there is room for."""
        if thread not in self._threads and len(self._threads) < THREADS:
            self._threads.add(thread)
        return thread in self._threads

    def _in_call(self, event: Array, thread: int, time: int, *, goes_on: bool) -> None:
        """Let the thread's system call take what it did, or end with the event after it."""
        call = self._calls.get(thread)
        if call is None:
            return
        if goes_on:
            call.add(event)
            return
        del self._calls[thread]
        self._write([call.mark(self._job.trace.facts.arch, thread, time)])

    def _instant(self, event: Array, thread: int, time: int, *, signal: bool) -> Mark:
        trace, kind = self._job.trace, Kind(int(event["kind"]))
        word, site = trace.words.texts[event["detail"]], trace.sites.texts[event["site"]]
        number = int(event["value"])
        name, category = KIND_NAMES[kind], "lock"
        where = {"address": f"{int(event['address']):#x}"}
        if signal:
            name, category = system_names.signal(trace.facts.arch, number), "signal"
            where = {"signal": str(number), "what": word}
        elif kind == Kind.TRAP:
            name, category = f"trap {int(event['address']):#x}", "trap"
            where = {}
        elif kind == Kind.HINT:
            name, category = word, "hint"
        where |= {"pc": f"{int(event['pc']):#x}"} if event["flags"] & _PC else {}
        where |= {"site": site} if site else {}
        mark: Mark = {"name": name, "cat": category, "ph": "i", "s": "t"}
        return mark | {"ts": time, "pid": 1, "tid": thread, "args": where}

    def _write(self, marks: list[Mark]) -> None:
        for mark in marks:
            text = json.dumps(mark, separators=(",", ":"))
            self._job.output.write(f"{'' if self._first else ','}\n{text}".encode())
            self._first = False

    def _count_losses(self, events: Array, signals: Array) -> None:
        counts = np.bincount(events["kind"], minlength=len(KIND_NAMES))
        counts[Kind.OTHER] -= np.count_nonzero(signals)
        for kind in np.flatnonzero(counts).tolist():
            if kind not in _SHOWN:
                self._job.losses.add(f"addresses and values of {KIND_NAMES[kind]} events",
                                     int(counts[kind]))  # fmt: skip
        if self._tree.locator is None:
            self._job.losses.add("functions, without a --program to name them", len(events))

    def finish(self) -> None:
        """End every system call, leave every function and close the file."""
        arch = self._job.trace.facts.arch
        for thread, call in self._calls.items():
            self._write([call.mark(arch, thread, self._time)])
        ends = [move for move in self._tree.open_calls() if self._shows(move)]
        self._write([self._mark(move, self._time) for move in ends])
        facts = self._job.trace.facts
        other = {"strings": facts.strings, "arch": facts.arch, "version": facts.version}
        note = self._tree.note()
        other |= {"calls": note} if note else {}
        self._job.output.write(f'\n],"otherData":{json.dumps(other)}}}\n'.encode())


class _Call:
    """A system call that is not over yet."""

    def __init__(self, event: Array, time: int) -> None:
        self._number, self._start = int(event["value"]), time
        self._pc = int(event["pc"]) if event["flags"] & _PC else None
        self._ranges: list[str] = []
        self._more = 0

    def add(self, event: Array) -> None:
        """Take a range that the call read or wrote."""
        if event["kind"] not in (Kind.READ, Kind.WRITE) or event["flags"] & _PC:
            return
        if len(self._ranges) == RANGES:
            self._more += 1
            return
        verb = KIND_NAMES[event["kind"]]
        self._ranges.append(f"{verb} {int(event['address']):#x}+{int(event['size'])}")

    def mark(self, arch: str, thread: int, time: int) -> Mark:
        """Return the slice, which ends at that time."""
        where: dict[str, object] = {"number": self._number}
        where |= {"pc": f"{self._pc:#x}"} if self._pc is not None else {}
        where |= {"memory": self._ranges} if self._ranges else {}
        where |= {"more": self._more} if self._more else {}
        name = system_names.system_call(arch, self._number)
        mark: Mark = {"name": name, "cat": "syscall", "ph": "X", "ts": self._start}
        return mark | {"dur": time - self._start, "pid": 1, "tid": thread, "args": where}


def _next_of_thread(threads: Array, calls: Array, ends: Array, waiting: set[int]) -> Array:
    """Return which rows are the first of `ends` after one of `calls` in the same thread.

    Threads that wait from before have the first of theirs.
    """
    result = np.zeros(len(threads), bool)
    if not calls.any() and not waiting:
        return result
    order = np.argsort(threads, kind="stable")
    sorted_threads, places = threads[order], np.flatnonzero(ends[order])
    begins = np.flatnonzero(calls[order])
    firsts = np.searchsorted(sorted_threads, np.array(sorted(waiting), "u8"))
    after = np.concatenate([np.searchsorted(places, begins, "right"),
                            np.searchsorted(places, firsts, "left")])  # fmt: skip
    owners = np.concatenate([sorted_threads[begins], np.array(sorted(waiting), "u8")])
    there = after < len(places)
    rows = order[places[after[there]]]
    result[rows[threads[rows] == owners[there]]] = True
    return result
