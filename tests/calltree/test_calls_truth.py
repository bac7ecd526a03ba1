"""Calls as they are reconstructed from traces, against the emulator's record of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from truth.emulator import Plugins
from truth.harness import python_environment

from inst.calltree.calls import ACCESSES, ENTRIES
from inst.target.targets import TARGETS
from tests.calltree.comparison import compare, contradictions, reconstruct, reported
from tests.calltree.oracle import Names, functions_of, observe
from tests.warm import python

HERE = Path(__file__).parent
SOURCES = ("calls.c", "exceptions.cc")


def build(source: Path, target: str, directory: Path, *options: str) -> tuple[Path, Names]:
    """Compile and link a program through inst-cc; return it and its own functions."""
    compiler = [*TARGETS[target].compiler]
    if source.suffix == ".cc":
        compiler[0] = compiler[0].replace("gcc", "g++")
    made, compiled = directory / "program", directory / "program.o"
    command = [python(), "-m", "inst.wrap.cc", *options, "--inst-hooks=rst", *compiler, "-O2", "-w"]
    for step in (["-c", str(source), "-o", str(compiled)], [str(compiled), "-o", str(made)]):
        subprocess.run([*command, *step], check=True, env=python_environment())
    return made, functions_of([compiled])


@pytest.mark.rotated("sparc-v8")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", TARGETS)
def test_function_events_give_the_tree_of_calls(
    target: str, source: str, plugins: Plugins, tmp_path: Path
) -> None:
    """The same calls from the same places, in the same order; each access where it was made."""
    program, names = build(HERE / source, target, tmp_path, "--inst-functions")
    trace = tmp_path / "trace.rst"
    sites = reported(program, TARGETS[target].isa)
    threads, _ = observe(plugins, program, names, sites, trace)
    calls, seen = reconstruct(trace, program, names)
    assert (calls.how, calls.note(), len(threads)) == (ENTRIES, "", 1)
    found = compare(*seen.values(), *threads)
    assert (found.differences, found.shown) == (0, [])
    assert found.calls > 60 and found.sites > 40
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
    sites = reported(program, TARGETS[target].isa)
    threads, _ = observe(plugins, program, names, sites, trace)
    calls, found = reconstruct(trace, program, names)
    assert calls.how == ACCESSES
    (seen,), (thread,) = found.values(), threads
    assert [pc for pc, _ in seen.accesses] == [pc for pc, _ in thread.accesses]
    assert list(contradictions(seen, thread)) == []
    assert sum(begins for begins, _, _ in seen.moves) <= len(thread.calls)
    whole = sum(one == other for one, other in zip(seen.accesses, thread.accesses, strict=True))
    # main has no access there before its calls, so nothing shows that it runs.
    assert whole > 0.5 * len(thread.accesses) or (source, target[:5]) == ("exceptions.cc", "sparc")
