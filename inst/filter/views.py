"""Streams of any format as views, and the selection of what a predicate says of them."""

from __future__ import annotations

from collections.abc import Iterator

from inst.filter.model import TRUE, UNKNOWN, Batch, Batches, Predicate, Stage
from inst.filter.rst_groups import Switches, rst_views
from inst.filter.sexp_view import SexpView
from inst.filter.stf_view import stf_views
from inst.filter.view import View


def views(batches: Batches) -> Iterator[View]:
    """Yield views of whole groups, with the threads of the stream tracked."""
    first = batches_first = next(batches, None)
    if first is None or batches_first is None:
        return
    stream = _again(first, batches)
    if first.source.format == "rst":
        yield from rst_views(stream)
    elif first.source.format == "sexp":
        yield from _listed(stream, SexpView)
    else:
        yield from stf_views(stream)


def _again(first: Batch, rest: Batches) -> Batches:
    yield first
    yield from rest


def _listed(batches: Batches, kind: type[View]) -> Iterator[View]:
    count = 0
    for batch in batches:
        yield kind(batch, count)
        count += len(batch)


def selecting(predicate: Predicate, *, explain: bool = False) -> Stage:
    """Return the stage that keeps what the predicate says, and the context it leaves open.

    `explain` brings back CPU records that stand before something kept: a thread that moves
    to another cpu names itself there, not the cpu.
    """

    def stage(batches: Batches) -> Batches:
        switches = Switches()
        for view in views(batches):
            verdict = predicate(view)
            keep = (verdict == TRUE) | ((verdict == UNKNOWN) & view.context)
            if explain and view.batch.source.format == "rst":
                yield switches.kept(view, keep)
            else:
                yield view.batch.take(keep, view.context)

    return stage
