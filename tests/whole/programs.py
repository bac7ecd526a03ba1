"""The programs: what they are compiled from, and what they are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from truth.gzip_truth import fetch_source, make_data

from inst.target.targets import Target
from tests.bench.programs import HERE as BENCH
from tests.bench.programs import PROGRAMS as BENCH_PROGRAMS
from tests.bench.programs import Sources
from tests.real.run import WORK as REAL

HERE = Path(__file__).resolve().parent
_ZLIB = ("-DHAVE_UNISTD_H", "-DHAVE_STDARG_H", "-D_LARGEFILE64_SOURCE=1")


@dataclass(frozen=True, slots=True)
class WholeProgram:
    """One program."""

    sources: Callable[[Target], Sources]
    arguments: Callable[[Path], list[str]]
    """What it is given; called with a directory for its files."""
    prepare: Callable[[], object] = lambda: None
    """Makes what targets share."""
    threads: bool = False
    records: str = ""
    """What its code records inline, instead of calling hooks: "values" or "loads"."""


def _zlib(main: str) -> Callable[[Target], Sources]:
    def sources(_target: Target) -> Sources:
        source = fetch_source("zlib", REAL / "sources")
        files = (source / "test" / main, *sorted(source.glob("*.c")))
        return Sources(files, (*_ZLIB, f"-I{source}"), included=tuple(sorted(source.glob("*.h"))))

    return sources


def _cxx(_target: Target) -> Sources:
    return Sources((HERE / "threads.cc",), libraries=("-lstdc++", "-lm"))


def _of_bench(name: str, arguments: Callable[[Path], list[str]]) -> WholeProgram:
    program = BENCH_PROGRAMS[name]
    return WholeProgram(program.sources, arguments, program.prepare)


def _data(directory: Path, kilobytes: int) -> str:
    return str(make_data(directory / "data", kilobytes << 10))


PROGRAMS = {
    "threads": WholeProgram(_cxx, lambda _: [], threads=True),
    "example": WholeProgram(_zlib("example.c"), lambda directory: [str(directory / "x.gz")]),
    "minigzip": WholeProgram(
        _zlib("minigzip.c"), lambda directory: ["-c", "-9", _data(directory, 24)]
    ),
    "gzip": _of_bench("gzip", lambda directory: ["-9nc", _data(directory, 24)]),
    "bzip2": _of_bench("bzip2", lambda directory: ["-c", _data(directory, 12)]),
    "lua": _of_bench("lua", lambda _: [str(BENCH / "workload.lua"), "1"]),
    "sqlite": _of_bench("sqlite", lambda _: ["60"]),
}
"""Those that take longest come last."""
PROGRAMS |= {
    f"{name}-{suffix}": replace(program, records=records)
    for suffix, records in (("recorded", "values"), ("loads", "loads"))
    for name, program in PROGRAMS.items()
}
