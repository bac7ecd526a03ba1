"""Real programs whose calls are compared: gzip and lua from Debian's sources, and a C++ program.

They are built like the cost bench's, and kept in its directory.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from truth.gzip_truth import make_data

from inst.target.targets import Target
from tests.bench import programs
from tests.bench.building import build
from tests.bench.programs import WORK, Program, Sources
from tests.bench.ways import Way
from tests.calltree.oracle import Names, functions_of

HERE = Path(__file__).resolve().parent
FUNCTIONS, HOOKS, PLAIN = "functions", "hooks", "plain"
"""How code is compiled, by the names of the bench: with `--inst-functions`, without, not at all."""


@dataclass(frozen=True, slots=True)
class Built:
    """A program that is instrumented."""

    path: Path
    names: Names
    """Its own functions."""
    arguments: list[str]


def _data(size: int) -> Path:
    """Return a file of so many bytes, in which text, noise and runs are mixed."""
    path = WORK / f"data-{size}-bytes"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        make_data(path, size)
    return path


def _parcels(_target: Target) -> Sources:
    files = (HERE / "parcels.cc", HERE / "parcels_walk.c")
    return Sources(files, ("-fexceptions",), ("-lstdc++", "-lm"))


_PARCELS = Program("parcels", _parcels, lambda _: [], (1, 1))
_ARGUMENTS: dict[str, Callable[[], list[str]]] = {
    "gzip": lambda: ["-nc", str(_data(4000))],
    "lua": lambda: [str(HERE / "calls.lua")],
    "parcels": list,
}
NAMES = tuple(_ARGUMENTS)


def build_program(name: str, target: Target, code: str) -> Built:
    """Build one of the programs with the hook library rst; a plain one is static."""
    program = programs.PROGRAMS.get(name, _PARCELS)
    with _alone(name):
        program.prepare()
        sources, hooks = program.sources(target), "rst"
        if code == PLAIN:
            sources, hooks = replace(sources, libraries=(*sources.libraries, "-static")), ""
        way = Way(f"calls-{code}", "", code, hooks)
        made = build(replace(program, sources=lambda _: sources), way, target)
    objects = sorted((made.parent / f"{code}.objects").glob("*.o"))
    return Built(made, functions_of(objects), _ARGUMENTS[name]())


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Let one process at a time build a program: tests that run side by side share it."""
    WORK.mkdir(parents=True, exist_ok=True)
    with (WORK / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
