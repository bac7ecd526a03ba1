"""What was done in each call of a trace: accesses, bytes and calls, by function and by thread."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inst.calltree.calls import Calls
from inst.calltree.tree import ROOT, Taken, Tree
from inst.trace.model import Array, Kind

ELSEWHERE = "?"
"""Names what was done in no function that is known."""
_ACCESSES = (Kind.READ, Kind.WRITE, Kind.RESERVE)


@dataclass(slots=True)
class FunctionRow:
    """What a function did, in all of its calls."""

    name: str
    calls: int = 0
    exact: bool = True
    """Whether there were no more calls."""
    accesses: int = 0
    total_accesses: int = 0
    """With what it called."""
    bytes: int = 0
    total_bytes: int = 0
    depth: int = 0
    """Calls in one another where it is innermost, itself included; at most."""


@dataclass(slots=True)
class ThreadRow:
    """What a thread did."""

    thread: int
    calls: int = 0
    accesses: int = 0
    bytes: int = 0
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """Calls of one function by another."""

    caller: str
    """"" for what no function is known to have called."""
    callee: str
    direct: bool
    """Whether the caller itself is known to make the calls."""
    calls: int
    exact: bool


@dataclass(slots=True)
class Profile:
    """Counts by node of the tree and by thread, of the events taken so far."""

    calls: Calls
    threads: dict[int, ThreadRow] = field(default_factory=dict)
    _accesses: Array = field(default_factory=lambda: np.zeros(0, "i8"))
    _bytes: Array = field(default_factory=lambda: np.zeros(0, "i8"))

    @property
    def tree(self) -> Tree:
        """The calls."""
        return self.calls.tree

    def take(self, rows: Array) -> Taken:
        """Count the next events of the trace; return in which calls they were made."""
        taken = self.calls.take(rows)
        own = np.flatnonzero(np.isin(rows["kind"], _ACCESSES))
        nodes, sizes = taken.nodes[own], rows["size"][own].astype("i8")
        self._grow()
        np.add.at(self._accesses, nodes, 1)
        np.add.at(self._bytes, nodes, sizes)
        for thread in np.unique(rows["thread"][own]).tolist():
            mine = rows["thread"][own] == thread
            row = self.threads.setdefault(thread, ThreadRow(thread))
            row.accesses += int(mine.sum())
            row.bytes += int(sizes[mine].sum())
        for move in taken.moves:
            if move.enters:
                row = self.threads.setdefault(move.thread, ThreadRow(move.thread))
                row.calls += move.counted
                row.depth = max(row.depth, self.tree.depths[move.node])
        return taken

    def _grow(self) -> None:
        more = len(self.tree) - len(self._accesses)
        if more > 0:
            room = np.zeros(more + len(self._accesses) // 2, "i8")
            self._accesses = np.concatenate([self._accesses, room])
            self._bytes = np.concatenate([self._bytes, room])

    def own(self, node: int) -> tuple[int, int]:
        """Return accesses and bytes in a node itself."""
        if node >= len(self._accesses):
            return 0, 0
        return int(self._accesses[node]), int(self._bytes[node])

    def totals(self) -> tuple[Array, Array]:
        """Return the accesses and bytes of all nodes, with what was called from them."""
        size = len(self.tree)
        found = []
        for column in (self._accesses, self._bytes):
            total = np.zeros(size, "i8")
            total[: min(size, len(column))] = column[:size]
            for node in range(size - 1, 0, -1):  # a node's parent has a lower number
                total[self.tree.parents[node]] += total[node]
            found.append(total)
        return found[0], found[1]

    def functions(self, chosen: Array | None = None) -> list[FunctionRow]:
        """Return what each function did, most accesses first; recursion counts once.

        `chosen` says of each node whether it counts; without it all do.
        """
        tree, found = self.tree, dict[str, FunctionRow]()
        accesses, sizes = self.totals()
        for node in range(len(tree)) if chosen is None else np.flatnonzero(chosen).tolist():
            name = tree.names[node] or ELSEWHERE
            row = found.setdefault(name, FunctionRow(name))
            own = self.own(node)
            row.calls += tree.calls[node]
            row.exact &= tree.exact[node]
            row.accesses += own[0]
            row.bytes += own[1]
            row.depth = max(row.depth, tree.depths[node])
            if node and not self._is_within(tree.parents[node], name):
                row.total_accesses += int(accesses[node])
                row.total_bytes += int(sizes[node])
        rest = found.get(ELSEWHERE, FunctionRow(ELSEWHERE))
        rest.total_accesses, rest.total_bytes = rest.accesses, rest.bytes
        if not rest.accesses:
            found.pop(ELSEWHERE, None)
        return sorted(found.values(), key=lambda row: (-row.accesses, row.name))

    def _is_within(self, node: int, name: str) -> bool:
        while node:
            if self.tree.names[node] == name:
                return True
            node = self.tree.parents[node]
        return False

    def edges(self) -> list[Edge]:
        """Return who called whom, by name of the caller and the callee."""
        tree = self.tree
        found: dict[tuple[str, str, bool], list[int]] = {}
        for node in range(1, len(tree)):
            parent = tree.parents[node]
            key = (tree.names[parent], tree.names[node], tree.direct[node] or parent == ROOT)
            found.setdefault(key, []).append(node)
        return [
            Edge(*key, sum(tree.calls[node] for node in nodes),
                 all(tree.exact[node] for node in nodes))
            for key, nodes in sorted(found.items())
        ]  # fmt: skip
