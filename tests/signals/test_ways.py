"""Threads and processes that begin and end in every way, most of them in the middle of a hook."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.emulator_limits import cannot_run
from tests.signals.accidents import NUMBERS, check_form
from tests.signals.programs import Builder, Program, builder

SOME = list(range(300))
"""What a part of ways.c counts that comes to its end."""
WITHOUT_TABLES = ("-static", "-fno-exceptions", "-fno-asynchronous-unwind-tables")
UNWINDABLE = {
    "cancel": {"sparc-v8": ("-static", "-fexceptions"), "ppc64": ("-static",)},
    "exit-thread": {"ppc32": WITHOUT_TABLES, "ppc64": ("-static",)},
}
"""Who can end a thread from a handler (`tests.emulator_limits` has the others)."""
WAITING = [
    ("cancel-before", "ppc32"), ("cancel-before", "sparc-v8"), ("cancel-waiting", "sparc-v8"),
]  # fmt: skip


@dataclass(frozen=True)
class Leaves:
    """What a run leaves."""

    traces: int = 1
    ended: int = 1
    """Traces that do not say that the program was killed."""
    whole: int = 0
    """Parts of the program that counted to their end."""
    interrupted: bool = True
    """Signals come into hooks."""


WAYS = {
    "atexit": Leaves(whole=2, interrupted=False),
    "exit-beside": Leaves(whole=2, interrupted=False),
    "last-thread": Leaves(whole=2, interrupted=False),
    "exit": Leaves(whole=1),
    "quick": Leaves(),
    "abort": Leaves(),
    "fork": Leaves(traces=3, ended=3, whole=2),
    "exec": Leaves(traces=2, ended=2, whole=1),
    "no-exec": Leaves(),
    "jump": Leaves(),
    "clone": Leaves(traces=3, ended=2, whole=2, interrupted=False),
    "spawn": Leaves(traces=2, ended=2, whole=1, interrupted=False),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


def run_both(program: Program, way: str, directory: Path) -> list[Path]:
    """Run a program plain and traced, which must do the same; return the traces."""
    plain, traced = (
        program.run(path, way, *program.command(path, "again"), out=directory / "out")
        for path in (program.plain, program.traced)
    )
    assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode), traced
    assert traced.stderr == plain.stderr
    return sorted(directory.iterdir())


STATIC = 0x20000000
"""Variables of a static program lie below, stacks above."""


def counted(path: Path) -> list[list[int]]:
    """Return what each variable was given, in the order of the trace."""
    found: dict[int, list[int]] = {}
    for batch in open_trace(path).events():
        chosen = (batch["kind"] == 2) & (batch["address"] < STATIC)
        stores = batch[chosen & (batch["value"] >> np.uint64(24) == NUMBERS >> 24)]
        for address, value in zip(*(stores[n].tolist() for n in ("address", "value")), strict=True):
            found.setdefault(address, []).append(value - NUMBERS)
    return list(found.values())


def signals_in_hooks(path: Path) -> int:
    trace = open_trace(path)
    return sum(
        re.search(r"signal in (ld|st)", trace.event(row).detail) is not None
        for batch in trace.events()
        for row in batch[batch["kind"] == 0]
    )


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("target", "hooks"), [("ppc32", "rst"), ("sparc-v8", "sexp")])
def test_a_way_to_begin_or_end_is_as_without_hooks(
    built: Builder, target: str, hooks: str, way: str, tmp_path: Path
) -> None:
    wanted = WAYS[way]
    traces = run_both(built(target, "ways.c", hooks), way, tmp_path)
    assert len(traces) == wanted.traces, traces
    ended = [check_form(path) for path in traces]
    assert sum(ended) == wanted.ended, ended
    parts = [part for path in traces for part in counted(path)]
    assert parts.count(SOME) == wanted.whole, [len(part) for part in parts]
    for part in parts:
        assert set(np.diff(part).tolist()) <= {1, 0 if way == "jump" else 1}, "one is missing"
    assert not wanted.interrupted or signals_in_hooks(traces[0]), "no hook was interrupted"


def test_no_target_is_left_out_in_silence() -> None:
    for way, targets in UNWINDABLE.items():
        assert {*targets, *cannot_run(f"signals/ways.c {way}")} == TARGETS.keys()
    for way in ("cancel-before", "cancel-waiting"):
        run = {target for one, target in WAITING if one == way}
        assert {*run, *cannot_run(f"signals/ways.c {way}")} == TARGETS.keys()


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize(
    ("way", "target"), [(way, target) for way, targets in UNWINDABLE.items() for target in targets]
)
def test_a_thread_is_ended_in_a_hook(built: Builder, way: str, target: str, tmp_path: Path) -> None:
    """Each of twelve threads has all it did, up to the one access it was ended before or at, and
    what its destructor did."""
    program = built(target, "ways.c", "rst", *UNWINDABLE[way][target])
    (path,) = run_both(program, way, tmp_path)
    assert check_form(path)
    parts = counted(path)
    assert parts.count(list(range(10))) == 12
    long = [part for part in parts if len(part) > 10]
    assert len(long) == 12
    assert all(part == list(range(len(part))) and len(part) >= 300 for part in long)


@pytest.mark.parametrize(("way", "target"), WAITING)
def test_a_thread_is_cancelled_where_it_waits(
    built: Builder, way: str, target: str, tmp_path: Path
) -> None:
    """In read and pthread_cond_wait, with hooks before and after: the mutex is locked again.

    While it waits that takes the way out of a signal's frame, as above.
    """
    program = built(target, "ways.c", "rst", "-static", "-fexceptions")
    (path,) = run_both(program, way, tmp_path)
    assert check_form(path)
    parts = counted(path)
    assert parts.count(list(range(301))) == 12 and parts.count(list(range(10))) == 12
    kinds: Counter[str] = Counter()
    for batch in open_trace(path).events():
        for kind in (Kind.LOCK, Kind.UNLOCK):
            kinds[kind.name] += int(np.count_nonzero(batch["kind"] == kind))
    assert kinds["LOCK"] == kinds["UNLOCK"] > 12
