"""Static programs with all code instrumented, on all targets: see tests/whole."""

from __future__ import annotations

import time
import traceback
from pathlib import Path
from typing import Any

from truth.emulator import build_plugins

from tests.campaign.rows import append_row, read_rows
from tests.whole.judge import WORK, Row, as_row, cases, judge
from tests.whole.programs import PROGRAMS


def run_whole(results: Path, programs: list[str], targets: list[str], seconds: float) -> bool:
    """Judge what has no result yet until the time is over; return whether all is well."""
    done = {(row["program"], row["target"]): row for row in read_rows(results)}
    names = [name for name in PROGRAMS if not programs or any(word in name for word in programs)]
    WORK.mkdir(parents=True, exist_ok=True)
    plugins = build_plugins(WORK)
    end = time.monotonic() + seconds
    for case in cases(names, targets):
        if case in done or time.monotonic() > end:
            continue
        try:
            row = judge(*case, plugins)
        except Exception:
            row = Row(problems=[f"traceback: {traceback.format_exc()[-1500:]}"])
        done[case] = {"program": case[0], "target": case[1], **as_row(row)}
        append_row(results, done[case])
        _print(done[case])
    failed = sum(bool(row["problems"]) for row in done.values())
    print(f"whole programs: {len(done) - failed} passed, {failed} failed", flush=True)
    return not failed


def _print(row: dict[str, Any]) -> None:
    print(
        f"{row['program']:9} {row['target']:9} {row['accesses']} accesses agree, "
        f"{row['after']} after the trace's end, {row['outside']} of code that is left "
        f"({', '.join(row['left'])}), {row['findings']} findings"
        f"{': DIFFERENT' if row['problems'] else ''}",
        flush=True,
    )
    for problem in row["problems"]:
        print(f"    {problem}", flush=True)
