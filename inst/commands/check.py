"""`inst check`: what is wrong with traces, and why."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inst.errors import InstError

if TYPE_CHECKING:
    from inst.check import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst check`."""
    add = parser.add_argument
    add("traces", nargs="*", metavar="FILE", help="traces in any format; - for standard input")
    add("--only", action="append", metavar="CHECK", help="run only this check; may be repeated")
    add("--list", action="store_true", help="list the checks and their finding codes")
    add("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Check the traces: 0 when all are clean, 1 on findings, 2 when one cannot be read."""
    from inst.check import CHECKS, Report, check_trace
    from inst.trace import open_trace

    if arguments.list:
        _print_list()
        return 0
    names = tuple(arguments.only or CHECKS)
    unknown = [name for name in names if name not in CHECKS]
    if unknown or not arguments.traces:
        wrong = f"there is no check {unknown[0]!r}" if unknown else "no trace to check"
        print(f"inst: error: {wrong}; checks: {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    reports = []
    for name in arguments.traces:
        try:
            report = check_trace(open_trace(name), names)
        except InstError as error:
            report = Report(name, names, error=error)
        reports.append(report)
        if not arguments.json:
            _print_report(report)
    if arguments.json:
        print(json.dumps({"traces": [_plain(report) for report in reports]}, indent=2))
    if any(report.error for report in reports):
        return 2
    return 1 if any(report.counts for report in reports) else 0


def _print_report(report: Report) -> None:
    from inst.check import LIMIT, explain

    explained: set[str] = set()
    for finding in report.findings:
        print(f"{finding.location}: {finding.severity}: {finding.message} [{finding.code}]")
        if finding.code not in explained:
            explained.add(finding.code)
            print(f"    {explain(finding.code)}")
    for code, count in report.counts.items():
        if count > LIMIT:
            print(f"{report.file}: {count - LIMIT} more findings of {code}")
    for note in report.notes:
        print(f"{report.file}: note: {note}")
    sys.stdout.flush()
    if report.error:
        print(report.error.render(), file=sys.stderr)
    total = sum(report.counts.values())
    verdict = "clean" if not total else f"{total} finding{'s' if total > 1 else ''}"
    cut = ", up to the damage" if report.error else ""
    if not report.error or report.records:
        checks = ", ".join(report.checks)
        print(f"{report.file}: {verdict}: {report.records} records, {checks}{cut}")


def _plain(report: Report) -> dict[str, Any]:
    from inst.check import explain

    return {
        "file": report.file,
        "checks": list(report.checks),
        "records": report.records,
        "findings": [
            asdict(finding) | {"explanation": explain(finding.code)} for finding in report.findings
        ],
        "counts": report.counts,
        "notes": report.notes,
        "error": report.error.render() if report.error else None,
    }


def _print_list() -> None:
    import importlib

    from inst.check import CHECKS

    for name, module_name in CHECKS.items():
        module = importlib.import_module(module_name)
        print(f"{name}: {(module.__doc__ or '').splitlines()[0]}")
        for code, meaning in module.CODES.items():
            print(f"  {code}: {meaning}")
