"""Threads and cpus of RST records counted anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.formats.rst.codes import CPU, THREAD
from inst.formats.rst.layout import put_cpus
from inst.trace.batch import Batch
from inst.trace.view import Dense, View


def renumber(view: View, what: tuple[str, ...], state: dict[str, Dense], _count: int) -> Batch:
    """Return the records with threads and cpus in the order they appear."""
    records = view.batch.records.copy()
    if "threads" in what:
        rows = np.flatnonzero(records["rtype"] == THREAD)
        records["first"][rows] = [state["threads"](tid) for tid in records["first"][rows].tolist()]
    if "cpus" in what:
        values, known = view.columns("cpu")[0]
        rename = state["cpus"]
        fresh = np.array([rename(cpu) for cpu in values[known].tolist()], "u8")
        named = values.copy()
        named[known] = fresh
        put_cpus(records, view.batch.version, view.batch.version, named, "renumber", view.first)
        rows = np.flatnonzero(records["rtype"] == CPU)
        records["word"][rows] = named[rows]
    return replace(view.batch, records=records)
