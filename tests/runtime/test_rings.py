"""Rings of chunks, emptied by another process or overwritten: none of them loses what it keeps."""

from __future__ import annotations

import fcntl
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from ring_code import BEING_WRITTEN, Ring, drained, plain
from segment_code import CHUNK, Recording, read_recording
from test_segments import (
    ONE_BY_ONE,
    THREAD,
    Recorder,
    build,
    check_handlers,
    values,
)

from inst.target.targets import TARGETS

pytestmark = pytest.mark.rotated("ppc32", "sparc-v9", turns=True)

FEWEST = 16
START = 8192


@pytest.fixture(scope="module", params=TARGETS)
def recorder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    """Return the program for a target."""
    return build(tmp_path_factory.mktemp("recorder"), TARGETS[request.param])


def drain_and_read(
    recorder: Recorder, tmp_path: Path, *arguments: str, **variables: str
) -> tuple[str, dict[str, Recording]]:
    """Run a program with a ring; return what it prints and the recordings by their names."""
    rings = tmp_path / "rings"
    with drained(rings) as drain:
        given = {"INST_DRAIN": str(rings), "INST_DRAIN_SLOTS": "1", **variables}
        done = recorder.run(*arguments, out=tmp_path / "out", **given)
    assert (done.returncode, done.stderr) == (0, "")
    for ring in drain.rings.values():
        is_over = BEING_WRITTEN not in {state for state, _, _ in ring.slots()}
        assert (ring.numbers[3], ring.numbers[5]) == (is_over, 0)
        assert is_over or Path(ring.name).name != "out"  # a child may call _exit
    files = drain.write(tmp_path)
    assert len(files) == len(drain.rings)
    names = {Path(name).name: read_recording(path) for name, path in files.items()}
    copy, first = (tmp_path / "out").read_bytes(), files[str(tmp_path / "out")].read_bytes()
    assert len(copy) == START
    assert copy.split(b"ending=")[0] == first.split(b"ending=")[0]
    assert b"ending=exit " in first[:START]
    assert b"partial=no " in first[:START]
    return done.stdout, names


def test_a_ring_that_is_emptied_loses_nothing(recorder: Recorder, tmp_path: Path) -> None:
    _, found = drain_and_read(recorder, tmp_path, "long", "120")
    assert values(found["out"]) == list(range(120000))


def test_threads_share_a_ring(recorder: Recorder, tmp_path: Path) -> None:
    """More chunks are in use at once than the ring has slots at first."""
    _, found = drain_and_read(recorder, tmp_path, "many")
    of = {values(found["out"], one)[0] // THREAD: one for one in found["out"].first}
    for number in range(1, 201):
        expected = list(range(number * THREAD, number * THREAD + 300))
        assert values(found["out"], of[number]) == expected


def test_threads_may_run_on_at_the_end_of_a_ring(recorder: Recorder, tmp_path: Path) -> None:
    _, found = drain_and_read(recorder, tmp_path, "running", "2000")
    assert values(found["out"]) == list(range(20000))
    for thread in found["out"].first:
        seen = values(found["out"], thread)
        assert not seen or seen == list(range(seen[0], seen[0] + len(seen)))


@pytest.mark.parametrize(("how", "own", "childs"), [("fork", 200, (1000, 1100)),
                                                    ("vfork", 20, (10, 20))])  # fmt: skip
def test_a_child_has_a_ring_of_its_own(
    recorder: Recorder, tmp_path: Path, how: str, own: int, childs: tuple[int, int]
) -> None:
    _, found = drain_and_read(recorder, tmp_path, how)
    assert len(values(found.pop("out"))) == own
    ((name, child),) = found.items()
    assert name.startswith("out.")
    assert values(child) == list(range(*childs))


def test_handlers_write_to_a_ring(recorder: Recorder, tmp_path: Path) -> None:
    printed, found = drain_and_read(
        recorder, tmp_path, "signals", str(recorder.signals // 2), **ONE_BY_ONE
    )
    check_handlers(found["out"], *map(int, printed.split()))


def test_a_program_may_close_the_ring(recorder: Recorder, tmp_path: Path) -> None:
    printed, found = drain_and_read(recorder, tmp_path, "closed")
    assert printed == "errno 77\n"
    assert values(found["out"]) == [*range(10), *range(10, 20000)]


def test_a_ring_keeps_the_end(recorder: Recorder, tmp_path: Path) -> None:
    path = tmp_path / "out"
    for how, status in (("long", 0), ("kill", -signal.SIGKILL)):
        done = recorder.run(how, "300", out=path, INST_RING="2M")
        assert (done.returncode, done.stderr) == (status, "")
        ring = Ring(path)
        slots, _, taken, over, _, overwritten = ring.numbers
        assert (slots, over) == (FEWEST, int(status == 0))
        chunks = ring.chunks()
        assert len(chunks) == taken - overwritten
        assert path.stat().st_size == CHUNK * (1 + slots)
        assert ring.complete_from < min(order for state, _, order in ring.slots() if state == 2)
        assert b"partial=ring " in chunks[0]
        recording = read_recording(plain(chunks, tmp_path / "plain"), is_killed=status != 0)
        seen = [value for _, value in recording.first[0]]
        assert 20000 < len(seen) < 300000
        assert seen == list(range(300000 - len(seen), 300000))


def test_a_ring_that_is_no_longer_emptied_stops(recorder: Recorder, tmp_path: Path) -> None:
    rings, seen = tmp_path / "rings", []
    rings.mkdir()
    with (rings / "drain").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        def unlock() -> None:
            while not seen:
                seen.extend(p for p in rings.glob("*.ring") if p.read_bytes()[:8] == b"INST-RNG")
                time.sleep(0.01)
            fcntl.flock(lock, fcntl.LOCK_UN)

        thread = threading.Thread(target=unlock)
        thread.start()
        variables = {"INST_DRAIN": str(rings), "INST_DRAIN_SLOTS": "16"}
        done = recorder.run("long", "300", out=tmp_path / "out", **variables)
        thread.join()
    assert done.returncode == 0
    assert done.stderr.endswith(": no process empties its ring any more; "
                                "the program goes on untraced\n")  # fmt: skip
    ring = Ring(seen[0])
    assert ring.numbers[3:5] == (1, 1)
    chunks = ring.chunks()
    assert b"ending=stopped: DRAIN" in chunks[0]
    assert b"partial=drain " in chunks[0]
    recording = read_recording(plain(chunks, tmp_path / "plain"), is_killed=True)
    seen = values(recording)
    assert seen == list(range(len(seen)))


def test_without_a_ring_the_file_is_written(recorder: Recorder, tmp_path: Path) -> None:
    """The directory does not exist, nothing empties it, or there is no space."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (15 * CHUNK, 15 * CHUNK))

    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "drain").touch()
    with drained(tmp_path / "full"):
        for name in ("none", "left", "full"):
            path = tmp_path / f"out.{name}"
            done = subprocess.run(
                [*recorder.command, "exit"],
                env={"INST_OUT": str(path), "INST_DRAIN": str(tmp_path / name)},
                preexec_fn=limited,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0
            assert done.stderr == (
                "inst: the recording is not compressed while the program runs: "
                f"cannot create a ring in {tmp_path / name}\n"
            )
            assert values(read_recording(path)) == list(range(20000))


@pytest.mark.parametrize("wrong", ["0", "many", "12X", "-1", "64MB"])
def test_wrong_sizes_are_reported_and_ignored(
    recorder: Recorder, tmp_path: Path, wrong: str
) -> None:
    done = recorder.run("vfork", out=tmp_path / "out", INST_RING=wrong)
    message = f"inst: INST_RING is not a size such as 64M, so it is ignored: {wrong}\n"
    assert (done.returncode, done.stderr) == (0, 2 * message)
    assert values(read_recording(tmp_path / "out")) == [*range(10), *range(20, 30)]
