"""One real program on one target: built, run under the emulator, and its calls compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from truth.emulator import Plugins, code_extent

from inst.calltree.calls import ACCESSES, ENTRIES, INSTRUCTIONS
from inst.target.targets import Target
from tests.calltree.comparison import (
    Compared,
    Seen,
    compare,
    contradictions,
    reconstruct,
    reported,
)
from tests.calltree.executed import Words, write_trace
from tests.calltree.oracle import Layout, Thread, log_blocks, observe, read_blocks
from tests.calltree.programs import FUNCTIONS, HOOKS, PLAIN, Built, build_program

ARCHES = {"ppc32": "ppc"}
"""What traces call a target, where that is not its name."""


def by_functions(name: str, target: Target, plugins: Plugins, directory: Path) -> Compared:
    """Compare every call and access of a program that has events of functions."""
    built = build_program(name, target, FUNCTIONS)
    found, seen, thread = _observed(built, target, plugins, directory, ENTRIES)
    return found.with_all(compare(seen, thread))


def by_accesses(name: str, target: Target, plugins: Plugins, directory: Path) -> Compared:
    """Hold what accesses show for certain against what ran."""
    built = build_program(name, target, HOOKS)
    found, seen, thread = _observed(built, target, plugins, directory, ACCESSES)
    found.accesses = len(thread.accesses)
    found.calls = sum(begins for begins, _, _ in seen.moves)
    if found.calls > len(thread.calls):
        found.add(f"{found.calls} calls of {len(thread.calls)}")
    if [pc for pc, _ in seen.accesses] != [pc for pc, _ in thread.accesses]:
        found.add("the trace has other accesses")
        return found
    for text in contradictions(seen, thread):
        found.add(text)
    return found


def by_instructions(name: str, target: Target, plugins: Plugins, directory: Path) -> Compared:
    """Compare the program's own calls in a trace of every instruction, the C library's too."""
    built, trace = build_program(name, target, PLAIN), directory / f"{name}-{target.name}.rst"
    layout, log = Layout(built.path, built.names), trace.with_suffix(".blocks")
    result = log_blocks(plugins, built.path, [code_extent(built.path)], log, built.arguments, {})
    thread, blocks = Thread(layout, []), [(first, last) for first, last, _ in read_blocks(log)]
    for first, last in blocks:
        if layout.is_own(first):
            thread.block(first, last)
    thread.end()
    arch = ARCHES.get(target.name, target.name)
    write_trace(trace, iter(blocks), Words(built.path), arch)
    calls, seen = reconstruct(trace, built.path, built.names)
    found = Compared()
    if result.status or calls.how != INSTRUCTIONS:
        found.add(f"status {result.status}, calls by {calls.how}")
    trace.unlink()
    # The tree does not say where calls return to, and accesses are looked at elsewhere.
    true = replace(thread, moves=[(begins, path, 0) for begins, path, _ in thread.moves])
    (only,) = seen.values()
    return found.with_all(compare(Seen(only.moves), true))


WAYS: dict[str, Callable[[str, Target, Plugins, Path], Compared]] = {
    "functions": by_functions,
    "instructions": by_instructions,
    "accesses": by_accesses,
}


def _observed(
    built: Built, target: Target, plugins: Plugins, directory: Path, how: str
) -> tuple[Compared, Seen, Thread]:
    """Run an instrumented program, which has one thread, and reconstruct its calls."""
    trace = directory / f"{built.path.parent.name}-{target.name}.rst"
    sites = reported(built.path, target.isa)
    (thread,), result = observe(plugins, built.path, built.names, sites, trace, built.arguments)
    calls, seen = reconstruct(trace, built.path, built.names)
    found = Compared()
    if result.status or calls.how != how or calls.exact != all(calls.tree.exact):
        found.add(f"status {result.status}, calls by {calls.how}: {calls.note()}")
    trace.unlink()
    (only,) = seen.values()
    return found, only, thread
