"""Commands show how much they have read, where a person sees that and nothing else is printed."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from inst.cli import main as inst
from inst.common import progress
from inst.common.progress import Meter, Progress
from inst.trace import open_trace

TRACE = "".join(
    f"(mem-read (id {n}) (tid 1) (address {4096 + 4 * n:#x}) (value 0x7) (size 4))\n"
    for n in range(100)
)
WRITES_FILE = {
    "stats": ["stats", "t"],
    "report": ["report", "t"],
    "graph": ["graph", "t"],
    "check": ["check", "t"],
    "convert": ["convert", "t", "o.rst"],
    "filter": ["filter", "load", "t", "o.sexp"],
}
PRINTS = {
    "view": ["view", "t"],
    "diff": ["diff", "t", "t"],
    "filter": ["filter", "load", "t", "-"],
}


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Show progress at each read of a trace `t` in the current directory."""
    monkeypatch.chdir(tmp_path)
    Path("t").write_text(TRACE)
    monkeypatch.setattr(progress, "_INTERVAL", 0)
    return monkeypatch


def _terminal(patch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal; pytest replaces it before each test's body."""
    found = Terminal()
    patch.setattr(sys, "stderr", found)
    return found


def _shown(terminal: Terminal) -> list[str]:
    return [text for text in terminal.getvalue().split("\033[K") if "% of" in text]


@pytest.mark.parametrize("command", WRITES_FILE)
def test_commands_that_print_at_the_end(command: str, patch: pytest.MonkeyPatch) -> None:
    """The line is cleared before they print."""
    terminal = _terminal(patch)
    patch.setattr(sys, "stdout", terminal)
    inst(WRITES_FILE[command])
    assert _shown(terminal) == ["t: 100 % of 0 MiB read\r"]
    assert terminal.getvalue().partition("read\r")[2].startswith("\033[K")


@pytest.mark.parametrize("command", PRINTS)
def test_commands_that_print_while_they_read(command: str, patch: pytest.MonkeyPatch) -> None:
    """On a terminal or in a pager there is no progress, which would stand among the output."""
    terminal = _terminal(patch)
    for name, expected in ((os.devnull, False), ("out", True)):
        with Path(name).open("w") as file:
            patch.setattr(sys, "stdout", file)
            inst(PRINTS[command])
        assert bool(_shown(terminal)) == expected


def test_none_without_a_terminal(patch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(patch)
    list(open_trace("t").batches())
    file = io.StringIO()
    patch.setattr(sys, "stderr", file)
    list(open_trace("t", progress=Progress.READS).batches())
    assert not _shown(terminal)
    assert not file.getvalue()


def test_the_line_is_cleared_at_the_end_and_on_close(patch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(patch)
    with Path("t").open("rb") as file:
        meter = Meter(file, len(TRACE))
        for end in (meter.read, meter.close):
            meter.seek(0)
            meter.read(len(TRACE) // 2 if end == meter.close else len(TRACE))
            assert terminal.getvalue().endswith("read\r")
            end()
            assert terminal.getvalue().endswith("\033[K")
