"""Streams of any format as views, and the selection of records by a predicate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from inst.filter.model import Predicate, Stage
from inst.trace.batch import Batches
from inst.trace.registry import codec_of
from inst.trace.view import TRUE, UNKNOWN, Keeper, View


def views(batches: Batches) -> Iterator[View]:
    """Yield views of whole groups, with the threads of the stream tracked."""
    first = next(batches, None)
    if first is not None:
        yield from codec_of(first.source.trace).views(chain([first], batches))


def selecting(predicate: Predicate, *, explain: bool = False) -> Stage:
    """Return the stage that selects by the predicate, and keeps the context it leaves open.

    `explain` restores CPU records that are before something selected: a thread that moves
    to another cpu names itself there, not the cpu.
    """

    def stage(batches: Batches) -> Batches:
        keeper = Keeper()
        for number, view in enumerate(views(batches)):
            if explain and number == 0:
                keeper = codec_of(view.batch.source.trace).keeper()
            verdict = predicate(view)
            yield keeper.kept(view, (verdict == TRUE) | ((verdict == UNKNOWN) & view.context))

    return stage
