"""Damaged traces through every command: no traceback, no hang, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.mutants import Mutant, changed, cuts
from tests.hostile.running import run
from tests.hostile.trace_case import EVENT, TRACES, Case

LONG = "9" * 5000
WORST = {
    "a range of most of memory": (
        "rst", EVENT[:24] + EVENT[24:32] + bytes.fromhex("b400000000000003") + EVENT[40:]),
    "a range of all of memory": ("rst", EVENT[:32] + b"\xff" * 8 + EVENT[40:]),
    "zeros only": ("rst", bytes(2400)),
    "a number of 5,000 digits": ("sexp", f"(mem-read (id {LONG}) (tid 1))\n".encode()),
    "a size of 5,000 digits": (
        "sexp", f"(mem-init (id 1) (tid 1) (address 0x0) (size {LONG}))\n".encode()),
    "a stray 0(": ("sexp", TRACES["sexp"].replace(b"(tid 2)", b"0((tid 2)", 1)),
    "a stray 0( between records": ("sexp", TRACES["sexp"].replace(b"\n(lock", b"\n0((lock", 1)),
    "a region of 70 pages that is set": (
        "sexp", b"(mem-init (id 0) (tid 1) (address 0x1000000) (size 0x46000))\n"
                b"(mem-set (id 1) (tid 1) (address 0x1000000) (size 0x46000) (value 1))\n"),
    "regions of all of memory": (
        "sexp", b"".join(b"(mem-%s (id %d) (tid 1) (address 0x0) (size 0xfffffffffffff000)%s)\n"
                         % (kind, number, b" (value 0)" * (kind == b"set"))
                         for number, kind in enumerate([b"init", b"set", b"free"]))),
    "a line cut": ("stf", TRACES["stf"][:-30]),
}  # fmt: skip


@pytest.mark.parametrize("name", WORST)
def test_what_was_worst(name: str, tmp_path: Path) -> None:
    kind, data = WORST[name]
    assert list(Case(tmp_path, kind).defects(Mutant(name, data))) == []


@pytest.mark.parametrize("kind", TRACES)
@pytest.mark.parametrize("count", [5, pytest.param(25, marks=pytest.mark.campaign)])
def test_mutants(count: int, kind: str, tmp_path: Path) -> None:
    case, data = Case(tmp_path, kind), TRACES[kind]
    assert list(case.defects(Mutant("whole", data))) == []
    mutants = [
        *cuts(data, range(7, len(data), max(149, len(data) // 5))),
        *changed(data, range(len(data)), 1, count),
    ]
    assert [text for each in mutants for text in case.defects(each)] == []


def test_a_recording_is_cut_in_its_tables(tmp_path: Path) -> None:
    """Wherever its file ends among the tables of segments, which are in the last of its chunks."""
    case, data = Case(tmp_path, "rec"), TRACES["rec"]
    start = data.index(b"segments")
    mutants = cuts(data, range(start - 40, start + 200, 23))
    assert [text for each in mutants for text in case.defects(each)] == []


def test_zeros_are_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    path.write_bytes(bytes(2400))
    for command in ("view", "stats", "check"):
        outcome = run(command, path)
        assert outcome.status == 2 and "not a trace: its 2400 bytes are zero" in outcome.err
