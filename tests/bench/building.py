"""Build a program of the cost bench in one of the ways: nothing is made twice from the same.

gcc compiles each file to assembly once for a target; the plain program and those of inst-cc
are assembled from that, so that they differ in instrumentation alone. Where code that records
needs a register, it is compiled apart, as by inst-cc.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from truth.harness import python_environment

from inst.arch.registry import architecture
from inst.target.model import Target, Targets
from tests.bench import ROOT
from tests.bench.programs import HERE, WORK, Program, Sources
from tests.bench.ways import CODES, Code, Way
from tests.classic.workloads import execute
from tests.real.suite import CLANG
from tests.warm import python

_OPTIMISED = ("-O2", "-w")
_APART = "-Wl,-Tdata=0x2000000"
"""SPARC's table of calls to libraries is code, and lies in the page in which the data begin: the
emulator would translate it again whenever these change, which takes longer than all else."""
_OWN = ("inst", "hooks", "runtime", "wrappers")


def build(program: Program, way: Way, target: Target) -> Path:
    """Return the program, built in a way."""
    sources, directory = program.sources(target), WORK / target.name / program.name
    objects = objects_of(sources, way.code, target, directory)
    code, made = CODES[way.code], directory / way.name
    whole = ["--inst-objects=all"] if way.static and way.hooks else []
    linker = [*_inst_cc(code, way.hooks), *whole, *target.compiler]
    linker += ["-static"] if way.static else []
    if way.callbacks:
        objects.append(_callbacks(way.callbacks, target, directory))
    apart = [_APART] if target.isa == "sparc" else []
    command = [*linker, *apart, "-o", str(made), *map(str, objects), *sources.libraries]
    uses = [*objects, *(Path(word) for word in sources.libraries if word.startswith("/"))]
    _once(made, command, uses, own=bool(code.options))
    return made


def digest(paths: Iterable[Path], words: Iterable[str] = ()) -> str:
    """Return what changes with the content of files, or with words."""
    made = hashlib.sha256("\0".join(words).encode())
    for path in paths:
        made.update(path.read_bytes())
    return made.hexdigest()[:24]


def objects_of(sources: Sources, code: str, target: Target, directory: Path) -> list[Path]:
    """Return the objects of a program for a target, compiled in one of `CODES` in a directory."""
    place = directory / f"{code}.objects"
    place.mkdir(parents=True, exist_ok=True)
    compile_one = _assembled if CODES[code].compiler == "gcc" and not CODES[code].flags else _whole
    return [compile_one(file, sources, code, target, place) for file in sources.files]


def _whole(file: Path, sources: Sources, code: str, target: Target, place: Path) -> Path:
    """Compile a file by a compiler that instruments it by itself, or by clang."""
    command = [*_compiler(CODES[code], target), *CODES[code].flags, *_OPTIMISED, *sources.flags]
    made = place / f"{file.stem}.o"
    return _once(made, [*command, "-c", "-o", str(made), str(file)], [file, *sources.included])


def _assembled(file: Path, sources: Sources, code: str, target: Target, place: Path) -> Path:
    """Assemble what gcc makes of a file, through inst-cc or plain."""
    records = any(one.startswith("--inst-record") for one in CODES[code].options)
    targets = architecture(target.isa).part(Targets)
    plain, required = (targets.compiled_with(target.name, records=one) for one in (False, records))
    folder = place.parent / ("assembly" if required == plain else "assembly-recording")
    folder.mkdir(exist_ok=True)
    text = folder / f"{file.stem}.s"
    command = [*target.compiler, *required, *_OPTIMISED, *sources.flags]
    _once(text, [*command, "-S", "-o", str(text), str(file)], [file, *sources.included])
    made, own = place / f"{file.stem}.o", _inst_cc(CODES[code])
    command = [*own, *target.compiler, "-c", "-o", str(made), str(text)]
    return _once(made, command, [text], own=bool(own))


def _inst_cc(code: Code, hooks: str = "") -> list[str]:
    own = [python(), "-m", "inst.wrap.cc", *code.options]
    return [*own, *([f"--inst-hooks={hooks}"] if hooks else [])] if code.options else []


def _compiler(code: Code, target: Target) -> list[str]:
    if code.compiler == "gcc":
        return list(target.compiler)
    words = ["clang", *CLANG[target.name].split(), "-fno-integrated-as", "-fPIE"]
    # As gcc does. Or else such a table is code in the page of the data on ppc32, too: see _APART.
    return [*words, "-msecure-plt"] if target.name == "ppc32" else words


def _callbacks(does: str, target: Target, directory: Path) -> Path:
    source, made = HERE / "callbacks.c", directory / f"callbacks-{does}.o"
    flags = ["-DRECORDING"] if does == "recording" else []
    command = [*target.compiler, "-O2", "-fPIE", *flags, "-c", "-o", str(made), str(source)]
    return _once(made, command, [source])


def _once(made: Path, command: list[str], uses: list[Path], *, own: bool = False) -> Path:
    """Run a command unless it has made the same file from the same."""
    words = [word for word in command if word != python()]
    key = digest(uses, [*words, _compilers(command), _own() if own else ""])
    note = made.with_name(f"{made.name}.from")
    if not made.exists() or not note.exists() or note.read_text() != key:
        note.unlink(missing_ok=True)
        execute(command, made.parent, python_environment())
        note.write_text(key)
    return made


@cache
def _own() -> str:
    """Return what changes with inst itself."""
    found = (path for name in _OWN for path in (ROOT / name).rglob("*") if path.is_file())
    return digest(sorted(path for path in found if "__pycache__" not in path.parts))


def _compilers(command: list[str]) -> str:
    """Return what changes with the compilers that a command names."""
    named = [word for word in command if word.endswith("gcc") or word == "clang"]
    return "".join(map(_identity, named))


@cache
def _identity(name: str) -> str:
    status = Path(shutil.which(name) or name).resolve().stat()
    return f"{name} {status.st_size} {status.st_mtime_ns}"


def plugins(directory: Path) -> dict[str, Path]:
    """Compile the emulator's plugins: `insncount`, and `access16`, which records."""
    sources = ROOT / "tests" / "truth" / "plugins"
    made: dict[str, Path] = {}
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{sources}"]
    for source in (sources / "insncount.c", HERE / "access16.c"):
        path = made[source.stem] = directory / f"{source.stem}.so"
        execute(["gcc", *flags, "-o", str(path), str(source)], directory, python_environment())
    return made
