"""Rows by their number are what `inst view` prints, wherever reading begins."""

from __future__ import annotations

import contextlib
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from inst.browse import index as indices
from inst.browse import records as records_module
from inst.browse import search as searches
from inst.browse.filtering import Filtered
from inst.browse.lines import Line, lines_of
from inst.browse.records import Records
from inst.cli import main
from inst.errors import InstError
from inst.formats.rst.record import encode
from inst.formats.sexp.trace import SexpTrace
from inst.program.program import Locator
from inst.trace import open_trace
from inst.trace.model import Trace
from inst.trace.registry import codec_of
from tests.browse.traces import FORMATS, HEADER, PACKINGS, trace
from tests.hostile.mutants import changed
from tests.hostile.trace_case import TRACES, tables

ENDINGS = [f"{name}{packing}" for name in FORMATS for packing in PACKINGS]
SMALL = 24 * 40
"""Bytes of a page, so that short traces have many."""


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indices, "PAGE", SMALL)


Open = Callable[[str], Records]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Return what opens a trace and reads it to its end."""
    every: list[Records] = []

    def make(path: str) -> Records:
        every.append(Records(path))
        every[-1].index.build()
        return every[-1]

    yield make
    for records in every:
        records.close()


def viewed(path: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    main(["view", path])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("ending", ENDINGS)
def test_rows_are_those_of_inst_view(
    ending: str, tmp_path: Path, opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    path = trace(tmp_path, ending)
    records, wanted = opened(path), viewed(path, capsys)
    assert records.index.pages > 5
    order = list(range(len(wanted)))
    random.Random(5).shuffle(order)
    assert len(records) == len(wanted)
    assert {number: str(records.line(number)) for number in order} == dict(enumerate(wanted))
    assert records.line(len(wanted)) is None


@pytest.mark.parametrize("name", FORMATS)
def test_threads_are_those_of_the_whole_trace(name: str, tmp_path: Path, opened: Open) -> None:
    """What a CPU or THREAD record said before a page counts in it."""
    records = opened(trace(tmp_path, name))
    whole = codec_of(records.index.trace).open("", [Path(records.index.path).read_bytes()])
    wanted = [
        block.thread.item(row)
        for block in codec_of(whole).rows(whole, disassembly=False)
        for row in range(len(block))
    ]
    lines = [records.line(number) for number in range(len(records))]
    assert [line.thread for line in lines if line] == wanted


def test_records_are_found_by_their_number(tmp_path: Path, opened: Open) -> None:
    records = opened(trace(tmp_path, "rst"))
    for number in range(len(records)):
        line = records.line(number)
        assert line and records.index.row_of_record(line.record) == number
    string = records.index.row_of_record(4)  # in the middle of a string
    assert "a string a string" in str(records.line(string))
    last = records.index.trace.count  # type: ignore[attr-defined]
    with pytest.raises(InstError, match="has no record"):
        records.index.row_of_record(last)


@pytest.mark.parametrize("ending", ENDINGS)
def test_rows_before_damage(
    ending: str, tmp_path: Path, opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(trace(tmp_path, ending))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - len(data) // 3 - 5])
    records, wanted = opened(str(path)), viewed(str(path), capsys)
    assert records.index.error is not None
    assert [str(records.line(number)) for number in range(len(records))] == wanted


@pytest.mark.parametrize("name", ["rst", "rz3", "sexp", "rec"])
def test_damage_anywhere(name: str, tmp_path: Path, opened: Open) -> None:
    """Rows and message are those of reading from front to back, wherever pages begin."""
    data = TRACES[name] * (1 if name in ("rz3", "rec") else 3)
    path = tmp_path / f"t.{name}"
    for mutant in changed(data, range(len(data)), 7, 40):
        path.write_bytes(mutant.data)
        wanted, message = _front_to_back(str(path))
        try:
            records = opened(str(path))
        except InstError as error:
            assert (wanted, message) == ([], error.message), mutant.name
            continue
        error = records.index.error
        assert [records.line(number) for number in range(len(records))] == wanted, mutant.name
        assert (error.message if error else "") == message, mutant.name


def _front_to_back(path: str) -> tuple[list[Line], str]:
    lines: list[Line] = []
    try:
        with contextlib.closing(open_trace(path)) as whole:
            for block in codec_of(whole).rows(whole, disassembly=True):
                lines += lines_of(block, np.arange(len(block)), None)
    except InstError as error:
        return lines, error.message
    return lines, ""


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_tables_are_read_as_records(name: str, tmp_path: Path, opened: Open) -> None:
    path = tmp_path / f"t.{name}"
    path.write_bytes(tables()[name])
    wanted, _ = _front_to_back(str(path))
    records = opened(str(path))
    assert wanted and [records.line(number) for number in range(len(records))] == wanted


def test_zeros_within_a_record_and_up_to_the_end(tmp_path: Path, opened: Open) -> None:
    """The reader looks for their end before it hands on the records before."""
    data = Path(trace(tmp_path, "sexp")).read_bytes()
    for zeros in (90, 3000):
        path = tmp_path / "killed.sexp"
        path.write_bytes(data[:2000] + bytes(zeros))
        wanted, message = _front_to_back(str(path))
        records = opened(str(path))
        assert [records.line(number) for number in range(len(records))] == wanted
        assert message == ""


def test_space_that_was_not_written(
    tmp_path: Path, opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    """A killed program's trace has zeros within; rows after them have their own numbers."""
    whole = trace(tmp_path, "rst")
    data = Path(whole).read_bytes()
    path = tmp_path / "gap.rst"
    path.write_bytes(data[: 24 * 300] + bytes(24 * 90) + data[24 * 300 :])
    records = opened(str(path))
    assert [str(records.line(n)) for n in range(len(records))] == viewed(str(path), capsys)


def test_a_value_is_of_the_instruction_before(tmp_path: Path, opened: Open) -> None:
    """The program is this interpreter: which one it is does not matter, but that it is one."""
    path = trace(tmp_path, "rst")
    records = opened(path)
    assert all(records.named_by(line) is None for n in range(90) if (line := records.line(n)))
    records.locator = Locator([sys.executable], records.index.trace)
    for number in range(len(records)):
        line = records.line(number)
        assert line
        named_by, before = records.named_by(line), records.line(number - 1)
        if line.kind == "memval64":
            assert (
                named_by and before and (named_by.record, named_by.pc) == (before.record, before.pc)
            )
        elif line.kind == "instr" or number < 5:
            assert named_by is None


def test_progress_is_a_share_where_it_is_known(tmp_path: Path, opened: Open) -> None:
    assert opened(trace(tmp_path, "rst")).index.progress == "100 %"
    assert opened(trace(tmp_path, "rst.gz")).index.progress == "0 MiB"


def test_pages_that_are_dropped_are_read_again(tmp_path: Path, opened: Open) -> None:
    """Memory holds some pages and groups of lines, however many there are."""
    records = opened(trace(tmp_path, "sexp", 4000))
    assert records.index.pages > 4 * indices.HELD
    for number in range(len(records)):
        assert records.line(number)
    assert len(records.index._pages) <= indices.HELD
    assert len(records._lines) <= records_module.GROUPS
    first = records.line(0)
    assert first and first.record == 0


def rows(records: Records, search: searches.Search, *, forwards: bool) -> list[int]:
    found, at = [], -1 if forwards else len(records)
    while (row := searches.find(records, search, at, forwards=forwards)) is not None:
        found.append(row)
        at = row
    return found if forwards else found[::-1]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("text", "regular"), [("0x1010", False), (r"10[0-4]c\b", True), ("LIST", False)]
)
def test_text_is_found_both_ways(
    name: str, text: str, regular: bool, tmp_path: Path, opened: Open
) -> None:
    records = opened(trace(tmp_path, name))
    flags = re.IGNORECASE if text == text.lower() else 0
    pattern = re.compile(text if regular else re.escape(text), flags)
    lines = [str(records.line(number)) for number in range(len(records))]
    wanted = [number for number, line in enumerate(lines) if pattern.search(line)]
    search = searches.text_search(records, text, regular=regular)
    assert rows(records, search, forwards=True) == wanted
    assert rows(records, search, forwards=False) == wanted


def test_a_bad_expression_is_refused(tmp_path: Path, opened: Open) -> None:
    with pytest.raises(InstError, match="not a regular expression"):
        searches.text_search(opened(trace(tmp_path, "sexp")), "(", regular=True)


@pytest.mark.parametrize("name", FORMATS)
def test_addresses_are_found_in_all_their_bytes(name: str, tmp_path: Path, opened: Open) -> None:
    """STF's addresses come from register values at the beginning, so that pages do not tell."""
    records = opened(trace(tmp_path, name))
    for address in (0x1000 + 4 * 7 + 3, 0x1000 + 4 * 333):
        wanted = [
            int(row["record"])
            for batch in fresh(records).events()
            for row in batch
            if row["kind"] in (1, 2) and 0 <= address - int(row["address"]) < int(row["size"])
        ]
        assert wanted
        search = searches.address_search(records, address)
        for forwards in (True, False):
            found = [records.line(row) for row in rows(records, search, forwards=forwards)]
            assert [line.record for line in found if line] == wanted


def test_an_event_goes_on_in_the_next_page(tmp_path: Path, opened: Open) -> None:
    """Its size is in a record of its own."""
    stores = [
        encode("event", kind=2, flags=2, address=0x1000 * number)
        + encode("event_size", size=0x100)
        + encode("cpu", cpu=1) * (number % 3)
        for number in range(90)
    ]
    path = tmp_path / "t.rst"
    path.write_bytes(HEADER + b"".join(stores))
    records = opened(str(path))
    for number in range(1, 90):
        search = searches.address_search(records, 0x1000 * number + 0xFF)
        (row,) = rows(records, search, forwards=True)
        line = records.line(row)
        assert line and line.kind == "event" and f"address=0x{0x1000 * number:016x}" in line.text


def fresh(records: Records) -> Trace:
    return open_trace(records.index.path)


def test_other_threads_are_found(tmp_path: Path, opened: Open) -> None:
    records = opened(trace(tmp_path, "sexp"))
    first = records.line(0)
    assert first
    row = searches.find(records, searches.thread_search(records, first.thread), 0, forwards=True)
    assert row is not None
    before, line = records.line(row - 1), records.line(row)
    assert before and line and before.thread == first.thread != line.thread


@pytest.mark.parametrize("name", FORMATS)
def test_a_filter_shows_its_rows_by_numbers_of_its_own(
    name: str, tmp_path: Path, opened: Open
) -> None:
    records = opened(trace(tmp_path, name))
    lines = [str(records.line(number)) for number in range(len(records))]
    wanted = [(n, line) for n, line in enumerate(lines) if "04" in line]
    assert 0 < len(wanted) < len(lines)
    chosen = Filtered("04", searches.text_filter(records, "04"))
    chosen.build(records.index, bool)
    records.set_filter(chosen)
    assert len(records) == len(wanted)
    assert [str(records.line(number)) for number in range(len(records))] == [
        line for _, line in wanted
    ]
    for number, (row, _) in enumerate(wanted):
        assert records.row(number) == row and records.number(row) == number
    found = rows(records, searches.text_search(records, "c", regular=False), forwards=True)
    assert found == [row for row, line in wanted if "c" in line.lower()]


def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no"
    path.write_bytes(b"\xff\xfenothing")
    with pytest.raises(InstError, match="not a trace"):
        Records(str(path))
    with pytest.raises(InstError, match="cannot open the trace"):
        Records(str(tmp_path / "none"))


def test_a_format_that_tells_no_marks(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SexpTrace, "tap", lambda *_: None)
    records = opened(trace(tmp_path, "sexp"))
    assert records.index.error and "from their middle" in records.index.error.message
    assert len(records) == 0 and records.line(0) is None


def test_a_file_that_changes_is_noticed(tmp_path: Path, opened: Open) -> None:
    path = Path(trace(tmp_path, "sexp"))
    records = opened(str(path))
    path.write_bytes(b"x" * 100)
    with pytest.raises(InstError, match="changed"):
        records.line(len(records) // 2)
