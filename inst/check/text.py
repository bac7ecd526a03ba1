"""Reports as text for people: where, what, why, and what would have been right."""

from __future__ import annotations

from collections.abc import Iterator

from inst.check.registry import explain
from inst.shown import shown
from inst.trace.finding import ERROR, LIMIT, Finding, Other, Report

RED, YELLOW, GREEN, BOLD, DIM, PLAIN = (
    f"\033[{code}m" for code in ("1;31", "1;33", "1;32", "1", "2", "0")
)


class Writer:
    """Writes reports; each code is explained the first time it is seen in one."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def lines(self, report: Report) -> Iterator[str]:
        """Yield the report's lines, but for the damage, which is an error message."""
        explained: set[str] = set()
        for finding in report.findings:
            yield from self._finding(finding)
            if finding.code not in explained:
                explained.add(finding.code)
                yield f"    {self._paint(DIM, explain(finding.code))}"
        for code, count in report.counts.items():
            if count > LIMIT:
                yield f"{shown(report.file)}: {count - LIMIT} more findings of {code}"
        for note in report.notes:
            yield shown(f"{report.file}: note: {note}")

    def verdict(self, report: Report) -> str:
        """Return the line that ends a report."""
        total = sum(report.counts.values())
        clean = "no findings" if report.incomplete else "clean"
        verdict = clean if not total else f"{total} finding{'s' if total > 1 else ''}"
        cut = ", up to the damage" if report.error else ""
        cut += "; the trace is incomplete, see its notes" if report.incomplete else ""
        checks = ", ".join(report.checks) or "no check supports this format"
        colour = RED if total else YELLOW if report.incomplete else GREEN
        text = self._paint(colour, verdict)
        return f"{shown(report.file)}: {text}: {report.records} records, {checks}{cut}"

    def _finding(self, finding: Finding) -> Iterator[str]:
        severity = self._paint(RED if finding.severity == ERROR else YELLOW, finding.severity)
        message = self._paint(BOLD, shown(finding.message))
        yield f"{shown(finding.location)}: {severity}: {message} [{finding.code}]"
        where = _where(finding)
        if where:
            yield shown(f"    at {where}")
        for line in finding.state:
            yield shown(f"    | {line}")
        for other in finding.others:
            place = _where(other)
            text = f"    record {other.record}: {other.text}{f', at {place}' if place else ''}"
            yield shown(text)
        if finding.expected:
            yield shown(f"    expected: {finding.expected}")

    def _paint(self, colour: str, text: str) -> str:
        return f"{colour}{text}{PLAIN}" if self._colour else text


def _where(thing: Finding | Other) -> str:
    """Return site, function and original instruction, as far as they are known."""
    where = thing.site
    if thing.function:
        where = f"{where} in {thing.function}" if where else thing.function
    if not where and thing.pc is not None:
        where = f"pc {thing.pc:#x}"
    return f"{where}: {thing.instruction}" if thing.instruction else where
