"""Tables of `inst convert` read back: the same rows, and errors that name column and row."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.cli import main
from inst.formats.rst.record import encode, encode_string
from tests.sizes import examples

LWZ = 0x81230000
HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
END = encode("status", status=2)


def load(n: int, ea: int, value: int) -> bytes:
    return encode("instr", instr=LWZ, pc_va=0x400 + 4 * (n % 50), ea_valid=1, ea_va=ea) + encode(
        "memval64", addrisVA=1, size=4, addr=ea, val=value
    )


def rst(path: Path, count: int, before: bytes = b"") -> str:
    start = HEADER + encode_string("arch=ppc") + encode_string("image=/bin/x base=0x400")
    body = b"".join(load(n, 0x20000 + 8 * n, n * n) for n in range(count))
    path.write_bytes(start + before + body + END)
    return str(path)


def convert(source: str | Path, target: str | Path, *options: str) -> int:
    return main(["convert", str(source), str(target), *options])


def rows(path: Path) -> list[dict[str, object]]:
    return pyarrow.parquet.read_table(path).to_pylist()


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "parquet.zst"])
def test_a_table_is_the_same_trace_again(tmp_path: Path, ending: str) -> None:
    source = rst(tmp_path / "a.rst", 300)
    table = tmp_path / f"t.{ending}"
    assert convert(source, table) == 0
    assert convert(source, tmp_path / "want.parquet") == 0
    assert convert(table, tmp_path / "again.parquet") == 0
    assert rows(tmp_path / "again.parquet") == rows(tmp_path / "want.parquet")
    assert convert(table, tmp_path / "b.rst") == 0
    assert convert(tmp_path / "b.rst", tmp_path / "b.sexp") == 0
    assert convert(source, tmp_path / "a.sexp") == 0
    ignored = ["--ignore", "ids,strings"]
    assert main(["diff", *ignored, str(tmp_path / "a.sexp"), str(tmp_path / "b.sexp")]) == 0
    assert main(["diff", "--events", *ignored, source, str(table)]) == 0


def test_what_the_producer_recorded_is_in_parquet_alone(tmp_path: Path) -> None:
    source = rst(tmp_path / "a.rst", 3)
    for name in ("a.parquet", "a.csv"):
        assert convert(source, tmp_path / name) == 0
        assert convert(tmp_path / name, tmp_path / f"{name}.sexp") == 0
        text = (tmp_path / f"{name}.sexp").read_text()
        assert ('path "/bin/x"' in text) is (name == "a.parquet")
        assert '(name "arch") (value "ppc")' in text


LINE = st.sampled_from([
    '(mem-write (id {n}) (tid {t}) (mem-order release) (address {a:#x}) (value {v:#x}) (size 4))',
    '(mem-read (id {n}) (tid {t}) (address {a:#x}) (value {v:#x}) (size 2) (src "a,b.c:{t}"))',
    "(lock (id {n}) (tid {t}) (address {a:#x}))",
    "(event (id {n}) (tid {t}) order (value {v:#x}))",
    "(mem-init (id {n}) (tid {t}) (address {a:#x}) (size {v:#x}))",
    '(event (id {n}) (tid {t}) trap (address {t:#x}) (value {v:#x}) (pc {a:#x}))',
])  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@given(lines=st.lists(LINE, min_size=1, max_size=12), seed=st.integers(0, 1 << 16))
@settings(max_examples=examples(15), deadline=None)
def test_s_expressions_come_back(
    tmp_path_factory: pytest.TempPathFactory, ending: str, lines: list[str], seed: int
) -> None:
    directory, chance = tmp_path_factory.mktemp("table"), random.Random(seed)
    texts = [
        line.format(n=n + 5, t=chance.randrange(1, 4), a=chance.getrandbits(40), v=n * 3)
        for n, line in enumerate(lines)
    ]
    (directory / "a.sexp").write_text("\n".join(texts) + "\n")
    assert convert(directory / "a.sexp", directory / f"a.{ending}") == 0
    assert convert(directory / f"a.{ending}", directory / "b.sexp") == 0
    assert convert(directory / "a.sexp", directory / "a.rst") == 0
    assert convert(directory / "a.rst", directory / "c.sexp") == 0
    assert (directory / "b.sexp").read_text() == (directory / "c.sexp").read_text()


def test_columns_name_functions_opcodes_and_physical_addresses(tmp_path: Path) -> None:
    before = encode("pavadiff", ea_valid=1, ea_pa_va=0x1000)
    source = rst(tmp_path / "a.rst", 3, before)
    assert convert(source, tmp_path / "a.parquet") == 0
    found = rows(tmp_path / "a.parquet")
    assert [row["opcode"] for row in found] == ["lwz"] * 3
    assert [row["physical"] for row in found] == [row["address"] + 0x1000 for row in found]
    (tmp_path / "s.sexp").write_text('(mem-read 1 1 1000 2 "a.c:17")\n(lock 2 1 40)\n')
    assert convert(tmp_path / "s.sexp", tmp_path / "s.parquet") == 0
    found = rows(tmp_path / "s.parquet")
    assert [(row["file"], row["line"]) for row in found] == [("a.c", 17), ("", None)]


def test_physical_addresses_hold_from_their_record_on(tmp_path: Path) -> None:
    marks = [encode("pavadiff", ea_valid=1, ea_pa_va=0x1000 * n) for n in (1, 0, 2)]
    body = b"".join(mark + load(n, 0x100 * n, n) for n, mark in enumerate(marks))
    (tmp_path / "a.rst").write_bytes(HEADER + encode_string("arch=ppc") + body + END)
    assert convert(tmp_path / "a.rst", tmp_path / "a.parquet") == 0
    found = rows(tmp_path / "a.parquet")
    assert [row["physical"] for row in found] == [0x1000, None, 0x2200]


def test_parquet_is_smaller_than_compressed_rst(tmp_path: Path) -> None:
    import zstandard

    source = rst(tmp_path / "a.rst", 20_000)
    assert convert(source, tmp_path / "a.parquet") == 0
    packed = len(zstandard.ZstdCompressor(level=19).compress(Path(source).read_bytes()))
    assert (tmp_path / "a.parquet").stat().st_size < packed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",read,", ",reed,", ":3: error: column 'kind': 'reed' is not a kind of event"),
        ("0x20008", "here", ":3: error: column 'address': 'here' is not a number up to 0xffff"),
        ("0x20008", "0x1" + "0" * 16, ":3: error: column 'address': '0x1000"),
        (",lwz", ",lwz\n", "columns instead of 24"),
        ("address", "adress", ":1: error: the table has no column 'address'"),
        ("pc,", "", ":1: error: the table has no column 'pc'"),
        ("arch", "pc", ":1: error: two columns are called 'pc'"),
    ],
)
def test_wrong_csv_is_reported_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    assert convert(rst(tmp_path / "a.rst", 3), tmp_path / "a.csv") == 0
    lines = (tmp_path / "a.csv").read_text().split("\n")
    at = 2 if old not in lines[0] else 0
    lines[at] = lines[at].replace(old, new, 1)
    (tmp_path / "a.csv").write_text("\n".join(lines))
    capsys.readouterr()
    assert main(["stats", str(tmp_path / "a.csv")]) == 2
    assert message in capsys.readouterr().err


def test_wrong_parquet_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(rst(tmp_path / "a.rst", 3), tmp_path / "a.parquet") == 0
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    kinds = pyarrow.array(["read", "reed", "read"])
    wrong = table.set_column(table.schema.get_field_index("kind"), "kind", kinds)
    pyarrow.parquet.write_table(wrong, tmp_path / "w.parquet")
    pyarrow.parquet.write_table(table.drop_columns(["size"]), tmp_path / "m.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "c.parquet").write_bytes(whole[: len(whole) // 2])
    for name, message in (
        ("w", "row 1, column 'kind': no event is a 'reed'"),
        ("m", "the table has no column 'size'"),
        ("c", "damaged Parquet: "),
    ):
        capsys.readouterr()
        assert main(["stats", str(tmp_path / f"{name}.parquet")]) == 2
        assert message in capsys.readouterr().err
    assert convert(tmp_path / "w.parquet", tmp_path / "b.sexp") == 2
    assert not (tmp_path / "b.sexp").exists()


def test_stats_and_view_read_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(rst(tmp_path / "a.rst", 3), tmp_path / "a.csv") == 0
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    capsys.readouterr()
    assert main(["stats", str(tmp_path / "a.csv.gz")]) == 0
    assert "3 events, 3 with a value" in capsys.readouterr().out
    assert main(["view", str(tmp_path / "a.csv")]) == 0
    assert "lwz r9, 0(r3)" in capsys.readouterr().out
