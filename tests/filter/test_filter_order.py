"""Merging inputs and splitting outputs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from filter_traces import (
    END,
    HEADER,
    UNKNOWN,
    cpu,
    fields,
    filtered,
    load,
    preamble,
    records,
    refused,
)

from inst.cli import main
from inst.filter.pipeline import name_of
from inst.formats.rst.record import encode


def at(number: int, tid: int, time: int, *values: int) -> bytes:
    return cpu(number, tid, time) + b"".join(load(0x10, 0x20, v, cpu=number) for v in values)


def test_merge_by_time_takes_the_earliest_first(tmp_path: Path) -> None:
    one = preamble() + at(0, 3, 10, 1, 2) + at(0, 3, 30, 5) + END
    two = preamble() + at(1, 4, 20, 3, 4) + at(1, 4, 40, 6) + END
    found = filtered(tmp_path, "merge time", one, two)
    assert fields(found, "memval64", "val") == [1, 2, 3, 4, 5, 6]
    expected = preamble() + at(0, 3, 10, 1, 2) + at(1, 4, 20, 3, 4)
    assert found == expected + at(0, 3, 30, 5) + at(1, 4, 40, 6) + END
    assert filtered(tmp_path, "merge time|thread 4", one, two) == (
        preamble() + at(1, 4, 20, 3, 4) + at(1, 4, 40, 6) + END
    )


def test_merge_by_thread_groups_threads(tmp_path: Path) -> None:
    one = preamble() + at(0, 9, 0, 1, 2) + END
    two = preamble() + at(1, 4, 0, 3) + END
    assert filtered(tmp_path, "merge thread", one, two) == (
        preamble() + at(1, 4, 0, 3) + at(0, 9, 0, 1, 2) + END
    )


def test_threads_of_two_processes_on_one_cpu_are_told_apart(tmp_path: Path) -> None:
    one = HEADER + at(0, 3, 10, 1) + encode("cpu", timestamp=30) + load(1, 2, 3)
    two = HEADER + at(0, 4, 20, 2)
    found = filtered(tmp_path, "merge time", one, two)
    assert fields(filtered(tmp_path, "thread 3", found), "memval64", "val") == [1, 3]
    assert fields(filtered(tmp_path, "thread 4", found), "memval64", "val") == [2]


def test_merge_of_one_is_that_one(tmp_path: Path) -> None:
    trace = preamble() + at(0, 3, 10, 1, 2) + UNKNOWN + END
    assert filtered(tmp_path, "merge time", trace) == trace


def test_s_expressions_merge_by_id(tmp_path: Path) -> None:
    said = b'(producer (id 0) (tid 1) (name "a"))'
    locks = [b"(lock (id %d) (tid 1) (address 0x1))" % number for number in (1, 3, 5)]
    one, two = b"\n".join([said, locks[0], locks[2]]), said + b"\n" + locks[1] + b"\n"
    lines = [said, *locks]
    assert filtered(tmp_path, "merge time", one, two).splitlines() == lines


def split(directory: Path, trace: bytes, by: str = "thread") -> dict[str, bytes]:
    path = directory / "whole.rst"
    path.write_bytes(trace)
    assert main(["filter", f"split {by}", str(path), str(directory / "part.rst")]) == 0
    return {found.name: found.read_bytes() for found in directory.glob("part*")}


def test_split_gives_every_thread_a_file(tmp_path: Path) -> None:
    trace = preamble() + UNKNOWN + at(0, 3, 1, 1) + at(1, 4, 2, 2) + at(0, 3, 3, 5) + END
    assert split(tmp_path, trace) == {
        "part.3.rst": preamble() + UNKNOWN + at(0, 3, 1, 1) + at(0, 3, 3, 5) + END,
        "part.4.rst": preamble() + UNKNOWN + at(1, 4, 2, 2) + END,
    }
    cpus = split(tmp_path, trace, "cpu")
    assert cpus["part.0.rst"] == cpus["part.3.rst"]


def test_split_then_merge_gives_back_the_records(tmp_path: Path) -> None:
    """What names nobody follows the record before it."""
    trace = preamble()
    for number in range(40):
        trace += at(number % 3, 10 + number % 3, number, *range(number, number + 3))
        trace += UNKNOWN if number % 5 == 0 else b""
    parts = split(tmp_path, trace + END)
    assert len(parts) == 3
    merged = filtered(tmp_path, "merge time", *parts.values())
    assert merged == trace + END
    merged = filtered(tmp_path, "merge thread", *parts.values())
    assert Counter(records(merged)) == Counter(records(trace + END))


def test_split_across_batches(tmp_path: Path) -> None:
    """A thread that begins in a later batch still gets the leading records."""
    trace = preamble() + at(0, 3, 1, *range(30_000)) + at(1, 4, 2, *range(30_000)) + END
    parts = split(tmp_path, trace)
    assert parts["part.4.rst"] == preamble() + at(1, 4, 2, *range(30_000)) + END
    assert filtered(tmp_path, "merge thread", *parts.values()) == trace


def test_names_of_split_files() -> None:
    assert name_of("d/t.rst.gz", 3) == "d/t.3.rst.gz"
    assert name_of("t", 3) == "t.3"
    assert name_of("t.trace", 3) == "t.trace.3"
    assert name_of("t-{}.sexp", 3) == "t-3.sexp"


def test_what_cannot_be_merged_or_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rst, old, sexp = (str(tmp_path / name) for name in ("a", "b", "c"))
    Path(rst).write_bytes(HEADER + load(1, 2, 3))
    older = encode("header", majorVer=2, minorVer=5, percent=0x25, header_str="RST Header v2.5")
    Path(old).write_bytes(older + load(1, 2, 3))
    Path(sexp).write_bytes(b"(lock (id 1) (tid 1) (address 0x1))\n")
    out = str(tmp_path / "out")
    assert "different versions" in refused(capsys, "merge time", rst, old, out)
    assert "rst and sexp" in refused(capsys, "merge time", rst, sexp, out)
    assert "does not begin with merge" in refused(capsys, "head 3", rst, old, out)
    assert "must be the first" in refused(capsys, "head 3|merge time", rst, out)
    assert "must be the last" in refused(capsys, "split thread|head 3", rst, out)
    assert "standard output" in refused(capsys, "split thread", rst)
    Path(rst).write_bytes(HEADER)
    assert "no record names a thread" in refused(capsys, "split thread", rst, out)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "c"]
