"""The programs of gcc's own test suite, and what it only compiles.

They come from Debian's source package of gcc-12; nothing of them is kept in this project.  Of
DejaGnu's directives those are read that say how a program is compiled; programs that need more
(another machine, an option of another target) do not pass plainly and are counted apart.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from truth.gzip_truth import fetch_source

from inst.errors import InstError

_DIRECTIVE = re.compile(r"\{\s*dg-(?:additional-)?options\s+(?:\"([^\"]*)\"|\{([^}]*)\})([^\n]*)")
_ACTION = re.compile(r"\{\s*dg-do\s+([a-z]+)")
_SOURCES = re.compile(r"\{\s*dg-additional-sources\s+\"?([^\"}]+)\"?\s*\}")
_CONDITION = re.compile(r"\{\s*target\b")
_FOLDERS = (
    "gcc.c-torture",
    "gcc.dg/torture",
    "gcc.dg/vect",
    "gcc.target/powerpc",
    "gcc.target/sparc",
    "g++.dg",
    "g++.old-deja",
)
_REPLACED_FUNCTIONS = (
    "-fno-tree-dse",
    "-fno-tree-loop-distribute-patterns",
    "-fno-tracer",
    "-fno-ipa-ra",
    "-fno-inline-functions",
)
"""How execute/builtins is compiled, whose programs define memcpy and its kin themselves."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program and how it is compiled, whatever the target and the optimisation."""

    name: str
    """Its first source file, from the test suite's directory."""
    sources: tuple[Path, ...]
    flags: tuple[str, ...]
    linked: tuple[str, ...]
    """Options for linking only."""
    language: str
    """"gcc" or "g++": the driver."""
    runs: bool = True
    """Whether it is a program; otherwise it is only compiled."""
    of: str = ""
    """What the names of its targets begin with."""

    def runs_on(self, target: str) -> bool:
        """Return whether the program is for a target."""
        return target.startswith(self.of)


def find_programs(piece: str, directory: Path) -> list[Program]:
    """Return the programs of a piece (of `SUITES`), sorted by name.

    The source package is fetched and unpacked into `directory` if it is not there.
    Raises InstError if it cannot be fetched.
    """
    return sorted(SUITES[piece](_unpack(directory)), key=lambda program: program.name)


def _unpack(directory: Path) -> Path:
    """Return the test suite's directory; Debian's package holds gcc's sources as an archive."""
    made = directory / "testsuite"
    if all((made / name).is_dir() for name in _FOLDERS):
        return made
    shutil.rmtree(made, ignore_errors=True)
    package = fetch_source("gcc-12", directory)
    archive = next(iter(sorted(package.glob("gcc-*.tar.xz"))), None)
    if archive is None:
        raise InstError(f"{package} holds no archive of gcc's sources")
    wanted = [f"*/gcc/testsuite/{name}" for name in _FOLDERS]
    unpacked = directory / "unpacked"
    unpacked.mkdir(exist_ok=True)
    command = ["tar", "-xf", str(archive), "-C", str(unpacked), "--wildcards", *wanted]
    done = subprocess.run(command, capture_output=True, text=True)
    suites = sorted(unpacked.glob("*/gcc/testsuite"))
    if done.returncode or not suites:
        raise InstError(f"cannot unpack {archive}: {done.stderr.strip()[-500:]}")
    suites[0].rename(made)
    return made


def _conformance(suite: Path) -> Iterator[Program]:
    execute = suite / "gcc.c-torture" / "execute"
    for directory in (execute, execute / "ieee"):
        for source in directory.glob("*.c"):
            yield _program(suite, source, "gcc")
    builtins = execute / "builtins"
    for source in builtins.glob("*.c"):
        library = source.with_name(f"{source.stem}-lib.c")
        if library.exists():
            yield Program(
                str(source.relative_to(suite)),
                (source, library, builtins / "lib" / "main.c"),
                (*_REPLACED_FUNCTIONS, *_options(source)),
                ("-Wl,--allow-multiple-definition", "-lm"),
                "gcc",
            )


def _exceptions(suite: Path) -> Iterator[Program]:
    for source in (suite / "g++.dg" / "eh").glob("*.C"):
        if _action(source) == "run":
            yield _program(suite, source, "g++")
    for source in (suite / "g++.old-deja").rglob("*.C"):
        if _action(source) in ("run", ""):
            yield _program(suite, source, "g++")


def _compiled(suite: Path) -> Iterator[Program]:
    for source in (suite / "gcc.c-torture" / "compile").glob("*.c"):
        yield replace(_program(suite, source, "gcc"), runs=False)


def _torture(suite: Path) -> Iterator[Program]:
    for source in (suite / "gcc.dg" / "torture").rglob("*.c"):
        yield _as_its_source_says(_program(suite, source, "gcc"), source, "run")


def _vectors(suite: Path) -> Iterator[Program]:
    """How gcc.dg/vect/vect.exp compiles: PowerPC with AltiVec, SPARC without vectors.

    Those in folders of their own are of other machines, or take minutes.
    """
    for source in (suite / "gcc.dg" / "vect").glob("*.c"):
        program = _as_its_source_says(_program(suite, source, "gcc"), source, "run", "")
        flags = ("-ftree-vectorize", "-fno-vect-cost-model", *program.flags)
        yield replace(program, flags=("-maltivec", *flags), of="ppc")
        yield replace(program, flags=flags, of="sparc")


def _machine(suite: Path) -> Iterator[Program]:
    for folder, of in (("powerpc", "ppc"), ("sparc", "sparc")):
        for source in (suite / "gcc.target" / folder).glob("*.c"):
            program = replace(_program(suite, source, "gcc"), of=of)
            yield _as_its_source_says(program, source, "run")


def _as_its_source_says(program: Program, source: Path, *running: str) -> Program:
    """Return a program, or what is only compiled; `running` are the actions of those that run."""
    return replace(program, runs=_action(source) in running)


def _program(suite: Path, source: Path, language: str) -> Program:
    sources = [source]
    for match in _SOURCES.finditer(_text(source)):
        sources += [source.parent / name for name in match[1].split()]
    flags = (f"-I{source.parent}", *_options(source))
    if language == "g++":
        flags = ("-fpermissive", *flags)
    return Program(str(source.relative_to(suite)), tuple(sources), flags, ("-lm",), language)


def _options(source: Path) -> tuple[str, ...]:
    """Return what the directives ask for on every target."""
    found: list[str] = []
    for match in _DIRECTIVE.finditer(_text(source)):
        if not _CONDITION.search(match[3]):
            found += shlex.split((match[1] or match[2] or "").replace("\\", ""))  # as Tcl's
    return tuple(word for word in found if not word.startswith("-W"))


def _action(source: Path) -> str:
    match = _ACTION.search(_text(source))
    return match[1] if match else ""


def _text(source: Path) -> str:
    return source.read_text(errors="replace")


SUITES: dict[str, Callable[[Path], Iterator[Program]]] = {
    "conformance": _conformance,
    "exceptions": _exceptions,
    "compiled": _compiled,
    "torture": _torture,
    "vectors": _vectors,
    "machine": _machine,
}
"""By piece: what finds its programs in the test suite."""
