"""Outputs that cannot be written, or are what is read: an error, and nothing is lost or left."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from inst.cli import main
from tests.warm import python

ROOT = Path(__file__).parents[1]
TRACE = "(mem-read (id 1) (tid 1) (address 0x10) (value 0x0))\n" * 3
WRITING = [
    "view --help", "view t.sexp", "view --json t.sexp", "view -c t.sexp", "stats t.sexp",
    "stats --json t.sexp",
    "check --only well-formed t.sexp", "check --list", "filter --list", "filter load t.sexp",
    "convert --to csv t.sexp -", "diff t.sexp u.sexp",
]  # fmt: skip


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.sexp").write_text(TRACE)
    Path("u.sexp").write_text(TRACE.replace("0x10", "0x20"))
    return tmp_path


@pytest.mark.parametrize("line", WRITING)
def test_a_full_disk_under_standard_output(line: str, room: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [python(), "-m", "inst", *line.split()],
            stdout=full, stderr=subprocess.PIPE, text=True, env={"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(("inst: error: ", "-: error: ")), done.stderr
    assert done.stderr.endswith("No space left on device\n") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        "filter load t.sexp {}",
        "filter 'merge time' u.sexp t.sexp {}",
        "convert --to csv t.sexp {}",
        "convert t.sexp {}",
        "check --junit {} t.sexp",
        "check --sarif {} t.sexp",
        "stats --html {} t.sexp",
    ],
)
@pytest.mark.parametrize("name", ["t.sexp", "./t.sexp", "link.sexp", "hard.sexp"])
def test_what_is_read_is_never_written(
    command: str, name: str, room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shlex

    Path("link.sexp").symlink_to("t.sexp")
    Path("hard.sexp").hardlink_to("t.sexp")
    assert main(shlex.split(command.format(name))) == 2
    assert f"{name} is input and output at once" in capsys.readouterr().err
    assert Path("t.sexp").read_text() == TRACE
    assert sorted(each.name for each in room.iterdir()) == [
        "hard.sexp", "link.sexp", "t.sexp", "u.sexp",
    ]  # fmt: skip


def test_a_part_of_a_split_is_never_an_input(
    room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("t.1.sexp").write_text(TRACE)
    assert main(["filter", "split thread", "t.1.sexp", "t.sexp"]) == 2
    assert "t.1.sexp is input and output at once" in capsys.readouterr().err
    assert Path("t.1.sexp").read_text() == TRACE


def test_an_empty_input_is_told(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("e.rst").touch()
    for line in ("view e.rst", "stats e.rst", "filter load e.rst", "convert e.rst e.csv"):
        assert main(line.split()) == 0
        assert "an empty trace" in capsys.readouterr().err
