"""Symbols from the program filled into a trace."""

from __future__ import annotations

from inst.errors import InstError
from inst.filter.model import Filter, Stage
from inst.filter.views import views
from inst.trace.batch import Batches
from inst.trace.registry import codec_of


def _fill_symbols() -> Stage:
    def stage(batches: Batches) -> Batches:
        named: set[str] = set()
        for view in views(batches):
            if view.batch.source.locator is None:
                raise InstError(
                    "fill-symbols: no program to take symbols from", hint="add --program ELF"
                )
            yield codec_of(view.batch.source.trace).part("fill-symbols")(view, named)

    return stage


FILTERS = (
    Filter(
        "fill-symbols", "change", "Fill in what the program says (needs --program): RST gets a "
        "string "
        "`symbol=NAME base=0xADDRESS` before the first record of each function; in s-expressions "
        "file:line takes the place of the address in src.", "fill-symbols", _fill_symbols, (),
        "fill-symbols",
        "STF has no place for names",
    ),
)  # fmt: skip
