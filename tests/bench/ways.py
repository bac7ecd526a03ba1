"""The ways to watch a program's accesses that the cost bench compares.

inst's hooks and recording; the callbacks that gcc's thread sanitizer and clang's load and store
coverage call, empty and recording 8 or 16 bytes an access; and an emulator's plugin that
records 16 bytes. The compilers' callbacks report no accesses to variables on the stack whose
address is not taken, and neither they nor the plugin report values.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.wrap import options


@dataclass(frozen=True, slots=True)
class Code:
    """How objects are compiled; several ways link the same ones."""

    compiler: str = "gcc"
    """"gcc" or "clang"."""
    flags: tuple[str, ...] = ()
    """What makes the compiler instrument."""
    options: tuple[str, ...] = ()
    """What inst-cc is given. Empty: inst-cc is not used."""


_HOOKS = "--inst-hooks=empty"
"""For code that calls hooks; which they are, the link says."""
CODES = {
    "plain": Code(),
    "hooks": Code(options=("--inst-level=values", _HOOKS)),
    "functions": Code(options=("--inst-functions", _HOOKS)),
    "addresses": Code(options=("--inst-record=addresses",)),
    "loads": Code(options=("--inst-record=loads",)),
    "values": Code(options=("--inst-record=values",)),
    "windows": Code(options=("--inst-record=windows",)),
    "sanitizer": Code(flags=("-fsanitize=thread",)),
    "clang": Code("clang"),
    "coverage": Code("clang", ("-fsanitize-coverage=func,trace-loads,trace-stores",)),
}


@dataclass(frozen=True, slots=True)
class Way:
    """One row of the table."""

    name: str
    title: str
    code: str = "plain"
    hooks: str = ""
    """The hook library that inst-cc links."""
    callbacks: str = ""
    """"empty" or "recording": what callbacks.c is compiled to do."""
    plugin: bool = False
    """Whether the emulator's plugin records; it adds no instructions to the program."""
    against: str = "plain"
    """The way that ratios are taken over."""
    short: bool = False
    """Whether it is given the short input: its traces are of gigabytes otherwise."""
    static: bool = False
    """Whether it is linked statically, with the C library instrumented if anything is."""
    trace: str = ""
    """The ending of the file it writes its records to; empty if it writes none."""

    @property
    def needs(self) -> str:
        """The option of inst-cc that there has to be."""
        words = CODES[self.code].options
        return words[0].partition("=")[0].removeprefix(options.PREFIX) if words else ""


BASES = (
    Way("plain", "plain"),
    Way("plain-static", "plain, static", static=True, against="plain-static"),
    Way("clang-plain", "clang, plain", "clang", against="clang-plain"),
)
"""What the others' ratios are taken over; they have no rows."""
ROWS = (
    Way("record-loads", "recording, for re-execution", "loads", "record", trace="rec"),
    Way(
        "windows",
        "hooks, `windows`: for re-execution, known loads left out",
        "windows",
        "windows",
        trace="rec",
    ),
    Way("record-addresses", "recording, addresses", "addresses", "record", trace="rec"),
    Way("record-values", "recording, addresses and values", "values", "record", trace="rec"),
    Way("empty", "hooks, `empty`", "hooks", "empty"),
    Way("count", "hooks, `count`", "hooks", "count"),
    Way(
        "count-whole",
        "hooks, `count`, in the static C library too",
        "hooks",
        "count",
        against="plain-static",
        static=True,
    ),
    Way("rst", "hooks, `rst`", "hooks", "rst", short=True, trace="rst"),
    Way("gcc-empty", "gcc `-fsanitize=thread`, empty callbacks", "sanitizer", callbacks="empty"),
    Way(
        "gcc-recording",
        "gcc `-fsanitize=thread`, recording callbacks",
        "sanitizer",
        callbacks="recording",
        trace="bin",
    ),
    Way(
        "clang-empty",
        "clang `trace-loads,trace-stores`, empty callbacks",
        "coverage",
        callbacks="empty",
        against="clang-plain",
    ),
    Way(
        "clang-recording",
        "clang `trace-loads,trace-stores`, recording callbacks",
        "coverage",
        callbacks="recording",
        against="clang-plain",
        trace="bin",
    ),
    Way("plugin", "the emulator's plugin, 16 bytes an access", plugin=True, trace="bin"),
)
WAYS = {way.name: way for way in (*BASES, *ROWS)}


def available() -> list[Way]:
    """Return the rows for which inst-cc has the option."""
    known = {option.name for option in options.OPTIONS}
    return [way for way in ROWS if not way.needs or way.needs in known]
