"""The call stack of each thread, from a trace that records every instruction.

A node is a call and the node it was made from; the same calls are the same node, so there are
no more of them than ways through the program. Node 0 is where the trace began.
"""

from __future__ import annotations

import numpy as np

from inst.trace.finding import Other
from inst.trace.model import Array, Flag, Kind, Trace
from inst.words.decode import transfers_of

NEITHER, CALL, RETURN = 0, 1, 2
MOST_NODES = 1 << 20
"""Beyond as many ways, further calls are not distinguished from their callers."""
SHOWN = 12
"""Calls of a finding that are shown, the innermost first."""


class Calls:
    """The stacks of all threads of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._nodes: list[tuple[int, int, int]] = [(0, 0, 0)]
        """Parent, pc of the call, the first record of it."""
        self._numbers: dict[tuple[int, int], int] = {}
        self._current: dict[int, int] = {}
        """Thread -> node."""

    def column(self, rows: Array) -> Array:
        """Return the node of each of the rows, and go on from where they end."""
        result = np.zeros(len(rows), "u4")
        what = transfers(rows, self._trace.facts.arch)
        moves = np.flatnonzero(what)
        if len(moves) == 0 and not self._current:
            return result
        for thread in np.unique(rows["thread"]).tolist():
            own = np.flatnonzero(rows["thread"] == thread)
            result[own] = self._own(thread, rows[own], what[own])
        return result

    def _own(self, thread: int, rows: Array, what: Array) -> Array:
        moves = np.flatnonzero(what)
        bounds = [*moves.tolist(), len(rows)]
        result = np.zeros(len(rows), "u4")
        node = self._current.get(thread, 0)
        result[: bounds[0]] = node
        for place, move in enumerate(moves.tolist()):
            node = self._enter(node, rows[move]) if what[move] == CALL else self._nodes[node][0]
            result[move : bounds[place + 1]] = node
        if node or len(moves):
            self._current[thread] = node
        return result

    def _enter(self, parent: int, row: Array) -> int:
        key = (parent, int(row["pc"]))
        if key not in self._numbers:
            if len(self._nodes) >= MOST_NODES:
                return parent
            self._numbers[key] = len(self._nodes)
            self._nodes.append((*key, int(row["record"])))
        return self._numbers[key]

    def others(self, node: int, text: str) -> tuple[Other, ...]:
        """Return the calls that lead to a node, the innermost first."""
        found: list[Other] = []
        while node and len(found) < SHOWN:
            node, pc, record = self._nodes[node]
            found.append(Other(record, f"{text} from here", pc=pc))
        return tuple(found)


def transfers(rows: Array, arch: str) -> Array:
    """Return for each row whether it is a call or a return that happened."""
    result = np.zeros(len(rows), "u1")
    flags = rows["flags"]
    ran = (rows["kind"] == Kind.INSTRUCTION) & (flags & int(Flag.HAS_WORD) != 0)
    ran &= flags & int(Flag.ANNULLED | Flag.TRAPPED) == 0
    places = np.flatnonzero(ran)
    found = transfers_of(rows["word"][places], rows["pc"][places], arch)
    done = ~found.is_conditional | (flags[places] & int(Flag.TAKEN) != 0)
    calls, returns = found.is_call & done, found.is_return & done
    result[places] = np.where(calls, CALL, np.where(returns, RETURN, NEITHER))
    return result
