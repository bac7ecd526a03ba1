"""One real program on one target: built, run under the emulator, and its calls compared."""

from __future__ import annotations

from pathlib import Path

from truth.emulator import Plugins

from inst.calltree.calls import ENTRIES
from inst.target.targets import Target
from tests.calltree.comparison import Compared, compare, reconstruct, reported
from tests.calltree.oracle import observe
from tests.calltree.programs import FUNCTIONS, build_program


def compare_program(name: str, target: Target, plugins: Plugins, directory: Path) -> Compared:
    """Compare every call of a program that has events of functions; it has one thread."""
    built, trace = build_program(name, target, FUNCTIONS), directory / f"{name}-{target.name}.rst"
    sites = reported(built.path, target.isa)
    threads, result = observe(plugins, built.path, built.names, sites, trace, built.arguments)
    calls, seen = reconstruct(trace, built.path, built.names)
    found = compare(*seen.values(), *threads)
    if result.status or (calls.how, calls.note()) != (ENTRIES, "") or not all(calls.tree.exact):
        found.add(f"status {result.status}, calls by {calls.how}: {calls.note()}")
    trace.unlink()
    return found
