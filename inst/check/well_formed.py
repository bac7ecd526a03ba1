"""Is the trace what its format says it is? Records, not what the program did."""

from __future__ import annotations

from inst.check.model import Check, Options
from inst.check.well_formed_rst import RST_CODES, RstWellFormed
from inst.check.well_formed_sexp import SEXP_CODES, SexpWellFormed
from inst.check.well_formed_stf import STF_CODES, StfWellFormed
from inst.trace.model import Trace
from inst.trace.rst import RstTrace

CODES = RST_CODES | SEXP_CODES | STF_CODES
FORMATS = ("rst", "sexp", "stf")


def start(trace: Trace, options: Options) -> Check:
    """Return the check for the trace's format."""
    if isinstance(trace, RstTrace):
        return RstWellFormed(trace)
    return StfWellFormed(trace) if trace.format == "stf" else SexpWellFormed(trace)
