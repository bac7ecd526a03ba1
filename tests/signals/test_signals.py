"""Programs that use signals in every way: instrumented, they must do what they did before."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.emulator_limits import cannot_run
from tests.signals.programs import HERE, Builder, builder
from tests.signals.storms import REPORTED, raise_storm, signals_of

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

IN_TURN = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
FEATURES = (
    "handlers", "restart", "flags", "waits", "alternate", "overflow", "jumps", "change", "fork",
    "exec", "default", "fatal", "quick", "abort",
)  # fmt: skip
BUILT = tuple(TARGETS)


BROKEN_BY_EMULATOR = {(one, "jumps") for one in cannot_run("signals/features.c jumps")}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


@pytest.mark.parametrize(
    ("target", "feature"),
    [one for one in product(BUILT, FEATURES) if one not in BROKEN_BY_EMULATOR],
)
def test_a_feature_works_as_without_hooks(
    built: Builder, target: str, feature: str, tmp_path: Path
) -> None:
    features = built(target, "features.c", "rst")
    plain = features.run(features.plain, feature)
    traced = features.run(features.traced, feature, out=tmp_path / "out")
    assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode)
    assert "FOREIGN" not in plain.stdout


@IN_TURN
@pytest.mark.parametrize("target", BUILT)
@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_a_signal_in_a_hint_waits_for_nothing(
    built: Builder, target: str, hooks: str, tmp_path: Path
) -> None:
    """Its handler's own notes need what the interrupted one was about to use."""
    program = built(target, "hints.c", hooks)
    done = program.run(program.traced, out=tmp_path / "out")
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)
    assert sum(signals_of(tmp_path / "out").values()) >= 300


@pytest.mark.rotated("ppc32", "ppc64le", "sparc-v9", turns=True)
@pytest.mark.parametrize("target", BUILT)
def test_interrupted_hints_have_their_places(built: Builder, target: str, tmp_path: Path) -> None:
    """Each is there once, with its own place in the order of all threads, and none is missing.

    Into a pipe, a chunk that a handler fills is gone, and with it the space of what it interrupted.
    """
    program = built(target, "numbered.c", "rst", "-latomic")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (tmp_path / "out").open("wb") as out, subprocess.Popen(["cat", pipe], stdout=out):
        done = program.run(program.traced, out=pipe)
    made = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert sum(by_handler for _, by_handler in made) >= 300
    trace = open_trace(tmp_path / "out")
    events = np.concatenate(list(trace.events()))
    events = events[np.isin(events["kind"], (Kind.ORDER, Kind.HINT))]
    hints = np.flatnonzero(events["kind"] == Kind.HINT)
    assert (events["kind"][hints - 1] == Kind.ORDER).all()
    assert (events["thread"][hints - 1] == events["thread"][hints]).all()
    places = np.sort(events["value"][events["kind"] == Kind.ORDER]).tolist()
    assert places == list(range(1, len(places) + 1))
    found: dict[tuple[int, str], list[int]] = {}
    for row in events[hints]:
        if (word := trace.event(row).detail) in ("own", "handler"):
            found.setdefault((int(row["thread"]), word), []).append(int(row["value"]))
    assert all(values == list(range(1, len(values) + 1)) for values in found.values())
    expected = Counter(count for pair in made for count in pair if count)
    assert Counter(len(values) for values in found.values()) == expected


@IN_TURN
@pytest.mark.parametrize("target", BUILT)
@pytest.mark.parametrize(
    "hooks", ["rst", "sexp", str(HERE / "allocating.c")], ids=["rst", "sexp", "allocating"]
)
def test_a_child_waits_for_no_thread_of_its_parent(
    built: Builder, target: str, hooks: str, tmp_path: Path
) -> None:
    """It is forked again and again while other threads are in hooks, and may be in their locks."""
    program = built(target, "hints.c", hooks)
    done = program.run(program.traced, "fork", out=tmp_path / "out")
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


@IN_TURN
@pytest.mark.parametrize("target", BUILT)
@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_a_trace_names_each_signal(built: Builder, target: str, hooks: str, tmp_path: Path) -> None:
    program = built(target, "features.c", hooks)
    program.run(program.traced, "change", out=tmp_path / "out")
    found = signals_of(tmp_path / "out")
    assert found == {("signal", 10): 2, ("signal", 12): 1} or found == {
        ("signal", 30): 2,
        ("signal", 31): 1,
    }


@pytest.mark.parametrize("target", BUILT)
def test_a_storm_is_reported_with_the_right_hook_each_time(
    built: Builder, target: str, tmp_path: Path
) -> None:
    raise_storm(built(target, "storm.c", REPORTED), 1500, tmp_path)


@pytest.mark.parametrize(
    ("target", "hooks"),
    [(one, "rst") for one in BUILT] + [("ppc32", "sexp"), ("sparc-v8", "sexp"), ("ppc32", "stf")],
)
def test_a_storm_tears_no_record(built: Builder, target: str, hooks: str, tmp_path: Path) -> None:
    raise_storm(built(target, "storm.c", hooks), 500, tmp_path)


@pytest.mark.parametrize("target", ["ppc32", "sparc-v8"])
def test_a_storm_is_counted(built: Builder, target: str, tmp_path: Path) -> None:
    raise_storm(built(target, "storm.c", "count"), 500, tmp_path)


@pytest.mark.parametrize("options", [(), ("-singlestep",)], ids=["blocks", "single"])
@pytest.mark.parametrize("target", BUILT)
def test_each_signal_adds_what_its_handler_counts(
    built: Builder, target: str, options: tuple[str, ...]
) -> None:
    """Also one that comes between the halves of a count, as it may where each is a block."""
    program = built(target, "windows.c", str(HERE / "counted.c"))
    emulator = program.command(program.traced)[0]

    def counted(*arguments: str) -> tuple[int, int]:
        command = [emulator, *options, str(program.traced), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(done.stdout), int(done.stderr)

    own = round((counted("1", "0", "0")[1] - counted("0", "0", "0")[1]) / 100)
    assert own > 0
    received, alone = counted("0", "400000", "0")
    assert received == 0 and alone > 400000
    received, interrupted = counted("0", "400000", "300")
    assert received > 50, "hardly a signal came: the test shows nothing"
    assert interrupted - alone == received * own


@pytest.mark.parametrize("target", BUILT)
def test_a_crowd_of_threads_keeps_its_order(built: Builder, target: str, tmp_path: Path) -> None:
    """Each thread writes its number + n to a variable of its own, and one vforks."""
    program = built(target, "crowd.c", "rst", "-latomic")
    plain = program.run(program.plain)
    traced = program.run(program.traced, out=tmp_path / "out")
    assert plain.returncode == 0, "the emulator cannot run the plain program"
    assert (traced.stdout, traced.returncode) == (plain.stdout, 0)
    trace = open_trace(tmp_path / "out")
    hints: Counter[str] = Counter()
    stored: dict[tuple[int, int], list[int]] = {}
    columns = ("thread", "pc", "value")
    for batch in trace.events():
        for kind in set(batch["kind"].tolist()) & {11}:
            rows = batch[batch["kind"] == kind]
            events = [trace.event(row) for row in rows]
            hints.update(f"{one.detail} {one.site}" for one in events if "thread" in one.site)
        stores = batch[(batch["kind"] == 2) & (batch["size"] == 4)]
        for thread, pc, value in zip(*(stores[name].tolist() for name in columns), strict=True):
            stored.setdefault((thread, pc), []).append(value)
    assert hints == {
        "happens_before thread created": 201,
        "happens_after thread begins": 201,
        "happens_before thread ends": 201,
        "happens_after thread joined": 201,
    }
    firsts = Counter(
        values[n]
        for values in stored.values()
        for n in range(len(values) - 19)
        if values[n : n + 20] == list(range(values[n], values[n] + 20))
    )
    assert all(firsts[start] >= 1 for start in range(200))
    children = [path for path in tmp_path.iterdir() if path.name.startswith("out.")]
    assert len(children) == 1, "the child of vfork has no trace of its own"


@pytest.mark.parametrize(("target", "hooks"), [(one, "rst") for one in BUILT] + [("ppc32", "sexp")])
def test_threads_one_after_another_share_chunks(
    built: Builder, target: str, hooks: str, tmp_path: Path
) -> None:
    """Chunks of their own would be 290 MB of file and of 32-bit address space."""
    program = built(target, "sequence.c", hooks)
    path = tmp_path / "out"
    done = program.run(program.traced, "1500", out=path)
    assert (done.stdout, done.stderr, done.returncode) == ("1500 1001499\n", "", 0)
    trace = open_trace(path)
    values: list[int] = []
    threads: set[int] = set()
    for batch in trace.events():
        stores = batch[(batch["kind"] == 2) & (batch["value"] - 1000000 < 1500)]
        values += stores["value"].tolist()
        threads.update(stores["thread"].tolist())
    assert sorted(values) == list(range(1000000, 1001500))
    assert len(threads) == 1500
    assert path.stat().st_size < 30 << 20
    assert not trace.notes
