"""Archives of wrappers for C library functions, one member each: see `inst.calls.wraptable`.

An archive depends on the target alone, not on the hooks: it is built once and cached.  Its
members report everything to the hook library, which is linked after it.
"""

from __future__ import annotations

from pathlib import Path

from inst.build import library
from inst.target.archives import cached_archive, digest
from inst.target.model import Target

_NOT_FOR_WRAPPERS = frozenset(("-mno-fpu",))
"""Hooks touch no floating point; functions that are wrapped have such parameters."""
_FLAGS = ("-D_GNU_SOURCE", "-fexceptions", "-fasynchronous-unwind-tables", "-w")
"""Cancellation and exceptions of callbacks go through wrappers."""
_PACKAGE_FILES = (
    "build/archives.py",
    "build/library.py",
    "build/wrapbuild.py",
    "build/wraplibrary.py",
    "calls",
)


def build_wrappers(compiler: list[str], target: Target) -> Path:
    """Return the archive of wrappers for a target, building it if it is not cached.

    It fits programs and shared objects.
    """
    flags = [one for one in library.flags(target, shared=True) if one not in _NOT_FOR_WRAPPERS]
    command = [*compiler, *flags, *_FLAGS]
    return cached_archive(
        f"wrappers-{target.name}",
        digest(command, _PACKAGE_FILES),
        lambda scratch: _build(command, target, scratch),
    )


def _build(command: list[str], target: Target, scratch: Path) -> Path:
    from inst.build.wrapbuild import build

    return build(command, target, scratch)
