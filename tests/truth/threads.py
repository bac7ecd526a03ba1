"""Programs with threads and signals: what each thread did, by the trace and by the emulator."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from truth import recorded
from truth.binary import Binary
from truth.canonical import TraceFeed, code_table, log_rows, whole_groups
from truth.compare import Difference, compare_rows
from truth.emulator import Array, Plugins, load_bias, read_log
from truth.harness import COLUMNS, NAMES, Verdict, as_linked, watched
from truth.unreported import take_count, unreported_sites


def check_threads(
    plugins: Plugins, traced: Binary, directory: Path, handlers: tuple[str, ...]
) -> Verdict:
    """Hold what each thread did by the trace against the emulator's log of the same run.

    This is for programs whose threads run and whose signals come at any time: there is no other run
    to compare with, and what is where in a file with several threads says nothing.  `handlers` are
    the functions that only signals call.  Where a signal comes in a hook, it may be on either side
    of the access that the hook records, or between two parts of it; what handlers do is compared on
    its own then, and without the latter.
    """
    verdict, log, trace = Verdict(), directory / "traced.log", directory / "trace.record"
    environment, sites = {"INST_OUT": str(trace)}, sorted(traced.sites())
    found = watched(plugins, traced, log, sites, [], environment, True, tuple(traced.writers))
    verdict.plain, verdict.unreported = take_count(found)
    table = code_table(traced.without(unreported_sites(traced)))
    logged = np.concatenate(list(read_log(log, traced.path)))
    batches = as_linked(recorded.read_events(trace), load_bias(log, traced.path), traced.runs)
    events = np.concatenate(list(batches))
    last: list[Array] = []
    if recorded.has_signals_in_hooks(trace):
        own = [r for name, r in traced.functions.items() if name.split(".")[0] in handlers]
        ranges = [np.arange(low, high, 4, "u8") for each in own for low, high in each]
        last = [recorded.hooked(trace), np.concatenate(ranges)]
    emulated = [
        np.concatenate([log_rows(b, table)[0] for b in whole_groups([logged[which]], table)])
        for which in (logged["thread"] == number for number in np.unique(logged["thread"]))
    ]
    emulated = [_sorted_last(rows, last) for rows in emulated if len(rows)]
    for number in np.unique(events["cpu"]):
        part = TraceFeed([events[events["cpu"] == number]], table).take(len(events))
        parted = [text for text in part.problems if last and text.endswith(" bytes")]
        verdict.problems += [text for text in part.problems if text not in parted]
        rows = _sorted_last(part.rows, last)
        results = [compare_rows(NAMES, [one], [rows], COLUMNS) for one in emulated]
        agreed, differences, at = max(
            ((*result, at) for at, result in enumerate(results)),
            key=lambda one: (not one[1], one[0]),
            default=(0, [Difference("nothing of it was executed")], -1),
        )
        verdict.accesses += agreed
        verdict.problems += [f"thread {number}: {one.text}" for one in differences]
        if not differences:
            del emulated[at]
    verdict.problems += [f"a thread is missing, of {len(rows)} accesses" for rows in emulated]
    return verdict


def _sorted_last(rows: Array, last: list[Array]) -> Array:
    """Put the rows of some instructions last, sorted, but for those of several accesses."""
    if not last:
        return rows
    is_last = np.isin(rows["pc"], np.concatenate(last))
    moved = rows[is_last & (rows["size"] > 0)]
    order = np.lexsort([moved[name] for name in COLUMNS])
    return np.concatenate([rows[~is_last], moved[order]])
