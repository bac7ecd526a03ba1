"""Chrome trace-event JSON, which Perfetto and chrome://tracing show: functions, system calls.

Traces carry no clock, so an event's ordinal stands for its microsecond: lengths count
instructions or accesses, not time. Functions need the program's symbols (`--program`). A
function is entered when a thread's events are first in it and left when they are back in a
function further out, which a trace of accesses alone can tell; a function that accesses
nothing does not show, and one called right after its sibling shows within it if the caller
did nothing in between.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from inst.convert import Job, Writer
from inst.convert.columns import KIND_NAMES
from inst.trace.model import Array, Flag, Kind
from inst.trace.program import Locator

DEPTH = 256
"""Functions a thread may be in: deeper ones count as the innermost."""

_SYSTEM_CALLS = (0x108, 0x140)
_PC = int(Flag.HAS_PC)


class ChromeWriter(Writer):
    """Writes begin and end events of functions, and instant events of system calls."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._locate = Locator(list(job.programs), job.trace) if job.programs else None
        self._stacks: dict[int, list[str]] = {}
        self._time = 0
        self._first = True
        job.output.write(b'{"displayTimeUnit":"ns","traceEvents":[')

    def events(self, events: Array) -> None:
        """Write what the batch enters, leaves and calls."""
        kinds, threads, pcs = events["kind"], events["thread"], events["pc"]
        self._count_losses(events)
        wanted = kinds == Kind.TRAP
        if self._locate:  # a function is looked up once for each run of equal sites
            changed = np.ones(len(events), bool)
            changed[1:] = (pcs[1:] != pcs[:-1]) | (threads[1:] != threads[:-1])
            wanted = wanted | (changed & (events["flags"] & _PC != 0))
        for row in np.flatnonzero(wanted).tolist():
            thread, time = int(threads[row]), self._time + row
            if self._locate:
                place = self._locate(int(pcs[row]))
                self._write(self._move(thread, place.function if place else "", time))
            if kinds[row] == Kind.TRAP:
                self._write([self._call(events[row], thread, time)])
        self._time += len(events)

    def _call(self, event: Array, thread: int, time: int) -> dict[str, object]:
        trap, number = int(event["address"]), int(event["value"])
        called = trap in _SYSTEM_CALLS
        name = f"system call {number}" if called else f"trap {trap:#x}"
        mark = {"name": name, "cat": "syscall" if called else "trap", "ph": "i", "s": "t"}
        where = {"pc": f"{int(event['pc']):#x}"}
        return mark | {"ts": time, "pid": 1, "tid": thread, "args": where}

    def _move(self, thread: int, function: str, time: int) -> Iterator[dict[str, object]]:
        """Yield the ends of functions left and the begin of one entered."""
        stack = self._stacks.setdefault(thread, [])
        if not function or (stack and stack[-1] == function):
            return
        if function in stack:
            while stack[-1] != function:
                yield _mark("E", stack.pop(), thread, time)
        elif len(stack) < DEPTH:
            stack.append(function)
            yield _mark("B", function, thread, time)

    def _write(self, marks: Iterator[dict[str, object]] | list[dict[str, object]]) -> None:
        for mark in marks:
            text = json.dumps(mark, separators=(",", ":"))
            self._job.output.write(f"{'' if self._first else ','}\n{text}".encode())
            self._first = False

    def _count_losses(self, events: Array) -> None:
        counts = np.bincount(events["kind"], minlength=len(KIND_NAMES))
        for kind in np.flatnonzero(counts).tolist():
            if kind != Kind.TRAP:
                self._job.losses.add(f"addresses and values of {KIND_NAMES[kind]} events",
                                     int(counts[kind]))  # fmt: skip
        if not self._locate:
            self._job.losses.add("functions, without a --program to name them", len(events))

    def finish(self) -> None:
        """Leave every function and close the file."""
        for thread, stack in self._stacks.items():
            self._write([_mark("E", name, thread, self._time) for name in reversed(stack)])
        facts = self._job.trace.facts
        other = {"strings": facts.strings, "arch": facts.arch, "version": facts.version}
        self._job.output.write(f'\n],"otherData":{json.dumps(other)}}}\n'.encode())


def _mark(phase: str, name: str, thread: int, time: int) -> dict[str, object]:
    return {"name": name, "cat": "function", "ph": phase, "ts": time, "pid": 1, "tid": thread}
