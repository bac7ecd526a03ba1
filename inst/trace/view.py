"""Views: the columns of a batch, the same questions for every format.

A view knows which records belong together: an INSTR and its MEMVALs, REGVALs and PHYSADDRs
are one group, named by its leader's row. Every verdict is about groups.
"""

from __future__ import annotations

import abc
import fnmatch
from functools import cached_property

import numpy as np

from inst.errors import InstError
from inst.trace.batch import Batch
from inst.trace.model import Array

FALSE, UNKNOWN, TRUE = 0, 1, 2
"""What a selection decides about a record. UNKNOWN is for the trace's context (header, strings,
cpu switches ...), which a selection is not about: it stays. `and` is the minimum, `or` the
maximum, `not` is 2 - x."""

CLASSES = (
    "load", "store", "access", "atomic", "reserve", "branch", "instruction", "context", "unknown",
)  # fmt: skip
"""Classes of records that every view has."""

Column = tuple[Array, Array]
"""Values as u64, and which of them are known."""


class View(abc.ABC):
    """A batch of whole groups, read by columns."""

    def __init__(self, batch: Batch, first: int) -> None:
        self.batch = batch
        self.first = first
        """Ordinal of the first record in this stage's input."""

    def __len__(self) -> int:
        return len(self.batch)

    @property
    @abc.abstractmethod
    def leader(self) -> Array:
        """For each row, the row that leads its group."""

    @property
    @abc.abstractmethod
    def context(self) -> Array:
        """Which rows are the trace's frame: header, strings, cpu switches, translations."""

    @abc.abstractmethod
    def is_type(self, word: str) -> Array:
        """Which rows are of a record type, or of a class such as load."""

    @abc.abstractmethod
    def columns(self, name: str) -> list[Column]:
        """Return the columns that a name means: most rows have a value in one at most."""

    @abc.abstractmethod
    def mark(self, name: str) -> Array:
        """Which rows have a flag."""

    @abc.abstractmethod
    def mnemonics(self) -> tuple[Array, list[str]]:
        """Return for each row a number into a list of mnemonics; 0 is none."""

    @abc.abstractmethod
    def places(self) -> tuple[Array, list[tuple[str, int, str]]]:
        """Return for each row a number into a list of (file, line, function); 0 is none."""

    @property
    def frame(self) -> Array:
        """Which rows describe the whole trace."""
        return self.context

    @property
    def ends(self) -> Array:
        """Which rows record that the trace ends."""
        return np.zeros(len(self), bool)

    def times(self) -> Column:
        """Return the time that each row states."""
        return self.columns("id")[0]

    @cached_property
    def leads(self) -> Array:
        """Which rows lead their group."""
        return np.asarray(self.leader == np.arange(len(self)), bool)

    @cached_property
    def alone(self) -> bool:
        """Return whether every group is one record."""
        return bool(self.leads.all())

    @cached_property
    def starts(self) -> Array:
        """For each leader's row, the first row of its group."""
        rows = np.arange(len(self))
        if not self.alone:
            starts = rows.copy()
            np.minimum.at(starts, self.leader, rows)
            return starts
        return rows

    def group_any(self, rows: Array) -> Array:
        """Which rows are in a group that has one of the rows given."""
        if self.alone:
            return rows
        counts = np.bincount(self.leader[rows], minlength=len(self))
        return counts[self.leader] > 0

    def verdict(self, rows: Array) -> Array:
        """Return TRUE for the groups of the rows, UNKNOWN for other context, else FALSE."""
        chosen = self.group_any(rows)
        return np.where(chosen, TRUE, np.where(self.context, UNKNOWN, FALSE)).astype("i1")

    def owner(self, name: str) -> Column:
        """Return the thread or cpu of each row, taken from its group's leader."""
        values, known = self.columns(name)[0]
        return values[self.leader], known[self.leader]

    def counted(self, unit: str) -> Array:
        """Which rows count: leaders of events, of instructions ("i"), or every record ("r")."""
        if unit == "r":
            return np.ones(len(self), bool)
        if unit == "i":
            return np.asarray(self.mark("instruction") & self.leads, bool)
        return np.asarray(~self.context & self.leads, bool)

    def matching(self, wanted: tuple[str, ...]) -> Array:
        """Which rows have a mnemonic that fits one of the patterns."""
        numbers, names = self.mnemonics()
        fits = [any(fnmatch.fnmatchcase(name, each.lower()) for each in wanted) for name in names]
        fits[0] = False
        return np.array(fits, bool)[numbers]

    def located(self, rows: Array, pcs: Array) -> tuple[Array, list[tuple[str, int, str]]]:
        """Return the places of program counters, each distinct one looked up once."""
        distinct, where = np.unique(pcs, return_inverse=True)
        numbers = np.zeros(len(self), "i8")
        numbers[rows] = where + 1
        found = [("", 0, "")]
        locator = self.batch.source.locator
        for pc in distinct.tolist():
            place = locator(pc) if locator else None
            found.append((place.file, place.line, place.function) if place else ("", 0, ""))
        return numbers, found


class Keeper:
    """Keeps some records of one view after the other."""

    def kept(self, view: View, keep: Array) -> Batch:
        """Return the records to keep, and what they need of those that are removed."""
        return view.batch.take(keep, view.context)


NUMBER_LIMIT = 1 << 18


class Dense:
    """Numbers in the order they are first seen."""

    def __init__(self, start: int) -> None:
        self._known: dict[int, int] = {}
        self._start = start

    def __call__(self, value: int) -> int:
        found = self._known.get(value)
        if found is None:
            if len(self._known) >= NUMBER_LIMIT:
                raise InstError(f"renumber: more than {NUMBER_LIMIT} different numbers")
            found = self._known[value] = self._start + len(self._known)
        return found
