"""`inst check`: report what is wrong with traces, and why."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from inst.common.progress import Progress
from inst.common.usage import meant
from inst.common.wholefile import refuse_input
from inst.errors import InstError
from inst.program.demangle import add_option
from inst.shown import shown
from inst.trace.ending import INCOMPLETE, STRICT_HELP

if TYPE_CHECKING:
    from inst.check import Options, Report
    from inst.program.program import Locator
    from inst.trace.model import Trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst check`."""
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="traces in any format, - for standard input; "
        "and programs, the same as --program PROGRAM")  # fmt: skip
    add("--only", action="append", metavar="CHECK", help="run only this check; may be repeated")
    add("--except", action="append", metavar="CHECK", dest="leave_out",
        help="leave this check out; may be repeated")  # fmt: skip
    add("--list", action="store_true", help="list the checks and their finding codes")
    add("--explain", metavar="CODE", help="explain a finding code")
    add("--keep-going", action="store_true", help="report all findings, not only the first")
    add("--strict", action="store_true", help=STRICT_HELP)
    add("--program", "-e", action="append", default=[], metavar="ELF",
        help="find source lines and instructions in this program; may be repeated")  # fmt: skip
    add_option(parser)
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="a setting of a check, such as profile=casemate")  # fmt: skip
    page_tables = parser.add_argument_group("break-before-make")
    page_tables.add_argument("--profile", choices=("arm", "casemate"), help="the rules to check by")
    page_tables.add_argument("--racy", action="store_true", help="writes need no lock")
    page_tables.add_argument("--explain-state", metavar="ADDRESS", help="show an entry's history")
    page_tables.add_argument("--print-state", action="store_true", help="show the state, stepwise")
    page_tables.add_argument("--diff-state", action="store_true", help="show its changes, stepwise")
    page_tables.add_argument("--diagram", metavar="FILE.svg", help="draw the automaton of the "
        "entry that is explained, or of the first violation, and its path")  # fmt: skip
    add("--json", action="store_true", help="print one JSON object")
    add("--junit", metavar="FILE", help="write a JUnit XML report, too")
    add("--sarif", metavar="FILE", help="write a SARIF report, too")
    add("--color", choices=("auto", "always", "never"), default="auto", help="colour the text")


def run(arguments: argparse.Namespace) -> int:
    """Check the traces: 0 when all are clean, 1 on findings, 2 when one cannot be read.

    With --strict, 3 when there are none and a trace is incomplete.
    """
    try:
        if arguments.list:
            return _print_list()
        if arguments.explain is not None:
            return _explain(arguments.explain)
        names = _names(arguments)
        options = _options(arguments)
        _sort_out(arguments)
        if not arguments.traces:
            raise InstError("no trace to check", hint=_what_to_check(arguments, names))
        for output in filter(None, (arguments.junit, arguments.sarif, arguments.diagram)):
            refuse_input(output, (*arguments.traces, *arguments.program))
        reports = _check_all(arguments, names, options)
        _write_files(arguments, reports)
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2
    if any(report.error or report.programs for report in reports):
        return 2
    if any(report.counts for report in reports):
        return 1
    return INCOMPLETE if arguments.strict and any(each.incomplete for each in reports) else 0


def _sort_out(arguments: argparse.Namespace) -> None:
    """Divide the files into traces and programs, which are ELF files, as no trace is."""
    programs = [name for name in arguments.files if _is_program(name)]
    arguments.traces = [name for name in arguments.files if name not in programs]
    arguments.program = [*programs, *arguments.program]


def _is_program(name: str) -> bool:
    """Return whether a file is a program, or a script that was taken for one.

    A pipe is not read for this, and a file that cannot be read is reported elsewhere.
    """
    if name == "-" or not os.path.isfile(name):
        return False
    try:
        with open(name, "rb") as stream:
            return stream.read(4).startswith((b"\x7fELF", b"#!"))
    except OSError:
        return False


def _what_to_check(arguments: argparse.Namespace, names: tuple[str, ...]) -> str:
    if arguments.program:
        return f"{arguments.program[0]} is a program: inst check TRACE {arguments.program[0]}"
    return f"checks: {', '.join(names)}"


def _names(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the checks to run, in their order; an unknown name is an error."""
    from inst.check import registry

    known = registry.known()
    for name in (*(arguments.only or ()), *(arguments.leave_out or ())):
        if name not in known:
            raise InstError(f"there is no check {name!r}", hint=meant(name, known, "checks:"))
    wanted = arguments.only or registry.names()
    chosen = [name for name in known if name in wanted]
    return tuple(name for name in chosen if name not in (arguments.leave_out or ()))


def _options(arguments: argparse.Namespace) -> Options:
    from inst.check import Options, registry

    settings: dict[str, str] = {}
    for setting in arguments.settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise InstError(f"--set {setting}: it should be NAME=VALUE")
        known = registry.settings()
        if known and name not in known:
            hint = meant(name, known, "settings:")
            raise InstError(f"--set {setting}: no check has this setting", hint=hint)
        settings[name] = value
    for name in ("profile", "explain_state", "diagram"):
        if getattr(arguments, name) is not None:
            settings[name.replace("_", "-")] = getattr(arguments, name)
    for name in ("racy", "print_state", "diff_state"):
        if getattr(arguments, name):
            settings[name.replace("_", "-")] = "yes"
    show = _print_aside if arguments.json else _print
    return Options(arguments.keep_going, frozenset(arguments.only or ()), settings, show)


def _print(line: str) -> None:
    print(shown(line))


def _print_aside(line: str) -> None:
    print(shown(line), file=sys.stderr)


def _check_all(
    arguments: argparse.Namespace, names: tuple[str, ...], options: Options
) -> list[Report]:
    from inst.check.output import plain

    reports = []
    for trace in arguments.traces:
        report = _check(trace, arguments, names, options)
        reports.append(report)
        for error in report.programs:
            print(error.render(), file=sys.stderr)
        if not arguments.json:
            _print_report(report, arguments.color)
    if arguments.json:
        print(json.dumps({"traces": [plain(report) for report in reports]}, indent=2))
    return reports


def _check(
    name: str, arguments: argparse.Namespace, names: tuple[str, ...], options: Options
) -> Report:
    from inst.check import Report, check_trace
    from inst.trace import open_trace

    try:
        trace = open_trace(name, progress=Progress.READS)
    except InstError as error:
        return Report(name, names, error=error)
    try:
        locator = _locator(trace, arguments)
        return check_trace(trace, names, options, locator)
    finally:
        trace.close()


def _locator(trace: Trace, arguments: argparse.Namespace) -> Locator | None:
    from inst.program.program import Locator

    if not arguments.program:
        return None
    return Locator(arguments.program, trace, lenient=True, demangle=arguments.demangle)


def _print_report(report: Report, colour: str) -> None:
    from inst.check.text import Writer

    writer = Writer(colour == "always" or (colour == "auto" and _is_terminal()))
    for line in writer.lines(report):
        print(line)
    sys.stdout.flush()
    if report.error:
        print(report.error.render(), file=sys.stderr)
    if not report.error or report.records:
        print(writer.verdict(report))


def _is_terminal() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _write_files(arguments: argparse.Namespace, reports: list[Report]) -> None:
    from inst.check.output import junit, sarif, write_text

    if arguments.junit:
        write_text(arguments.junit, junit(reports))
    if arguments.sarif:
        write_text(arguments.sarif, json.dumps(sarif(reports), indent=2) + "\n")


def _explain(code: str) -> int:
    from inst.check import explain, registry

    text = explain(code)
    if not text:
        hint = meant(code, sorted(registry.codes()), "codes:")
        raise InstError(f"there is no finding code {code!r}", hint=hint)
    print(f"{code}: {text}")
    return 0


def _print_list() -> int:
    from inst.check import registry

    for name in registry.known():
        module = registry.module(name)
        aside = f" (only with --only {name})" if name in registry.ON_DEMAND else ""
        print(f"{name}: {(module.__doc__ or '').partition(chr(10))[0]}{aside}")
        for code, meaning in module.CODES.items():
            print(f"  {code}: {meaning}")
    return 0
