"""A table of accesses that remembers its changes, so that they can be looked up and undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from inst.check.race_history import Accesses
from inst.trace.model import Array


class Journal(dict[int, Accesses]):
    """A table whose changes have places, and hold only once they are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        """The place of the changes that come."""
        self.changes: list[tuple[int, int, Accesses]] = []
        """Key, place, and what is there from then on."""
        self._before: dict[int, Accesses] = {}

    def __setitem__(self, key: int, value: Accesses) -> None:
        self._before.setdefault(key, self.get(key, ()))
        self.changes.append((key, self.now, value))
        super().__setitem__(key, value)

    def __delitem__(self, key: int) -> None:
        self._before.setdefault(key, self[key])
        self.changes.append((key, self.now, ()))
        super().__delitem__(key)

    def pop(self, key: int, *default: Any) -> Any:
        value = self.get(key)
        if value is None:
            return super().pop(key, *default)
        del self[key]
        return value

    def keep(self) -> None:
        self.changes, self._before = [], {}

    def undo(self) -> None:
        for key, value in self._before.items():
            if value:
                super().__setitem__(key, value)
            else:
                super().pop(key, None)
        self.keep()

    def versions(self, keys: Array) -> tuple[Array, Array, list[Accesses]]:
        """Return the keys among these that had freed bytes, at which places they changed, and
        what was there from then on; ordered by both. What was there before has place -1."""
        wanted = set(keys.tolist())
        known = (self.keys() & wanted) | (self._before.keys() & wanted)
        first = [(key, -1, self._before.get(key, self.get(key, ()))) for key in known]
        rows = first + [change for change in self.changes if change[0] in wanted]
        rows.sort(key=lambda row: row[:2])
        return (
            np.array([row[0] for row in rows], "u8"),
            np.array([row[1] for row in rows], "i8"),
            [row[2] for row in rows],
        )


class Versions:
    """The versions of some entries of a table."""

    def __init__(self, table: Journal, keys: Array) -> None:
        self._keys, self._places, self.entries = table.versions(np.unique(keys))

    def at(self, keys: Array, places: Array) -> Array:
        """Return which version of each key is there at a place; -1 for none."""
        if len(self._keys) == 0:
            return np.full(len(keys), -1)
        known, index = np.unique(self._keys, return_inverse=True)
        width = np.int64(max(int(places.max()), int(self._places.max())) + 2)
        sought = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        there = known[sought] == keys
        at = np.searchsorted(index * width + self._places + 1, sought * width + places + 1,
                             side="right") - 1  # fmt: skip
        result: Array = np.where(there & (at >= 0) & (self._keys[at] == keys), at, -1)
        return result
