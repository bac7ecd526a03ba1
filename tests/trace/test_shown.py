"""Strings of a trace never command a terminal and never make a line of their own."""

from __future__ import annotations

import io
import itertools
import re
import sys
from pathlib import Path

import pytest

from inst.cli import main
from inst.errors import InstError, Location
from inst.filter.output import Output
from inst.formats.rst.record import encode, encode_string
from inst.shown import shown, shown_lines

EVIL = "x\x1b]0;title\x07\nFAKE: error\r\x9b2J\x85\u2028FAKE\u202ey"
SHORT = "\x1b[2J\nFAKE"
COLOURS = re.compile("\x1b\\[[0-9;]*m")


def own(kind: int, word: int, **fields: int) -> bytes:
    """Return an EVENT with a word, at the site 1."""
    return (encode("event", kind=kind, flags=2, detail=word, **fields)
            + encode("event_pc", stated=1, id=3) + encode("event_size", site=1))  # fmt: skip


RST = (
    encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST\x1b[2J\nFAKE")
    + encode("traceinfo", rtype2=2)
    + b"".join(
        encode_string(text)
        for text in ("arch=sparc", EVIL, f"host={EVIL}", f"{EVIL}={EVIL}", f"image={EVIL} base=zz",
                     f"image={EVIL} base=0x1000", f"ending=stopped: {EVIL}")
    )
    + encode("strcont", string="a\0\x1b[2J\nFAKE") + encode_string(SHORT)
    + encode("patch", descr=SHORT) + encode("pavadiff")
    + encode("event_text", last=1, is_site=1, number=1, text=f"{SHORT}.c:3")
    + encode("event_text", last=1, number=2, text=SHORT)
    + own(11, 2) + own(12, 2, address=8) + own(0, 2) + own(13, 2, address=8)
    + encode("instr", ea_valid=1, instr=0xC4004000, pc_va=0x400, ea_va=0x1000)
    + encode("memval64", size=9)
)  # fmt: skip
SEXP = (
    f'(producer (id 1) (tid 1) (name "{EVIL}") (value "{EVIL}"))\n'
    f'(image (id 2) (tid 1) (base 1000) (path "{EVIL}"))\n'
    f'(mem-read (id 3) (tid 1) (address 10) (value 0) (size 3) (src "{EVIL}.c:3"))\n'
    f'(lock (id 2) (tid 1) (address 8) (src "{EVIL}:3"))\n'
).encode()
STF = (
    f"|OPTIONS: 0 | TRACE: t{SHORT[:4]} | VERSION: 1 | arch: ppc | host: {EVIL[:12]}\r\x85 |\n"
).encode()
BAD = f'(hint (id 4) (tid 1) (kind "{EVIL}"))'.encode()
TRACES = {"rst": RST, "sexp": SEXP, "stf": STF, "bad.sexp": SEXP + BAD,
          "torn.sexp": SEXP + b"(lock \x1b[2J\x9b 1 2"}  # fmt: skip
COMMANDS = [
    "view", "view -c", "view --no-disassembly", "view --record 3", "view --json",
    "view --as table", "view --as sexp", "view --as rst", "view --as stf", "view --color always",
    "stats", "stats --json", "check", "check --json", "check --color always",
    "check --only well-formed --only locks", "check --print-state",
    "check --only memory-sound --set memory=all",
]  # fmt: skip


def tame(text: str) -> bool:
    plain = COLOURS.sub("", text)
    whole = all(line.isprintable() for line in plain.replace("\t", " ").split("\n"))
    return whole and not any(line.startswith("FAKE") for line in plain.split("\n"))


@pytest.mark.parametrize("kind", TRACES)
def test_every_command_shows_strings_as_text(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = tmp_path / f"t.{kind}", tmp_path / f"other.{kind}"
    path.write_bytes(TRACES[kind])
    other.write_bytes(TRACES[kind].replace(b"FAKE", b"fake").replace(b"0;t", b"1;t"))
    words = [[*command.split(), str(path)] for command in COMMANDS]
    words += [["diff", *options, str(path), str(other)] for options in ([], ["--events"], ["-q"])]
    words += [
        ["convert", str(path), str(tmp_path / f"out.{end}")] for end in ("rst", "sexp", "csv")
    ]
    words += [["filter", "", str(path), str(tmp_path / "out")]]
    seen = ""
    for each in words:
        main(each)
        said = capsys.readouterr()
        assert tame(said.out), each
        assert tame(said.err), each
        seen += said.out
    assert kind == "stf" or "\\x1b" in seen


def test_names_of_files_are_text_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\x1b[2J\nFAKE.rst"
    path.write_bytes(RST)
    for words in (["check"], ["view", "-c"], ["diff", str(path)], ["stats"]):
        main([*words, str(path)])
    main(["view", str(path) + "x"])
    said = capsys.readouterr()
    assert tame(said.out) and tame(said.err)


def test_what_is_converted_or_filtered_keeps_its_bytes_in_files_and_pipes(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "t.sexp"
    path.write_bytes(SEXP)
    assert main(["filter", "", str(path), "-"]) == 0
    assert capsysbinary.readouterr().out == SEXP


def test_a_terminal_gets_no_commands_from_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdout", terminal)
    output = Output("-")
    for byte in f"(a é\x1b[2J)\n\x9b{EVIL}".encode():  # characters come in pieces
        output.write(bytes([byte]))
    output.keep()
    found = terminal.getvalue()
    assert found.startswith("(a é\\x1b[2J)\n\\x9bx\\x1b]0;title\\x07\n")
    assert all(line.isprintable() for line in found.split("\n"))


def test_text_that_is_harmless_stays() -> None:
    for text in ("", "plain", "tab\there", "héllo wörld", "\\x1b", "日本"):
        assert shown(text) == text
    assert shown("a\nb\x00\x7f\udcff\u2066") == "a\\x0ab\\x00\\x7f\\udcff\\u2066"
    assert shown_lines("a\nb\rc") == "a\nb\\x0dc"
    for first, second in itertools.pairwise("\x1b\x9b\r"):
        assert shown(first + second).isprintable()


def test_the_caret_of_an_error_stays_where_it_belongs() -> None:
    error = InstError("bad", location=Location("f", 1, 5), source="ab\x1b[2J")
    line, caret = error.render().split("\n")[1:]
    assert line[caret.index("^") :] == "2J" and line.strip() == "ab\\x1b[2J"
