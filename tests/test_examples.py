"""`inst examples`: what is listed is there, what is copied is whole, nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.cli import main
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_example_is_listed_with_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = {line.split()[0].rstrip("/"): line for line in lines if line and line[0] != "`"}
    shown = {path.name for path in EXAMPLES.iterdir() if path.name[0] not in "._"}
    assert listed.keys() == shown - {"demo"}
    assert all(len(line.split()) > 3 for line in listed.values()), lines


def test_a_copy_is_the_example(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "basket.c", "pagetable"]) == 0
    assert (place / "basket.c").read_bytes() == (EXAMPLES / "basket.c").read_bytes()
    copied = {path.name for path in (place / "pagetable").iterdir()}
    assert {"suite.c", "run-checked", "README.md"} <= copied and "__pycache__" not in copied
    assert (place / "pagetable" / "run-checked").stat().st_mode & 0o100


def test_nothing_is_overwritten_unless_asked(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "basket.c").write_text("mine")
    assert main(["examples", "basket.c"]) == 1
    assert "already exists" in capsys.readouterr().err
    assert (place / "basket.c").read_text() == "mine"
    assert main(["examples", "--force", "basket.c"]) == 0
    assert (place / "basket.c").read_bytes() == (EXAMPLES / "basket.c").read_bytes()


def test_the_directory_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "--path"]) == 0
    assert Path(capsys.readouterr().out.strip()) == EXAMPLES


def test_a_name_that_is_nearly_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "basekt.c"]) == 1
    assert "did you mean basket.c?" in capsys.readouterr().err
