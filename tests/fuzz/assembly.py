"""One generated assembly file: built plain and instrumented, run, verified.

The translation runs in this process and the result is both run and verified; what stays the
same from case to case (the program's main function, the function that is called) is built once.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from zlib import crc32

from truth.binary import Binary, read_binary
from truth.emulator import Plugins, Result
from truth.harness import Build, check_pair, compile_object, link_program

from inst.build.library import build_library
from inst.errors import InstError
from inst.target.targets import TARGETS, Target
from inst.translate import Options, translate
from tests.fuzz.machines import MACHINES
from tests.fuzz.running import difference, run_program
from tests.verify.verify import verify_rewriting

HERE = Path(__file__).resolve().parent
_FLAGS = ("-O1", "-static", "-fno-pic")
_OTHER_SEED = "-1515870811"
"""What other values registers without meaning get (`tests.fuzz.callers`)."""
_ELSEWHERE = "-Wl,-Ttext-segment=0x30000000"
"""What moves code and data."""
_SHOWN = 300
"""Characters of an assembler's messages that are shown."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A generated file and how it is instrumented."""

    target: Target
    hooks: str
    level: str
    source: str
    directory: Path


def options_of(subject: Subject) -> Options:
    """Return what the translator is asked for: in one file of four, functions as well."""
    functions = crc32(subject.source.encode()) % 4 == 0
    return Options(subject.level, functions=functions)


def functions_of(source: str) -> list[str]:
    """Return the functions that a generated file holds."""
    return re.findall(r"^(fuzz\d+):", source, re.MULTILINE)


def judge_assembly(subject: Subject, plugins: Plugins | None = None) -> str:
    """Return what is wrong with the instrumented form of a file; "" if nothing is.

    With plugins, the trace of the `rst` library is held against the emulator's record, too.
    """
    plain = Build(subject.target, _FLAGS)
    traced = replace(plain, hooks=subject.hooks, level=subject.level)
    try:
        before = _objects(subject, subject.source, "plain")
        expected = _run(subject, plain, before, "plain")
    except RuntimeError as error:
        return f"plain: {error}"
    if expected is None or expected.status != 0:
        return f"the plain program gives {expected}"[:_SHOWN]
    moved = replace(plain, flags=(*_FLAGS, _ELSEWHERE))
    if _run(subject, moved, before, "moved", _OTHER_SEED) != expected:
        return "plain: the result depends on an address, or on what has no value"
    try:
        rewritten = translate(subject.source, subject.target, options_of(subject), "fuzz.s")
        after = _objects(subject, rewritten, "traced")
        found = _run(subject, traced, after, "traced")
    except InstError as error:
        return f"refused: {error.render()}"
    except RuntimeError as error:
        return f"build: {error}"
    return (
        difference(expected, found)
        or _verified(subject)
        or (_untrue(subject, (plain, before), (traced, after), plugins) if plugins else "")
    )


def _verified(subject: Subject) -> str:
    """Verify the rewriter's output statically."""
    options = options_of(subject)
    problems = verify_rewriting(subject.source, subject.target, options, "fuzz.s")
    return "\n".join(problems[:4])


def _objects(subject: Subject, text: str, name: str) -> list[Path]:
    """Assemble one form of the file, and the table of its functions."""
    plain = Build(subject.target, _FLAGS)
    table = MACHINES[subject.target.name].table(functions_of(subject.source))
    made = []
    for part, content in (("fuzz", text), ("table", table)):
        source = subject.directory / f"{name}-{part}.s"
        source.write_text(content)
        made.append(source.with_suffix(".o"))
        try:
            compile_object(plain, source, made[-1])
        except RuntimeError as error:
            raise RuntimeError(str(error)[-_SHOWN:]) from error
    return [*made, *_shared(subject.target.name, subject.directory.parent)]


def _run(
    subject: Subject, build: Build, objects: list[Path], name: str, *arguments: str
) -> Result | None:
    """Link a form and run it.

    The library is named as a file, which `inst-cc` would find by itself, to save its start.
    """
    made, target = subject.directory / name, build.target
    library = [_library(target.name, build.hooks)] if build.hooks else []
    command = [*target.compiler, *build.flags, "-o", made, *objects, *library]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-_SHOWN:])
    return run_program(made, subject.directory, *arguments)


def _untrue(
    subject: Subject,
    plain: tuple[Build, list[Path]],
    traced: tuple[Build, list[Path]],
    plugins: Plugins,
) -> str:
    """Hold the trace against what the emulator saw."""
    before, after = (
        _link(build, objects, subject.directory / name)
        for name, (build, objects) in (("plain", plain), ("traced", traced))
    )
    map_file = subject.directory / "traced.map"
    others = [str(path) for path in traced[1][2:]]
    driver = read_binary(after.path, map_file, subject.target.isa, others)
    beside = tuple((piece.low, piece.high) for piece in driver.pieces)
    verdict = check_pair(plugins, before, after, subject.directory, [], beside=beside)
    return "\n".join(verdict.problems[:4])


def _link(build: Build, objects: list[Path], made: Path) -> Binary:
    """Link a form of which the file and its table are the user's code: the rest is not traced."""
    own, shared = objects[:2], objects[2:]
    return link_program(replace(build, libraries=(*map(str, shared),)), own, made)


@cache
def _library(target: str, hooks: str) -> Path:
    """Return the archive of a hook library for programs."""
    return Path(build_library(hooks, list(TARGETS[target].compiler), TARGETS[target], False))


@cache
def _shared(target: str, directory: Path) -> list[Path]:
    """Build what the programs of a target have in common."""
    build = Build(TARGETS[target], _FLAGS)
    room = directory / f"shared-{target}"
    room.mkdir(parents=True, exist_ok=True)
    leaf = room / "leaf.s"
    leaf.write_text(MACHINES[target].leaf)
    made = []
    for source in (HERE / "run.c", leaf):
        made.append(room / f"{source.stem}.o")
        compile_object(build, source, made[-1])
    return made
