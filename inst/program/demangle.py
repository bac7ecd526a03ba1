"""C++ names as in the source, by binutils' `c++filt`.

Every compiler that inst-cc runs comes with a `c++filt`, of its own target or of this machine; they
all read the same names (Itanium C++ ABI, section 5.1; Rust's too). It runs as a process with
limits of time and memory, because 300 bytes of substitutions in a name can expand to
gigabytes. A name that cannot be read stays as it is.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache

from inst.target.targets import TARGETS

_MANGLED = re.compile(r"_[ZR][\w.$]+(@[\w.@]+)?", re.ASCII)
_LONGEST = 1 << 14
"""Longest name that is tried, in characters."""
_SECONDS, _MEMORY, _OUTPUT = 2, 1 << 28, 1 << 27
_FAILURES = 1
"""How many names the program may fail at before the rest is left mangled."""

_known: dict[str, str] = {}


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add --no-demangle, which leaves `demangle` false in the arguments."""
    parser.add_argument(
        "--no-demangle",
        dest="demangle",
        action="store_false",
        help="show C++ names as symbol tables have them",
    )


def demangled(names: Iterable[str]) -> dict[str, str]:
    """Return each name demangled, or itself if it is not a mangled name."""
    wanted = list(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in _known and _is_mangled(name)]
    if unknown:
        _known.update((name, name) for name in unknown)
        _known.update(zip(unknown, _read(unknown), strict=False))
    return {name: _known.get(name, name) for name in wanted}


def demangle(name: str) -> str:
    """Return one name demangled; for many, `demangled` starts the program once."""
    return demangled((name,))[name]


def _is_mangled(name: str) -> bool:
    return name[:2] in ("_Z", "_R") and (
        len(name) <= _LONGEST and _MANGLED.fullmatch(name) is not None
    )


def _read(names: list[str]) -> list[str]:
    """Return the demangled names in order; those that the program cannot read are unchanged."""
    tool = _tool()
    found: list[str] = []
    failures = 0
    while tool and len(found) < len(names) and failures <= _FAILURES:
        found += _run(tool, names[len(found) :])
        if len(found) < len(names):
            found.append(names[len(found)])  # the one at which it failed
            failures += 1
    return found


def _run(tool: str, names: list[str]) -> list[str]:
    """Return the demangled names up to the one that is too much for the program."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as written:
        given.write("".join(f"{name}\n" for name in names).encode())
        given.seek(0)
        none = subprocess.DEVNULL
        try:
            subprocess.run([tool], stdin=given, stdout=written, stderr=none, preexec_fn=_limit)
        except OSError:
            return []
        written.seek(0)
        lines = written.read(_OUTPUT).decode("utf-8", "replace").split("\n")
    return lines[: len(names)] if len(lines) > len(names) else lines[:-1]


def _limit() -> None:
    """Limit the time and memory of the program, in the child before it starts."""
    for what, most in (
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_FSIZE, _OUTPUT),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (soft, hard))


@cache
def _tool() -> str:
    """Return the path of a c++filt; without one, report once that names stay as they are."""
    compilers = (target.compiler[0] for target in TARGETS.values())
    prefixes = ["", *dict.fromkeys(name.removesuffix("gcc") for name in compilers)]
    for name in (*(f"{prefix}c++filt" for prefix in prefixes), "llvm-cxxfilt"):
        found = shutil.which(name)
        if found:
            return found
    print(
        "inst: note: C++ names stay as they are: there is no c++filt here (Debian: binutils)",
        file=sys.stderr,
    )
    return ""
