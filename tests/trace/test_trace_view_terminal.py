"""`inst view` on a terminal and in other styles; selection by type and source."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from inst.cli import main
from inst.formats.rst.record import encode, encode_string
from inst.formats.stf.record import make_header, make_instruction, make_state
from tests.warm import python

ROOT = Path(__file__).resolve().parent.parent.parent
RST = (
    encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    + encode_string("arch=ppc")
    + encode("cpu", cpu=1)
    + encode("thread", tid=7)
    + encode("instr", cpuid=1, ea_valid=1, instr=0x80640004, pc_va=0x1000, ea_va=0x2000)
    + encode("memval64", cpuid=1, addrisVA=1, size=4, addr=0x2000, val=5)
    + encode("instr", cpuid=1, instr=0x7C602A14, pc_va=0x1004)
    + encode("instr", cpuid=1, ea_valid=1, instr=0x98830001, pc_va=0x1008, ea_va=0x2011)
    + encode("memval64", cpuid=1, addrisVA=1, size=1, addr=0x2011, val=0xFE)
    + encode("trap", cpuid=1, ttype=0x140, syscall=4, pc=0x100C)
)
SEXP = """\
(mem-write (id 1) (tid 7) (mem-order plain) (address 0x10) (value 0x5) (src "src/a.c:3"))
(mem-read (id 2) (tid 7) (address 0x10) (value 0x5) (size 2) (src "src/a.c:14"))
(mem-read (id 3) (tid 8) (address 0x20) (value 0x6) (src "lib/b.c:3"))
(lock (id 4) (tid 8) (address 0x30) (src "aa.c:3"))
(barrier (id 5) (tid 8) dsb (kind ish))
"""
STF = (
    make_header({"OPTIONS": "f"}).text
    + make_state({f"R{n:02}": 0x100 * n for n in range(32)}).text
    + make_instruction(0x1000, 0x80640004, "lwz", registers={"R03": 5}).text
    + make_instruction(0x1004, 0x7C602A14, "add", registers={"R03": 6}).text
)


@pytest.fixture
def traces(tmp_path: Path) -> dict[str, str]:
    contents = {"rst": RST, "sexp": SEXP.encode(), "many": SEXP.encode() * 20, "stf": STF}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: str(tmp_path / name) for name in contents}


def output(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> list[str]:
    assert main(["view", *words]) == status
    return capsys.readouterr().out.splitlines()


def on_terminal(words: list[str], **environment: str) -> str:
    """Run inst view with a pseudo-terminal as standard output; return what it wrote there."""
    ours, theirs = pty.openpty()
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", **environment}
    command = [python(), "-m", "inst", "view", *words]
    process = subprocess.Popen(command, stdout=theirs, stdin=theirs, env=variables)
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait(timeout=30) == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_terminal_has_colour_and_a_pager(traces: dict[str, str]) -> None:
    text = on_terminal([traces["rst"]], PAGER="sed s/^/page:/", NO_COLOR="")
    lines = text.splitlines()
    assert len(lines) == 10 and all(line.startswith("page:") for line in lines)
    assert "\033[31mtrap" in lines[-1]
    assert "\033[2mmemval64" in text and "\033[0m" in text
    plain = subprocess.run(
        [python(), "-m", "inst", "view", traces["rst"]],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PAGER": "sed s/^/page:/"},
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert "\033" not in plain and "page:" not in plain
    assert re.sub(r"\033\[\d*m|page:", "", text) == plain


@pytest.mark.parametrize("pager", ["", "  ", "no-such-pager -x"])
def test_without_a_pager_lines_go_straight_to_the_terminal(
    traces: dict[str, str], pager: str
) -> None:
    assert len(on_terminal([traces["rst"]], PAGER=pager).splitlines()) == 10


def test_colours_can_be_had_and_refused(
    traces: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    rst = traces["rst"]
    assert "\033" not in on_terminal([rst, "--no-pager"], NO_COLOR="1")
    assert "\033" not in on_terminal([rst, "--no-pager", "--color", "never"], NO_COLOR="")
    assert "\033" in on_terminal([rst, "--no-pager"], NO_COLOR="")
    assert "\033[31mtrap" in output(capsys, rst, "--color", "always")[-1]


def test_a_reader_that_leaves_is_no_error(traces: dict[str, str]) -> None:
    text = on_terminal([traces["many"]], PAGER="head -n 3", NO_COLOR="1")
    assert len(text.splitlines()) == 3


@pytest.mark.parametrize(
    ("options", "records"),
    [
        ("--type instr", [4, 6, 7]),
        ("--type memval64,trap", [5, 8, 9]),
        ("--type INSTR -s 1 -n 1", [6]),
        ("--as table --type store", [7]),
        ("--as sexp -i", [4, 6, 7]),
        ("--as sexp --type trap", [9]),
        ("--as table --ea 2000,2010", [4]),
        ("--as table --thread 8", []),
        ("--as stf --pc 1004,100c --cpu 1", [6, 7, 9]),
        ("--type strdesc", [1]),
        ("-s 2i -n 2", [7, 8]),
        ("-s 100i", []),
        ("-n 2i", [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_selection(
    traces: dict[str, str], options: str, records: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = output(capsys, traces["rst"], *options.split())
    found = [int(line.split()[0]) for line in lines if not line.startswith("record ")]
    assert found == records


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("a.c", [1, 2]),
        ("src/a.c", [1, 2]),
        ("a.c:3", [1]),
        ("a.c:4-20", [2]),
        ("*.c:3", [1, 3, 4]),
        ("lib/*", [3]),
        ("none.c", []),
    ],
)
def test_selection_by_source(
    traces: dict[str, str],
    source: str,
    ids: list[int],
    times: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Both where lines are read one by one and where they are read as columns."""
    trace = traces["sexp"] if times == 1 else traces["many"]
    lines = output(capsys, trace, "--json", "--source", source)
    assert [json.loads(line)["id"] for line in lines] == ids * times
    lines = output(capsys, trace, "--json", "--as", "table", "--source", source)
    assert [json.loads(line)["id"] for line in lines] == ids * times


def test_an_unknown_type_is_said_with_the_nearest(
    traces: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", traces["rst"], "--type", "inst"]) == 2
    message = capsys.readouterr().err
    assert "no record type is called 'inst'" in message and "did you mean instr?" in message


def test_a_source_file_wants_the_program(
    traces: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", traces["rst"], "--source", "a.c"]) == 2
    assert "name the program: --program ELF" in capsys.readouterr().err


def test_styles(traces: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    rst, sexp = traces["rst"], traces["sexp"]
    assert output(capsys, rst, "--as", "sexp", "--type", "load,store") == [
        "     4 load    : (mem-read (id 4) (tid 7) (address 0x2000) (value 0x5) (size 4) "
        "(word 0x80640004) (cpu 1) (src 0x1000))",
        "     7 store   : (mem-write (id 7) (tid 7) (mem-order plain) (address 0x2011) "
        "(value 0xfe) (size 1) (word 0x98830001) (cpu 1) (src 0x1008))",
    ]
    assert output(capsys, rst, "--as", "stf", "-i") == [
        "     4 load    : PCN = 00001000 OPC = 80640004 MNC = lwz  [00002000] = 00000005",
        "     6 instruction: PCN = 00001004 OPC = 7c602a14 MNC = add",
        "     7 store   : PCN = 00001008 OPC = 98830001 MNC = stb  [00002011] = fe",
    ]
    head, *rows = output(capsys, rst, "--as", "table")
    assert head.split() == [
        "record",
        "kind",
        "cpu",
        "thread",
        "pc",
        "address",
        "size",
        "value",
        "what",
    ]
    assert rows[0].split() == (
        ["4", "load", "1", "7", "0x1000", "0x2000", "4", "0x5", "lwz", "r3,", "4(r4)"]
    )
    assert rows[0].index("0x2000") + 6 == head.index("address") + 7
    native = output(capsys, rst, "--type", "instr")
    as_rst = output(capsys, rst, "--as", "rst", "--type", "instr")
    assert as_rst == native and "[0x0000000000001000] lwz r3, 4(r4)" in native[0]
    assert output(capsys, sexp, "--as", "sexp") == output(capsys, sexp)
    assert output(capsys, sexp, "--as", "rst")[1] == (
        "     1 load    : id=2 thread=7 cpu=0 address=0x10 size=2 value=0x5 site=src/a.c:14"
    )
    assert output(capsys, sexp, "--as", "stf", "-n", "1")[0].endswith("site=src/a.c:3|")
    assert output(capsys, sexp, "--as", "table")[1].split() == (
        ["0", "store", "0", "7", "0x10", "8", "0x5", "plain", "src/a.c:3"]
    )
    for style in ("rst", "sexp", "table"):
        assert any("1004" in line for line in output(capsys, traces["stf"], "--as", style))


def test_written_s_expressions_are_read_again(
    traces: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = output(capsys, traces["rst"], "--as", "sexp", "--type", "load,store")
    again = tmp_path / "again.sexp"
    again.write_text("".join(line.partition(": ")[2] + "\n" for line in lines))
    assert [line.partition(": ")[2] for line in output(capsys, str(again))] == [
        line.partition(": ")[2] for line in lines
    ]
