"""Checks over traces: one module per property, findings out.

A check module has `CODES` (its finding codes and what each means), `FORMATS` (the trace
formats it understands) and `start(trace) -> Check`. It is named in `CHECKS` and imported
when it is wanted.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from inst.errors import InstError
from inst.trace.model import Trace

CHECKS = {"well-formed": "inst.check.well_formed"}
"""Every check's name and module, in the order they run."""

ERROR, WARNING = "error", "warning"

LIMIT = 20
"""Findings of one code that are kept; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a stable code, where, and what would have been right."""

    code: str
    severity: str
    file: str
    record: int
    """Ordinal of the record in the file, from 0."""
    message: str
    line: int = 0
    """Line of a text trace; 0 for others."""
    byte: int | None = None
    """Byte offset of a binary trace's record."""

    @property
    def location(self) -> str:
        if self.line:
            return f"{self.file}:{self.line}: record {self.record}"
        return f"{self.file}: record {self.record}"


class Check(Protocol):
    """A check at work on one trace."""

    def batch(self, batch: Any) -> Iterator[Finding]:
        """Look at the next batch of records."""
        ...

    def finish(self) -> Iterator[Finding]:
        """Say what only the end of the trace shows."""
        ...


class CheckModule(Protocol):
    """What a module in `CHECKS` provides."""

    CODES: Mapping[str, str]

    def start(self, trace: Trace) -> Check:
        """Return the check, ready for the first batch."""
        ...


@dataclass(slots=True)
class Report:
    """What the checks said about one trace."""

    file: str
    checks: tuple[str, ...]
    findings: list[Finding] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """code -> findings, including those that were not kept."""
    records: int = 0
    notes: list[str] = field(default_factory=list)
    error: InstError | None = None
    """Damage that ended the reading; the findings are about what stands before it."""

    def add(self, finding: Finding) -> None:
        count = self.counts.get(finding.code, 0) + 1
        self.counts[finding.code] = count
        if count <= LIMIT:
            self.findings.append(finding)


def explain(code: str) -> str:
    """Return what a finding code means."""
    for module in map(_module, CHECKS):
        if code in module.CODES:
            return module.CODES[code]
    return ""


def _module(name: str) -> CheckModule:
    module: Any = importlib.import_module(CHECKS[name])
    return module  # type: ignore[no-any-return]


def check_trace(trace: Trace, names: tuple[str, ...] = tuple(CHECKS)) -> Report:
    """Run the checks over a trace in one pass."""
    report = Report(trace.name, names)
    checks = [_module(name).start(trace) for name in names]
    try:
        for batch in trace.batches():
            report.records += len(batch)
            for check in checks:
                for finding in check.batch(batch):
                    report.add(finding)
        for check in checks:
            for finding in check.finish():
                report.add(finding)
    except InstError as error:
        report.error = error
    report.notes = list(trace.notes)
    return report
