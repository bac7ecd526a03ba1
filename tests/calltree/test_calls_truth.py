"""Calls as they are reconstructed from traces, against the emulator's record of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from truth.emulator import Plugins, build_plugins
from truth.harness import python_environment

from inst.calltree.calls import ACCESSES, ENTRIES, Calls
from inst.program.sitetable import read_sites
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Flag, Kind
from inst.words.access import BOTH
from inst.words.decode import lookup
from tests.calltree.oracle import Layout, Path_, functions_of, observe
from tests.warm import python

HERE = Path(__file__).parent
SOURCES = ("calls.c", "exceptions.cc")


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Plugins:
    """The emulator plugins, compiled for this machine."""
    return build_plugins(tmp_path_factory.mktemp("plugins"))


@dataclass(slots=True)
class Seen:
    """What was reconstructed of a thread."""

    calls: list[int]
    """The node of each."""
    accesses: list[tuple[int, int]]
    """The pc as linked, and the node."""


def build(source: Path, target: str, directory: Path, *options: str) -> tuple[Path, set[str]]:
    """Compile and link a program through inst-cc; return it and its own functions."""
    compiler = [*TARGETS[target].compiler]
    if source.suffix == ".cc":
        compiler[0] = compiler[0].replace("gcc", "g++")
    made, compiled = directory / "program", directory / "program.o"
    command = [python(), "-m", "inst.wrap.cc", *options, "--inst-hooks=rst", *compiler, "-O2", "-w"]
    for step in (["-c", str(source), "-o", str(compiled)], [str(compiled), "-o", str(made)]):
        subprocess.run([*command, *step], check=True, env=python_environment())
    return made, functions_of([compiled])


def reported(program: Path, target: str) -> list[int]:
    """Return the link-time addresses of accesses that the trace has.

    The linker makes additions of some loads: these are none any more.
    """
    layout = Layout(program, set())
    sites = [site.address for site in read_sites(program) if site.event != "unreported"]
    words = np.array([layout.word(site) for site in sites], "u4")
    what, _ = lookup(words, TARGETS[target].isa)
    return [site for site, one in zip(sites, what.tolist(), strict=True) if one & BOTH]


def reconstructed(trace: Path, program: Path, names: set[str]) -> tuple[Calls, dict[int, Seen]]:
    """Return what was reconstructed, by thread."""
    opened, found = open_trace(trace), dict[int, Seen]()
    calls = Calls(opened, [program], demangle=False)
    for rows in opened.events():
        taken = calls.take(rows)
        tree = calls.tree
        for move in taken.moves:
            seen = found.setdefault(move.thread, Seen([], []))
            if move.enters and move.counted and tree.names[move.node] in names:
                seen.calls.append(move.node)
        bias = opened.facts.images[0].base if opened.facts.images else 0
        for row in _accesses(rows).tolist():
            seen = found.setdefault(int(rows["thread"][row]), Seen([], []))
            seen.accesses.append((int(rows["pc"][row]) - bias, int(taken.nodes[row])))
    return calls, found


def _accesses(rows: np.ndarray) -> np.ndarray:
    """Return the first event of each instruction that accessed memory."""
    own = rows["flags"] & int(Flag.HAS_PC) != 0
    own &= np.isin(rows["kind"], (Kind.READ, Kind.WRITE, Kind.RESERVE))
    own[1:] &= rows["record"][1:] != rows["record"][:-1]
    return np.flatnonzero(own)


@pytest.mark.rotated("sparc-v8")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", TARGETS)
def test_function_events_give_the_tree_of_calls(
    target: str, source: str, plugins: Plugins, tmp_path: Path
) -> None:
    """The same calls in the same functions, in the same order; each access where it was made."""
    program, names = build(HERE / source, target, tmp_path, "--inst-functions")
    trace = tmp_path / "trace.rst"
    threads, _ = observe(plugins, program, names, reported(program, target), trace)
    calls, found = reconstructed(trace, program, names)
    assert (calls.how, calls.note(), len(threads)) == (ENTRIES, "", 1)
    (seen,) = found.values()
    assert [own_path(calls, node, names) for node in seen.calls] == threads[0].calls
    assert len(seen.calls) > 60
    assert all(calls.tree.exact)


@pytest.mark.rotated("sparc-v8")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", TARGETS)
def test_accesses_give_nothing_that_was_not(
    target: str, source: str, plugins: Plugins, tmp_path: Path
) -> None:
    """What stands around an access was running; what is its caller for certain was."""
    program, names = build(HERE / source, target, tmp_path)
    trace = tmp_path / "trace.rst"
    threads, _ = observe(plugins, program, names, reported(program, target), trace)
    calls, found = reconstructed(trace, program, names)
    assert calls.how == ACCESSES
    (seen,) = found.values()
    true = threads[0].accesses
    assert [pc for pc, _ in seen.accesses] == [pc for pc, _ in true]
    nodes = [node for _, node in seen.accesses]
    assert list(contradictions(calls, nodes, [path for _, path in true], names)) == []
    assert len(seen.calls) <= len(threads[0].calls)
    whole = sum(
        own_path(calls, node, names) == path
        for (_, node), (_, path) in zip(seen.accesses, true, strict=True)
    )
    # main has no access there before its calls, so nothing shows that it runs.
    assert whole > 0.5 * len(true) or (source, target[:5]) == ("exceptions.cc", "sparc")


def own_path(calls: Calls, node: int, names: set[str]) -> Path_:
    """Return which of a program's own functions run."""
    return tuple(name for name in calls.tree.path(node) if name in names)


def contradictions(
    calls: Calls, nodes: list[int], true: list[Path_], names: set[str]
) -> Iterator[str]:
    """Yield the places at which calls are stated that were not."""
    for at, (node, path) in enumerate(zip(nodes, true, strict=True)):
        chain = [one for one in calls.tree.chain(node) if calls.tree.names[one] in names]
        stated = [(calls.tree.names[one], calls.tree.direct[one]) for one in chain]
        if not _is_within(stated, path):
            yield f"{at}: {stated} is not of {path}"


def _is_within(stated: list[tuple[str, bool]], path: Path_) -> bool:
    """Return whether functions are among those that ran, callers adjacent where stated."""
    ends = {-1}
    for name, direct in stated:
        places = [at for at, one in enumerate(path) if one == name]
        ends = {
            at
            for at in places
            if any(at == end + 1 or (at > end and (not direct or end < 0)) for end in ends)
        }
    return len(path) - 1 in ends
