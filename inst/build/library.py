"""Hook libraries: C files compiled for a target and joined with glue generated for them.

A library is an archive.  One member holds hooks and runtime; the others hold the entries
that sites call, a few to a member, so that a program takes in only those it uses.

Every link uses this module, and most find their library in the cache: what builds one is imported
only when necessary (`inst.build.librarybuild`).
"""

from __future__ import annotations

from pathlib import Path

from inst import __version__
from inst.arch.registry import all_architectures, architecture
from inst.build.hookparts import Parts, contents, parts_of
from inst.errors import InstError
from inst.glue.variants import Variant
from inst.isa import segments
from inst.isa.sites import Sites
from inst.paths import data
from inst.shipped import FLIGHT, PAUSING, RING, WITHOUT_SYSTEM
from inst.target.archives import cached_archive, digest
from inst.target.model import Target

FLAGS = (
    "-std=gnu11",
    "-O2",
    "-ffreestanding",
    "-fasynchronous-unwind-tables",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fno-stack-clash-protection",
    "-fno-jump-tables",
    "-fno-tree-loop-distribute-patterns",
    "-fno-tree-vectorize",
    "-fno-tree-slp-vectorize",
    "-fno-lto",
    "-fno-profile-arcs",
)
"""How hooks are compiled: nothing hidden may call the C library or touch floating point."""
_BARE_FLAGS = (
    "-fno-pic",
    "-fno-pie",
    "-fno-asynchronous-unwind-tables",
    "-DINST_BARE",
)
"""Instead of `_PLACE_FLAGS` where there is no operating system: nothing relocates the program."""
_PLACE_FLAGS = {
    True: ("-fPIC", "-ftls-model=initial-exec"),
    False: ("-fPIE", "-ftls-model=local-exec"),
}
PLAIN = Variant()
"""A library with what its hooks require, no more."""
_MODULE_FILES = (
    "build",
    "hooktable.py",
    "shipped.py",
    "arch",
    "glue",
    "isa/segments.py",
    "calls",
    "words",
)


def build_library(
    hooks: str,
    compiler: list[str],
    target: Target,
    shared: bool = True,
    variant: Variant = PLAIN,
) -> Path:
    """Return the archive of a hook library for a target, building it if it is not cached.

    `hooks` is what INST_HOOKS may be (`inst.build.hookparts`).  What is built with `shared` false
    is faster and fits programs only; otherwise it fits shared objects as well.
    """
    parts = parts_of(hooks)
    owners = [one.name for one in all_architectures() if parts.name in one.formats]
    if parts.shipped and owners and target.isa not in owners:
        raise InstError(
            f"hook library `{parts.name}` is not for {target.name}",
            hint=f"its format is {owners[0]}'s: rst and sexp are for every target",
        )
    if variant.counts and not (parts.shipped and parts.name in PAUSING):
        raise InstError(
            f"hook library `{parts.name}` has no windows of counts",
            hint=f"--inst-counts is for {', '.join(PAUSING)}; a library of your own has windowhook",
        )
    check_runtime(parts, target, variant)
    command = [*compiler, *flags(target, shared, bare=variant.bare)]
    variant = variant.for_isa(target.isa)
    key = digest(command, _MODULE_FILES, target.abi, str(variant), contents(parts, command, target))
    return cached_archive(
        f"{parts.name}-{target.name}",
        key,
        lambda scratch: _build(command, target, variant, parts, scratch),
    )


def _build(
    command: list[str], target: Target, variant: Variant, parts: Parts, scratch: Path
) -> Path:
    from inst.build.librarybuild import Building

    return Building(command, target, variant, scratch).build(parts)


def check_runtime(parts: Parts, target: Target, variant: Variant) -> None:
    """Refuse a library, or a target, that the runtime chosen is not for."""
    if not variant.bare:
        if parts.shipped and parts.name in (RING, FLIGHT):
            raise InstError(
                f"hook library `{parts.name}` is for programs without an operating system",
                hint="compile and link with --inst-runtime=bare",
            )
        return
    if not target.bare:
        raise InstError(
            f"there is no runtime without an operating system for {target.name}",
            hint="--inst-runtime=bare is for 32-bit SPARC and PowerPC",
        )
    if parts.shipped and parts.name not in (*WITHOUT_SYSTEM, FLIGHT):
        raise InstError(
            f"hook library `{parts.name}` needs an operating system",
            hint=f"with --inst-runtime=bare there are {', '.join(WITHOUT_SYSTEM)}, and hooks of "
            "your own",
        )


def flags(target: Target, shared: bool, *, bare: bool = False) -> list[str]:
    """Return how hooks and wrappers are compiled for a target.

    The kernel's headers come last, for C libraries that are installed without them.
    """
    include = data("runtime") / "include"
    own = data("runtime") / target.runtime
    return [
        *FLAGS,
        *target.library_flags,
        *(_BARE_FLAGS if bare else _PLACE_FLAGS[shared]),
        f"-I{include}",
        f"-I{own}",
        f'-DINST_VERSION="{__version__}"',
        *site_macros(target),
        f"-idirafter{target.sysroot}/include",
    ]


def site_macros(target: Target) -> list[str]:
    """Return the options by which C has the numbers of the target's site ABI and of segments.

    These are no header that is made, since the headers for users' hooks need them, too: those are
    read before it is known whether anything has to be made.
    """
    macros = {**architecture(target.isa).part(Sites).abis[target.abi].macros, **segments.MACROS}
    return [f"-DINST_SITE_{name}={_constant(value)}" for name, value in macros.items()]


def _constant(value: int) -> str:
    """Return a number in C; instruction words are unsigned."""
    return f"{value:#x}u" if value > 0xFFFF else str(value)
