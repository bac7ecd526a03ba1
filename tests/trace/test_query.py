"""`inst query`: answers from every kind of trace, and what is wrong with a question."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import zstandard

from inst.cli import main
from inst.formats.rst.record import encode, encode_string

LWZ, STW = 0x81230000, 0x91230000
HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
END = encode("status", status=2)


def access(n: int, word: int) -> bytes:
    ea = 0x20000 + 8 * (n % 4)
    return encode("instr", instr=word, pc_va=0x400 + 4 * n, ea_valid=1, ea_va=ea) + encode(
        "memval64", addrisVA=1, size=4, addr=ea, val=n
    )


TRACE = HEADER + encode_string("arch=ppc") + b"".join(access(n, LWZ) for n in range(6)) + END


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    (tmp_path / "t.rst").write_bytes(TRACE)
    return tmp_path / "t.rst"


def answer(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["query", *map(str, arguments)])
    said = capsys.readouterr()
    return status, said.out, said.err


COUNT = "select hx(address) as at, count(*) as n from accesses group by 1 order by 2 desc, 1"
LINES = ("at,n", "0x20000,2", "0x20008,2", "0x20010,1", "0x20018,1")
CSV = "".join(f"{line}\n" for line in LINES)


@pytest.mark.parametrize("name", ["t.sexp", "t.parquet", "t.csv", "t.rst.gz", "t.rst"])
def test_every_kind_of_trace_answers(
    trace: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = trace.parent / name
    assert other == trace or main(["convert", str(trace), str(other)]) == 0
    assert answer(capsys, "--csv", COUNT, other)[:2] == (0, CSV)


def test_answers_are_tables_csv_or_json(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, COUNT + " limit 1", trace)[1] == "at       n\n0x20000  2\n"
    text = answer(capsys, "--json", "select opcode, line from events limit 1", trace)[1]
    assert json.loads(text) == {"opcode": "lwz", "line": None}
    table = answer(capsys, "select 'a\nb' as text, 0x10 as number, '0x10' as same", trace)[1]
    assert table.splitlines()[1] == r"a\nb      16  0x10"


def test_long_answers_are_printed_whole(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = answer(capsys, "--csv", "from range(2500)", trace)
    assert status == 0
    assert text.split() == ["range", *map(str, range(2500))]


def test_wrong_questions_are_explained(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = answer(capsys, "select adress from events", trace)
    assert (status, out) == (2, "")
    assert 'column "adress" not found' in err
    assert "the views are events, accesses, functions, threads" in err
    status, out, err = answer(capsys, "selec 1", trace)
    assert status == 2
    assert "syntax error" in err
    assert "Traceback" not in err


def test_a_program_that_is_none_is_an_error(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"text")
    assert main(["query", "select 1", str(trace), str(program)]) == 2
    assert f"{program} is not an ELF file" in capsys.readouterr().err


def test_what_is_before_damage_answers(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace.write_bytes(TRACE[: -len(END)] + b"\3cut")
    status, out, err = answer(capsys, "--csv", "select count(*) as n from events", trace)
    assert (status, out) == (2, "n\n6\n")
    assert "cut short" in err
    trace.write_bytes(TRACE[: -len(END)] + bytes(24 * 3))  # reserved, and not written
    assert answer(capsys, "--csv", "--strict", "select 1 as n", trace)[:2] == (3, "n\n1\n")
    status, _, err = answer(capsys, "select 1", trace.parent / "none")
    assert status == 2
    assert "cannot open" in err


def test_a_missing_library_is_named(
    trace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    status, out, err = answer(capsys, "select 1", trace)
    assert (status, out) == (2, "")
    assert "pip install 'inst[query]'" in err


def test_nothing_stays_in_the_temporary_directory(
    trace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (trace.parent / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(trace.parent / "tmp"))
    packed = trace.parent / "t.rst.zst"
    packed.write_bytes(zstandard.compress(TRACE))
    assert answer(capsys, "--csv", COUNT, packed)[1] == CSV
    assert list((trace.parent / "tmp").iterdir()) == []


@pytest.mark.parametrize("terminal", [True, False])
def test_text_commands_no_terminal(
    terminal: bool,
    trace: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file or a pipe gets it as it is."""
    question = "select 'a' || chr(27) || '[2J' as text, 7 as number"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert main(["query", "--csv", question, str(trace)]) == 0
    line = "a\\x1b[2J,7" if terminal else "a\x1b[2J,7"
    assert capsys.readouterr().out == f"text,number\n{line}\n"
    assert main(["query", question, str(trace)]) == 0
    assert "\x1b" not in capsys.readouterr().out
