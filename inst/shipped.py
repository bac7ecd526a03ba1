"""The hook libraries that ship, those of `hooks/`: their names, and what each can do."""

from __future__ import annotations

RST, SEXP, STF, EMPTY = "rst", "sexp", "stf", "empty"
RECORD = "record"
"""Serves code that records inline."""
WINDOWS = "windows"
"""Chooses which values of loads re-execution needs: code compiled for it calls its hooks."""
RING = "ring"
"""Records in a ring in memory, for programs without an operating system."""
FLIGHT = "flight"
"""Serves code that records inline without an operating system."""

RECORDING = (RECORD, WINDOWS)
"""Write recordings: built with `runtime/segments`."""
PAUSING = (RECORD, RST, SEXP, WINDOWS)
"""Their traces can state that a part of the run is missing."""
WITHOUT_SYSTEM = (RING, EMPTY)
"""Their hooks need no operating system."""
WRITING = (RST, SEXP, STF, RECORD, WINDOWS, RING)
"""Their hooks write traces."""
