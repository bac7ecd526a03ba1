"""What is cut is not called clean: every reader and command says so, with a status on demand."""

from __future__ import annotations

import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from inst.cli import main as inst
from inst.formats.rst.record import encode, encode_string
from inst.trace import open_trace
from inst.trace.ending import UNENDED

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
STATE = "".join(f"{bank}{n:02} = 00000000{'' if bank == 'R' else '00000000'} " for bank in "RF"
                for n in range(32)) + "\n"  # fmt: skip
NO_SPACE = "stopped: ENOSPC"


def rst(ending: str, end: bytes, *more: str) -> bytes:
    header = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    said = b"".join(encode_string(text) for text in ("arch=ppc", f"ending={ending:15}", *more))
    load = encode("instr", ea_valid=1, instr=0x80640004, pc_va=0x400, ea_va=0x1000)
    value = encode("memval64", addrisVA=1, addr=0x1000, size=4, val=7)
    return header + encode("traceinfo", rtype2=2) + said + load + value + end


def sexp(ending: str, end: bytes, *more: str) -> bytes:
    pairs = [text.split("=") for text in ("arch=ppc", f"ending={ending:15}", *more)]
    said = "".join(
        f'(producer (id {n}) (tid 1) (name "{name}") (value "{value}"))\n'
        for n, (name, value) in enumerate(pairs)
    )
    load = "(mem-read (id 9) (tid 1) (address 0x1000) (value 0x7) (size 4))\n"
    return (said + load).encode() + end


def stf(ending: str, end: bytes, *more: str) -> bytes:
    said = " | ".join(text.replace("=", ": ") for text in (f"ending={ending:15}", *more))
    header = f"|OPTIONS: 0 | TRACE: t | VERSION: 1 | arch: ppc | {said} |\n"
    load = "R04 = 00000ffc\nPCN = 00000400 OPC = 80640004 MNC = lwz\nR03 = 00000007\n"
    return (header + STATE + load.partition("\n")[2]).encode() + end


MAKERS = {"rst": rst, "sexp": sexp, "stf": stf}
EOF_RECORD = {"rst": encode("status", status=2), "sexp": b"", "stf": b""}
END_OF_STREAM = b'(producer (id 10) (tid 1) (name "ending") (value "end of stream"))'
SPACE = bytes(24 * 40)
CHECK = ["check", "--only", "well-formed"]
CASES = {
    "exit": ("exit", b"", ""),
    "killed": ("running", SPACE, UNENDED),
    "running": ("running", b"", UNENDED),
    "full": (NO_SPACE, SPACE, "tracing stopped because no space was left on the device"),
    "limit": ("stopped: EFBIG", SPACE, "tracing stopped because the file may not grow"),
    "old": ("exit", SPACE, UNENDED),
}
"""What a trace says of its end, what it ends with, and what is to be said of it."""


def made(form: str, case: str) -> bytes:
    ending, space, _ = CASES[case]
    return MAKERS[form](ending, space or EOF_RECORD[form])


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("form", MAKERS)
@pytest.mark.parametrize("case", CASES)
def test_a_reader_says_how_a_trace_ends(case: str, form: str, packing: str) -> None:
    trace = open_trace(io.BytesIO(PACKINGS[packing](made(form, case))))
    assert sum(len(batch) for batch in trace.events()) >= 1
    wanted = CASES[case][2]
    assert trace.incomplete == bool(wanted)
    assert [note[: len(wanted)] for note in trace.notes] == [wanted] * bool(wanted), trace.notes


@pytest.mark.parametrize("form", MAKERS)
@pytest.mark.parametrize("case", ["exit", "killed", "full"])
@pytest.mark.parametrize(
    "command", ["check", "convert", "diff", "filter", "graph", "report", "stats", "view"]
)
def test_every_command_says_it_and_strict_has_a_status(
    command: str, case: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = str(tmp_path / f"t.{form}"), str(tmp_path / "out.csv")
    Path(path).write_bytes(made(form, case))
    words = {
        "check": [*CHECK, path],
        "convert": ["convert", path, "--to", form, out],
        "diff": ["diff", path, path],
        "filter": ["filter", "", path, out],
        "graph": ["graph", path],
        "report": ["report", path],
        "stats": ["stats", path],
        "view": ["view", "-c", path],
    }[command]
    wanted = CASES[case][2]
    assert inst([*words, "--strict"]) == (3 if wanted else 0)
    assert Path(out).exists() == (command == "filter" or (command == "convert" and not wanted))
    capsys.readouterr()
    assert inst(words) == 0
    said = capsys.readouterr()
    assert wanted in said.out + said.err
    assert "incomplete" not in said.out or bool(wanted)
    assert command != "check" or ("clean" in said.out) == (not wanted)


def test_a_cut_trace_stays_cut_when_it_is_converted(tmp_path: Path) -> None:
    """RST without its STATUS EOF; the other formats have no such record."""
    (tmp_path / "a.rst").write_bytes(rst("exit", b""))
    assert inst(["convert", str(tmp_path / "a.rst"), str(tmp_path / "b.sexp")]) == 0
    assert inst(["convert", str(tmp_path / "b.sexp"), str(tmp_path / "c.rst")]) == 0
    for name in ("a.rst", "b.sexp", "c.rst"):
        assert inst(["stats", "--strict", str(tmp_path / name)]) == 3, name


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (rst("stream", encode("status", status=2)), True),
        (rst("stream", b""), False),
        (sexp("stream", END_OF_STREAM), True),
        (sexp("stream", b""), False),
        (stf("stream", b""), False),
    ],
)
def test_a_stream_is_whole_if_its_end_came(data: bytes, whole: bool) -> None:
    trace = open_trace(io.BytesIO(data))
    list(trace.events())
    assert trace.incomplete == (not whole)


def test_an_empty_file_is_no_whole_trace(tmp_path: Path) -> None:
    (tmp_path / "t.rst").touch()
    assert inst([*CHECK, str(tmp_path / "t.rst")]) == 0
    assert inst([*CHECK, "--strict", str(tmp_path / "t.rst")]) == 3


@pytest.mark.parametrize("form", MAKERS)
def test_one_of_several_traces_of_a_process_is_said(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in "12":
        path = tmp_path / f"{number}.{form}"
        path.write_bytes(MAKERS[form]("exit", EOF_RECORD[form], f"recorders={number}"))
        assert inst([*CHECK, "--strict", str(path)]) == (0 if number == "1" else 3)
        said = capsys.readouterr().out
        assert ("this is one of 2 traces" in said) == (number == "2")


@pytest.mark.parametrize("form", MAKERS)
def test_accesses_that_could_not_be_reported_are_said(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = {"0000000000 ": "", "0000000001 ": "1 access ", "0000000120+": "120 or more accesses "}
    for text, wanted in {**cases, "unknown": "an unknown number of accesses "}.items():
        path = tmp_path / f"t.{form}"
        path.write_bytes(MAKERS[form]("exit", EOF_RECORD[form], f"unreported={text}"))
        assert inst([*CHECK, "--strict", str(path)]) == (3 if wanted else 0)
        said = capsys.readouterr().out
        assert f"note: {wanted}between a load with reservation" in said or not wanted
        assert ("clean" in said) == (not wanted)
        again = tmp_path / "again.rst"
        assert inst(["convert", str(path), str(again)]) == 0
        assert inst([*CHECK, "--strict", str(again)]) == (3 if wanted else 0)
        capsys.readouterr()
