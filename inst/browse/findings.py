"""What `inst check` finds in the trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inst.browse.reading import Progress, opened
from inst.browse.records import Records
from inst.check import Options, check_trace
from inst.errors import InstError
from inst.shown import shown


@dataclass(frozen=True, slots=True)
class Found:
    """One finding, as it may be shown."""

    record: int
    code: str
    severity: str
    message: str
    where: str
    """Source line and function; "" if they are not known."""


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings, in the order of their records, and what was not done."""

    found: tuple[Found, ...]
    more: int
    """Findings that were only counted."""
    error: InstError | None


def findings_of(
    records: Records, cancelled: Callable[[], bool], progress: Progress = bool
) -> Findings:
    """Run all checks, as `inst check --keep-going`. Raises CancelledError and InstError."""
    with opened(records, cancelled, progress) as trace:
        locator = records.new_locator()
        report = check_trace(trace, options=Options(keep_going=True), locator=locator)
    found = tuple(
        Found(
            each.record,
            shown(each.code),
            each.severity,
            shown(each.message),
            shown(" ".join(part for part in (each.site, each.function) if part)),
        )
        for each in sorted(report.findings, key=lambda one: one.record)
    )
    return Findings(found, sum(report.counts.values()) - len(found), report.error)
