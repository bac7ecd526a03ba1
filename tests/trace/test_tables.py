"""Tables as input: events and bus transactions from CSV and Parquet, and where bad ones are."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from inst.cli import main
from inst.convert import rows
from inst.trace import open_trace

BUS = """\
time,transaction,address,data,agent
5,3,0x1000,0x2a,7
9,4,0x1040,,2
0x100005,1,4096,1,1
"""
SEXP = """\
(mem-write (id 1) (tid 1) (mem-order release) (address 0x1000) (value 0x2a) (size 4))
(lock (id 2) (tid 1) (address 0x3000) (src "a.c:12"))
(mem-read (id 3) (tid 2) (address 0x1000) (value 0x2a) (size 4))
"""


def convert(*words: str | Path) -> int:
    return main(["convert", *map(str, words)])


@pytest.fixture
def bus(tmp_path: Path) -> Path:
    path = tmp_path / "bus.csv"
    path.write_text(BUS)
    return path


def bus_records(path: Path) -> list[tuple[object, ...]]:
    names = ("txType", "addr_pa", "data", "agentid", "timestamp")
    found: list[tuple[object, ...]] = []
    for record in open_trace(path).records():
        if record.name == "cpu":
            found.append(("cpu", record.fields["timestamp"]))
        elif record.name == "bustrace":
            found.append(tuple(record.fields[name] for name in names))
    return found


EXPECTED = [("cpu", 5), (3, 0x1000, 0x2A, 7, 5), (4, 0x1040, 0, 2, 9),
            ("cpu", 0x100005), (1, 4096, 1, 1, 5)]  # fmt: skip


def test_a_bus_becomes_records(bus: Path, tmp_path: Path) -> None:
    assert convert(bus, tmp_path / "bus.rst") == 0
    assert bus_records(tmp_path / "bus.rst") == EXPECTED
    assert convert(tmp_path / "bus.rst", tmp_path / "same.rz3") == 0
    assert main(["check", str(tmp_path / "bus.rst")]) == 0


def test_a_bus_in_parquet_and_without_some_columns(tmp_path: Path) -> None:
    table = pyarrow.table({
        "transaction": pyarrow.array([3, 4, 1], pyarrow.uint8()),
        "address": pyarrow.array([0x1000, 0x1040, 4096], pyarrow.uint64()),
        "time": pyarrow.array([5, 9, 0x100005], pyarrow.uint64()),
    })  # fmt: skip
    pyarrow.parquet.write_table(table, tmp_path / "bus.parquet")
    assert convert(tmp_path / "bus.parquet", tmp_path / "bus.rst") == 0
    wanted = [each if each[0] == "cpu" else (*each[:2], 0, 0, each[4]) for each in EXPECTED]
    assert bus_records(tmp_path / "bus.rst") == wanted


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_events_come_back_from_the_tables_that_are_written(tmp_path: Path, ending: str) -> None:
    (tmp_path / "t.sexp").write_text(SEXP)
    table = tmp_path / f"t.{ending}"
    assert convert(tmp_path / "t.sexp", table) == 0
    assert convert(table, tmp_path / "back.sexp") == 0
    back = (tmp_path / "back.sexp").read_text()
    found = [line.partition(") (tid")[2] for line in back.splitlines()]
    assert found == [line.partition(") (tid")[2] for line in SEXP.splitlines()]
    assert convert(table, tmp_path / "t.rst") == 0
    assert convert(tmp_path / "t.rst", tmp_path / "again.csv") == 0
    (tmp_path / "t.csv").exists() or convert(table, tmp_path / "t.csv")
    first = [line.split(",")[2:] for line in (tmp_path / "t.csv").read_text().splitlines()]
    again = [line.split(",")[2:] for line in (tmp_path / "again.csv").read_text().splitlines()]
    assert first == again


def test_addresses_alone_are_enough(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("kind,address\nread,0x10\nwrite,32\n")
    assert convert(tmp_path / "a.csv", tmp_path / "a.rst") == 0
    found = [(e.kind.name, e.address, e.value) for e in open_trace(tmp_path / "a.rst").objects()]
    assert found == [("READ", 0x10, None), ("WRITE", 32, None)]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("0x1040", "0x10g0", "3:5", "address: '0x10g0' is not a number"),
        ("0x1040", "", "3:5", "address: there is no address"),
        ("9,4,", "9,64,", "3:3", "transaction: 64 does not fit into 6 bits"),
        ("9,4,", "-9,4,", "3:1", "time: -9 does not fit into 64 bits"),
        ("9,4,", "9,4,4,", "3:16", "6 cells in a table of 5 columns"),
        ("9,4,", '9,4"x",', "3:3", "transaction: '4\"x\"' is not a number"),
        ("9,4,", '9,"4,', "3:15", "no CSV: unexpected end of data"),
        ("agent", "agnet", "1", "no column is called 'agnet'\n  hint: did you mean agent?"),
        ("agent", "time", "1", "two columns are called time"),
        ("address", "flags", "1", "there is no column address"),
        ("4096", "1" * 21, "4:12", "does not fit into 64 bits"),
    ],
)
def test_bad_cells_are_reported_by_line_and_column(
    bus: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, place: str, message: str
) -> None:
    bus.write_text(BUS.replace(old, new, 1))
    output = bus.with_name("out.rst")
    assert convert(bus, output) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{bus}:{place}: error: ") and message in said
    assert not output.exists()
    if place.startswith("3"):
        assert convert("--partial", bus, output) == 2
        assert bus_records(output) == EXPECTED[:2], "what is before it is kept"


def test_bad_events_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("kind,address,atomic\nread,0x10,0\nfetch,32,1\n")
    assert convert(path, tmp_path / "a.rst") == 2
    assert "a.csv:3:1: error: kind: 'fetch' is not one of other, read" in capsys.readouterr().err
    path.write_text("kind,address,atomic\nread,0x10,2\n")
    assert convert(path, tmp_path / "a.rst") == 2
    assert "a.csv:2:11: error: atomic: '2' is not one of 0, 1" in capsys.readouterr().err
    table = pyarrow.table({"kind": ["read", "load"], "address": [1, 2]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert convert(tmp_path / "a.parquet", tmp_path / "a.rst") == 2
    assert "row 2, column kind: 'load' is not one of" in capsys.readouterr().err
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(whole.replace(b"address", b"addr\xffss"))
    assert convert(tmp_path / "a.parquet", tmp_path / "a.rst") == 2
    assert "no Parquet that can be read" in capsys.readouterr().err
    (tmp_path / "a.parquet").write_bytes(whole[:-20])
    assert convert(tmp_path / "a.parquet", tmp_path / "a.rst") == 2
    assert "no Parquet that can be read" in capsys.readouterr().err


def test_lines_are_read_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rows, "LINES", 10)
    lines = [f"{n},1,{64 * n}" for n in range(95)]
    path = tmp_path / "b.csv"
    path.write_text("\r\n".join(["time,transaction,address", *lines]))
    assert convert(path, tmp_path / "b.rst") == 0
    found = [each[1] for each in bus_records(tmp_path / "b.rst") if each[0] != "cpu"]
    assert found == [64 * n for n in range(95)]
    path.write_text("\n".join(["time,transaction,address", *lines, "x,1,2"]))
    assert convert(path, tmp_path / "b.rst") == 2
    assert "b.csv:97:1: error: time: 'x' is not a number" in capsys.readouterr().err


def test_tables_come_from_standard_input(
    bus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Input:
        buffer = io.BufferedReader(io.BytesIO(BUS.encode()))

    monkeypatch.setattr("sys.stdin", Input)
    assert convert("-", tmp_path / "bus.rst") == 0
    assert bus_records(tmp_path / "bus.rst") == EXPECTED
