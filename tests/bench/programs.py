"""The programs of the cost bench: their sources, what they are compiled with and given.

A kernel (five ways to sort an array), and bzip2, gzip, lua and sqlite from Debian's sources. Each
executes about 70 million instructions on ppc32, and a third of that on its short input. What
gzip takes from its library of portability functions is linked plain, as the C library is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truth.gzip_truth import NO_REMAKE, configure, fetch_source, make_data
from truth.harness import python_environment

from inst.target.targets import Target
from tests.bench import ROOT
from tests.classic.workloads import execute
from tests.real.applications import revert_lua_patches
from tests.real.run import WORK as REAL

HERE = Path(__file__).resolve().parent
WORK = ROOT / "build" / "bench"
_SCRIPT = os.path.relpath(HERE / "workload.lua", WORK)
"""Programs run in `WORK`: an argument's length would move the stack."""
_BZIP2 = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib")


@dataclass(frozen=True, slots=True)
class Sources:
    """What a program is compiled from."""

    files: tuple[Path, ...]
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    """Words for the linker, after the objects."""
    included: tuple[Path, ...] = ()
    """Files that those include."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program of the bench."""

    name: str
    sources: Callable[[Target], Sources]
    arguments: Callable[[int], list[str]]
    """What it is given, for an input of that size."""
    sizes: tuple[int, int]
    """Of the input and of the short one."""
    prepare: Callable[[], object] = lambda: None
    """What all targets share, made before any of them is built."""


def _headers(*directories: Path) -> tuple[Path, ...]:
    return tuple(path for each in directories for path in sorted(each.glob("*.h")))


def _kernel(_target: Target) -> Sources:
    included = (ROOT / "tests" / "truth" / "programs" / "sorting.c",)
    return Sources((HERE / "kernel.c",), ("-std=gnu17",), included=included)


def _bzip2_source() -> Path:
    return fetch_source("bzip2", REAL / "sources")


def _bzip2(_target: Target) -> Sources:
    files = (_bzip2_source() / f"{name}.c" for name in (*_BZIP2, "bzip2"))
    return Sources(tuple(files), ("-D_FILE_OFFSET_BITS=64",), included=_headers(_bzip2_source()))


def _gzip_source() -> Path:
    return fetch_source("gzip", REAL / "sources")


def configured_gzip(target: Target) -> Path:
    """Return the directory in which gzip is configured for a target, and its library made."""
    directory = WORK / target.name / "gzip-configured"
    configure(_gzip_source(), directory, target, " ".join(target.compiler), "-O2")
    execute(["make", *NO_REMAKE], directory, python_environment())
    return directory


@cache
def _gzip(target: Target) -> Sources:
    source, made = _gzip_source(), configured_gzip(target)
    names = sorted(path.stem for path in made.glob("*.o"))
    files = (directory / f"{name}.c" for name in names for directory in (source, made))
    places = (made, made / "lib", source, source / "lib")
    flags = ("-DHAVE_CONFIG_H", *(f"-I{place}" for place in places))
    present = tuple(path for path in files if path.exists())
    return Sources(present, flags, (str(made / "lib" / "libgzip.a"),), _headers(*places))


def _lua_source() -> Path:
    """Return a copy of the source that builds without Debian's tools."""
    return _prepared("lua", lambda made: _copy(fetch_source("lua5.4", REAL / "sources"), made))


def _copy(source: Path, made: Path) -> None:
    shutil.copytree(source, made, symlinks=True)
    revert_lua_patches(made, dict(os.environ))


def _lua(_target: Target) -> Sources:
    """The seed of lua's hash tables would come from the clock and from addresses."""
    source = _lua_source() / "src"
    files = tuple(sorted(path for path in source.glob("*.c") if path.name != "luac.c"))
    flags = ("-DLUA_COMPAT_5_3", "-DLUA_USE_POSIX", "-Dluai_makeseed(L)=1994")
    return Sources(files, flags, ("-lm",), _headers(source))


def _sqlite_source() -> Path:
    """Return a directory with sqlite3.c, the file that has all of sqlite's sources."""
    return _prepared("sqlite", _amalgamate)


def _amalgamate(made: Path) -> None:
    shutil.copytree(fetch_source("sqlite3", REAL / "sources"), made, symlinks=True)
    environment = python_environment()
    options = ("--disable-tcl", "--disable-readline", "--disable-shared")
    execute(["./configure", *options], made, environment)
    execute(["make", "sqlite3.c"], made, environment)


def _sqlite(_target: Target) -> Sources:
    source = _sqlite_source()
    flags = ("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", f"-I{source}")
    return Sources((source / "sqlite3.c", HERE / "workload.c"), flags, ("-lm",))


def _prepared(name: str, make: Callable[[Path], None]) -> Path:
    """Make a directory once."""
    kept = WORK / "sources" / name
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        begun = kept.with_name(f"{name}.new")
        shutil.rmtree(begun, ignore_errors=True)
        make(begun)
        begun.rename(kept)
    return kept


def _data(kilobytes: int) -> Path:
    """Return a file of that size, which text, noise and runs are mixed in."""
    path = WORK / f"data-{kilobytes}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        make_data(path, kilobytes << 10)
    return path


PROGRAMS = {
    program.name: program
    for program in (
        Program("sqlite", _sqlite, lambda rows: [str(rows)], (1600, 300), _sqlite_source),
        Program("lua", _lua, lambda rounds: [_SCRIPT, str(rounds)], (8, 2), _lua_source),
        Program("gzip", _gzip, lambda size: ["-nc", _data(size).name], (450, 128), _gzip_source),
        Program("bzip2", _bzip2, lambda size: ["-c", _data(size).name], (180, 52), _bzip2_source),
        Program("kernel", _kernel, lambda rounds: [str(rounds)], (900, 260)),
    )
}
"""Those that take the longest to compile first."""
