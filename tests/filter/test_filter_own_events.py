"""Accesses for which RST has events of our own are chosen as those of instructions are."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.cli import main
from inst.trace import open_trace
from inst.trace.model import Flag

LINES = """\
(mem-read (id 1) (tid 1) (address 0x5000) (value 0x1) (size 4) (src 0x104))
(mem-write (id 2) (tid 1) (mem-order plain) (address 0x5008) (value 0x2) (src 0x108))
(mem-reserve (id 3) (tid 1) (address 0x6000) (size 4) (src 0x110))
(event (id 4) (tid 1) read (address 0x7000) (size 0x20))
(lock (id 5) (tid 1) (address 0x6000) (src "a.c:12"))
"""
CHOSEN = {
    "load": [1, 3],
    "store": [2],
    "load or store": [1, 2, 3],
    "not load": [2, 4, 5],
}


@pytest.mark.parametrize("expression", CHOSEN)
@pytest.mark.parametrize("form", ["sexp", "rst"])
def test_accesses_without_an_instruction(tmp_path: Path, expression: str, form: str) -> None:
    source, trace = tmp_path / "a.sexp", tmp_path / f"b.{form}"
    chosen = tmp_path / f"c.{form}"
    source.write_text(LINES)
    assert main(["convert", str(source), str(trace)]) == 0
    events = [one for batch in open_trace(trace).events() for one in batch]
    assert not any(one["flags"] & Flag.HAS_WORD for one in events)
    assert main(["filter", expression, str(trace), str(chosen)]) == 0
    found = [int(one["id"]) for batch in open_trace(chosen).events() for one in batch]
    assert found == CHOSEN[expression]
