"""The number of a record is the same in findings, rows, selections and filters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inst.check import check_trace
from inst.cli import main
from inst.formats.rst.record import encode, encode_string
from inst.trace import open_trace

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
GAP = 50


def load(pc: int, **bits: int) -> bytes:
    return encode("instr", ea_valid=1, instr=0xC4004000, pc_va=pc, ea_va=0x1000, **bits)


PARTS = [
    HEADER, encode("traceinfo", rtype2=2), encode_string("x" * 60), encode("pavadiff"),
    load(0x400), encode("memval64", addrisVA=1, addr=0x1000, size=4, val=1), load(0x404),
    bytes(24 * GAP), encode("cpu", cpu=1), encode("pavadiff", cpuid=1), load(0x408, cpuid=1),
    encode_string("y" * 30), load(0x40C, cpuid=1), encode("status", status=2),
]  # fmt: skip
RST = b"".join(PARTS)
STARTS = [sum(len(part) // 24 for part in PARTS[:n]) for n, _ in enumerate(PARTS)]
ROWS = [start for start in STARTS if start != STARTS[7]]
"""Numbers of the rows: a string is one, space that was not written is none."""
SEXP = b"".join(b"(lock (id %d) (tid 1) (address 0x10))\n" % n for n in range(0, 40, 2))


@pytest.fixture
def rst(tmp_path: Path) -> str:
    path = tmp_path / "t.rst"
    path.write_bytes(RST)
    return str(path)


def rows(capsys: pytest.CaptureFixture[str], *words: str) -> list[int]:
    assert main(["view", "--json", *words]) == 0
    return [json.loads(line)["record"] for line in capsys.readouterr().out.splitlines()]


def test_rows_have_the_numbers_of_records(rst: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert rows(capsys, rst) == ROWS


def test_each_record_is_shown_with_its_neighbours(
    rst: str, capsys: pytest.CaptureFixture[str]
) -> None:
    last = len(RST) // 24
    for record in (*range(11), *range(57, last)):
        at = max(n for n, start in enumerate(ROWS) if start <= record)
        found = rows(capsys, rst, "--record", str(record), "--context", "2")
        assert found == ROWS[max(at - 2, 0) : at + 3], record
    assert main(["view", rst, "--record", str(last)]) == 2
    assert f"has no record {last}: its last row is record {ROWS[-1]}" in capsys.readouterr().err


def test_the_row_that_was_asked_for_has_a_mark(
    rst: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", rst, "--record", "3", "--context", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:9] for line in lines] == ["      1 t", ">     2 s", "      5 p"]
    assert len(rows(capsys, rst, "--record", "6")) == 7  # three on either side
    assert rows(capsys, rst, "--record", "6", "--context", "0", "--as", "table") == [6]
    assert rows(capsys, rst, "--record", "8", "--context", "1", "-i") == [6, 8, 61]


@pytest.mark.parametrize("words", ["-n 3", "-s 2", "--context x", "--context 99999999"])
def test_what_does_not_go_together_is_refused(
    words: str, rst: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["view", rst, "--record", "3", *words.split()])
    except SystemExit as stop:
        status = int(str(stop.code))
    assert status == 2 and "error:" in capsys.readouterr().err


def test_long_traces_are_searched_block_by_block(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.rst"
    path.write_bytes(HEADER + load(0x400) * 20_000)
    for record in (0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 19_999, 20_000):
        for context in (0, 1, 5000):
            found = rows(capsys, str(path), "--record", str(record), "--context", str(context))
            first, last = max(record - context, 0), min(record + context, 20_000)
            assert found == list(range(first, last + 1))


def test_skipping_counts_records(rst: str, capsys: pytest.CaptureFixture[str]) -> None:
    for count in (*range(11), *range(57, len(RST) // 24)):
        assert rows(capsys, rst, "-s", str(count)) == [row for row in ROWS if row >= count]
    assert rows(capsys, rst, "-s", "1", "-i") == [8, 61, 64]  # of what is selected


def test_filters_count_the_same_records(rst: str, tmp_path: Path) -> None:
    out = tmp_path / "out.rst"
    events = {6: PARTS[4] + PARTS[5], 7: PARTS[4] + PARTS[5], 8: PARTS[6], 61: PARTS[10],
              64: PARTS[12]}  # fmt: skip
    for start, part in zip(STARTS, PARTS, strict=True):
        if start == STARTS[7]:
            continue
        assert main(["filter", f"record {start} | drop context", rst, str(out)]) == 0
        assert out.read_bytes() == events.get(start, b"")
        if start == 7:  # skip and head take and leave whole events
            continue
        assert main(["filter", f"skip {start}r marks=no", rst, str(out)]) == 0
        assert out.read_bytes()[: len(part)] == part
        assert main(["filter", f"head {start}r marks=no", rst, str(out)]) == 0
        assert out.read_bytes() == RST[: start * 24].replace(bytes(24 * GAP), b"")


def test_a_finding_can_be_looked_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.rst"
    bad = RST[: STARTS[10] * 24] + encode("strcont", string="a" * 23) * 2 + load(0x500, cpuid=1)
    path.write_bytes(bad + encode("status", status=2))
    trace = open_trace(str(path))
    records = [finding.record for finding in check_trace(trace, ("well-formed",)).findings]
    trace.close()
    assert records == [STARTS[10] + 2]
    (row,) = rows(capsys, str(path), "--record", str(records[0]), "--context", "0")
    assert row == records[0]


@pytest.mark.parametrize("record", [0, 7, 19])
def test_text_records_are_numbered_alike(
    record: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = str(tmp_path / "t.sexp"), tmp_path / "out.sexp"
    Path(path).write_bytes(SEXP)
    assert rows(capsys, path, "--record", str(record), "--context", "0") == [record]
    assert rows(capsys, path, "-s", str(record))[0] == record
    assert main(["filter", f"record {record}", path, str(out)]) == 0
    assert out.read_bytes() == SEXP.splitlines(keepends=True)[record]
