"""Traces of storms and crowds against the emulator's own record of what each thread touched."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from truth.binary import all_code, atomic_calls, replaced
from truth.emulator import (
    UNREPORTED_WORDS,
    Array,
    Plugins,
    Watch,
    build_plugins,
    memlog_option,
    read_log,
    run,
)

from inst.program.sitetable import read_sites
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.signals.programs import Builder, builder

BUILT = ("ppc32", "sparc-v8", "ppc64")
COLUMNS = ["pc", "address", "size", "store"]
ROW = np.dtype([("pc", "u8"), ("address", "u8"), ("size", "u2"), ("store", "u2")])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Plugins:
    """Return the emulator's plugins."""
    return build_plugins(tmp_path_factory.mktemp("plugins"))


@dataclass(frozen=True)
class Record:
    """Accesses and their threads, in the order of each thread."""

    rows: Array
    threads: Array

    def by_thread(self) -> list[Array]:
        """Return each thread's accesses, the first thread's first."""
        return [self.rows[self.threads == one] for one in np.unique(self.threads)]

    def sorted(self) -> Record:
        """Return the same without the order: a signal may come between an access and its hook."""
        order = np.lexsort([*(self.rows[name] for name in COLUMNS), self.threads])
        return Record(self.rows[order], self.threads[order])


def without_equal(some: list[Array], others: list[Array]) -> list[Array]:
    """Return what is not in both, thread by thread."""
    left = Counter(part.tobytes() for part in others)
    kept = []
    for part in some:
        if left[part.tobytes()]:
            left[part.tobytes()] -= 1
        else:
            kept.append(part)
    return kept


def assert_the_same(trace: Record, emulator: Record) -> None:
    """Compare thread by thread; the emulator gives a new thread the number of one that ended.

    On a loaded machine few threads live at once and most numbers are used again, so a part of
    the emulator's record is one thread of the trace after the other.
    """
    recorded, logged = trace.by_thread(), emulator.by_thread()
    assert len(trace.rows) == len(emulator.rows)
    ours, theirs = without_equal(recorded, logged), without_equal(logged, recorded)
    ours.sort(key=len, reverse=True)  # what fits is to be the longest: one may begin as another
    for part in theirs:
        while len(part):
            fits = [n for n, one in enumerate(ours) if np.array_equal(one, part[: len(one)])]
            assert fits, "a thread's accesses are not those of the emulator"
            part = part[len(ours.pop(fits[0])) :]
    assert not ours


def both_records(
    plugins: Plugins, program: Path, isa: str, directory: Path, *arguments: str
) -> tuple[Record, Record, str]:
    """Run a program; return the emulator's record, the trace's, and its output.

    What the emulator does not report (atomic accesses), and what libatomic does, is left out of
    both.
    """
    log, trace = directory / "log", directory / "out"
    runs = replaced(isa, all_code(program), program)
    places = {runs.get(site.address, site.address) for site in read_sites(program)}
    sites = [(place, place + 4) for place in places]
    option = memlog_option(plugins, program, log, Watch(sites, False, UNREPORTED_WORDS[isa]))
    done = run(program, arguments, option, {"INST_OUT": str(trace)})
    assert (done.status, done.errors) == (0, b"")
    logged = np.concatenate(list(read_log(log, program)))
    hidden = np.unique(logged["pc"][(logged["size"] == 0) & (logged["pc"] != 0)])
    logged = logged[(logged["size"] > 0) & ~np.isin(logged["pc"], hidden)]
    kinds = (Kind.READ, Kind.WRITE, Kind.RESERVE)
    recorded = np.concatenate([b[np.isin(b["kind"], kinds)] for b in open_trace(trace).events()])
    for site, place in runs.items():
        recorded["pc"][recorded["pc"] == site] = place
    outside = np.array([0, *hidden, *atomic_calls(program, isa)], "u8")
    recorded = recorded[~np.isin(recorded["pc"], outside)]
    return (
        Record(as_rows(logged, logged["store"]), logged["thread"]),
        Record(as_rows(recorded, recorded["kind"] == Kind.WRITE), recorded["thread"]),
        done.output.decode(),
    )


def as_rows(events: Array, store: Array) -> Array:
    """Return what both records say of an access."""
    rows = np.zeros(len(events), ROW)
    for name in ("pc", "address", "size"):
        rows[name] = events[name]
    rows["store"] = store
    return rows


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("target", BUILT)
def test_a_storm_loses_and_tears_nothing(
    built: Builder, plugins: Plugins, target: str, tmp_path: Path
) -> None:
    program = built(target, "storm.c", "rst").traced
    emulator, trace, said = both_records(plugins, program, TARGETS[target].isa, tmp_path, "100")
    assert said == "received 100\n"
    assert len(trace.rows) > 700, "a handler has five accesses, its sender two; the loop may wait"
    assert_the_same(trace.sorted(), emulator.sorted())


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("target", BUILT)
def test_each_thread_of_a_crowd_has_what_it_did(
    built: Builder, plugins: Plugins, target: str, tmp_path: Path
) -> None:
    program = built(target, "crowd.c", "rst", "-static", "-latomic").traced
    emulator, trace, _ = both_records(plugins, program, TARGETS[target].isa, tmp_path)
    assert len(np.unique(trace.threads)) == 202
    assert len(trace.rows) > 5000, "each of the 200 has at least 26"
    assert_the_same(trace, emulator)
