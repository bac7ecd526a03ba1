"""Drives the browser without a terminal: keys in, what is on the screen out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot
from textual.widgets import Static

from inst.commands.table import parser_of
from inst.commands.tui import make_browser
from inst.tui.app import Browser

HANGS = 120
"""Seconds after which a test fails that waits for what never comes."""
NAMES = {" ": "space", "-": "minus", "_": "underscore", "*": "asterisk", ",": "comma",
         ".": "full_stop", "[": "left_square_bracket", "]": "right_square_bracket",
         "(": "left_parenthesis", ":": "colon", "/": "slash", "&": "ampersand",
         "?": "question_mark", "\\": "backslash", "+": "plus", "'": "apostrophe"}  # fmt: skip


class Driver:
    """A browser at work."""

    def __init__(self, browser: Browser, pilot: Pilot[None]) -> None:
        self.browser, self.pilot = browser, pilot

    async def settle(self) -> None:
        """Wait until nothing is done in the background, and its results are on the screen."""
        await self.pilot.pause()
        while self.browser.work.running and self.browser.is_running:
            await asyncio.sleep(0.01)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys, and wait for what they begin."""
        await self.pilot.press(*(NAMES.get(key, key) for key in keys))
        await self.settle()

    async def answer(self, key: str, text: str) -> None:
        """Press a key that asks for something, and answer: typing each letter takes long."""
        await self.press(key)
        assert self.browser.prompt.has_focus
        self.browser.prompt.value = text
        await self.press("enter")

    @property
    def line(self) -> str:
        """The selected record."""
        return str(self.browser.table.line)

    @property
    def record(self) -> int:
        """The selected record's number."""
        line = self.browser.table.line
        assert line
        return line.record

    def text(self, name: str) -> str:
        """Return what a line of text says."""
        return str(self.browser.screen_stack[0].query_one(f"#{name}", Static).render())

    def screen(self) -> str:
        """Return all text on the screen."""
        lines = self.browser.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in lines)


def drive(
    words: list[str], steps: Callable[[Driver], Awaitable[None]], size: tuple[int, int] = (120, 40)
) -> None:
    """Open the browser of a command line, and carry out steps."""

    async def run() -> None:
        browser = make_browser(parser_of("tui").parse_args(words))
        async with asyncio.timeout(HANGS), browser.run_test(size=size) as pilot:
            driver = Driver(browser, pilot)
            await driver.settle()
            await steps(driver)

    asyncio.run(run())
