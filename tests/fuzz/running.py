"""Running a program of a campaign, and saying how two runs differ."""

from __future__ import annotations

import subprocess
from itertools import zip_longest
from pathlib import Path

from truth.emulator import Result, run

TIMEOUT = 60
"""Seconds that a program may run; csmith makes some that never end."""


def run_program(program: Path, directory: Path, *arguments: str) -> Result | None:
    """Run a program; None if it does not end in time."""
    environment = {"INST_OUT": str(directory / "trace")}
    try:
        return run(program, arguments, "", environment, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None


def difference(plain: Result | None, traced: Result | None) -> str:
    """Return the first thing in which two runs differ; "" if they agree."""
    if plain == traced:
        return ""
    if plain is None or traced is None:
        return f"only the {'plain' if plain else 'instrumented'} program ends in {TIMEOUT} seconds"
    if plain.status != traced.status:
        errors = traced.errors.decode(errors="replace").strip()[:200]
        return f"plain: status {plain.status}, instrumented: {traced.status} {errors}".rstrip()
    for name in ("output", "errors"):
        lines = (getattr(plain, name).split(b"\n"), getattr(traced, name).split(b"\n"))
        for number, (old, new) in enumerate(zip_longest(*lines, fillvalue=b""), 1):
            if old != new:
                shown = [text.decode(errors="replace")[:80] for text in (old, new)]
                return f"{name} line {number}: plain {shown[0]!r}, instrumented {shown[1]!r}"
    return "the same lines"
