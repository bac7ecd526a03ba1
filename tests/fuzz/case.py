"""One random program: how it is made, built twice, run twice and judged."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from truth.binary import Binary
from truth.emulator import Plugins, Result, run
from truth.harness import Build, check_pair, compile_object, link_program

from inst.errors import InstError
from inst.targets import TARGETS, Target
from inst.translate import Options, translate
from tests.fuzz import c_program, powerpc, sparc
from tests.fuzz.manner import HOSTILE, choose
from tests.verify.verify import verify

HERE = Path(__file__).resolve().parent
GENERATORS = {"sparc": sparc, "powerpc": powerpc}
HOOKS = (
    ("empty", "values"),
    (HOSTILE["values"], "values"),
    ("rst", "values"),
    ("empty", "addresses"),
)
TIMEOUT = 60
"""Seconds that a program may run."""
FUNCTIONS = 20
"""Functions of a generated assembly file."""
_IDENT = '\t.ident "GCC: (random)"\n'


@dataclass(frozen=True, slots=True)
class Case:
    """A program that a seed makes, and how it is instrumented."""

    kind: str
    """"assembly" or "c"."""
    target: str
    seed: int

    @property
    def name(self) -> str:
        """Return what the case is called in messages and files."""
        return f"{self.kind}-{self.target}-{self.seed}"

    def choice(self) -> tuple[str, str]:
        """Return hook library and level for assembly."""
        return random.Random(f"how {self.seed}").choice(HOOKS)


def possible(kind: str, target: str) -> bool:
    """Tell whether there are programs of a kind for a target."""
    return kind == "c" or (TARGETS[target].bits == 32 and TARGETS[target].isa in GENERATORS)


def source_of(case: Case) -> str:
    """Return the program's text, the same for the same seed."""
    if case.kind == "c":
        return c_program.write_program(choose(case.target, case.seed), case.seed)
    generator, chosen = GENERATORS[TARGETS[case.target].isa], random.Random(case.seed)
    names = [f"fuzz{n}" for n in range(FUNCTIONS)]
    functions = [generator.Function(chosen, name).text() for name in names]
    ident = _IDENT if chosen.random() < 0.7 else ""
    return "\t.text\n" + "".join(functions) + ident


def functions_of(source: str) -> list[str]:
    """Return the functions that a generated file holds."""
    return re.findall(r"^(fuzz\d+):", source, re.MULTILINE)


def judge(case: Case, source: str, directory: Path, plugins: Plugins | None = None) -> str:
    """Return what is wrong with the instrumented form of a program; "" if nothing is.

    With plugins, its trace is held against the emulator's record, too.  Raises Unsuitable if
    csmith's program itself will not do.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    target = TARGETS[case.target]
    if case.kind == "c":
        manner = choose(case.target, case.seed)
        return c_program.Trial(target, manner, directory).judge(source, plugins)
    hooks, level = case.choice()
    if plugins is not None:
        hooks, level = "rst", "values"
    flags = ("-O1", "-static", "-fno-pic")
    plain = Build(target, flags)
    traced = Build(target, flags, hooks=hooks, level=level)
    files = _files(case, source, directory)
    try:
        before = _made(plain, files, directory, "plain", True)
    except RuntimeError as error:
        return f"plain: {str(error)[:300]}"
    expected = _run(directory / "plain", directory)
    if expected is None or expected.status not in (0,):
        return f"the plain program gives {expected}"
    try:
        after = _made(traced, files, directory, "traced", plugins is not None)
    except RuntimeError as error:
        return f"build: {str(error)[:600]}"
    if plugins is not None:
        verdict = check_pair(plugins, before, after, directory, [])
        return "\n".join(verdict.problems[:4])
    found = _run(directory / "traced", directory)
    if found != expected:
        return f"{case.choice()}: the plain program gives {expected}, the instrumented one {found}"
    return _verified(files[0], target, level)


def _files(case: Case, source: str, directory: Path) -> list[Path]:
    first = directory / "fuzz.s"
    first.write_text(source)
    names = functions_of(source)
    extern = "".join(f"unsigned {name}(unsigned, unsigned *);\n" for name in names)
    table = ", ".join([*names, "0"])
    listed = directory / "table.c"
    kind = "unsigned (*const fuzz_functions[])(unsigned, unsigned *)"
    listed.write_text(f"{extern}{kind} = {{{table}}};\n")
    leaf = directory / "leaf.s"
    leaf.write_text("\t.text\n" + GENERATORS[TARGETS[case.target].isa].LEAF)
    return [first, HERE / "run.c", listed, leaf]


def _made(build: Build, files: list[Path], directory: Path, name: str, everything: bool) -> Binary:
    objects = []
    for source in files:
        own = (
            build if everything or source.parent == directory else Build(build.target, build.flags)
        )
        objects.append(directory / f"{name}-{source.stem}.o")
        compile_object(own, source, objects[-1])
    return link_program(build, objects, directory / name)


def _run(program: Path, directory: Path) -> Result | None:
    """Run a program; None if it does not end in time."""
    environment = {"INST_OUT": str(directory / "trace")}
    try:
        return run(program, [], "", environment, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None


def _verified(path: Path, target: Target, level: str) -> str:
    """Verify the rewriter's output statically."""
    source = path.read_text()
    try:
        rewritten = translate(source, target, Options(level, restores=False), path.name)
    except InstError as error:
        return f"refused: {error.render()}"
    return "\n".join(verify(source, rewritten, target, level)[:4])
