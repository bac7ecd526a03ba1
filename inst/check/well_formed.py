"""Checks that the records conform to the trace's format, whatever the program did."""

from __future__ import annotations

from inst.trace.finding import Check, Options
from inst.trace.model import Trace
from inst.trace.registry import codec_of, formats

CODES = {code: meaning for each in formats() for code, meaning in each.part("check codes").items()}


def start(trace: Trace, options: Options) -> Check:
    """Return the check for the trace's format."""
    return codec_of(trace).check(trace)
