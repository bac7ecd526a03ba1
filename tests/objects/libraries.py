"""The objects of Debian's C, C++ and compiler libraries, which go through assembly and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inst.errors import InstError
from inst.objects.archive import read_members
from inst.objects.identity import Assembler, same_object
from inst.objects.read import read_object
from inst.target.targets import TARGETS

_C = ("libc.a", "libm.a", "libm-2.36.a")
_COMPILER = ("libgcc.a", "libgcc_eh.a", "libstdc++.a", "libsupc++.a")
FOLDERS = {
    "ppc32": ("/usr/powerpc-linux-gnu/lib", "/usr/lib/gcc-cross/powerpc-linux-gnu/12"),
    "ppc64": ("/usr/powerpc64-linux-gnu/lib", "/usr/lib/gcc-cross/powerpc64-linux-gnu/12"),
    "ppc64le": ("/usr/powerpc64le-linux-gnu/lib", "/usr/lib/gcc-cross/powerpc64le-linux-gnu/12"),
    "sparc-v8": ("/usr/sparc64-linux-gnu/lib32", "/usr/lib/gcc-cross/sparc64-linux-gnu/12/32"),
    "sparc-v9": ("/usr/sparc64-linux-gnu/lib", "/usr/lib/gcc-cross/sparc64-linux-gnu/12"),
}
"""Where Debian 12 has the C library of each target, and the compiler's."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one member."""

    member: str
    reason: str
    """Empty if its object is the same."""


def libraries(target: str) -> list[Path]:
    """Return the archives of a target that are installed."""
    first, second = (Path(folder) for folder in FOLDERS[target])
    paths = [first / name for name in _C] + [second / name for name in _COMPILER]
    return [path for path in paths if path.exists() and path.read_bytes()[:8] == b"!<arch>\n"]


def outcomes(target: str, share: int, first: int = 0) -> Iterator[Outcome]:
    """Yield what becomes of every `share`th member of a target's libraries."""
    assembler = Assembler(TARGETS[target])
    for path in libraries(target):
        members = read_members(str(path), path.read_bytes())
        for member in members[first % share :: share]:
            name = f"{path.name}({member.name})"
            reason = ""
            try:
                same_object(read_object(name, member.content), assembler)
            except InstError as error:
                reason = error.message.removeprefix(f"{name}: ")
            yield Outcome(name, reason)
