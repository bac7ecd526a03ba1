"""Storms of signals into code that runs hooks nearly all the time: none lost, no record torn."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import numpy as np

from inst.trace import open_trace
from tests.signals.accidents import check_form
from tests.signals.programs import HERE, Program

REPORTED = str(HERE / "reported.c")
"""Hooks that record in a variable that they run, and compare the arguments of signal hooks."""


def signals_of(path: Path) -> Counter[tuple[str, int]]:
    """Return how often each kind of signal event with each signal stands in a trace."""
    found: Counter[tuple[str, int]] = Counter()
    trace = open_trace(path)
    for batch in trace.events():
        for row in batch[batch["kind"] == 0]:
            event = trace.event(row)
            if event.detail != "back from signal":
                found[event.detail, event.value or 0] += 1
    return found


def _counts_to(path: Path, signals: int) -> bool:
    """Return whether one instruction stored 1, 2, 3 ... : the handler's `received`."""
    stores = np.concatenate(
        [batch[(batch["kind"] == 2) & (batch["size"] == 4)] for batch in open_trace(path).events()]
    )
    wanted = list(range(1, signals + 1))
    places = np.unique(stores["pc"])
    return any(stores["value"][stores["pc"] == pc].tolist() == wanted for pc in places)


def raise_storm(program: Program, signals: int, directory: Path, eager: bool = False) -> str:
    """Run storm.c, built with any hooks; return what was seen.

    An `eager` sender sends as fast as it can, which takes a processor of its own.
    """
    out = directory / "out"
    began = time.monotonic()
    how = ["eager"] if eager else []
    done = program.run(program.traced, str(signals), *how, out=out)
    seconds = f"{signals / (time.monotonic() - began):.0f} signals a second"
    received, *reported = done.stdout.splitlines()
    assert received == f"received {signals}", done
    if reported:  # hooks of reported.c
        assert reported == [f"reported {signals} wrong 0"], done.stdout
        special = int(done.stderr.split()[3])
        assert special > signals / 10, "hooks were hardly ever interrupted: this shows nothing"
        return f"{signals} reported right, {special} of them in hooks, {seconds}"
    if not out.exists():
        return f"{signals} received, {seconds}"
    text = out.read_bytes()
    if text.startswith(b"ldb "):  # the table of count
        counts = dict(line.split() for line in text.decode().splitlines())
        assert int(counts["signal"]) == signals, counts
        return f"{signals} counted, {seconds}"
    assert check_form(out), f"the trace has no end: {done.stderr}"
    if open_trace(out).format == "stf":  # which has no signals, only what their handler did
        assert _counts_to(out, signals), "a handler's record is missing"
        return f"{signals} handled in the trace, {seconds}"
    found = signals_of(out)
    inside = sum(count for (detail, _), count in found.items() if detail != "signal")
    assert found.total() == signals and inside > signals / 50, found
    return f"{signals} in the trace, {inside} of them in hooks, {seconds}"
