"""The command: the language and its complaints, files, packings, damage, properties."""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import tempfile
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from filter_traces import END, HEADER, START, UNKNOWN, filtered, instr, load, refused, store
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inst.cli import main
from inst.errors import InstError
from inst.filter.language import resolve
from inst.filter.table import FILTERS, listing
from tests.sizes import examples

TRACE = START + load(0x1000, 0x2000, 1) + store(0x1004, 0x2004, 2) + UNKNOWN + END


@pytest.mark.parametrize(
    ("pipeline", "column", "said", "hint"),
    [
        ("lod", 1, "no filter is called 'lod'", "did you mean 'load'?"),
        ("load | smaple 1/2", 8, "no filter is called 'smaple'", "did you mean 'sample'?"),
        ("only load,stroe", 11, "only: 'stroe' is not one", "did you mean 'store'?"),
        ("untaken e=none", 9, "untaken has no argument 'e'", "ea"),
        ("untaken ea=noen", 12, "untaken: 'noen' is not none or next", "did you mean 'none'?"),
        ("sample 1/2 blok=3", 12, "sample has no argument 'blok'", "did you mean 'block'?"),
        ("sample 3", 8, "sample: '3' is not a fraction", "1/100"),
        ("sample 1/0", 8, "sample: 1/0 is not between", ""),
        ("sample 1/2 block=0", 18, "sample: 0 is too small", ""),
        ("head", 5, "head: expected N[i|r] after it", "head 1000i"),
        ("head 1 no 2", 11, "head: '2' is one argument too many", "usage: head N[i|r]"),
        ("head 1x", 6, "head: '1x' is not a count", ""),
        ("pc 10-zz", 4, "pc: 'zz' is not a hexadecimal number", ""),
        ("size 9-3", 6, "size: the range 9-3 ends before it begins", ""),
        ("ea 1,2,x y", 8, "ea: 'x' is not a hexadecimal number", ""),
        ("pc 11111111111111111", 4, "does not fit into 64 bits", ""),
        ("version 9.9", 9, "version: '9.9' is not a version of RST", "1.0 to 2.13"),
        ("load and head 3", 10, "'head' selects nothing", "selections are only, drop"),
        ("not drop-null", 5, "'drop-null' selects nothing", ""),
        ("load |", 7, "expected a filter but found the end", ""),
        ("| load", 1, "found '|'", ""),
        ("(load", 6, "expected ')' but found the end", ""),
        ("load)", 5, "found ')'", ""),
        ("load and", 9, "expected a filter but found the end", ""),
        ("load\n| hed 3", 3, "no filter is called 'hed'", "did you mean 'head'?"),
        ("head 3 number=4", 8, "head: number is given twice", ""),
        ("source :3", 8, "source: ':3' names no file", ""),
        ('patch 1-2 descr="much too long a text"', 17, "longer than 16 characters", ""),
    ],
)
def test_mistakes_in_pipelines_are_shown(pipeline: str, column: int, said: str, hint: str) -> None:
    with pytest.raises(InstError) as caught:
        resolve(pipeline, FILTERS)
    error = caught.value
    assert said in error.message and hint in error.hint
    assert error.location is not None and error.location.column == column
    lines = error.render().splitlines()
    assert lines[1][4:] in pipeline.splitlines() and lines[2] == " " * (column + 3) + "^"


def test_a_format_that_has_no_such_thing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"(lock (id 1) (tid 1) (address 0x1))\n")
    said = refused(capsys, "head 1 | untaken", str(path))
    assert "<filter>:1:10: error: 'untaken' does not work on s-expressions" in said
    assert "no program was named" in refused(capsys, "function main", str(path))


def test_words_may_be_quoted_and_lists_spaced(tmp_path: Path) -> None:
    assert filtered(tmp_path, 'only load ,  "store"', TRACE) == TRACE
    assert filtered(tmp_path, "( load )or(store)", TRACE) == TRACE
    found = filtered(tmp_path, 'patch 0-0 descr="a|b (c)"', TRACE)
    assert found.count(b"a|b (c)\0") == 2


def test_every_filter_is_listed_with_an_example_that_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["filter", "--list"]) == 0
    listed = capsys.readouterr().out
    assert listed == listing() + "\n"
    for name, row in FILTERS.items():
        assert f"\n  {name}" in listed and row.example in listed
        assert row.example.split(" ")[0] == name and row.summary.endswith((".", ".)"))
        assert len(resolve(row.example, FILTERS)) == 1


PACKERS = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".rst": bytes,
    ".zst": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}


@pytest.mark.parametrize("ending", sorted(PACKERS))
def test_outputs_are_packed_by_their_ending(tmp_path: Path, ending: str) -> None:
    source, output = tmp_path / "in", tmp_path / f"out{ending}"
    source.write_bytes(TRACE)
    assert main(["filter", "", str(source), str(output)]) == 0
    assert PACKERS[ending](output.read_bytes()) == TRACE
    again = tmp_path / f"again{ending}"
    assert main(["filter", "", str(output), str(again)]) == 0
    assert again.read_bytes() == output.read_bytes()
    assert output.stat().st_mode & 0o777 == source.stat().st_mode & 0o777


def test_standard_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (["filter", "drop unknown"], ["filter", "drop unknown", "-", "-"]):
        output = io.BytesIO()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TRACE)))
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(output))
        assert main(words) == 0
        assert output.getvalue() == TRACE.replace(UNKNOWN, b"")
        monkeypatch.undo()


def test_damage_leaves_no_output_unless_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, output = tmp_path / "in", tmp_path / "out.gz"
    whole = START + load(0x1000, 0x2000, 1)
    source.write_bytes(whole + b"\x03cut")
    for pipeline in ("", "load", "tail 5 marks=no", "merge time"):
        said = refused(capsys, pipeline, str(source), str(output))
        assert f"byte offset {len(whole)}" in said
        assert [p.name for p in tmp_path.iterdir()] == ["in"]
        refused(capsys, "--salvage", pipeline, str(source), str(output))
        assert gzip.decompress(output.read_bytes()) == whole
        output.unlink()


def test_an_output_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in"
    source.write_bytes(TRACE)
    assert "cannot write" in refused(capsys, "", str(source), str(tmp_path / "no" / "out"))
    assert "input and output" in refused(capsys, "", str(source), str(source))
    assert "cannot open" in refused(capsys, "", str(tmp_path / "none"), str(tmp_path / "out"))
    assert [p.name for p in tmp_path.iterdir()] == ["in"]
    assert source.read_bytes() == TRACE


record = st.one_of(
    st.binary(min_size=24, max_size=24).map(lambda raw: bytes([2 + raw[0] % 61]) + raw[1:]),
    st.builds(load, st.integers(0, 2**32), st.integers(0, 2**20), st.integers(0, 9)),
    st.builds(store, st.integers(0, 2**32), st.integers(0, 2**20), st.integers(0, 9)),
    st.builds(instr, st.sampled_from([0x12800004, 0x10800004, 0x01000000]), st.just(0x1000)),
)
traces = st.lists(record, max_size=30).map(lambda parts: START + b"".join(parts))
stages = st.sampled_from(
    ["load", "not store", "ea 0-80000", "value 3", "head 5", "skip 2", "tail 4", "sample 1/2",
     "sample 2/3 block=2", "drop unknown", "drop trap", "strip-stale", "drop-null", "untaken",
     "fill-targets", "annulled drop", "strip-pavadiff", "add-pavadiff pc=1", "thread 0-3",
     "anonymise k", "renumber cpus,threads", "patch 1-2", "physical", "merge time",
     "record 3-10", "only instr"]
)  # fmt: skip


def run(pipeline: str, data: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        return filtered(Path(name), pipeline, data)


@given(traces)
@settings(max_examples=examples(40), deadline=None)
def test_the_empty_pipeline_is_identity(data: bytes) -> None:
    assert run("", data) == data
    assert run("load or not load", data) == data
    assert run("thread 0- or not thread 0-", data) == data


@given(traces, stages, stages.filter(lambda stage: not stage.startswith("merge")))
@settings(max_examples=examples(150), deadline=None)
def test_a_bar_b_is_b_after_a(data: bytes, first: str, second: str) -> None:
    # A trace that changes its version on the way cannot be merged with anything.
    versions = any(data[at] == 2 for at in range(len(START), len(data), 24))
    assume(not (versions and first.startswith("merge")))
    assert run(f"{first} | {second}", data) == run(second, run(first, data))


@given(traces, st.sampled_from(["load", "ea 0-80000", "value 1-4", "pc 1000", "flag bt"]))
@settings(max_examples=examples(60), deadline=None)
def test_a_selection_and_its_negation_share_only_the_context(data: bytes, chosen: str) -> None:
    drop = " | drop context"
    both = len(run(chosen + drop, data)) + len(run(f"not ({chosen})" + drop, data))
    assert both == len(run("drop context", data))


@given(st.binary(max_size=300), stages)
@settings(max_examples=examples(100), deadline=None)
def test_any_bytes_give_a_trace_or_an_error(data: bytes, stage: str) -> None:
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()):
        path = Path(name) / "in"
        path.write_bytes(HEADER + data)
        assert main(["filter", stage, str(path), str(Path(name) / "out")]) in (0, 2)


@given(st.text(alphabet='load|()not and,=-"1x\n', max_size=30))
@settings(max_examples=examples(200), deadline=None)
def test_any_pipeline_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InstError):
        resolve(text, FILTERS)


def test_memory_does_not_grow_with_the_trace(tmp_path: Path) -> None:
    path, output = tmp_path / "in", tmp_path / "out"
    block = b"".join(load(0x1000 + 4 * n, 0x2000 + n, n) for n in range(1000))
    with path.open("wb") as stream:
        stream.write(START)
        for _ in range(700):
            stream.write(block)  # 34 MB
    pipeline = "only load,store | not ea 2000-2100 | sample 1/10 | fill-targets | renumber threads"
    tracemalloc.start()
    try:
        assert main(["filter", pipeline, str(path), str(output)]) == 0
        assert tracemalloc.get_traced_memory()[1] < 60 << 20
    finally:
        tracemalloc.stop()
    assert 1_700_000 < output.stat().st_size < 5_500_000
