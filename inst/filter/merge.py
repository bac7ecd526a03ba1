"""Several inputs made one stream, by time or by thread."""

from __future__ import annotations

import numpy as np

from inst.errors import InstError
from inst.filter.arguments import choice
from inst.filter.model import Filter, Merge, Parameter
from inst.filter.views import views
from inst.trace.batch import Batches
from inst.trace.merging import Input, Merged
from inst.trace.registry import codec_of


def _merge(by: str) -> Merge:
    def merge(streams: list[Batches]) -> Batches:
        inputs = [Input(views(each), by, number) for number, each in enumerate(streams)]
        live = [each for each in inputs if each.ready()]
        formats = {each.view.batch.source.trace.format for each in live if each.view}
        if len(formats) > 1:
            raise InstError(
                f"cannot merge traces of {' and '.join(sorted(formats))}",
                hint="`inst convert` makes them one format",
            )
        output = Merged()
        if live and live[0].view:
            output = codec_of(live[0].view.batch.source.trace).merged()
        while live:
            first = min(live, key=lambda each: (each.key, each.number))
            others = [(each.key, each.number) for each in live if each is not first]
            yield from output.take(first, _run(first, min(others, default=None)))
            live = [each for each in live if each.ready()]
        yield from output.end()

    return merge


def _run(source: Input, other: tuple[int, int] | None) -> int:
    """Return up to which row the input may go before another one has its turn."""
    if other is None:
        return len(source.keys)
    key, number = other
    side = "right" if source.number < number else "left"
    return max(int(np.searchsorted(source.keys, key, side=side)), source.row + 1)  # type: ignore[call-overload]


FILTERS = (
    Filter(
        "merge", "merge", "Make one stream of several inputs: always the record with the lowest "
        "time (CPU records' timestamps; ids of s-expressions) or thread, in input order where "
        "equal. "
        "What the traces say of themselves in the same words is said once.",
        "merge time", _merge, (Parameter("by", choice("time", "thread"), "time|thread"),),
        "threads", "STF has one thread and no times, and its registers are of one processor",
    ),
)  # fmt: skip
