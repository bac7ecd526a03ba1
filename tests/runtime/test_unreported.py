"""How many accesses could not be reported: what is said at each kind of end, and in each trace."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.cli import main as inst
from inst.trace import open_trace
from tests.signals.programs import Program, build

SOURCE = str(Path(__file__).parent / "files" / "unreported.c")
LINE = re.compile(
    r"inst: (\d+) access(?:es)? between a load with reservation and its conditional store "
    r"w(?:as|ere) not reported"
)
ENDS = {
    "return": ([5], [5]),
    "_exit": ([5], [5]),
    "fork": ([3, 7], [3, 7]),
    "kill": ([], [5]),
    "threads": ([400], [400]),
    "none": ([], [0]),
}
"""The numbers that are said on standard error, and those of the traces."""


@pytest.fixture(scope="module", params=["ppc32", "ppc64le"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    return build(tmp_path_factory.mktemp("unreported"), request.param, SOURCE, "rst")


def numbers(path: Path) -> list[str]:
    """Return what a trace says of them."""
    trace = open_trace(path)
    for _ in trace.batches():
        pass
    assert trace.incomplete == (not path.read_bytes().count(b"unreported=0000000000 "))
    strings = trace.facts.strings
    return [text.partition("=")[2].strip() for text in strings if text.startswith("unreported=")]


@pytest.mark.parametrize("way", ENDS)
def test_each_end_has_the_number(program: Program, tmp_path: Path, way: str) -> None:
    said, written = ENDS[way]
    done = program.run(program.traced, way, out=tmp_path / "out.rst")
    assert done.returncode in ((0,) if way != "kill" else (-9, 137))
    assert sorted(int(number) for number in LINE.findall(done.stderr)) == said
    assert len(done.stderr.splitlines()) == len(said), done.stderr
    found = [numbers(path) for path in tmp_path.iterdir()]
    assert sorted(int(number) for one in found for number in one) == written


def test_a_pipe_has_it_at_its_end(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.rst"
    command = ["sh", "-c", 'exec "$@" | cat', "sh", *program.command(program.traced, "return")]
    with path.open("wb") as stream:
        subprocess.run(["env", "INST_OUT=/dev/stdout", *command], stdout=stream, check=True)
    assert numbers(path) == ["unknown", "0000000005"]
    assert inst(["check", "--only", "memory-sound", "--strict", str(path)]) == 3
    assert "note: 5 accesses between a load with reservation" in capsys.readouterr().out
    cut = tmp_path / "cut.rst"
    cut.write_bytes(path.read_bytes()[: 24 * 60])
    assert inst(["check", "--only", "memory-sound", "--strict", str(cut)]) == 3
    assert "note: an unknown number of accesses" in capsys.readouterr().out
