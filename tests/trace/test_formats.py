"""Formats are values: a new one is a package and a row, and nothing else asks which one it is."""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import inst
from inst.check.run import check_trace
from inst.convert import BY_NAME, convert
from inst.filter.pipeline import Request, run
from inst.trace import open_trace, registry
from inst.trace.batch import Batch, Batches, Source
from inst.trace.event_text import blocks
from inst.trace.finding import Check
from inst.trace.format import CERTAIN, NO, Format
from inst.trace.model import EVENT, Array, Flag, Kind, Trace
from inst.trace.rows import Block, Column
from inst.trace.view import Column as Numbers
from inst.trace.view import View
from inst.trace.writing import Job, Losses

PACKAGE = Path(inst.__file__).parent
RECORD = np.dtype([("pc", "<u8"), ("address", "<u8")])
MAGIC = b"PAIRS\0\0\0" + bytes(8)
PAIR_CODES: dict[str, str] = {}


class PairsTrace(Trace):
    """A trace of loads: a pc and an address each."""

    format = "pairs"

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        super().__init__(name)
        self._chunks = chunks

    def batches(self) -> Iterator[Array]:
        return self._observed(self._read())

    def _read(self) -> Iterator[Array]:
        for chunk in self._chunks:
            found = np.frombuffer(chunk, RECORD)
            yield found[1:] if chunk.startswith(MAGIC) else found

    def records(self) -> Iterator[Any]:
        for batch in self.batches():
            yield from batch

    def events(self) -> Iterator[Array]:
        for batch in self.batches():
            rows = np.zeros(len(batch), EVENT)
            rows["kind"], rows["size"] = Kind.READ, 4
            rows["pc"], rows["address"] = batch["pc"], batch["address"]
            rows["flags"] = int(Flag.HAS_PC | Flag.HAS_ADDRESS)
            yield rows


class PairsView(View):
    """Each record is a group of its own."""

    @property
    def leader(self) -> Array:
        return np.arange(len(self))

    @property
    def context(self) -> Array:
        return np.zeros(len(self), bool)

    def is_type(self, word: str) -> Array:
        return np.full(len(self), word in ("pair", "load"))

    def columns(self, name: str) -> list[Numbers]:
        column = {"pc": "pc", "ea": "address"}[name]
        return [(self.batch.records[column].astype("u8"), np.ones(len(self), bool))]

    def mark(self, name: str) -> Array:
        return np.full(len(self), name == "load")

    def mnemonics(self) -> tuple[Array, list[str]]:
        return np.zeros(len(self), "i8"), [""]

    def places(self) -> tuple[Array, list[tuple[str, int, str]]]:
        return self.located(np.arange(len(self)), self.batch.records["pc"])


def chosen_of(texts: list[str], chosen: Array) -> list[str]:
    """Return the texts of some rows."""
    return [texts[row] for row in chosen]


def pair_rows(trace: PairsTrace, *, disassembly: bool) -> Iterator[Block]:
    """Yield the records as rows."""
    for batch in trace.batches():
        count = len(batch)
        every, missing = np.ones(count, "?"), Column.missing(count)
        texts = [str(pair) for pair in batch]
        yield Block(
            np.arange(count), np.zeros(count, "i8"), ["pair"], every, missing, missing,
            Column(batch["pc"], every), Column(batch["address"], every),
            partial(chosen_of, texts), lambda _row: {},
        )  # fmt: skip


def pair_batches(source: Source, *, accesses: bool) -> Batches:
    """Yield the batches for filters."""
    return (Batch(each, source) for each in source.trace.batches())


def pair_views(batches: Batches) -> Iterator[View]:
    """Yield a view of each batch."""
    return (PairsView(each, 0) for each in batches)


def pair_check(_trace: Trace) -> Check:
    """Return a check that finds nothing."""
    return Check()


def pair_losses(_batch: Any, _losses: Losses, *, registers: bool) -> None:
    """Lose nothing."""


PAIRS = Format(
    name="pairs",
    title="pairs",
    what="pairs",
    begins="PAIRS",
    recognises=lambda start, _first: CERTAIN if start.startswith(MAGIC) else NO,
    types=("pair",),
    parts={
        "open": f"{__name__}:PairsTrace",
        "rows": f"{__name__}:pair_rows",
        "batches": f"{__name__}:pair_batches",
        "views": f"{__name__}:pair_views",
        "written": "inst.trace.written:Written",
        "losses": f"{__name__}:pair_losses",
        "check": f"{__name__}:pair_check",
        "check codes": f"{__name__}:PAIR_CODES",
    },
)


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A trace of a format that has a package and a row of the registry."""
    package = ModuleType("inst.formats.pairs")
    package.FORMAT = PAIRS  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "inst.formats.pairs", package)
    monkeypatch.setitem(registry.PACKAGES, "pairs", "inst.formats.pairs")
    path = tmp_path / "t.pairs"
    path.write_bytes(MAGIC + np.array([(0x100, 8), (0x104, 64)], RECORD).tobytes())
    yield path
    registry.named.cache_clear()


def test_a_format_is_one_package_and_one_row(pairs: Path, tmp_path: Path) -> None:
    assert [event.address for event in open_trace(pairs).objects()] == [8, 64]
    (block,) = blocks(open_trace(pairs))
    assert block.texts(np.array([1])) == ["(260, 64)"]
    out = tmp_path / "out.pairs"
    run(Request("ea 40-", [str(pairs)], str(out)))
    assert out.read_bytes() == np.array([(0x104, 64)], RECORD).tobytes()
    output = io.BytesIO()
    convert(Job(open_trace(pairs), output), BY_NAME["sexp"])
    assert output.getvalue().count(b"(address 0x") == 2
    assert check_trace(open_trace(pairs)).findings == []


def test_only_formats_are_asked_which_one_a_trace_has() -> None:
    names = "|".join(registry.PACKAGES)
    asked = re.compile(rf"\.format (?:==|!=) [\"']|[\"'](?:{names})[\"'] (?:==|!=)")
    readers = (
        "trace",
        "filter",
        "convert",
        "check",
        "diff",
        "statistics",
        "simulation",
        "commands",
    )
    found = [
        f"{path.name}: {line.strip()}"
        for room in (*readers, "formats")
        for path in (PACKAGE / room).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if asked.search(line)
    ]
    assert found == []


def test_codes_of_rst_have_one_home() -> None:
    """No other module gives a number to the name of a record or of a flag."""
    from inst.formats.rst import codes

    numbers = {name for name, value in vars(codes).items() if isinstance(value, int)}
    names = {name for name in numbers if name.isupper()}
    found = []
    rooms = ("formats/rst", "formats/rst/rstzip", "trace", "filter", "convert", "check", "diff",
             "simulation", "commands")  # fmt: skip
    for path in (path for room in rooms for path in (PACKAGE / room).glob("*.py")):
        if path == Path(codes.__file__):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and any(
                isinstance(each, ast.Constant) and isinstance(each.value, int)
                for each in ast.walk(node.value)
            ):
                given = {
                    each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)
                }
                found += [f"{path.relative_to(PACKAGE)}: {name}" for name in given & names]
    assert found == []
