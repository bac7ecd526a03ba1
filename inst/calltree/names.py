"""Which functions a user asks for: names with `*`, `?` and `[a-z]`, and what is below them."""

from __future__ import annotations

import fnmatch

import numpy as np

from inst.calltree.tree import ROOT, Tree
from inst.trace.model import Array


class Wanted:
    """The nodes of a tree whose function has a wanted name; with `below` also what they called."""

    def __init__(self, tree: Tree, patterns: tuple[str, ...], *, below: bool) -> None:
        self._tree = tree
        self._patterns = patterns
        self._below = below
        self._known = np.zeros(1, bool)
        self._count = 1
        """Nodes that were looked at; the first is the root."""

    def holds(self, name: str) -> bool:
        """Return whether a function is asked for; C++ names match without parameters, too."""
        bare = name.partition("(")[0]
        return any(
            fnmatch.fnmatchcase(one, pattern) for pattern in self._patterns for one in (name, bare)
        )

    def nodes(self) -> Array:
        """Return for each node of the tree whether it is wanted."""
        if len(self._known) < len(self._tree):
            room = np.zeros(len(self._tree) + len(self._known) // 2, bool)
            room[: self._count] = self._known[: self._count]
            self._known = room
        for node in range(self._count, len(self._tree)):
            parent = self._tree.parents[node]
            inherited = self._below and parent != ROOT and bool(self._known[parent])
            self._known[node] = inherited or self.holds(self._tree.names[node])
        self._count = len(self._tree)
        return self._known[: self._count]
