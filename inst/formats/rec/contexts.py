"""Contexts that a thread switches by hand: what each has called that has not returned.

A call that leaves one context for another (`swapcontext`) returns when others have run, each of
which has calls of its own that wait: of other code whose callback has switched.
"""

from __future__ import annotations

from collections.abc import Iterable

from inst.formats.rec.states import Left


class Contexts:
    """The calls of contexts that do not run; of each the last one last, which has left it."""

    def __init__(self, kept: Iterable[Iterable[Left]] = ()) -> None:
        self._kept: dict[int, list[Left]] = {}
        for calls in kept:
            self.put(list(calls))

    def put(self, calls: list[Left]) -> None:
        """Keep the calls of a context until it goes on; those of an earlier time are forgotten."""
        self._kept[calls[-1].stack] = calls

    def going_on(self, stack: int) -> list[Left]:
        """Return the calls of the context that was left with a stack pointer; none: not known."""
        return self._kept.get(stack, [])

    def take(self, stack: int) -> None:
        """Keep the calls no longer of the context that was left with a stack pointer."""
        del self._kept[stack]

    def state(self) -> tuple[tuple[Left, ...], ...]:
        """Return what `Contexts` makes the same of."""
        return tuple(map(tuple, self._kept.values()))
