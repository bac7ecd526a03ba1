"""The records of some functions: the trace is read once more, as events, beside the viewer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from inst.errors import InstError

if TYPE_CHECKING:
    from inst.trace.model import Array


def within(arguments: argparse.Namespace) -> Callable[[Array], Array]:
    """Return what says of records, by their ascending numbers, whether a function is asked for.

    Raises InstError for a trace that cannot be read twice.
    """
    if arguments.trace == "-":
        raise InstError(
            "--function reads a trace twice, and standard input cannot be", hint="name a file"
        )
    return _Marks(_marked(arguments)).choose


def _marked(arguments: argparse.Namespace) -> Iterator[tuple[Array, Array]]:
    """Yield the record of each event, and whether it happened in a wanted function."""
    from inst.calltree.calls import Calls
    from inst.calltree.names import Wanted
    from inst.trace import open_trace

    trace = open_trace(arguments.trace)
    programs = [*arguments.elf, *arguments.program]
    calls = Calls(trace, programs, demangle=arguments.demangle)
    wanted = Wanted(calls.tree, tuple(arguments.function), below=arguments.below)
    try:
        for rows in trace.events():
            if len(rows):
                nodes = calls.take(rows).nodes
                yield rows["record"].astype("i8"), wanted.nodes()[nodes]
    except InstError:
        return  # the viewer reports it
    finally:
        trace.close()


class _Marks:
    """Events that were read and may still be asked for."""

    def __init__(self, events: Iterator[tuple[Array, Array]]) -> None:
        self._events = events
        self._records = np.array([-1])
        self._marks = np.zeros(1, bool)

    def choose(self, records: Array) -> Array:
        """Return for each record what holds for the last event up to it."""
        if not len(records):
            return np.zeros(0, bool)
        last = int(records.max())
        while self._records[-1] <= last and (more := next(self._events, None)) is not None:
            self._records = np.concatenate([self._records, more[0]])
            self._marks = np.concatenate([self._marks, more[1]])
        at = np.searchsorted(self._records, records, "right") - 1
        found: Array = self._marks[at]
        before = max(int(at.min()), 0)
        self._records, self._marks = self._records[before:], self._marks[before:]
        return found
