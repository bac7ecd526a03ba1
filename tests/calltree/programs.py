"""Real programs whose calls are compared: gzip and lua from Debian's sources, and a C++ program.

They are built like the cost bench's, and kept in its directory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from truth.gzip_truth import make_data

from inst.target.targets import Target
from tests.bench import programs
from tests.bench.building import build
from tests.bench.programs import WORK, Program, Sources
from tests.bench.ways import Way
from tests.calltree.oracle import Names, functions_of

HERE = Path(__file__).resolve().parent
FUNCTIONS, HOOKS = "functions", "hooks"
"""How code is compiled, by the names of the bench: with `--inst-functions`, and without."""


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
    """Build one of the programs with the hook library rst."""
    program = programs.PROGRAMS.get(name, _PARCELS)
    program.prepare()
    made = build(program, Way(f"calls-{code}", "", code, "rst"), target)
    objects = sorted((made.parent / f"{code}.objects").glob("*.o"))
    return Built(made, functions_of(objects), _ARGUMENTS[name]())
