"""The accesses of a shared library's own code, held to the emulator like a program's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from inst.trace import open_trace
from truth.binary import Binary
from truth.canonical import code_table
from truth.emulator import (
    ACCESS,
    CHUNK,
    Array,
    Plugins,
    code_extent,
)
from truth.harness import (
    Verdict,
    compare_shapes,
    compare_trace,
    missing_sites,
    watched,
)

_INSTR, _MEMVAL64 = 3, 26
RECORD_DTYPE = np.dtype([("rtype", "u1"), ("rest", "V7"), ("first", ">u8"), ("second", "V8")])
"""Records of RST; the first number of an INSTR is its program counter."""
_FEWEST = 100
_NO_CODE = 1
"""Up to here program counters of a log are no addresses: see memlog.c."""
_ELSEWHERE = np.uint64(1 << 62)
"""Moves code of other modules to where none of this one lies as linked."""


def check_module(
    plugins: Plugins, libraries: tuple[Binary, Binary], programs: tuple[Binary, Binary], trace: Path
) -> Verdict:
    """Compare a library plain and instrumented, as two programs run it that do the same.

    The first line that each program prints is where its library was loaded. The trace has what
    the program itself did, too: the order of both is that of the emulator.
    """
    plain, traced = libraries
    verdict = Verdict()
    verdict.problems += missing_sites(plain, traced)
    sites = traced.sites()
    tables = (
        code_table(plain.only(plain.code.keys() - plain.relaxed)),
        code_table(traced.only(sites)),
    )
    logs = [program.path.with_name(program.path.name + ".log") for program in programs]
    runs = [
        watched(plugins, program, log, None, [], {"INST_OUT": str(trace)}, False)
        for program, log in zip(programs, logs, strict=True)
    ]
    bases = [int(ended.output.split(b"\n", 1)[0], 16) for ended in runs]
    said = [(ended.output.split(b"\n", 1)[1], ended.errors, ended.status) for ended in runs]
    if said[0] != said[1]:
        verdict.problems.append(f"plain library: {said[0]}, instrumented one: {said[1]}")
    batches = [_read(log, base) for log, base in zip(logs, bases, strict=True)]
    compare_shapes(verdict, (batches[0], batches[1]), tables)
    verdict.problems += _order(logs[1], trace, (programs[1], traced))
    start, end = code_extent(traced.path)
    own = _only(trace, bases[1] + start, end - start)
    compare_trace(verdict, traced, _read(logs[1], bases[1]), bases[1], own, tables[1])
    return verdict


def _only(trace: Path, start: int, size: int) -> Path:
    """Write the accesses of an RST trace whose code is in a range, with what else it has."""
    raw = np.fromfile(trace, RECORD_DTYPE)
    kind, pc = raw["rtype"], raw["first"]
    rows = np.arange(len(raw))
    of = np.maximum.accumulate(np.where(kind == _INSTR, rows, 0))
    inside = (pc[of] >= start) & (pc[of] < start + size)
    kept = raw[~np.isin(kind, (_INSTR, _MEMVAL64)) | inside]
    assert len(kept) < len(raw), "the program has accesses, too"
    made = trace.with_name(f"own-{trace.name}")
    kept.tofile(made)
    return made


def _order(log: Path, trace: Path, modules: tuple[Binary, ...]) -> list[str]:
    """Compare which sites of all modules made accesses, one after the other, with the trace."""
    opened = open_trace(trace)
    for _ in opened.batches():
        pass
    bases = {Path(image.path).name: image.base for image in opened.facts.images}
    sites = [site + bases[one.path.name] for one in modules for site in one.sites()]
    with log.open("rb") as stream:
        np.fromfile(stream, ACCESS, 1)
        seen = np.fromfile(stream, ACCESS)["pc"]
    told = np.fromfile(trace, RECORD_DTYPE)
    wanted = _changes(seen[np.isin(seen, np.array(sites, "u8"))])
    found = _changes(told["first"][told["rtype"] == _INSTR].astype("u8"))
    shorter = min(len(wanted), len(found))
    if shorter < _FEWEST:
        return [f"order: {shorter} changes of the site are too few"]
    differs = np.flatnonzero(wanted[:shorter] != found[:shorter])
    if not len(differs) and len(wanted) == len(found):
        return []
    at = int(differs[0]) if len(differs) else shorter
    return [
        f"order: access {at} is at {[hex(pc) for pc in wanted[at : at + 3]]}, "
        f"in the trace at {[hex(pc) for pc in found[at : at + 3]]} "
        f"({len(wanted)} and {len(found)} in all)"
    ]


def _changes(pcs: Array) -> Array:
    """Return program counters without those that equal the one before."""
    return pcs[np.flatnonzero(np.diff(pcs, prepend=np.uint64(0)))]


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
