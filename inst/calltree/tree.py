"""A tree of calls: each node is a function in one chain of callers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inst.trace.model import Array

MOST_NODES = 1 << 20
"""Beyond as many chains of callers, further calls count for their callers."""
ROOT = 0


class Tree:
    """The chains of callers that were seen; node 0 is where threads begin.

    The lists have an element for each node.
    """

    def __init__(self) -> None:
        self.parents: list[int] = [ROOT]
        self.names: list[str] = [""]
        self.direct: list[bool] = [True]
        """Whether the function is known to be called by its parent itself."""
        self.depths: list[int] = [0]
        self.calls: list[int] = [0]
        self.exact: list[bool] = [True]
        """Whether there were no more calls than `calls`."""
        self._numbers: dict[tuple[int, str, bool], int] = {}

    def __len__(self) -> int:
        return len(self.parents)

    def child(self, parent: int, name: str, *, direct: bool = True) -> int:
        """Return the node of a function called from a node."""
        key = (parent, name, direct)
        found = self._numbers.get(key)
        if found is not None:
            return found
        if len(self.parents) >= MOST_NODES:
            return parent
        found = self._numbers[key] = len(self.parents)
        self.parents.append(parent)
        self.names.append(name)
        self.direct.append(direct)
        self.depths.append(self.depths[parent] + 1)
        self.calls.append(0)
        self.exact.append(True)
        return found

    def shared(self, one: int, other: int) -> int:
        """Return how deep the innermost node is that is on the way to both."""
        while one != other:
            if self.depths[one] >= self.depths[other]:
                one = self.parents[one]
            else:
                other = self.parents[other]
        return self.depths[one]

    def chain(self, node: int) -> list[int]:
        """Return a node and its callers, the outermost first, without the root."""
        found: list[int] = []
        while node:
            found.append(node)
            node = self.parents[node]
        return found[::-1]

    def path(self, node: int) -> list[str]:
        """Return the names of a node and its callers, the outermost first."""
        return [self.names[one] for one in self.chain(node)]


@dataclass(frozen=True, slots=True)
class Move:
    """A call that begins or ends before an event."""

    row: int
    """Which event of the batch."""
    thread: int
    node: int
    enters: bool
    counted: bool = True
    """Whether a call begins that is known to be a further one."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What is known of a batch of events."""

    nodes: Array
    """The node of each event, as u4."""
    moves: list[Move]
    """Calls that begin and end, each thread's in its order; the rows ascend within a thread."""

    def in_order(self) -> Iterator[Move]:
        """Yield the moves of all threads in the order of the events."""
        yield from sorted(self.moves, key=lambda move: move.row)


@dataclass(slots=True)
class Output:
    """Where one thread's reconstruction puts the moves of a batch."""

    tree: Tree
    thread: int
    rows: Array
    """Which events of the batch are the thread's."""
    moves: list[Move]

    def enter(self, at: int, node: int, *, counted: bool = True) -> None:
        """A call of a node begins before the thread's event `at` of the batch."""
        self.tree.calls[node] += counted
        move = Move(int(self.rows[at]), self.thread, node, enters=True, counted=counted)
        self.moves.append(move)

    def leave(self, at: int, node: int) -> None:
        """A call of a node has ended before that event."""
        self.moves.append(Move(int(self.rows[at]), self.thread, node, enters=False))
