"""Windows of counts: their parts of a run make up the whole, with hooks and recorded inline."""

from __future__ import annotations

import numpy as np
import pytest

from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import Array, Kind
from tests.conftest import ROOT, Shell

pytestmark = pytest.mark.rotated("ppc64le", "sparc-v8", turns=True)

SOURCE = ROOT / "tests/truth/programs/hashing.c"
WAYS = {"record": ("--inst-record=values",), "rst": (), "sexp": ("--inst-hooks=sexp",)}


def accesses(shell: Shell, **variables: str) -> tuple[Array, list[tuple[str, int]]]:
    """Run the program; return kinds, sizes and places of its accesses, and words and counts of
    the marks."""
    done = shell.run("inst", "run", "./p", INST_OUT="t", **variables)
    assert (done.returncode, done.stderr) == (0, b"")
    trace = open_trace(shell.directory / "t")
    events = np.concatenate(list(trace.events()))
    gaps = events[events["kind"] == Kind.GAP]
    marks = [(trace.words.texts[int(row["detail"])], int(row["value"])) for row in gaps]
    plain = np.isin(events["kind"], (Kind.READ, Kind.WRITE)) & (events["pc"] != 0)
    return events[plain][["kind", "size", "pc"]].copy(), marks


@pytest.mark.parametrize("way", sorted(WAYS))
def test_windows_are_parts_of_the_whole(shell: Shell, target: Target, way: str) -> None:
    options = ("--inst-counts", *WAYS[way])
    shell.check("inst-cc", *options, *target.compiler, "-O2", SOURCE, "-o", "p")
    whole, marks = accesses(shell)
    assert marks == []
    first, last = 400, 900
    parts = [
        accesses(shell, INST_STOP=str(first)),
        accesses(shell, INST_START=str(first), INST_STOP=str(last)),
        accesses(shell, INST_START=str(last)),
    ]
    assert [marks for _, marks in parts] == [
        [("pause", first)],
        [("pause", 0), ("resume", first), ("pause", last)],
        [("pause", 0), ("resume", last)],
    ]
    assert all(len(rows) > 300 for rows, _ in parts)
    assert np.array_equal(np.concatenate([rows for rows, _ in parts]), whole)
    sampled, marks = accesses(shell, INST_SAMPLE="100/300")
    assert marks[:3] == [("pause", 100), ("resume", 400), ("pause", 500)]
    assert len(whole) / 8 < len(sampled) < len(whole) / 2
    pieces = [sampled[: len(accesses(shell, INST_STOP="100")[0])]]
    for begin in (400, 800):
        window = {"INST_START": str(begin), "INST_STOP": str(begin + 100)}
        pieces.append(accesses(shell, **window)[0])
    start = np.concatenate(pieces)
    assert np.array_equal(sampled[: len(start)], start)


def test_counts_without_a_counter_are_reported(shell: Shell, target: Target) -> None:
    shell.check("inst-cc", *target.compiler, "-O2", SOURCE, "-o", "p")
    done = shell.run("inst", "run", "./p", INST_OUT="t", INST_START="100")
    assert done.returncode == 0
    assert b"count nothing: compile and link with --inst-counts" in done.stderr
    trace = open_trace(shell.directory / "t")
    assert not any((events["kind"] == Kind.GAP).any() for events in trace.events())


def test_wrong_samples_are_reported(shell: Shell, target: Target) -> None:
    shell.check("inst-cc", "--inst-counts", *target.compiler, "-O2", SOURCE, "-o", "p")
    for sample in ("100", "0/5", "5/0", "x/3", "3/3x"):
        done = shell.run("inst", "run", "./p", INST_OUT="t", INST_SAMPLE=sample)
        assert done.returncode == 0
        expected = "INST_SAMPLE is not two numbers above 0 such as 10K/1M, so it is ignored"
        assert f"{expected}: {sample}".encode() in done.stderr


def test_other_libraries_have_no_windows(shell: Shell, target: Target) -> None:
    command = ["inst-cc", "--inst-counts", "--inst-hooks=count", *target.compiler, str(SOURCE)]
    done = shell.run(*command, "-o", "p")
    assert done.returncode != 0
    assert b"hook library `count` has no windows of counts" in done.stderr
