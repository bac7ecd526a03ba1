"""Finds the blocks of runs: from the last word of each back to its start, many runs at a time.

A block ends in a word that names its segment, which states how long the block is; the blocks of a
run can be found only from its end. A step of the search takes one block of every run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.formats.rec.tables import DENSE, Tables
from inst.trace.model import Array


@dataclass(frozen=True, slots=True)
class Broken(Exception):
    """A run cannot be decoded: which of those given, at which word, and why."""

    run: int
    place: int
    message: str


class Finder:
    """Finds blocks by the tables of a recording."""

    def __init__(self, tables: Tables) -> None:
        self._is_loose = tables.is_loose
        self._distance = tables.distance
        self._lengths = tables.words.astype("u1")
        self.dense = not len(tables.distance) or int(tables.distance[-1]) // 4 < DENSE
        if self.dense:
            self._table, self._rows = tables.dense()

    def length(self, segment: int) -> int:
        """Return how many words a segment's blocks have."""
        return 1 if self._is_loose else int(self._lengths[segment])

    def blocks(self, data: Array, starts: Array, ends: Array) -> tuple[Array, Array]:
        """Return where the blocks of runs end, in order, and the segments that they are of.

        Runs are given as ranges of words. The first that is damaged raises `Broken`. Where values
        follow each other, each is a block of one word.
        """
        if self._is_loose:
            words = [np.arange(*run) for run in zip(starts.tolist(), ends.tolist(), strict=True)]
            every = np.concatenate([np.zeros(0, "i8"), *words])
            return every, np.zeros(len(every), "i4")
        marks = np.zeros(len(data), bool)
        runs = np.flatnonzero(ends > starts)
        self._walk(data, marks, runs, starts[runs], ends[runs] - 1)
        trailers = np.flatnonzero(marks)
        distances = _distances(data[trailers])
        segments = self._segments(distances)
        wrong = np.flatnonzero(self._distance[segments] != distances)
        if len(wrong):
            place = int(trailers[wrong[0]])
            run = int(np.flatnonzero((starts <= place) & (ends > place))[0])
            raise Broken(run, place, "a block of an unknown segment")
        return trailers, segments

    def _segments(self, distances: Array) -> Array:
        if self.dense:
            return self._rows.take(_places(distances), mode="clip")
        found = np.searchsorted(self._distance, distances)
        return np.minimum(found, len(self._distance) - 1)

    def _length(self, distances: Array) -> Array:
        """Return how long the blocks of segments are; 0 for what is no segment."""
        if self.dense:
            return self._table.take(_places(distances), mode="clip")
        found = self._segments(distances)
        return np.where(self._distance[found] == distances, self._lengths[found], np.uint8(0))

    def _walk(self, data: Array, marks: Array, runs: Array, starts: Array, last: Array) -> None:
        broken: list[Broken] = []
        while len(last):
            length = self._length(_distances(data[last]))
            if not length.all():
                bad = length == 0
                for run, place in zip(runs[bad].tolist(), last[bad].tolist(), strict=True):
                    broken.append(Broken(run, place, "a block of an unknown segment"))
                runs, starts, last = runs[~bad], starts[~bad], last[~bad]
                continue
            marks[last] = True
            last = last - length
            going = last >= starts
            if not going.all():
                out = np.flatnonzero(last < starts - 1)
                for run, place in zip(runs[out].tolist(), starts[out].tolist(), strict=True):
                    broken.append(Broken(run, place, "a block that leaves its run"))
                runs, starts, last = runs[going], starts[going], last[going]
        if broken:
            raise min(broken, key=_run_of)


def _run_of(broken: Broken) -> int:
    return broken.run


def _distances(trailers: Array) -> Array:
    """Return how far segments are from the image's start, by the lower halves of 64-bit words."""
    distances: Array = -trailers & trailers.dtype.type(0xFFFFFFFF)
    return distances


def _places(distances: Array) -> Array:
    """Return the entries of a table by address; what is too far is out of every table."""
    places: Array = distances >> distances.dtype.type(2)
    return places.astype("i8", copy=False)
