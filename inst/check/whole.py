"""Which part of a trace is whole: what a ring kept of several threads begins at different times.

A thread that records little keeps what it did long ago, and what other threads did then has been
overwritten. From a place in the order of all threads on, which the trace states, nothing has.
"""

from __future__ import annotations

from inst.trace.model import WHOLE_FROM, Array, Kind, Trace

_LONGEST = 20
"""Digits of a place, and one more."""


class Whole:
    """Finds the events that come after the last that was overwritten."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._has_begun = False
        self.passed = 0
        """The events that come before."""

    def part(self, rows: Array) -> Array:
        """Return those of the next events that belong to the whole part."""
        if self._has_begun:
            return rows
        place = whole_from(self._trace)
        begins = (rows["kind"] == Kind.ORDER) & (rows["value"] > place)
        first = int(begins.argmax()) if place and begins.any() else len(rows) * bool(place)
        self._has_begun = first < len(rows)
        self.passed += first
        return rows[first:]

    def note(self) -> str:
        """Return what has not been looked at."""
        return (
            f"{self.passed} events were not looked at by checks which need all of them (memory, "
            "locks, races): a ring has overwritten what other threads did at that time"
        )


def whole_from(trace: Trace) -> int:
    """Return the place in the order of all threads up to which something is missing; 0: nowhere."""
    stated = trace.facts.producer.get(WHOLE_FROM, "")
    return int(stated) if stated.isdecimal() and len(stated) < _LONGEST else 0
