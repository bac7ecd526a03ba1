"""Running checks over a trace: one pass, whichever form each check reads it in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inst.check import registry
from inst.check.fingerprint import place_in_program, place_in_trace
from inst.check.whole import Whole
from inst.errors import InstError
from inst.trace.finding import Check, Finding, Options, Other, Report
from inst.trace.model import Trace

if TYPE_CHECKING:
    from inst.program.program import Locator


def check_trace(
    trace: Trace,
    names: tuple[str, ...] | None = None,
    options: Options | None = None,
    locator: Locator | None = None,
) -> Report:
    """Run the checks (all by default) over a trace in one pass."""
    chosen = Options() if options is None else options
    names = registry.names() if names is None else names
    started = list(_start(trace, names, chosen))
    report = Report(trace.name, tuple(name for name, _ in started))
    checks = [check for _, check in started]
    try:
        locate = _Places(trace, locator)
        _read(trace, checks, report, locate)
        for check in checks:
            _add(report, check.finish(), locate)
    except InstError as error:
        report.error = error
        for check in checks:
            _add(report, check.broken(), locate)
    report.programs = locator.failures if locator else ()
    report.notes = list(trace.notes)
    report.incomplete = trace.incomplete
    return report


def _start(trace: Trace, names: tuple[str, ...], options: Options) -> Iterator[tuple[str, Check]]:
    for name in names:
        module = registry.module(name)
        formats: Any = getattr(module, "FORMATS", None)
        if formats is None or trace.format in formats:
            yield name, module.start(trace, options)


def _read(trace: Trace, checks: list[Check], report: Report, locate: _Places) -> None:
    """Give every check the trace in the form it reads."""
    by_batch = [check for check in checks if type(check).batch is not Check.batch]
    by_event = [check for check in checks if type(check).events is not Check.events]

    def take(batch: Any) -> None:
        report.records += len(batch)
        for check in by_batch:
            _add(report, check.batch(batch), locate)

    trace.observe(take)
    if not by_event:
        for _ in trace.batches():
            pass
        return
    whole = Whole(trace)
    for rows in trace.events():
        part = whole.part(rows)
        for check in by_event:
            if len(given := part if check.needs_all else rows):
                _add(report, check.events(given), locate)
    if whole.passed and any(check.needs_all for check in by_event):
        trace.note(whole.note())


def _add(report: Report, findings: Iterable[Finding], locate: _Places) -> None:
    for finding in findings:
        if report.add(finding):
            report.findings[-1] = locate(finding)


_ADDRESS = re.compile("0x[0-9a-f]{1,16}")


class _Places:
    """Locates a finding and the other records it names in the program."""

    def __init__(self, trace: Trace, locator: Locator | None) -> None:
        self._trace, self._locator = trace, locator

    def __call__(self, finding: Finding) -> Finding:
        others = tuple(replace(other, **self._place(other)) for other in finding.others)
        return replace(finding, others=others, **self._place(finding))

    def _place(self, thing: Finding | Other) -> dict[str, Any]:
        pc, site = thing.pc, thing.site
        if pc is None and _ADDRESS.fullmatch(site):  # so wrappers of locks are located
            pc, site = int(site, 16), ""
        place = self._locator(pc) if self._locator and pc is not None else None
        if place is None or self._locator is None or pc is None:
            return {"place": place_in_trace(pc, site, self._trace.facts.images)}
        site = f"{place.file}:{place.line}" if place.line else place.file
        function = f"{place.function}+{place.offset:#x}" if place.function else ""
        return {
            "site": site or thing.site,
            "function": function or thing.function,
            "instruction": place.text.strip() or thing.instruction,
            "place": place_in_program(pc, place, self._locator),
        }
