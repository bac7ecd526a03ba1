"""RST that is not as the document has it is read on, and every command reports what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inst.cli import main
from inst.formats.rst.record import encode
from inst.formats.rst.trace import RstTrace
from inst.trace.event_text import blocks

INFO, END = encode("traceinfo", rtype2=2), encode("status", status=2)
NOP = encode("pavadiff") + encode("instr", pc_va=0x400, instr=0x01000000)


def header(text: str = "RST Header v2.13", **numbers: int) -> bytes:
    fields = {"majorVer": 2, "minorVer": 13, "percent": 0x25} | numbers
    return encode("header", header_str=text, **fields)


HEADERS = {
    "magic": (header("NOT A Header"), "record 0: the header is 'NOT A Header'", "rst-header"),
    "percent": (header(percent=0x24), "record 0: the header's fourth byte", "rst-header"),
    "version": (header("RST Header v9.99", majorVer=9, minorVer=99), "version 9.99 is not known",
                "rst-version"),
    "numbers": (header("RST Header v2.12"), "the header's numbers are 2.13", "rst-header"),
    "none": (b"", "the first record is traceinfo, not a HEADER", "rst-header"),
}  # fmt: skip


@pytest.mark.parametrize("command", ["view", "stats", "convert", "filter", "diff"])
@pytest.mark.parametrize("case", HEADERS)
def test_every_command_notes_a_bad_header(
    case: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, note, _ = HEADERS[case]
    path, out = str(tmp_path / "t.rst"), str(tmp_path / "out.rst")
    Path(path).write_bytes(data + INFO + NOP + END)
    words = {"convert": [path, out], "filter": ["", path, out], "diff": [path, path]}
    assert main([command, *words.get(command, [path])]) == 0
    assert note in capsys.readouterr().err


@pytest.mark.parametrize("case", HEADERS)
def test_the_check_reports_it_once(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, note, code = HEADERS[case]
    path = tmp_path / "t.rst"
    path.write_bytes(data + INFO + NOP + END)
    assert main(["check", str(path)]) == 1
    said = capsys.readouterr()
    assert f"[{code}]" in said.out
    assert (said.out + said.err).count(note.removeprefix("record 0: ")) == 1
    assert main(["check", "--only", "rst-sound", str(path)]) == 0
    assert note in capsys.readouterr().out


def test_a_good_header_has_no_note() -> None:
    for data in (header(), header("RST Header v2.09", minorVer=9), b""):
        trace = RstTrace("t", [data + INFO] if data else [])
        list(trace.batches())
        assert trace.notes == []


@pytest.mark.parametrize("ending", ["rst", "sexp", "stf", ""])
def test_an_empty_file_is_not_called_clean(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"t.{ending}"
    path.touch()
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "clean" not in said and "note: there is nothing in it: an empty trace" in said
    assert "no findings: 0 records" in said and "the trace is incomplete" in said
    assert main(["check", "--strict", str(path)]) == 3


def strings(*pieces: tuple[str, bytes]) -> tuple[list[str], list[str]]:
    """Return the producer's strings and the rows of a trace with records of strings."""
    codes = {"strcont": 21, "strdesc": 14}
    data = b"".join(bytes([codes[name]]) + text.ljust(23, b"\0") for name, text in pieces)
    trace, again = (RstTrace("t", [header() + data]) for _ in range(2))
    list(trace.batches())
    texts = [
        text
        for block in blocks(again)
        for text in block.texts(np.flatnonzero(block.kinds == block.names.index("strdesc")))
    ]
    return trace.facts.strings, texts


def test_a_string_goes_on_after_a_nul_in_strcont() -> None:
    found, rows = strings(("strcont", b"hello\0world and so much"), ("strdesc", b"more\0stale"))
    assert found == ["hello\0world and so muchmore"]
    assert rows == ['"hello\0world and so muchmore"']


def test_nuls_at_the_end_of_a_record_are_no_text() -> None:
    assert strings(("strcont", b"short"), ("strdesc", b"end"))[0] == ["shortend"]


def test_a_string_without_an_end_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.rst"
    path.write_bytes(header() + INFO + encode("strcont", string="x" * 23) * 2)
    assert main(["view", str(path), "--record", "3", "--context", "0"]) == 0
    assert capsys.readouterr().out == f'>     2 strcont : "{"x" * 46}"\n'


def test_a_character_may_be_in_two_records() -> None:
    text = "x" * 22 + "é"
    data = text.encode()
    found, rows = strings(("strcont", data[:23]), ("strdesc", data[23:]))
    assert found == [text] and rows == [f'"{text}"']
