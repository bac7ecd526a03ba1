"""`inst tui`: a trace in a browser on the terminal."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING, NoReturn

from inst.commands.selection import Count, Selector
from inst.commands.traces import FORMATS, add_trace, programs_of
from inst.commands.view import add_selecting, check_selecting, selection_of
from inst.common.usage import Parser
from inst.errors import InstError
from inst.trace.registry import codec_of

if TYPE_CHECKING:
    from inst.browse.filtering import Choose
    from inst.browse.records import Records
    from inst.tui.app import Browser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst tui`."""
    add_trace(parser, "add functions, source lines and calls", FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Browse a trace until the user leaves."""
    try:
        browser = make_browser(arguments)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InstError("inst tui needs a terminal", hint="inst view prints the records")
    except InstError as error:
        error.exit_status = 2
        raise
    browser.run()
    return browser.return_code or 0


def make_browser(arguments: argparse.Namespace) -> Browser:
    """Return the browser of a trace. Raises InstError if it cannot be opened, or is none."""
    require_library()
    from inst.browse.records import Records
    from inst.tui.app import Browser

    if arguments.trace == "-":
        raise InstError(
            "inst tui reads a trace more than once, and standard input cannot be",
            hint="name a file",
        )
    programs = programs_of(arguments)
    records = Records(arguments.trace, programs, demangle=arguments.demangle)

    def parse(text: str) -> Choose:
        return parse_filter(text, records)

    return Browser(records, parse)


def require_library() -> None:
    """Raise InstError with what to install if Textual is missing."""
    try:
        import textual  # noqa: F401
    except ImportError as error:
        raise InstError(
            f"inst tui needs a library that is not installed: {error.name}",
            hint="pip install 'inst[tui]'",
        ) from error


class _Filter(Parser):
    """Parses a filter; what is wrong with it is raised, not printed."""

    def error(self, message: str) -> NoReturn:
        raise InstError(f"{message}{self._hint(message)}".replace("\n", "; "))


def parse_filter(text: str, records: Records) -> Choose:
    """Return what chooses rows by options of `inst view`, or by a text in them.

    Raises InstError for options that are none.
    """
    from inst.browse.search import text_filter

    if not text.startswith("-"):
        return text_filter(records, text)
    parser = _Filter(prog="", add_help=False)
    add_selecting(parser)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InstError(f"the filter cannot be read: {error}") from None
    arguments = parser.parse_args(words)
    arguments.trace, arguments.elf = str(records.index.path), list(records.programs)
    arguments.program, arguments.demangle = [], records.demangle
    arguments.skip, arguments.number, arguments.record = Count(0, False), None, None
    check_selecting(arguments)
    locator = records.new_locator()
    if arguments.source and locator is None and not codec_of(records.index.trace).names_sources:
        raise InstError(
            "records of this trace name no source file", hint="name the program: --program ELF"
        )
    return Selector(selection_of(arguments), locator).choose
