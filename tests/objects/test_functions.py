"""What the text of an object says of its functions: their names in calls, and where they begin."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.cli import main
from inst.target.targets import TARGETS
from tests.conftest import require_tools

SOURCE = """\
extern int outside(int n);
static __attribute__((noinline)) int inner(int n) { return outside(n) * 3 + n; }
int outer(int n) { return inner(n) + inner(n + 1); }
"""


def text(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the text of SOURCE, compiled for a target."""
    compiler = TARGETS[name].compiler
    require_tools(compiler[0])
    (folder / "a.c").write_text(SOURCE)
    subprocess.run([*compiler, "-O1", "-c", "a.c", "-o", "a.o"], cwd=folder, check=True)
    assert main(["object", "--text", str(folder / "a.o")]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["ppc32", "sparc-v8", "sparc-v9"])
def test_static_functions_are_called_by_their_names(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A call of a label without a name is taken for one that reads where it is."""
    found = text(name, tmp_path, capsys)
    assert len(re.findall(r"^\t(?:call|bl)\tinner$", found, re.MULTILINE)) == 2
    assert not re.search(r"^\t(?:call|bl)\t\.L", found, re.MULTILINE)


def test_local_entry_points_are_distances(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They stand where these are, so that code can be inserted before and after them."""
    lines = text("ppc64le", tmp_path, capsys).splitlines()
    at = lines.index("\t.localentry\touter, .-outer")
    assert lines[at - 3] == "outer:"
    assert [line.split()[0] for line in lines[at - 2 : at]] == ["addis", "addi"]
