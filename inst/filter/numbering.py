"""Numbers made dense: sequence ids, threads, cpus."""

from __future__ import annotations

from inst.filter.arguments import number, words
from inst.filter.model import Filter, Parameter, Stage
from inst.filter.views import views
from inst.trace.batch import Batches
from inst.trace.registry import codec_of
from inst.trace.view import Dense

WHAT = ["ids", "threads", "cpus"]


def _renumber(what: tuple[str, ...], start: int) -> Stage:
    def stage(batches: Batches) -> Batches:
        state = {name: Dense(start) for name in WHAT}
        count = start
        for view in views(batches):
            yield codec_of(view.batch.source.trace).part("renumber")(view, what, state, count)
            count += len(view)

    return stage


FILTERS = (
    Filter(
        "renumber", "change", "Count sequence ids (s-expressions) anew, and threads or cpus in the "
        "order they appear.", "renumber ids,threads from=1",
        _renumber,
        (
            Parameter("what", words(WHAT), "ids|threads|cpus[,...]"),
            Parameter("from", number, "N", 0, False),
        ),
        "renumber",
        "STF numbers nothing",
    ),
)  # fmt: skip
