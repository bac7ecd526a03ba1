"""PATCH markers: around a stretch of the trace, and stretches between them removed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.errors import InstError
from inst.filter.arguments import Problem, Ranges, number, numbers, text
from inst.filter.model import Filter, Parameter, Stage
from inst.filter.views import views
from inst.formats.rst.batch import insert
from inst.formats.rst.codes import PATCH
from inst.formats.rst.record import encode
from inst.trace.batch import Batch, Batches, stack

LONGEST = 0xFFFF
"""Records between two markers: the most that the record's length can express."""


def _byte(value: str) -> int:
    found = number(value)
    if found > 255:
        raise Problem(f"{value} does not fit into 8 bits")
    return found


def _description(value: str) -> str:
    found = text(value)
    if len(found.encode("latin-1", "replace")) > 16:
        raise Problem(f"{found!r} is longer than 16 characters")
    return found


def _one_range(value: str) -> Ranges:
    found = numbers(value)
    if len(found.pairs) != 1:
        raise Problem(f"{value!r} is not one range")
    return found


def _mark(events: Ranges, identity: int, descr: str) -> Stage:
    first, last = events.pairs[0]

    def stage(batches: Batches) -> Batches:
        seen = 0
        inside: list[Batch] = []
        for view in views(batches):
            counted = view.counted("")
            before = (seen + np.cumsum(counted) - counted)[view.leader]
            seen += int(np.count_nonzero(counted))
            # Context after the last event of the stretch stays outside of it.
            within = (before >= first) & (before <= last)
            rows = np.flatnonzero(within & ~view.context)
            if not len(rows):
                if inside and seen > last:
                    yield from _marked(inside, identity, descr)
                    inside = []
                (inside.append(view.batch) if inside else None)
                if not inside:
                    yield view.batch
                continue
            start = 0 if inside else int(rows[0])
            end = int(rows[-1]) + 1 if seen > last else len(view)
            if start:
                yield view.batch.part(0, start)
            inside.append(view.batch.part(start, end))
            if sum(map(len, inside)) > LONGEST:
                raise InstError(f"patch: more than {LONGEST} records between the markers")
            if seen > last:
                yield from _marked(inside, identity, descr)
                inside = []
                if end < len(view):
                    yield view.batch.part(end, len(view))
        yield from _marked(inside, identity, descr) if inside else ()

    return stage


def _marked(inside: list[Batch], identity: int, descr: str) -> Batches:
    """Yield the stretch between its two markers."""
    whole = replace(inside[-1], records=stack([batch.records for batch in inside]))
    length = len(whole)
    begin = encode("patch", isBegin=1, id=identity, length=length, descr=descr)
    end = encode("patch", isBegin=0, id=identity, length=length, descr=descr)
    yield insert(whole, [(0, begin), (length, end)])


def _unpatch(identity: int | None) -> Stage:
    def stage(batches: Batches) -> Batches:
        opened: int | None = None
        for batch in batches:
            keep = np.ones(len(batch), bool)
            start = 0
            for row in np.flatnonzero(batch.records["rtype"] == PATCH).tolist():
                number_ = int(batch.records["half"][row]) & 0xFF
                if identity is not None and number_ != identity:
                    continue
                keep[row] = False
                begins = bool(batch.records["flags"][row] & 1)
                if begins and opened is None:
                    opened, start = number_, row
                elif not begins and opened == number_:
                    keep[start:row] = False
                    opened, start = None, row
            if opened is not None:
                keep[start:] = False
            yield batch.take(keep)

    return stage


FILTERS = (
    Filter(
        "patch", "change", "Put PATCH markers around the events A to B (ordinals from 0): the "
        "first "
        "and the last record of the stretch are inside, at most 65535 of them.",
        "patch 100-199 id=1 descr=loop", _mark,
        (
            Parameter("events", _one_range, "A-B"),
            Parameter("id", _byte, "N", 1, False),
            Parameter("descr", _description, "TEXT", "", False),
        ),
        "rst",
    ),
    Filter(
        "unpatch", "change", "Remove what is between PATCH markers, and the markers: all, or "
        "those with an id. (`drop patch` removes only the markers.)", "unpatch id=1",
        _unpatch, (Parameter("id", _byte, "N", None, False),), "rst",
    ),
)  # fmt: skip
