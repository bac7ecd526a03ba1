"""`inst report`, `inst graph` and `inst view --function` on a trace whose calls are known."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from inst.cli import main

SVG = "{http://www.w3.org/2000/svg}"
LINES = """\
(event (id 1) (tid 1) (what enter) (address 0x900) (value 0x10) (pc 0x100))
(mem-read (id 2) (tid 1) (address 0x5000) (value 0x1) (size 4) (src 0x104))
(event (id 3) (tid 1) (what enter) (address 0x800) (value 0x108) (pc 0x200))
(mem-write (id 4) (tid 1) (mem-order plain) (address 0x5000) (value 0x2) (size 8) (src 0x204))
(mem-write (id 5) (tid 2) (mem-order plain) (address 0x6000) (value 0x2) (size 2) (src 0x404))
(event (id 6) (tid 1) (what enter) (address 0x700) (value 0x208) (pc 0x300))
(mem-write (id 7) (tid 1) (mem-order plain) (address 0x5008) (value 0x2) (size 4) (src 0x304))
(event (id 8) (tid 1) (what leave) (address 0x700) (value 0x300) (pc 0x310))
(event (id 9) (tid 1) (what leave) (address 0x800) (value 0x200) (pc 0x210))
(event (id 10) (tid 1) (what enter) (address 0x800) (value 0x10c) (pc 0x300))
(mem-read (id 11) (tid 1) (address 0x5008) (value 0x2) (size 4) (src 0x304))
(event (id 12) (tid 1) (what leave) (address 0x800) (value 0x300) (pc 0x310))
"""
TREE = {("0x100",): 1, ("0x100", "0x200"): 1, ("0x100", "0x200", "0x300"): 1,
        ("0x100", "0x300"): 1}  # fmt: skip
"""Accesses by themselves, for each chain of callers."""


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "a.sexp"
    path.write_text(LINES)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_report_counts_by_function_and_thread(
    trace: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(run(capsys, "report", "--json", trace))
    rows = {row.pop("name"): tuple(row.values()) for row in found["functions"]}
    assert rows == {
        # calls, exact, accesses, total, bytes, total, depth
        "0x100": (1, True, 1, 4, 4, 20, 1),
        "0x200": (1, True, 1, 2, 8, 12, 2),
        "0x300": (2, True, 2, 2, 8, 8, 3),
        "?": (0, True, 1, 1, 2, 2, 0),
    }
    assert [tuple(row.values()) for row in found["threads"]] == [(1, 4, 4, 20, 3), (2, 0, 1, 2, 0)]
    lines = run(capsys, "report", "--sort", "total", "--top", "2", trace).splitlines()
    assert [line.split()[-1] for line in lines[1:3]] == ["0x100", "0x200"]
    assert lines[3] == ""


def test_report_of_some_functions(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "report", "--json", "--function", "0x2*", trace))
    assert [row["name"] for row in found["functions"]] == ["0x200"]
    words = ("report", "--json", "--function", "0x200", "--below", trace)
    rows = {row["name"]: row for row in json.loads(run(capsys, *words))["functions"]}
    assert rows.keys() == {"0x200", "0x300"}
    assert (rows["0x300"]["calls"], rows["0x300"]["accesses"]) == (1, 1)
    assert main(["report", "--below", trace]) == 2


def test_view_of_some_functions(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    def ids(*words: str) -> list[int]:
        lines = run(capsys, "view", "--json", *words, trace).splitlines()
        return [json.loads(line)["id"] for line in lines]

    assert ids("--function", "0x300") == [6, 7, 8, 10, 11, 12]
    assert ids("--function", "0x200", "--below") == [3, 4, 6, 7, 8, 9]
    assert ids("--function", "0x200", "--function", "0x100") == [1, 2, 3, 4, 9]
    assert ids("--function", "0x300", "--type", "mem-read") == [11]
    assert ids("--function", "0x300", "--as", "table") == [6, 7, 8, 10, 11, 12]
    assert ids("--function", "nothing") == []
    assert main(["view", "--function", "x", "-"]) == 2
    assert main(["view", "--below", trace]) == 2
    assert "goes with it" in capsys.readouterr().err


def test_graphs_as_text(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "graph", "--as", "collapsed", trace).splitlines()
    stacks = {tuple(line.split()[0].split(";")): int(line.split()[1]) for line in lines}
    assert stacks == TREE | {("?",): 1}
    tree = run(capsys, "graph", trace).splitlines()[1:]
    assert [line.split() for line in tree] == [
        ["4", "1", "0x100"], ["2", "1", "0x200"], ["1", "1", "0x300"], ["1", "1", "0x300"],
    ]  # fmt: skip
    assert [len(re.findall("^ *[0-9]+ +[0-9]+  ( *)", line)[0]) for line in tree] == [0, 2, 4, 2]
    edges = re.findall('"(.*)" -> "(.*)" .label="(.*)"', run(capsys, "graph", "--as", "dot", trace))
    assert edges == [("0x100", "0x200", "1"), ("0x100", "0x300", "1"), ("0x200", "0x300", "1")]


def test_a_flame_graph_is_one_picture_without_links(
    trace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A box is as wide as its share, and stands within the box of its caller."""
    made = tmp_path / "a.svg"
    assert run(capsys, "graph", "--as", "svg", "-o", str(made), trace) == ""
    text = made.read_text()
    assert "href" not in text and "url(" not in text and text.count("http") == 1
    boxes = {}
    for group in ElementTree.fromstring(text).iter(f"{SVG}g"):
        name = (group.findtext(f"{SVG}title") or "").split(":")[0]
        box = group.find(f"{SVG}rect")
        assert box is not None
        left, wide, top = (float(box.attrib[key]) for key in ("x", "width", "y"))
        boxes[name, top] = (left, left + wide)
    tops = sorted({top for _, top in boxes}, reverse=True)
    assert [len([name for name, at in boxes if at == top]) for top in tops] == [1, 1, 2, 1]
    whole = boxes["all", tops[0]]
    main_box, callee = boxes["0x100", tops[1]], boxes["0x200", tops[2]]
    assert main_box[1] - main_box[0] == pytest.approx((whole[1] - whole[0]) * 4 / 5, abs=1)
    assert whole[0] <= main_box[0] <= callee[0] and callee[1] <= main_box[1]
    assert main(["graph", "-o", trace, trace]) == 2
