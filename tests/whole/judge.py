"""One program for one target: plain and whole, their output, the trace, and what it leaves out.

The instrumented program runs once, under the emulator's record of each site and of the code that is
not instrumented. Each access of the plain program's functions must have a site; each access at a
site must be in the trace, in the order of its thread, and nothing else may be; and the check
`memory-sound` in its strict form must explain every byte that is read.  Code that records is not
held against the plain program's, which may use more registers.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from truth import rst
from truth.binary import Binary, code_of, linked_objects, read_binary
from truth.canonical import CodeTable, TraceFeed, code_table, log_rows, whole_groups
from truth.compare import compare_rows
from truth.emulator import (
    Array,
    Plugins,
    Watch,
    load_bias,
    memlog_option,
    read_log,
    run,
    unreported_words,
)
from truth.harness import as_linked, missing_sites, python_environment
from truth.unreported import unreported_sites

from inst.check import Options, check_trace
from inst.cli import main
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from tests.bench import ROOT
from tests.bench.building import objects_of
from tests.bench.ways import CODES
from tests.classic.workloads import execute
from tests.warm import python
from tests.whole.programs import PROGRAMS, WholeProgram

WORK = ROOT / "build" / "whole"
_COLUMNS = ("pc", "address", "size", "store")
_CACHED = re.compile(r"-[a-z0-9]+(?:-v[89])?-[0-9a-f]{20}-[0-9a-f]{64}\.a")
_BASE = {"sparc": 0, "powerpc": 31 << 16}
"""Bits of an instruction word that the linker may choose: it makes the TOC's register the base."""
_MOST_AFTER = 10
"""What `_exit` accesses, at most."""
_SHOWN = 6
"""Problems of a kind that are kept."""


@dataclass(slots=True)
class Row:
    """What was found."""

    accesses: int = 0
    """Those on which emulator and trace agree."""
    outside: int = 0
    """Those of code that is not instrumented: start files and what was left."""
    after: int = 0
    """Those of `_exit`, before which the trace ends."""
    left: list[str] = field(default_factory=list)
    """Linked objects that are not instrumented."""
    findings: int = 0
    """Of memory-sound."""
    problems: list[str] = field(default_factory=list)


def judge(name: str, target: str, plugins: Plugins) -> Row:
    """Build a program for a target, run it and hold it against the emulator's record."""
    program, place = PROGRAMS[name], WORK / target / name
    place.mkdir(parents=True, exist_ok=True)
    row = Row()
    plain, traced = _build(program, TARGETS[target], place, row)
    if not program.records:
        row.problems += missing_sites(plain, traced, _BASE[plain.isa])[:_SHOWN]
    files = place / "files"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    arguments = program.arguments(files)
    before = run(plain.path, arguments)
    trace, log = place / f"trace.{'record' if program.records else 'rst'}", place / "log"
    outside = code_of(place / "traced.map", row.left)
    ranges = [*((at, at + 4) for at in sorted(traced.sites())), *outside]
    watch = Watch(ranges, words=unreported_words(traced.isa, traced.little))
    option = memlog_option(plugins, traced.path, log, watch)
    after = run(traced.path, arguments, option, {"INST_OUT": str(trace)}, timeout=3600)
    if (before.output, before.status) != (after.output, after.status):
        row.problems.append(f"plain program gave {before}, instrumented one {after}"[:600])
    events = _as_rst(trace)
    _hold(row, traced, log, events)
    row.outside = _count(read_log(log, traced.path), outside)
    # That threads wrote before others read is not in the file's order: strict is for one thread.
    _check(row, trace, "" if program.threads else "strict")
    for path in {trace, events, log}:
        path.unlink()
    return row


def _as_rst(trace: Path) -> Path:
    """Return a trace as RST: a recording is converted."""
    made = trace.with_suffix(".rst")
    if made != trace and main(["convert", str(trace), str(made)]):
        raise RuntimeError(f"{trace.name} cannot be converted")
    return made


def _build(program: WholeProgram, target: Target, place: Path, row: Row) -> tuple[Binary, Binary]:
    """Link the plain program and the instrumented one; return both without what was left."""
    sources = program.sources(target)
    report = place / "report.json"
    code = program.records or "hooks"
    own = [python(), "-m", "inst.wrap.cc", "--inst-objects=all", f"--inst-objects-report={report}"]
    own += CODES[code].options if program.records else ["--inst-hooks=rst"]
    objects: dict[str, list[str]] = {}
    for name, how, first in (("plain", "plain", []), ("traced", code, own)):
        objects[name] = [str(path) for path in objects_of(sources, how, target, place)]
        options = ["-static", f"-Wl,-Map={place / name}.map", "-o", str(place / name)]
        words = [*first, *target.compiler, *options, *objects[name], *sources.libraries]
        execute(words, place, python_environment())
    inputs = json.loads(report.read_text())["inputs"]
    left = {
        f"{path}({member})" if member else path
        for one in inputs
        for path in (one["input"], one["made"])
        for member in one["left"]
    }
    row.left = sorted(linked_objects(place / "traced.map") & left)
    made = {one["made"] for one in inputs} | set(objects["traced"])
    wanted = {
        one for one in linked_objects(place / "traced.map") - left if one.partition("(")[0] in made
    }
    traced = read_binary(place / "traced", place / "traced.map", target.isa, wanted)
    original = {one for one in linked_objects(place / "plain.map") - left if _is_file(one)}
    return read_binary(place / "plain", place / "plain.map", target.isa, original), traced


def _is_file(name: str) -> bool:
    """Return whether a map's name is of an object, not of what the linker adds itself."""
    return Path(name.partition("(")[0]).is_file()


def _hold(row: Row, traced: Binary, log: Path, trace: Path) -> None:
    """Hold the trace against the emulator's log, thread by thread."""
    bias = load_bias(log, traced.path)
    reported = traced.sites() - unreported_sites(traced)
    table = code_table(traced.only(reported))
    threads = _distinct(batch["thread"] for batch in read_log(log, traced.path))
    cpus = _distinct(batch["cpu"] for batch in rst.read_events(trace))
    if len(threads) > 2:
        row.problems.append(f"{len(threads)} threads at a time, where two are expected at most")
    # The emulator gives the number of a thread that has ended to the next one.
    for thread, group in zip(threads, (cpus[:1], cpus[1:]), strict=False):
        ran = (batch[batch["thread"] == thread] for batch in read_log(log, traced.path))
        _hold_thread(row, ran, as_linked(_told(trace, group), bias, traced.runs), table)


def _told(trace: Path, cpus: list[int]) -> Iterator[Array]:
    """Yield a trace's events of the program's code, of one thread after the other."""
    for cpu in cpus:
        for batch in rst.read_events(trace):
            yield batch[(batch["cpu"] == cpu) & (batch["pc"] != 0)]


def _distinct(columns: Iterable[Array]) -> list[int]:
    """Return the numbers in columns, in the order in which they first appear."""
    found: dict[int, None] = {}
    for column in columns:
        values, first = np.unique(column, return_index=True)
        found |= dict.fromkeys(values[np.argsort(first)].tolist())
    return [*found]


def _hold_thread(row: Row, ran: Iterable[Array], told: Iterable[Array], table: CodeTable) -> None:
    feed = TraceFeed(told, table)
    for batch in whole_groups(ran, table):
        rows, _ = log_rows(batch, table)
        part = feed.take(len(rows))
        if len(part.rows) < len(rows):
            row.after += len(rows) - len(part.rows)
            rows = rows[: len(part.rows)]
        agreed, differences = compare_rows(("emulator", "trace"), [rows], [part.rows], _COLUMNS)
        row.accesses += agreed
        row.problems += [one.text for one in differences] + part.problems
        if differences:
            return
    if row.after > _MOST_AFTER:
        row.problems.append(f"the trace ends {row.after} accesses early")
    rest = feed.take(1)
    if len(rest.rows):
        row.problems.append(f"the trace goes on after the emulator's log: {rest.rows[0]}")


def _count(log: Iterable[Array], ranges: list[tuple[int, int]]) -> int:
    """Return how many accesses of a log are in ranges of code."""
    return sum(
        int(((batch["pc"] >= low) & (batch["pc"] < high) & (batch["size"] > 0)).sum())
        for batch in log
        for low, high in ranges
    )


def _check(row: Row, trace: Path, demand: str) -> None:
    opened = open_trace(str(trace))
    try:
        report = check_trace(opened, ["memory-sound"], Options(settings={"memory": demand}), None)
    finally:
        opened.close()
    row.findings = sum(report.counts.values())
    if report.error:
        row.problems.append(report.error.render())
    row.problems += [f"{one.code}: {one.message}" for one in report.findings[:_SHOWN]]


def cases(programs: list[str], targets: list[str]) -> Iterator[tuple[str, str]]:
    """Yield programs with their targets, a program on all targets first."""
    return ((program, target) for program in programs for target in targets)


def as_row(row: Row) -> dict[str, object]:
    """Return a row for a file of results, in which archives have the names that they had."""
    made = asdict(row)
    made["left"] = sorted({_CACHED.sub(".a", os.path.basename(name)) for name in row.left})
    return made
