"""The trace formats: a row for each."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from inst.trace.format import Format
    from inst.trace.model import Trace

PACKAGES = {
    "rst": "inst.formats.rst",
    "sexp": "inst.formats.sexp",
    "stf": "inst.formats.stf",
}
"""The package of each format, imported when it is first wanted."""
RECORDINGS = {
    "flight": "inst.formats.flight",
    "rec": "inst.formats.rec",
    "ring": "inst.formats.ring",
    "table": "inst.formats.table",
}
"""The package of each format that is read as the records of another, and never written as one."""


@cache
def named(name: str) -> Format:
    """Return the format of that name."""
    return cast("Format", import_module((PACKAGES | RECORDINGS)[name]).FORMAT)


def codec_of(trace: Trace) -> Format:
    """Return all that is particular to the format of a trace."""
    return named(trace.format)


def formats() -> tuple[Format, ...]:
    """Return all formats."""
    return tuple(named(name) for name in PACKAGES)


def readable() -> tuple[Format, ...]:
    """Return all formats that can be opened."""
    return tuple(named(name) for name in (*PACKAGES, *RECORDINGS))


def offering(what: str) -> tuple[str, ...]:
    """Return the names of the formats that offer something; all if nothing is asked for."""
    return tuple(each.name for each in formats() if not what or each.offers(what))
