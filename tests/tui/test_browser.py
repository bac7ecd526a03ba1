"""The browser, driven by its keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inst.browse import index as indices
from inst.cli import main
from inst.errors import InstError
from tests.browse.traces import FORMATS, PACKINGS, trace
from tests.tui.driving import Driver, drive

CALLS = """\
(event (id 1) (tid 1) (what enter) (address 0x900) (value 0x10) (pc 0x100))
(mem-read (id 2) (tid 1) (address 0x5000) (value 0x1) (size 4) (src 0x104))
(event (id 3) (tid 1) (what enter) (address 0x800) (value 0x108) (pc 0x200))
(mem-write (id 4) (tid 1) (mem-order plain) (address 0x5000) (value 0x2) (size 8) (src 0x204))
(event (id 5) (tid 1) (what leave) (address 0x800) (value 0x200) (pc 0x210))
(mem-read (id 6) (tid 1) (address 0x5000) (value 0x7) (size 4) (src 0x108))
(event (id 7) (tid 1) (what enter) (address 0x800) (value 0x10c) (pc 0x200))
(mem-read (id 8) (tid 1) (address 0x5000) (value 0x9) (size 4) (src 0x204))
(event (id 9) (tid 1) (what leave) (address 0x800) (value 0x200) (pc 0x210))
(event (id 10) (tid 1) (what leave) (address 0x900) (value 0x100) (pc 0x110))
"""
"""0x100 calls 0x200 twice."""
LOCKS = """\
(lock (id 1) (tid 1) (address 0x3000))
(mem-read (id 2) (tid 1) (address 0x5000) (value 0x1) (size 4))
(unlock (id 3) (tid 1) (address 0x3000))
(unlock (id 4) (tid 1) (address 0x3000))
(mem-read (id 5) (tid 1) (address 0x5000) (value 0x1) (size 4))
(unlock (id 6) (tid 2) (address 0x3000))
"""
"""Records 3 and 5 release what their thread does not hold."""


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indices, "PAGE", 24 * 40)


@pytest.fixture
def calls(tmp_path: Path) -> str:
    path = tmp_path / "calls.sexp"
    path.write_text(CALLS)
    return str(path)


ENDINGS = [*FORMATS, *(f"rst{packing}" for packing in PACKINGS if packing)]
"""Each format, and each way to pack one of them."""


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_opens_and_scrolls(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = trace(tmp_path, ending)
    main(["view", path])
    wanted = capsys.readouterr().out.splitlines()

    async def steps(driver: Driver) -> None:
        assert driver.line == wanted[0]
        assert f"row 1 of {len(wanted)}" in driver.text("status")
        await driver.press("down", "j", "up", "pagedown")
        assert driver.line == wanted[driver.browser.table.cursor] != wanted[0]
        assert wanted[driver.browser.table.cursor][:60] in driver.screen()
        await driver.press("end")
        assert driver.line == wanted[-1] and wanted[-1][:60] in driver.screen()
        await driver.press("pageup", "pageup")
        assert driver.line == wanted[driver.browser.table.cursor]
        await driver.press("home")
        assert driver.line == wanted[0] and wanted[0][:40] in driver.screen()

    drive([path], steps)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
def test_all_widgets_are_within_the_screen(size: tuple[int, int], calls: str) -> None:
    async def steps(driver: Driver) -> None:
        for key in ("s", "c", "e", "/", "escape", "?"):
            await driver.press(key)
            if key == "c":
                assert "function" in driver.screen()
            if key == "e":
                assert "record" in driver.text("status")
        assert "leave the browser" in driver.screen() or size[1] < 30
        await driver.press("escape")
        assert "Quit" in driver.screen()
        width, height = size
        for widget in driver.browser.screen.walk_children():
            if widget.display and widget.region:
                assert widget.region.right <= width and widget.region.bottom <= height, widget

    drive([calls], steps, size)


def test_text_is_searched_both_ways(tmp_path: Path) -> None:
    path = trace(tmp_path, "sexp")

    async def steps(driver: Driver) -> None:
        await driver.answer("/", "0x1400")
        assert "(address 0x1400)" in driver.line
        here = driver.record
        await driver.answer("/", "lock")
        first = driver.record
        assert first > here and "(lock" in driver.line
        await driver.press("n")
        second = driver.record
        assert second > first
        await driver.press("N")
        assert driver.record == first
        await driver.answer("\\", "(address 0x1004)")
        assert "(address 0x1004)" in driver.line and driver.record < here
        await driver.press("n")
        assert "no earlier line with '(address 0x1004)'" in driver.text("status")

    drive([path], steps)


def test_a_regular_expression(tmp_path: Path) -> None:
    path = trace(tmp_path, "sexp")

    async def steps(driver: Driver) -> None:
        await driver.press("/", "ctrl+r", *"list.c:2[27]", "enter")
        await driver.settle()
        assert re.search(r"list\.c:2[27]", driver.line)
        await driver.press("/")
        await driver.press("ctrl+u", "(", "enter")
        assert "not a regular expression" in driver.text("status")

    drive([path], steps)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.campaign if name != "rst" else ()) for name in FORMATS],
)
def test_jumps_to_a_record_and_an_address(name: str, tmp_path: Path) -> None:
    path = trace(tmp_path, name)

    async def steps(driver: Driver) -> None:
        await driver.answer("g", "200")
        assert driver.record == 200
        await driver.answer("g", "99999999")
        assert driver.record == 200
        assert "has no record 99999999" in driver.text("status")
        await driver.answer("g", "x")
        assert "'x' is not the number of a record" in driver.text("status")
        await driver.press("home")
        await driver.answer("a", "0x1033")
        found = driver.record
        await driver.press("n")
        assert driver.record == found and "no further access of 0x1033" in driver.text("status")
        await driver.answer("a", "zz")
        assert "'zz' is not an address in hexadecimal" in driver.text("status")
        await driver.answer("a", "1" * 17)
        assert "is not in the 64 bits of an address" in driver.text("status")
        await driver.answer("g", str(found))
        assert driver.record == found
        assert ("0x30(r9)" if name == "stf" else "1030") in driver.line

    drive([path], steps)


def test_functions_and_calls(calls: str) -> None:
    async def steps(driver: Driver) -> None:
        await driver.answer("f", "0x200")
        assert driver.record == 2
        await driver.press("n")
        assert driver.record == 6
        await driver.press("n")
        assert "0x200 runs no further time" in driver.text("status")
        await driver.press("N")
        assert driver.record == 2
        await driver.press("c", "down")
        assert driver.record == 3
        assert driver.text("chain").split() == ["0x100", "0x200"]
        assert re.search(r"2 +1 +0x100", driver.screen()), driver.screen()
        await driver.answer("f", "nothing")
        assert "the trace shows no function nothing" in driver.text("status")
        await driver.press("home", "tab", "down", "enter")
        assert driver.record in (2, 4)

    drive([calls], steps)


def test_findings(tmp_path: Path) -> None:
    path = tmp_path / "locks.sexp"
    path.write_text(LOCKS)
    wanted = [3, 5]

    async def steps(driver: Driver) -> None:
        await driver.press("]")
        assert driver.record == wanted[0]
        await driver.press("]")
        assert driver.record == wanted[1]
        await driver.press("]")
        assert driver.record == wanted[1] and "no further finding" in driver.text("status")
        await driver.press("[")
        assert driver.record == wanted[0]
        await driver.press("e")
        assert "2 findings" in driver.text("verdict")
        assert "!     5 unlock" in driver.screen()
        await driver.press("tab", "down", "enter")
        assert driver.record == wanted[1]

    drive([str(path)], steps)


def test_threads(tmp_path: Path) -> None:
    path = trace(tmp_path, "sexp")

    async def steps(driver: Driver) -> None:
        assert "thread 1" in driver.text("status")
        await driver.press("t")
        assert "thread 2" in driver.text("status") and driver.record == 20
        await driver.press("T")
        assert "thread 1" in driver.text("status") and driver.record == 19

    drive([path], steps)


def test_a_filter(tmp_path: Path) -> None:
    path = trace(tmp_path, "sexp")

    async def steps(driver: Driver) -> None:
        await driver.answer("g", "300")
        await driver.answer("&", "--type lock")
        assert "row 7 of 8 (--type lock)" in driver.text("status")
        assert driver.record == 314
        await driver.press("home")
        assert driver.record == 44
        await driver.answer("/", "tid 2")
        assert "(lock" in driver.line and "(tid 2)" in driver.line
        await driver.answer("&", "--typ lock --thread x")
        assert "is not a list like 0,2-5" in driver.text("status")
        await driver.answer("&", "--type lcok")
        assert "no record type is called 'lcok' (did you mean lock?)" in driver.text("status")
        here = driver.record
        await driver.answer("&", "")
        assert driver.record == here
        assert "of 400" in driver.text("status")
        await driver.answer("&", "nowhere to be found")
        assert "no record is selected" in driver.text("status")

    drive([path], steps)


def test_a_filter_of_functions(calls: str) -> None:
    """Entries and exits belong to their function, as for inst view."""

    async def steps(driver: Driver) -> None:
        await driver.answer("&", "--function 0x200")
        assert "of 6 (--function 0x200)" in driver.text("status")
        await driver.press("home")
        assert driver.record == 2
        await driver.press("end")
        assert driver.record == 8
        await driver.answer("&", "--below")
        assert "--below selects nothing by itself" in driver.text("status")

    drive([calls], steps)


def test_source_lines(tmp_path: Path) -> None:
    (tmp_path / "list.c").write_text("".join(f"line\t{n} of it\x1b[31m\n" for n in range(1, 40)))
    path = trace(tmp_path, "sexp")

    async def steps(driver: Driver) -> None:
        await driver.answer("g", "4")
        screen = driver.screen()
        assert "list.c:5" in screen
        assert r">    5 line    5 of it\x1b[31m" in screen and "\x1b" not in screen
        (tmp_path / "list.c").unlink()

    drive([path], steps)


def test_source_that_is_not_here(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        assert "list.c was not found" in driver.screen()

    drive([trace(tmp_path, "sexp")], steps)


def test_nothing_of_a_trace_commands_the_terminal(tmp_path: Path) -> None:
    """Nor is it read as the markup of Textual."""
    path = tmp_path / "evil.sexp"
    evil = '"[bold red]\x1b]0;title\x07\u202e[/nothing]:3"'
    path.write_text(f"(mem-read (id 1) (tid 1) (address 0x10) (value 0) (src {evil}))\n")

    async def steps(driver: Driver) -> None:
        for key in ("e", "c", "s", "]"):
            await driver.press(key)
            screen = driver.screen()
            assert not {"\x1b", "\x07", "\u202e"} & set(screen)
            assert screen.count(r"[bold red]\x1b") >= (2 if key == "s" else 1)

    drive([str(path)], steps, (200, 60))


def test_damage_is_reported_in_the_browser(tmp_path: Path) -> None:
    path = tmp_path / "bad.sexp"
    path.write_text("(mem-read (id 1) (tid 1) (address 0x10) (value 0))\n(mem-reed")

    async def steps(driver: Driver) -> None:
        assert "row 1 of 1" in driver.text("status")
        notice = driver.text("notice")
        assert "bad.sexp:2:1: error: the trace ends within this record" in notice
        assert "(mem-reed" in notice
        await driver.press("e")
        assert "the trace is damaged" in driver.text("verdict")

    drive([str(path)], steps)


def test_a_trace_without_records(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b" \n")

    async def steps(driver: Driver) -> None:
        assert "row 0 of 0" in driver.text("status")
        for keys in ("down", "end", "n", "t", "]", "c", "e", "s", "pagedown"):
            await driver.press(keys)
        await driver.answer("/", "x")
        await driver.answer("g", "0")
        assert "has no record 0" in driver.text("status")
        await driver.answer("a", "0")
        await driver.answer("f", "main")
        await driver.answer("&", "x")

    drive([str(path)], steps)


def test_q_leaves(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.pilot.press("q")

    drive([trace(tmp_path, "rst")], steps)


def test_errors_before_it_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = trace(tmp_path, "sexp")
    (tmp_path / "no").write_bytes(b"\xff\xfe no trace")
    for words, message in (
        ([str(tmp_path / "no")], "not a trace"),
        ([str(tmp_path / "none")], "cannot open the trace: No such file"),
        (["-"], "standard input cannot be"),
        ([path], "inst tui needs a terminal"),
    ):
        assert main(["tui", *words]) == 2
        assert message in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "textual", None)
    assert main(["tui", path]) == 2
    assert "hint: pip install 'inst[tui]'" in capsys.readouterr().err


def test_keys_are_told_everywhere() -> None:
    """Each key of the table does something, and no two are the same."""
    from inst.tui.app import Browser
    from inst.tui.keys import KEYS

    keys = [key for row in KEYS for key in row.keys.split(",")]
    assert len(keys) == len(set(keys))
    for row in KEYS:
        assert hasattr(Browser, f"action_{row.action.partition('(')[0]}")


def test_an_address_that_is_none() -> None:
    from inst.tui.app import parse_address

    with pytest.raises(InstError, match="not an address"):
        parse_address("-")
