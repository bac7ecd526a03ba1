"""`inst stats`: its numbers on a trace whose content is known, its page, its complaints."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from inst.cli import main
from inst.formats.rst import record as rst
from tests.conftest import Shell

LWZ, STW, LHZ, LMW = 0x81230000, 0x91230000, 0xA1230000, 0xBBC30000


def access(word: int, pc: int, address: int, size: int) -> bytes:
    """Return the records of one access."""
    event = rst.encode("instr", ea_valid=1, instr=word, pc_va=pc, ea_va=address)
    return event + rst.encode("memval64", addrisVA=1, size=size, addr=address, val=7)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    records = [rst.encode("header", majorVer=2, minorVer=13, percent=37)]
    records += [rst.encode_string(text) for text in ("arch=ppc", "inst=9.8.7", "command=./a <b>")]
    records += [access(LWZ, 0x1000, 0x2000 + 64 * n, 4) for n in range(5)]
    records += [access(STW, 0x1004, 0x2000, 4)]  # four lines lie in between
    records += [access(LHZ, 0x1008, 0x203F, 2)]  # over a boundary: lines 0x80 and 0x81
    path = tmp_path / "known.rst"
    path.write_bytes(b"".join(records))
    return path


def summary_of(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    assert main(["stats", "--json", *map(str, words)]) == 0
    return json.loads(capsys.readouterr().out)


def test_opcodes_and_reuse(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = summary_of(capsys, trace)
    assert summary["opcodes"] == [
        {"mnemonic": "lwz", "count": 5},
        {"mnemonic": "lhz", "count": 1},
        {"mnemonic": "stw", "count": 1},
    ]
    assert summary["working_set"] == {"lines_of_64": 5, "pages_of_4096": 1}
    reuse = summary["reuse"]
    assert (reuse["touches"], reuse["first"], reuse["farther"]) == (8, 5, 0)
    # Store: 4 lines between. Load: 0 to line 0x80, then 0x81 with 0x82-0x84 and 0x80 between.
    assert reuse["histogram"] == [
        {"from": 0, "to": 0, "count": 1},
        {"from": 1, "to": 1, "count": 0},
        {"from": 2, "to": 3, "count": 0},
        {"from": 4, "to": 7, "count": 2},
    ]


def test_an_instruction_with_several_values_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = access(LMW, 0x1000, 0x2000, 4)
    second = rst.encode("memval64", addrisVA=1, size=4, addr=0x2004, val=8)
    path = tmp_path / "multiple.rst"
    start = rst.encode("header", majorVer=2, minorVer=13, percent=37)
    path.write_bytes(start + rst.encode_string("arch=ppc") + (whole + second) * 3)
    summary = summary_of(capsys, path)
    assert summary["opcodes"] == [{"mnemonic": "lmw", "count": 3}]
    assert summary["events"] == 6


def test_instructions_of_two_words_have_opcodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Events have no room for them: an instruction that is executed again counts again, two events
    of one do not."""
    path, table = tmp_path / "t.stf", tmp_path / "t.csv"
    loop = (
        "PCN = 00000100 OPC = 0600000180640004 MNC = plwz\nR03 = 00000007\n"
        "PCN = 00000108 OPC = 04000000f8440020 MNC = pstxvp\n"
        "PCN = 00000110 OPC = 06000001386a0010 MNC = paddi\n"
        "PCN = 00000118 OPC = 90640000 MNC = stw\n"
    )
    path.write_text(
        "|OPTIONS: 0 | TRACE: t | VERSION: 1|\nR03 = 00000000 R04 = 00002000\n" + loop * 2
    )
    summary = summary_of(capsys, path)
    assert {row["mnemonic"]: row["count"] for row in summary["opcodes"]} == dict.fromkeys(
        ("plwz", "pstxvp", "paddi", "stw"), 2
    )
    assert main(["convert", str(path), str(table)]) == 0
    with table.open() as lines:
        names = [row["opcode"] for row in csv.DictReader(lines)]
    assert names == ["plwz", "pstxvp", "pstxvp", "paddi", "stw"] * 2


def test_lines_and_pages_of_other_sizes(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = summary_of(capsys, trace, "--line", "128", "--page", "256")
    assert summary["working_set"] == {"lines_of_128": 3, "pages_of_256": 2}
    assert summary["reuse"]["line"] == 128


def test_producer_is_shown(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = {"version": "2.13", "arch": "ppc", "inst": "9.8.7", "command": "./a <b>"}
    assert summary_of(capsys, trace)["producer"] == expected
    assert main(["stats", str(trace)]) == 0
    text = capsys.readouterr().out
    assert "inst: 9.8.7\n" in text
    assert re.search(r"^ +2  4-7$", text, re.MULTILINE)
    assert re.search(r"^ +5  lwz$", text, re.MULTILINE)


def test_the_page_needs_no_network_and_draws(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import vl_convert

    page = tmp_path / "page.html"
    assert main(["stats", str(trace), "--html", str(page)]) == 0
    assert capsys.readouterr().out == ""
    text = page.read_text()
    assert not re.search(r"<script[^>]*\ssrc=", text)
    outside = re.sub(r"(<script[^>]*>).*?</script>", r"\1", text, flags=re.DOTALL)
    assert not re.search(r"<link\b|\ssrc=|@import|url\(", outside)
    assert "<td>./a &lt;b&gt;</td>" in text
    drawn = re.findall(r'^draw\("plot\d+", (\{.*\})\);$', text, re.MULTILINE)
    assert drawn, "no drawing in the page"
    assert all(json.loads(each)["width"] == "container" for each in drawn)
    picture = "".join(vl_convert.vegalite_to_svg(json.loads(each)) for each in drawn)
    words = ("lwz", "lhz", "load 4", "store 4", "0x1008", "4-7", "first", "thread",
             "Events of threads over time", "Addresses accessed over time")  # fmt: skip
    for word in words:
        assert f">{word}<" in picture, word
    assert sorted(tmp_path.iterdir()) == [trace, page]  # nothing half-written is left


def test_the_page_names_trace_and_program_and_links_functions(trace: Path, tmp_path: Path) -> None:
    from inst.statistics.page import page

    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    site = {"count": 5, "pc": "0x1008", "function": "f<int>()", "file": "a.c", "line": 1}
    bar = [{"kind": "</script>", "size": 4, "count": 5}]
    summary = {
        "trace": str(trace), "producer": {}, "events": 5, "distinct_threads": 1, "kinds": bar,
        "working_set": {}, "estimates": [], "opcodes": [], "system_calls": [], "signals": [],
        "hottest_functions": [{"function": "f<int>()", "count": 5}, {"function": "g", "count": 1}],
        "hottest_sites": [site], "reuse": {"histogram": []},
    }  # fmt: skip
    text = page(summary, [str(tmp_path / "a.out")])
    assert f"<title>{trace.name} of a.out - inst stats</title>" in text
    assert f"<h1>{trace.name} of a.out</h1>" in text
    assert f"<td>{tmp_path / 'a.out'}</td>" in text
    assert '<a href="#function-1">f&lt;int&gt;()</a>' in text
    assert '<span id="function-1">f&lt;int&gt;()</span>' in text
    assert f'<a href="{(tmp_path / "a.c").as_uri()}">a.c:1</a>' in text
    assert "<td>g</td>" in text
    assert "</script>" not in text[text.index("const draw") : text.rindex("</script>")]


def test_what_to_install_is_said(
    trace: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["stats", str(trace), "--html", str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr().err
    assert "altair" in said and "pip install 'inst[plots]'" in said
    assert list(tmp_path.iterdir()) == [trace]


def test_a_page_that_cannot_be_written(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", str(trace), "--html", str(tmp_path / "none" / "page.html")]) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--top", "--line", "--page"])
def test_numbers_from_one_on(trace: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["stats", str(trace), option, "0"])
    assert "'0' is not a number from 1 on" in capsys.readouterr().err


def test_calls_of_hooks_are_counted(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects compiled with -fPIC record by them, which nothing says when they are compiled."""
    monkeypatch.chdir(shell.directory)
    Path("other.c").write_text("int other(volatile int *at) { return *at + *at + *at; }\n")
    main_c = "int other(int *at); int zero; int main(void) { zero = 0; return other(&zero); }\n"
    Path("main.c").write_text(main_c)
    numbers = {}
    for option in ("-fPIE", "-fPIC"):
        own = ("inst-cc", "--inst-record=values", "powerpc-linux-gnu-gcc", "-O1")
        shell.check(*own, option, "-c", "other.c")
        shell.check(*own, "main.c", "other.o", "-o", "main")
        shell.check("inst", "run", "-o", "main.rec", "./main")
        numbers[option] = summary_of(capsys, "main.rec")["by_hooks"]
        assert main(["stats", "main.rec"]) == 0
        assert ("calls of hooks" in capsys.readouterr().out) == bool(numbers[option])
    assert numbers["-fPIC"] == numbers["-fPIE"] + 3
