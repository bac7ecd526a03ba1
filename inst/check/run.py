"""Running checks over a trace: one pass, whichever form each check reads it in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inst.check import registry
from inst.check.model import Check, Finding, Options, Other, Report
from inst.errors import InstError
from inst.trace.model import Trace

if TYPE_CHECKING:
    from inst.trace.program import Locator


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
        _read(trace, checks, report, locator)
        for check in checks:
            _add(report, check.finish(), locator)
    except InstError as error:
        report.error = error
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


def _read(trace: Trace, checks: list[Check], report: Report, locator: Locator | None) -> None:
    """Give every check the trace in the form it reads."""
    by_batch = [check for check in checks if type(check).batch is not Check.batch]
    by_event = [check for check in checks if type(check).events is not Check.events]
    batches = trace.batches

    def tapped() -> Iterator[Any]:
        for batch in batches():
            report.records += len(batch)
            for check in by_batch:
                _add(report, check.batch(batch), locator)
            yield batch

    if not by_event:
        for _ in tapped():
            pass
        return
    # Events are made of batches: whoever asks the trace for them gets the tapped ones.
    trace.batches = tapped  # type: ignore[method-assign]
    for rows in trace.events():
        for check in by_event:
            _add(report, check.events(rows), locator)


def _add(report: Report, findings: Iterable[Finding], locator: Locator | None) -> None:
    for finding in findings:
        if report.add(finding) and locator is not None:
            report.findings[-1] = _located(finding, locator)


def _located(finding: Finding, locator: Locator) -> Finding:
    """Say where in the program the finding and the other records it names are."""
    others = tuple(replace(other, **_place(other, locator)) for other in finding.others)
    return replace(finding, others=others, **_place(finding, locator))


_ADDRESS = re.compile("0x[0-9a-f]{1,16}")


def _place(thing: Finding | Other, locator: Locator) -> dict[str, Any]:
    pc = thing.pc
    if pc is None and _ADDRESS.fullmatch(thing.site):  # so wrappers of locks say where they are
        pc = int(thing.site, 16)
    place = locator(pc) if pc is not None else None
    if place is None:
        return {}
    site = f"{place.file}:{place.line}" if place.line else place.file
    function = f"{place.function}+{place.offset:#x}" if place.function else ""
    return {
        "site": site or thing.site,
        "function": function or thing.function,
        "instruction": place.text.strip() or thing.instruction,
    }
