"""The accesses of a shared library's own code, held to the emulator like a program's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from truth.binary import Binary
from truth.canonical import code_table
from truth.emulator import (
    ACCESS,
    CHUNK,
    THIRD_ARGUMENTS,
    Array,
    Plugins,
    Result,
    Watch,
    memlog_option,
    run,
    unreported_words,
)
from truth.harness import (
    Verdict,
    compare_shapes,
    compare_trace,
    missing_sites,
)

_NO_CODE = 1
"""Up to here program counters of a log are no addresses: see memlog.c."""
_ELSEWHERE = np.uint64(1 << 62)
"""Moves code of other modules to where none of this one lies as linked."""


def check_module(
    plugins: Plugins, libraries: tuple[Binary, Binary], programs: tuple[Path, Path], trace: Path
) -> Verdict:
    """Compare a library plain and instrumented, as two programs run it that do the same.

    The first line that each program prints is where its library was loaded; `trace` is
    without the name that the library's own runtime appends.
    """
    plain, traced = libraries
    verdict = Verdict()
    verdict.problems += missing_sites(plain, traced)
    sites = traced.sites()
    tables = (
        code_table(plain.only(plain.code.keys() - plain.relaxed)),
        code_table(traced.only(sites)),
    )
    logs = [program.with_name(program.name + ".log") for program in programs]
    runs = [
        _watched(plugins, library, program, log, trace)
        for library, program, log in zip(libraries, programs, logs, strict=True)
    ]
    bases = [int(ended.output.split(b"\n", 1)[0], 16) for ended in runs]
    said = [(ended.output.split(b"\n", 1)[1], ended.errors, ended.status) for ended in runs]
    own = trace.with_name(f"{trace.name}.{traced.path.name}")
    two = (
        f"inst: this process writes 2 traces: {trace}, {own}; their events cannot be put in order\n"
    )
    said[0] = (said[0][0], said[0][1] + two.encode(), said[0][2])
    if said[0] != said[1]:
        verdict.problems.append(f"plain library: {said[0]}, instrumented one: {said[1]}")
    batches = [_read(log, base) for log, base in zip(logs, bases, strict=True)]
    compare_shapes(verdict, (batches[0], batches[1]), tables)
    compare_trace(verdict, traced, _read(logs[1], bases[1]), bases[1], own, tables[1])
    return verdict


def _watched(plugins: Plugins, library: Binary, program: Path, log: Path, trace: Path) -> Result:
    words = unreported_words(library.isa, library.little)
    watch = Watch(None, False, words, THIRD_ARGUMENTS[library.isa])
    return run(program, [], memlog_option(plugins, program, log, watch), {"INST_OUT": str(trace)})


def _read(log: Path, base: int) -> Iterator[Array]:
    """Yield the records of a log with a module's program counters as linked."""
    with log.open("rb") as stream:
        np.fromfile(stream, ACCESS, 1)
        while len(batch := np.fromfile(stream, ACCESS, CHUNK)):
            places = batch["pc"]
            code = places > _NO_CODE
            inside = code & (places >= np.uint64(base))
            places[code & ~inside] |= _ELSEWHERE
            places[inside] -= np.uint64(base)
            yield batch
