"""`inst convert`: every pair of formats, what is lost is said, nothing is left half-written."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import os
import random
import tempfile
from pathlib import Path

import pyarrow.parquet
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.cli import main
from inst.convert import TARGETS, format_of
from inst.errors import InstError
from inst.formats.rst.record import encode, encode_string
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.sizes import examples

START = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
START += encode("traceinfo", rtype2=2) + encode_string("arch=ppc") + encode_string("hooks=rst ü")
START += encode("cpu", cpu=0) + encode("thread", tid=7)
LWZ, STW, LWZX, STMW, LFS, STFS, ADD = (
    0x80640004, 0x90640008, 0x7C64282E, 0xBFC1FFF8, 0xC0240000, 0xD0240004, 0x7C632214
)  # fmt: skip


def access(word: int, address: int, *values: tuple[int, int], pc: int) -> bytes:
    data = encode("instr", ea_valid=1, instr=word, pc_va=pc, ea_va=address)
    for value, size in values:
        data += encode("memval64", addrisVA=1, addr=address, val=value, size=size)
        address += size
    return data


def body(count: int) -> bytes:
    steps = b""
    for n in range(count):
        steps += access(LWZ, 0x2004 + n, (n, 4), pc=0x400) + access(
            STW, 0x2008, (n + 1, 4), pc=0x404
        )
        steps += encode("instr", instr=ADD, pc_va=0x408)
        steps += access(LWZX, 0x3000 + 2 * n, (5, 4), pc=0x40C)
        steps += access(STMW, 0x5000, (n, 4), (n + 7, 4), pc=0x410)
        steps += access(LFS, 0x6000, (0x3FC00000, 4), pc=0x414)
        steps += access(STFS, 0x6004, (0x40000000, 4), pc=0x418)
    return steps


END = encode("status", status=2)
TRACE = START + body(20) + END


@pytest.fixture
def rst(tmp_path: Path) -> Path:
    path = tmp_path / "a.rst"
    path.write_bytes(TRACE)
    return path


def run(*words: str | Path) -> int:
    return main(["convert", *map(str, words)])


def story(path: Path) -> list[tuple[object, ...]]:
    """Return what happened, without what only one format says."""
    events = open_trace(path).objects()
    return [
        (e.kind, e.pc, e.address, e.size, e.value, e.word)
        for e in events
        if e.kind not in (Kind.PRODUCER, Kind.IMAGE)
    ]


def test_traces_go_round_through_every_format(rst: Path, tmp_path: Path) -> None:
    expected = story(rst)
    assert len(expected) == 160 and expected[0] == (Kind.READ, 0x400, 0x2004, 4, 0, LWZ)
    before = rst
    for name in ("b.sexp", "c.rst", "d.stf", "e.rst", "f.stf", "g.sexp", "h.stf"):
        assert run(before, tmp_path / name) == 0
        before = tmp_path / name
        assert open_trace(before).format == format_of(name).name
        assert story(before) == expected
    trace = open_trace(tmp_path / "c.rst")
    list(trace.batches())
    assert trace.facts.strings == ["arch=ppc", "hooks=rst ü"]


@pytest.mark.parametrize("ending", [".rst", ".rst.gz", ".rst.zst", ".rst.xz"])
def test_the_same_format_is_copied_and_packed_by_the_ending(
    rst: Path, tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = TRACE + encode("tlb", index=3) + bytes([200]) + b"stale bytes".ljust(23, b"!")
    rst.write_bytes(odd)
    target = tmp_path / f"b{ending}"
    assert run(rst, target, "--strict") == 0
    zstd = zstandard.ZstdDecompressor().decompressobj().decompress
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress, ".rst": bytes, ".zst": zstd}
    assert unpack[target.suffix](target.read_bytes()) == odd
    assert capsys.readouterr().err == ""


def test_what_is_lost_is_said_once_for_each_kind(
    rst: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = encode("tlb", index=3) * 5 + encode("trap", ttype=0x108, syscall=4, pc=4, pstate=1)
    rst.write_bytes(TRACE + extra + bytes([200] * 24) * 2)
    assert run(rst, tmp_path / "b.sexp") == 0
    assert capsys.readouterr().err.splitlines() == [
        "inst: not in sexp: tlb records (5)",
        "inst: not in sexp: is_async, tl, pstate, npc of trap records (1)",
        "inst: not in sexp: rtype=200 records (2)",
    ]


@pytest.mark.parametrize("name", ["b.sexp", "b.parquet", "b.csv", "b.stf.gz", "b.json"])
def test_strict_refuses_and_leaves_nothing(
    name: str, rst: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rst.write_bytes(START + body(1) + encode("tlb", index=3) + END)
    assert run(rst, tmp_path / name, "--strict") == 1
    assert "would lose" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["a.rst"]


def test_strict_writes_nothing_to_standard_output_either(
    rst: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(rst, "-", "--to", "rst", "--strict") == 0
    assert capfdbinary.readouterr().out == TRACE
    assert run(rst, "-", "--to", "csv", "--strict") == 1
    assert capfdbinary.readouterr().out == b""


def test_damage_leaves_nothing_unless_asked_for(
    rst: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rst.write_bytes(TRACE[:-24] + b"\3\3\3")
    for name in ("b.sexp", "b.parquet", "b.csv", "b.stf", "b.json", "b.rst.xz"):
        assert run(rst, tmp_path / name) == 2
        assert "cut short" in capsys.readouterr().err
        assert os.listdir(tmp_path) == ["a.rst"]
    assert run(rst, tmp_path / "b.sexp", "--partial") == 2
    assert len(story(tmp_path / "b.sexp")) == 160


def test_parquet_has_the_documented_columns(rst: Path, tmp_path: Path) -> None:
    assert run(rst, tmp_path / "b.parquet") == 0
    file = pyarrow.parquet.ParquetFile(tmp_path / "b.parquet")
    rows = file.read().to_pylist()
    assert len(rows) == 160
    assert rows[0] == {
        "record": 6, "id": 6, "thread": 7, "cpu": 0, "kind": "read", "pc": 0x400,
        "address": 0x2004, "size": 4, "value": 0, "value_high": 0, "word": LWZ, "detail": "",
        "site": "", "atomic": False, "privileged": False, "taken": False, "annulled": False,
        "trapped": False, "physical": None, "opcode": "lwz", "function": "", "file": "",
        "line": None, "arch": "ppc",
    }  # fmt: skip
    assert (rows[2]["kind"], rows[2]["address"], rows[2]["value"]) == ("instruction", None, None)
    metadata = file.metadata.metadata
    assert metadata[b"inst.arch"] == b"ppc"
    assert json.loads(metadata[b"inst.strings"]) == ["arch=ppc", "hooks=rst ü"]
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_csv_says_the_same_as_parquet(rst: Path, tmp_path: Path) -> None:
    rst.write_bytes(TRACE)
    sexp = tmp_path / "s.sexp"
    sexp.write_text('(mem-write 1 2 release ff 1 "a,b.c:1")\n(barrier 2 2 dsb ish)\n')
    for source in (rst, sexp):
        assert run(source, tmp_path / "b.csv") == run(source, tmp_path / "b.parquet") == 0
        expected = pyarrow.parquet.read_table(tmp_path / "b.parquet").to_pylist()
        with (tmp_path / "b.csv").open(newline="") as stream:
            found = list(csv.DictReader(stream))
        assert len(found) == len(expected)
        for row, want in zip(found, expected, strict=True):
            assert list(row) == list(want)
            for key, value in want.items():
                if value is None:
                    assert row[key] == ""
                elif isinstance(value, str):
                    assert row[key] == value
                else:
                    assert int(row[key], 0) == value


def test_chrome_shows_system_calls(rst: Path, tmp_path: Path) -> None:
    calls = encode("trap", ttype=0x108, syscall=4, pc=0x500) + encode("trap", ttype=9, pc=0x504)
    rst.write_bytes(START + body(1) + calls + END)
    assert run(rst, tmp_path / "b.json") == 0
    found = json.loads((tmp_path / "b.json").read_text())
    assert [(e["name"], e["ph"], e["ts"], e["tid"]) for e in found["traceEvents"]] == [
        ("write", "X", 8, 7), ("trap 0x9", "i", 9, 7),
    ]  # fmt: skip
    assert found["otherData"]["arch"] == "ppc"


def function_event(thread: int, what: str, function: int, stack: int) -> str:
    """Return the s-expression of an entry or exit."""
    pc, value = (function, 0) if what == "enter" else (0, function)
    fields = f"(what {what}) (address {stack:#x}) (value {value:#x}) (pc {pc:#x})"
    return f"(event (id 0) (tid {thread}) {fields})\n"


def test_chrome_nests_functions(tmp_path: Path) -> None:
    """Calls of one function from one caller are slices beside each other."""
    lines = [(1, "enter", 0x400, 900), (1, "enter", 0x500, 800), (2, "enter", 0x400, 300)]
    lines += [(1, kind, 0x600, 700) for kind in ("enter", "leave") * 2]
    lines += [(1, "leave", 0x500, 800), (1, "enter", 0x600, 800)]
    source = tmp_path / "a.sexp"
    source.write_text("".join(function_event(*line) for line in lines))
    assert run(source, tmp_path / "b.json") == 0
    made = json.loads((tmp_path / "b.json").read_text())
    assert [(e["ph"], e["name"], e["tid"], e["ts"]) for e in made["traceEvents"]] == [
        ("B", "0x400", 1, 0), ("B", "0x500", 1, 1), ("B", "0x400", 2, 2),
        ("B", "0x600", 1, 3), ("E", "0x600", 1, 4), ("B", "0x600", 1, 5), ("E", "0x600", 1, 6),
        ("E", "0x500", 1, 7), ("B", "0x600", 1, 8),
        ("E", "0x600", 1, 9), ("E", "0x400", 1, 9), ("E", "0x400", 2, 9),
    ]  # fmt: skip
    assert "calls" not in made["otherData"]


def test_chrome_keeps_the_order_of_each_thread(tmp_path: Path) -> None:
    """Begins and ends of a thread ascend in time and nest, however threads lie in the file."""
    chance, lines = random.Random(8), list[str]()
    stacks: dict[int, list[int]] = {50: [], 51: [], 52: []}
    for _ in range(3000):
        thread = chance.choice((50, 51, 52))
        stack = stacks[thread]
        if chance.randrange(6) == 0:
            lines.append(f"(event (id 0) (tid {thread}) (what trap) (value 0x4))\n")
        elif stack and chance.randrange(2):
            at = chance.randrange(len(stack)) if chance.randrange(4) == 0 else len(stack) - 1
            lines.append(function_event(thread, "leave", stack[at], 1000 - at))
            del stack[at:]
        else:
            stack.append(chance.randrange(1, 9) << 8)
            lines.append(function_event(thread, "enter", stack[-1], 1001 - len(stack)))
    source = tmp_path / "a.sexp"
    source.write_text('(producer (id 0) (tid 0) (detail "arch=ppc"))\n' + "".join(lines))
    assert run(source, tmp_path / "b.json") == 0
    found = json.loads((tmp_path / "b.json").read_text())["traceEvents"]
    calls = 0
    for thread in (50, 51, 52):
        time, inside = 0, list[str]()
        for mark in (each for each in found if each["tid"] == thread):
            if mark["ph"] == "X":
                calls += 1
                assert mark["ts"] <= mark["ts"] + mark["dur"] and mark["ts"] + mark["dur"] >= time
                continue
            assert mark["ts"] >= time
            time = mark["ts"]
            if mark["ph"] == "B":
                inside.append(mark["name"])
            elif mark["ph"] == "E":
                assert inside.pop() == mark["name"]
        assert inside == []
    assert calls > 100


def test_stf_says_what_it_cannot_carry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.sexp"
    source.write_text("(mem-read 1 0 10 5)\n(lock 2 0 10)\n")
    assert run(source, tmp_path / "b.stf") == 0
    assert capsys.readouterr().err.splitlines() == [
        "inst: not in stf: lock events (1)",
        "inst: not in stf: instructions, since the trace is not of a PowerPC (1)",
    ]
    assert story(tmp_path / "b.stf") == []


def test_names_decide_the_format() -> None:
    for each in TARGETS:
        assert format_of(f"x.y{each.ending}") == format_of(f"x{each.ending}.gz") == each
    with pytest.raises(InstError, match=r"no format has the extension '.txt'"):
        format_of("x.txt.gz")
    with pytest.raises(InstError, match=r"extension '.parkuet'") as error:
        format_of("x.parkuet")
    assert error.value.hint.startswith("did you mean .parquet? The extensions are .rst ")


def test_usage(rst: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(rst, "-") == 2
    assert "--to" in capsys.readouterr().err
    assert run(rst.with_name("none"), "-", "--to", "csv") == 2
    assert "No such file" in capsys.readouterr().err
    assert run(rst, rst.parent / "none" / "b.csv") == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_written_to_and_not_replaced(rst: Path, tmp_path: Path, linked: bool) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    target = pipe
    if linked:
        target = tmp_path / "link"
        target.symlink_to(pipe)
    assert run(rst, target, "--to", "rst") == 0
    assert pipe.is_fifo() and os.read(reading, 1 << 16) == TRACE
    assert run(rst, target, "--to", "csv", "--strict") == 1
    assert pipe.is_fifo() and os.read(reading, 1 << 16) == b""
    os.close(reading)


def test_a_link_stays_a_link(rst: Path, tmp_path: Path) -> None:
    (tmp_path / "link.rst").symlink_to(tmp_path / "target")
    assert run(rst, tmp_path / "link.rst") == 0
    assert (tmp_path / "link.rst").is_symlink()
    assert (tmp_path / "target").read_bytes() == TRACE


def test_ids_of_s_expressions_survive_rst(tmp_path: Path) -> None:
    """Also where they jump, and where plain records stand between."""
    line = (
        "(mem-read (id {0}) (tid 1) (address 0x1000) (value 0x2a) (size 4) "
        "(word 0x80640004) (flags 0x{1:x}) (src 0x400))"
    )
    text = "".join(line.format(n, 15) + "\n" for n in (1, 2, 3, 10, 11, 100))
    (tmp_path / "a.sexp").write_text(text)
    assert run(tmp_path / "a.sexp", tmp_path / "b.rst") == 0
    assert run(tmp_path / "b.rst", tmp_path / "c.sexp") == 0
    back = (tmp_path / "c.sexp").read_text()
    ids = [int(each.split()[2].rstrip(")")) for each in back.splitlines()]
    assert ids == [1, 2, 3, 10, 11, 100]


def round_trip(directory: Path, text: str) -> str:
    """Return s-expressions that became RST and s-expressions again; nothing may be lost."""
    (directory / "a.sexp").write_text(text)
    assert run("--strict", directory / "a.sexp", directory / "b.rst") == 0
    assert run("--strict", directory / "b.rst", directory / "c.sexp") == 0
    return (directory / "c.sexp").read_text()


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.one_of(st.integers(0, 30), st.integers(0, (1 << 64) - 1)), min_size=1, max_size=25),
    st.lists(st.integers(0, 25), max_size=3),
)
def test_every_id_survives_rst(ids: list[int], producers: list[int]) -> None:
    """Such as are the place of their record in RST, go back, or are the producer's."""
    lines = [f"(mem-read (id {{}}) (tid {n % 3}) (address 0x1000) (value 0x2a))" for n in ids]
    for place in producers:
        said = f'(producer (id {{}}) (tid 7) (name "n{place}") (value "v"))'
        lines.insert(place, said)
    numbered = zip(lines, [*ids, *range(50, 53)], strict=False)
    text = "".join(line.format(identity) + "\n" for line, identity in numbered)
    with tempfile.TemporaryDirectory() as directory:
        assert round_trip(Path(directory), text) == text


def test_what_a_producer_said_survives_rst_in_its_place(tmp_path: Path) -> None:
    text = (
        "(mem-read (id 0) (tid 1) (address 0x1000) (value 0x2a))\n"
        '(producer (id 4) (tid 2) (name "arch") (value "ppc"))\n'
        '(image (id 9) (tid 1) (base 0x10000) (path "/bin/x"))\n'
        "(mem-read (id 10) (tid 1) (address 0x1000) (value 0x2a) (size 4) (word 0x80640004) "
        "(src 0x400))\n"
        '(image (id 1) (tid 1) (base 0x20000) (path "/lib/y"))\n'
    )
    assert round_trip(tmp_path, text) == text
