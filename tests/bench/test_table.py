"""The arithmetic of the cost bench's table, with figures whose means are known."""

from __future__ import annotations

import pytest

from inst.target.targets import TARGETS
from inst.wrap import options
from tests.bench import table, ways
from tests.bench.cells import accesses_in, run_alone
from tests.bench.programs import WORK

PLAIN = [0.1, 0.1]
"""Seconds of user and system time."""


def cell(instructions: int, *others: tuple[float, float]) -> dict[str, object]:
    """Return a cell over a plain program of 100 instructions."""
    counts = {"instructions": instructions, "base_instructions": 100}
    pairs = [[PLAIN, list(other)] for other in others or [(0.3, 0.1)]]
    return {"error": "", **counts, "seconds": pairs, "bytes": 480, "packed": 20, "accesses": 10,
            "reported": 14}  # fmt: skip


def test_figures_of_a_cell() -> None:
    one = cell(250, (0.2, 0.2), (0.9, 0.1), (0.5, 0.1))
    found = [table.figure(one, measure.name) for measure in table.MEASURES]
    assert found == pytest.approx([2.5, 3.0, 5.0, 48.0, 2.0, 1.4])
    assert table.figure({**one, "error": "other output"}, "bytes") is None
    assert table.figure({"error": "", "seconds": [[PLAIN, PLAIN]]}, "instructions") is None


def test_each_ratio_is_of_one_pair() -> None:
    """The median of the times would be the ratio 10 / 2."""
    assert table.median_of_ratios([(1, 10), (2, 4), (9, 27)]) == 3


def test_a_mean_is_over_the_cells_that_have_the_figure() -> None:
    cells = [cell(200), cell(800), {"error": "not built"}, {}]
    assert table.mean(cells, "instructions") == (pytest.approx(4), 2)
    assert table.mean([], "instructions") == (None, 0)


def test_the_table_has_goals_beside_its_means() -> None:
    cells = {
        ("ppc32", "lua", "rst"): cell(2000),
        ("ppc32", "gzip", "rst"): cell(500),
        ("sparc-v8", "lua", "rst"): cell(300),
        ("sparc-v8", "gzip", "rst"): {"error": "not built"},
        ("sparc-v8", "gzip", "record-values"): cell(150),
        ("sparc-v8", "lua", "record-values"): cell(150),
    }
    lines = table.summary(cells, ["ppc32", "sparc-v8"], ["lua", "gzip"]).splitlines()
    rst = "| hooks, `rst` | 10.0 (goal 12) | 3.00 (goal 12), 1 of 2 programs |"
    assert rst in lines
    values = "| recording, addresses and values | - | 1.50 (goal 1.95) |"
    assert lines.index(values) < lines.index(rst)
    assert "| recording, addresses and values | - | 48.0 (goal 1.2) |" in lines
    assert not any("`empty`" in line for line in lines), "there is no such cell"
    assert table.problems(cells) == ["sparc-v8 gzip rst: not built"]


def test_goals_name_ways_and_targets_that_there_are() -> None:
    for measure in table.MEASURES:
        assert set(measure.goals) <= set(ways.WAYS)
        for goals in measure.goals.values():
            assert set(goals) in ({""}, set(TARGETS))


def test_rows_whose_option_is_absent_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    hooked = {way.name for way in ways.ROWS if way.needs != "record"}
    kept = tuple(option for option in options.OPTIONS if option.name != "record")
    monkeypatch.setattr(options, "OPTIONS", kept)
    assert {way.name for way in ways.available()} == hooked
    assert {"empty", "count", "rst", "plugin"} <= hooked
    monkeypatch.setattr(options, "OPTIONS", (*kept, options.WrapOption("record", "", "")))
    assert ways.available() == list(ways.ROWS)


def test_accesses_are_those_of_the_program_itself() -> None:
    kinds = "ldb ldh ldw ldd ldq stb sth stw std stq ll stblock"
    table_of_count = "".join(f"{kind} {1 << n}\n" for n, kind in enumerate(kinds.split()))
    others = "system 5\nldsys 100000\nstsys 7\nwindow 9\nall 104116\n"
    assert accesses_in(table_of_count + others) == (1 << 12) - 1


def test_runs_differ_by_output_and_by_status() -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    texts = ("echo 1", "echo 2", "echo 1; exit 3", "echo 1; kill -9 $$", "echo 1")
    ended = [run_alone(["sh", "-c", text], {}).output for text in texts]
    assert ended[0] == ended[-1] and len(set(ended)) == 4


def test_numbers_have_three_digits_that_count() -> None:
    assert [table.number(value) for value in (0.5678, 9.876, 15.04, 123.4)] == [
        "0.57",
        "9.88",
        "15.0",
        "123",
    ]
