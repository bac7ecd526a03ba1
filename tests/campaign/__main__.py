"""`make campaign`, or `python -m tests.campaign`: gcc's own tests, damaged input, the rest of ours.

Pieces: `conformance` is gcc.c-torture/execute (C), `exceptions` is g++.dg/eh and g++.old-deja
(C++), `torture`, `vectors` and `machine` are gcc.dg/torture, gcc.dg/vect and gcc.target, and
`compiled` is gcc.c-torture/compile, all from Debian's source package of gcc-12.  Each program that
passes plainly is watched in two of four ways: with the hook library `count` and recorded with
values, or with the hook library `rst` and recorded for re-execution; `inst check` reads the traces,
which have to agree.  What is no program is assembled.  In a round, programs take turns with
targets, sets of options and ways, so that each is judged once; forty rounds are all combinations.
`hostile` puts damaged traces, programs, assembly and command lines through every command.
`combinations` is what `make test` leaves out of the tests' own: those marked `campaign`, and more
examples for property tests.  `recordings` re-executes the programs of the bench, and compares their
accesses with those that the emulator executed.  `kills` kills programs that record at random
moments, and finds out whether their traces hold what they had done.  `whole` is real programs,
linked statically with the C library instrumented, whose traces are held against the emulator's
record of all their code.  Results are kept in DIRECTORY, so that --resume goes on where a campaign
was stopped; with --again it judges what had failed once more.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from hashlib import sha256
from pathlib import Path

from inst.errors import InstError
from inst.target.targets import TARGETS
from tests.campaign.case import OPTIONS, PAIRS, WAYS, Case, Verdict, judge, turn
from tests.campaign.case import WHOLE as WHOLE_OPTIONS
from tests.campaign.combinations import run_combinations
from tests.campaign.hostile import run_hostile
from tests.campaign.kills import run_kills
from tests.campaign.programs import SUITES, find_programs
from tests.campaign.recordings import run_recordings
from tests.campaign.rows import append_row, read_rows
from tests.campaign.whole import run_whole

HOSTILE, COMBINATIONS, RECORDINGS, WHOLE = "hostile", "combinations", "recordings", "whole"
KILLS = "kills"
PIECES = (*SUITES, HOSTILE, COMBINATIONS, RECORDINGS, KILLS, WHOLE)
_REPORT_SECONDS = 60.0
_EPILOG = """\
examples:
  python -m tests.campaign                                all pieces, each of gcc's programs once
  python -m tests.campaign --resume --rounds 2            gcc's programs a second time, otherwise
  python -m tests.campaign --rounds 40 --seconds 3000     fifty minutes of all combinations
  python -m tests.campaign --piece exceptions --target ppc64le --options=-O2 --rounds 40
  python -m tests.campaign --piece conformance --options="-O2 -static" --seconds 900
  python -m tests.campaign --piece vectors --way loads --rounds 20 --seconds 900
  python -m tests.campaign --piece hostile --mutants 1000
  python -m tests.campaign --piece combinations --resume  the tests that `make test` leaves out
  python -m tests.campaign --piece recordings --program lua --program bzip2
  python -m tests.campaign --piece kills --kills 500 --resume
  python -m tests.campaign --piece whole --program gzip --target ppc64
  python -m tests.campaign --program 20000112-1.c --target ppc32 --rounds 40
"""


def main() -> int:
    """Run the cases that were asked for; status 1 if any has failed."""
    chosen = _parser().parse_args()
    directory = Path(chosen.directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    results = _results(directory, "results", chosen.resume)
    done = _read(results)
    try:
        left = {name for name, verdict in done.items() if chosen.again and verdict.kind == "failed"}
        cases = [
            case for case in _cases(chosen, directory) if case.name not in done or case.name in left
        ]
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2
    clean = True
    for piece, run in _RUNNERS.items():
        if piece in (chosen.piece or PIECES):
            start = time.monotonic()
            clean = run(_results(directory, piece, chosen.resume), chosen) and clean
            _print_time(piece, start)
    if cases or not chosen.piece or {*chosen.piece} & {*SUITES}:
        print(f"{len(cases)} cases to run, {len(done.keys() - left)} are done", flush=True)
        start = time.monotonic()
        _run(cases, done, results, chosen)
        _summarise(done)
        _print_time("gcc's suites", start)
    return int(not clean or any(verdict.kind == "failed" for verdict in done.values()))


def _print_time(piece: str, start: float) -> None:
    print(f"{piece}: {(time.monotonic() - start) / 60:.1f} minutes", flush=True)


def _targets(chosen: argparse.Namespace) -> list[str]:
    return chosen.target or sorted(TARGETS)


_RUNNERS: dict[str, Callable[[Path, argparse.Namespace], bool]] = {
    HOSTILE: lambda results, chosen: run_hostile(
        results, chosen.mutants, chosen.jobs, chosen.seconds
    ),
    COMBINATIONS: lambda results, chosen: run_combinations(results, chosen.jobs, chosen.seconds),
    RECORDINGS: lambda results, chosen: run_recordings(
        results, _targets(chosen), chosen.program or (), chosen.jobs, chosen.seconds
    ),
    KILLS: lambda results, chosen: run_kills(
        results, _targets(chosen), chosen.kills, chosen.jobs, chosen.seconds
    ),
    WHOLE: lambda results, chosen: run_whole(
        results, chosen.program or [], _targets(chosen), chosen.seconds
    ),
}
"""Run a piece that is not gcc's suites, keeping its results in a file; whether all is well."""


def _results(directory: Path, name: str, resume: bool) -> Path:
    """Return the file of a piece's results, without those of an earlier campaign."""
    results = directory / f"{name}.jsonl"
    if not resume:
        results.unlink(missing_ok=True)
    return results


def _cases(chosen: argparse.Namespace, directory: Path) -> Iterator[Case]:
    """Yield the cases round by round; a stop within a round leaves the targets even."""
    programs = [
        program
        for piece in chosen.piece or PIECES
        if piece in SUITES
        for program in find_programs(piece, directory.parent / "gcc-12")
        if not chosen.program or any(word in program.name for word in chosen.program)
    ]
    targets = set(_targets(chosen))
    for static in set(WHOLE_OPTIONS) & set(chosen.options or ()):
        cases = [
            Case(program, target, static, tuple(chosen.way or WAYS))
            for program in programs
            for target in sorted(targets)
            if program.runs_on(target)
        ]
        yield from sorted(cases, key=_scattered)
    ways = [tuple(chosen.way)] if chosen.way else PAIRS
    for number in range(chosen.rounds):
        found = [turn(program, row + number, ways) for row, program in enumerate(programs)]
        for case in sorted(found, key=_scattered):
            if case.target in targets and case.options in (chosen.options or OPTIONS):
                yield case


def _scattered(case: Case) -> bytes:
    """Return a key that has nothing to do with the program's place in the suite."""
    return sha256(case.name.encode()).digest()


def _run(
    cases: Iterable[Case], done: dict[str, Verdict], results: Path, chosen: argparse.Namespace
) -> None:
    """Judge cases in several processes until they or the time run out, and keep each verdict."""
    start = reported = time.monotonic()
    judged = 0
    waiting = iter(cases)
    running: dict[Future[Verdict], Case] = {}
    jobs = chosen.jobs
    with ProcessPoolExecutor(jobs, initializer=os.nice, initargs=(5,)) as pool:
        while True:
            ended = time.monotonic() > start + chosen.seconds
            while not ended and len(running) < 2 * jobs:
                case = next(waiting, None)
                if case is None:
                    break
                running[pool.submit(_judge, case, results.parent)] = case
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                case = running.pop(future)
                done[case.name] = future.result()
                judged += 1
                _keep(results, case, done[case.name])
            if time.monotonic() > reported + _REPORT_SECONDS:
                reported = time.monotonic()
                speed = judged / (reported - start)
                print(
                    f"{(reported - start) / 60:.0f} min: {_line(done)}, {speed:.2f}/s", flush=True
                )


def _judge(case: Case, directory: Path) -> Verdict:
    """Judge a case in a directory of this process; a defect of ours is a failure of the case."""
    try:
        return judge(case, directory / f"work-{os.getpid()}")
    except Exception:
        return Verdict("failed", f"traceback: {traceback.format_exc()[-1500:]}")


def _keep(results: Path, case: Case, verdict: Verdict) -> None:
    append_row(results, {"case": case.name, "kind": verdict.kind, "why": verdict.why})
    if verdict.kind == "failed":
        print(f"{case.name}: {verdict.why}", file=sys.stderr, flush=True)


def _read(results: Path) -> dict[str, Verdict]:
    """Return the verdicts of a campaign that was stopped."""
    return {row["case"]: Verdict(row["kind"], row["why"]) for row in read_rows(results)}


def _line(done: dict[str, Verdict]) -> str:
    counts = Counter(verdict.kind for verdict in done.values())
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "unsuitable"))


def _summarise(done: dict[str, Verdict]) -> None:
    """Print a row for each target with its options and ways, then what failed."""
    rows: dict[tuple[str, str], dict[str, Verdict]] = {}
    for name, verdict in done.items():
        target, rest = name.split(" ", 1)
        rows.setdefault((target, rest.rsplit(" ", 1)[0]), {})[name] = verdict
    for (target, rest), verdicts in sorted(rows.items()):
        print(f"{target:9} {rest:28} {_line(verdicts)}")
    print(f"all: {_line(done)}", flush=True)
    for name, verdict in sorted(done.items()):
        if verdict.kind == "failed":
            print(f"{name}: {verdict.why.strip().splitlines()[0][:150]}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--piece", action="append", choices=PIECES, help="default: all")
    add("--target", action="append", choices=sorted(TARGETS), help="default: all targets")
    add("--options", action="append", choices=[*OPTIONS, *WHOLE_OPTIONS],
        help="default: all but -static, which instruments the C library too")  # fmt: skip
    add("--way", action="append", choices=list(WAYS),
        help="of gcc's suites; default: two at a time")  # fmt: skip
    add("--program", action="append", help="only programs with this in their names; repeatable")
    add("--mutants", type=int, default=2_000, help="hostile: of each kind; default: 2000")
    add("--kills", type=int, default=500, help="kills: of programs; default: 500")
    add("--rounds", type=int, default=1, help="of gcc's suites; default: 1, each program once")
    add("--seconds", type=float, default=1e9, help="start no more cases after so many seconds")
    add("--jobs", type=int, default=os.cpu_count(), help="default: one for each processor")
    add("--resume", action="store_true", help="go on where the last campaign was stopped")
    add("--again", action="store_true",
        help="with --resume, of gcc's suites: those that failed once more")  # fmt: skip
    add("--directory", default="build/campaign/gcc", help="default: %(default)s")
    return parser


if __name__ == "__main__":
    sys.exit(main())
