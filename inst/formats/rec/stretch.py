"""Accesses by columns with the records between them: what statistics take from a recording.

Making the records of every access takes as long as counting them, so where nobody asks for these
the accesses stay as their reader has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inst.formats.rec.events import UNORDERED, Groups
from inst.formats.rec.expand import Recorder
from inst.formats.rst.codes import CPU, EVENT_PC, EVENT_SIZE, MEMVAL
from inst.formats.rst.record import RECORD
from inst.trace.model import Array
from inst.trace.model import joined as together

CONTINUES = np.isin(np.arange(256), (MEMVAL, EVENT_PC, EVENT_SIZE))
"""Which records belong to an event before them."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Accesses of one thread, with records before, between and after them."""

    recorder: Recorder
    item: Array
    """Which of the recorder's items each access is."""
    address: Array
    others: Array
    """The other records."""
    places: Array
    """How many of the accesses come before each of these."""

    @property
    def names_thread(self) -> bool:
        """Return whether it begins with a record that names its thread."""
        return self._first_code == CPU

    @property
    def continues(self) -> bool:
        """Return whether it begins with a record that belongs to an event before it."""
        return bool(CONTINUES[self._first_code])

    @property
    def _first_code(self) -> int:
        """Return the type of the record that it begins with; 0 for an access."""
        begins = len(self.others) and not self.places[0]
        return int(self.others["rtype"][0]) if begins else 0

    def records(self) -> Array:
        """Return all of it as records, those of accesses without their values."""
        made = self.recorder.records(self.item, self.address, np.zeros_like(self.address))
        before = np.concatenate([[0], np.cumsum(self.recorder.counts[self.item])])
        return merged(made, self.others, before[self.places])

    def between(
        self, groups: Groups, places: Array, *, divided: bool
    ) -> Iterator[tuple[int, Stretch]]:
        """Yield the accesses with groups put in at places, in stretches that begin with an order
        if they are to be divided."""
        others, lengths = groups.gathered()
        before, at = np.cumsum(lengths) - lengths, np.repeat(places, lengths)
        ordered = np.flatnonzero(groups.order != UNORDERED) if divided else np.zeros(0, "i8")
        cuts = [0, *places[ordered].tolist(), len(self.item)]
        other_cuts = [0, *before[ordered].tolist(), len(others)]
        for number, order in enumerate([UNORDERED, *groups.order[ordered].tolist()]):
            some, rest = slice(*cuts[number : number + 2]), slice(*other_cuts[number : number + 2])
            if some.start < some.stop or rest.start < rest.stop:
                yield (
                    order,
                    Stretch(
                        self.recorder,
                        self.item[some],
                        self.address[some],
                        others[rest],
                        at[rest] - some.start,
                    ),
                )


def joined(stretches: list[Stretch]) -> Stretch:
    """Return stretches of recorders with the same items as one."""
    if len(stretches) == 1:
        return stretches[0]
    counts = np.array([len(one.item) for one in stretches])
    shifts = (np.cumsum(counts) - counts).tolist()
    own = [one for one in stretches if len(one.item)] or stretches[:1]
    return Stretch(
        own[0].recorder,
        np.concatenate([one.item for one in own]),
        np.concatenate([one.address for one in own]),
        together([one.others for one in stretches]),
        np.concatenate([one.places + shift for one, shift in zip(stretches, shifts, strict=True)]),
    )


def merged(records: Array, others: Array, places: Array) -> Array:
    """Return records with others put in before places."""
    if not len(others):
        return records
    taken = np.zeros(len(records) + len(others), bool)
    taken[places + np.arange(len(others))] = True
    merged = np.empty(len(taken), RECORD)
    merged[taken] = others
    merged[~taken] = records
    return merged
