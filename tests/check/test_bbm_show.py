"""What break-before-make shows beside findings: histories, states, changes, a diagram."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from inst.check.pagetable.diagram import LIMIT, Move, draw
from inst.cli import main
from tests.check.short import NAME, split, text_of

TRACE = (
    "init 10000 1000; p 10008 40000003; set_root_lock 10000 900; reg vtcr_el2 2b;"
    "reg vttbr_el2 10000; lock 900; w 10008 0; dsb ish; w 10008 50000003"
)


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "t.log"
    path.write_text(text_of(split(TRACE)))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["check", "--only", NAME, *words]) == 1
    return capsys.readouterr().out


def test_the_history_of_a_location(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "--explain-state", "10008", trace)
    history = [line for line in text.splitlines() if line.startswith("  0x10008")]
    assert history == [
        "  0x10008: 0x0, plain memory",
        "  0x10008: 0x40000003, plain memory",
        "  0x10008: 0x40000003 (mapping to 0x40000000), state V (valid)",
        "  0x10008: 0x0 (invalid), state IU n (invalid, unclean: no DSB yet)",
        "  0x10008: 0x0 (invalid), state IU d (invalid, unclean: DSB seen, no TLBI yet)",
        "  0x10008: 0x0 (invalid), state IU d (invalid, unclean: DSB seen, no TLBI yet)",
    ]
    assert "record 8: thread 0 write (release) of 0x50000003 at 0x10008: unclean-to-valid" in text
    assert "root 0x10000 (identifier 0), input addresses 0x1000 to 0x1fff" in text
    assert "lock 0x900: thread 0 holds it since record 5; a plain write was made" in text
    assert "expected: first tlbi" in text


def test_the_state_at_each_step(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "--print-state", trace)
    assert "  entry 0x10008: V (valid): 0x40000003, mapping to 0x40000000" in text
    assert "  root 0x10000: stage 2, identifier 0, 1 users" in text
    assert "  lock 0x900: thread 0, 1 times" in text
    assert "  thread 0: vtcr_el2=0x2b vttbr_el2=0x10000" in text
    assert text.count("  table 0x10000: level 3, root 0x10000") == 4


def test_the_changes_at_each_step(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "--diff-state", trace).splitlines()
    at = lines.index("record 7: thread 0 dsb ish:")
    assert lines[at + 1 : at + 5] == [
        "  - lock 0x900: thread 0, 1 times, a plain write was made",
        "  + lock 0x900: thread 0, 1 times",
        "  - entry 0x10008: IU n (invalid, unclean: no DSB yet): 0x0, invalid",
        "  + entry 0x10008: IU d (invalid, unclean: DSB seen, no TLBI yet): 0x0, invalid",
    ]
    assert not any(line.startswith("record 0:") for line in lines)


@pytest.mark.parametrize("explain", [(), ("--explain-state", "0x10008")])
def test_the_diagram_of_the_path(
    trace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], explain: tuple[str, ...]
) -> None:
    path = tmp_path / "d.svg"
    run(capsys, *explain, "--diagram", str(path), trace)
    root = ElementTree.parse(path).getroot()
    space = {"s": "http://www.w3.org/2000/svg"}
    names = {"taken": [], "fault": []}
    for kind, found in names.items():
        for group in root.findall(f"s:g[@class='{kind}']", space):
            if group.find("s:circle", space) is not None:
                found += [text.text for text in group.findall("s:text", space)][:1]
    assert {"V", "n", "d"} <= set(names["taken"]) and not {"ta", "ti"} & set(names["taken"])
    assert names["fault"] == ["!"]
    edges = [
        [text.text for text in group.findall("s:text", space)]
        for group in root.findall("s:g", space)
        if group.find("s:line", space) is not None
    ]
    assert ["write invalid", "record 6"] in edges and ["dsb", "record 7"] in edges
    assert ["unclean-to-valid", "record 8"] in edges


def boxes(svg: str) -> list[tuple[float, float, float, float, str]]:
    """Return left, top, right, bottom of each text, as wide as a bold font makes it."""
    found = []
    for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        x, y, words = float(text.get("x", 0)), float(text.get("y", 0)), text.text or ""
        width = len(words) * (7.4 if text.get("class") == "list" else 6.9)
        left = x - width * {"list": 0, "right": 0, "left": 1}.get(text.get("class", ""), 0.5)
        found.append((left, y - 10, left + width, y + 3, words))
    return found


LABELS = {"plain": "mem-init", "I": "dsb ish", "V": "write", "n": "write", "d": "dsb ish",
          "ti": "tlbi ipas2e1is", "td": "dsb ish", "ta": "tlbi vmalle1is"}  # fmt: skip


@pytest.mark.parametrize("last", ["V", "n", "d", "ti", "td", "ta", "I", "plain"])
def test_texts_of_a_diagram_do_not_overlap(last: str) -> None:
    """All arrows taken three times, by records with long numbers, then a violation."""
    turn = ["plain", "I", "V", "n", "d", "ti", "td", "ta", "I", "V", "n", "d", "ta", "I", "plain",
            "V"]  # fmt: skip
    places = turn * 3 + turn[: turn.index(last) + 1]
    path = [Move(1234560 + n, LABELS[place], place, False) for n, place in enumerate(places)]
    svg = draw(0x10008, [*path, Move(2345678, "mem-write 0x1003", "unclean-to-valid", True)])
    found = boxes(svg)
    width, height = (
        float(ElementTree.fromstring(svg).get(name, 0)) for name in ("width", "height")
    )
    for number, (left, top, right, bottom, words) in enumerate(found):
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, words
        for other in found[:number]:
            apart = left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
            assert apart, (words, other[4])


def test_a_long_path_and_odd_labels_are_drawn() -> None:
    path = [Move(number, "write <&>", "VI"[number % 2], False) for number in range(100)]
    root = ElementTree.fromstring(draw(0x10008, path))
    listed = [each for each in root if each.get("class") == "list"]
    assert len(listed) == LIMIT + 1
    assert ElementTree.fromstring(draw(0, [])) is not None


def test_a_diagram_of_a_clean_trace(tmp_path: Path) -> None:
    path, trace = tmp_path / "d.svg", tmp_path / "t.log"
    trace.write_text(text_of(split(TRACE)[:-1]))
    assert main(["check", "--only", NAME, "--diagram", str(path), str(trace)]) == 0
    assert "fault" not in path.read_text().split("</style>")[1]
