"""Hook libraries: C files compiled for a target and joined with glue made to measure.

A library is an archive.  One member holds hooks and runtime; the others hold the entries
that sites call, a few to a member, so that a program takes in only those it uses.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from inst import __version__
from inst.archives import digest, kept_archive, pack, run_tool
from inst.errors import InstError
from inst.glue.members import (
    assemble_core,
    assemble_glue,
    assemble_support,
    level_text,
    reads_values,
)
from inst.glue.variants import Variant
from inst.hookparts import Parts, parts_of
from inst.ownhooks import (
    Joined,
    check_declarations,
    contents,
    cxx_names,
    join,
    needs_joining,
    own_command,
    refuse_constructors,
)
from inst.paths import data
from inst.targets import Target

if TYPE_CHECKING:
    from inst.glue.usage import Usage

FLAGS = (
    "-std=gnu11",
    "-O2",
    "-ffreestanding",
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
_PLACE_FLAGS = {
    True: ("-fPIC", "-ftls-model=initial-exec"),
    False: ("-fPIE", "-ftls-model=local-exec"),
}
_CALLS_HOOKS = "-DINST_ALL_PARAMETERS"
"""For C that calls hooks: inst/hooks.h then declares them with all of their parameters."""
PLAIN = Variant()
"""A library as its hooks ask for it."""
_MODULE_FILES = ("archives.py", "library.py", "hookparts.py", "hooktable.py", "ownhooks.py",
                 "glue", "calls", "stfwords.py", "words/decode.py",
                 "words/powerpc_access.py")  # fmt: skip
_IMPLICIT_CALLS = re.compile(r"(?<![\w.$])(\.?)(memcpy|memmove|memset|memcmp|strlen)(?![\w.$])")
"""Functions that compiled hooks may call without naming them (runtime/freestanding.c), and the
entries behind their descriptors on 64-bit PowerPC."""
_TEXT = re.compile(r"\s*\.(?:string|ascii|asciz|file|ident|section)\b")
"""Directives in which such a word is not a symbol."""
_ONE_ISA = {"stf": "powerpc"}
"""Libraries that write what only one instruction set has."""


def build_library(
    hooks: str,
    compiler: list[str],
    target: Target,
    shared: bool = True,
    variant: Variant = PLAIN,
) -> Path:
    """Return the archive of a hook library for a target, building it if it is not cached.

    `hooks` is what INST_HOOKS may be (`inst.hookparts`).  What is built with `shared` false is
    faster and fits programs only; otherwise it fits shared objects as well.
    """
    parts = parts_of(hooks)
    only = _ONE_ISA.get(parts.name, target.isa) if parts.shipped else target.isa
    if only != target.isa:
        raise InstError(
            f"hook library `{parts.name}` is not for {target.name}",
            hint=f"its format is {only}'s: rst and sexp are for every target",
        )
    command = [*compiler, *flags(target, shared)]
    variant = variant.for_runtime(target.runtime)
    key = digest(command, _MODULE_FILES, str(variant), contents(parts, command))
    return kept_archive(
        f"{parts.name}-{target.name}",
        key,
        lambda scratch: _Building(command, target, variant, scratch).build(parts),
    )


def flags(target: Target, shared: bool) -> list[str]:
    """Return how hooks and wrappers are compiled for a target.

    The kernel's headers come last, for C libraries that are installed without them.
    """
    include = data("runtime") / "include"
    own = data("runtime") / target.runtime
    return [
        *FLAGS,
        *target.library_flags,
        *_PLACE_FLAGS[shared],
        f"-I{include}",
        f"-I{own}",
        f'-DINST_VERSION="{__version__}"',
        f"-idirafter{target.sysroot}/include",
    ]


class _Building:
    """A library while it is built in a directory of its own."""

    def __init__(self, command: list[str], target: Target, variant: Variant, scratch: Path) -> None:
        self.command = [*command, f"-I{_tables(scratch)}"]
        self.target = target
        self.variant = variant
        self.scratch = scratch

    def build(self, parts: Parts) -> Path:
        """Return the archive."""
        from inst.glue.usage import COUNT, uses_counter
        from inst.glue.variants import widened

        name = f'-DINST_HOOKS="{parts.name}"'
        own = [self.compile_own(path, parts, name) for path in parts.sources]
        if not parts.shipped:
            check_declarations(parts, self.command, self.target, self.scratch)
        joined = self.joined(own, parts)
        runtime = [self.compile(path, name, _CALLS_HOOKS) for path in self.runtime_files()]
        runtime += sorted((data("runtime") / self.target.runtime).glob("*.s"))
        support = [self.compile(path) for path in sorted(data("runtime/support").glob("*.c"))]
        others = [*runtime, *support]
        core = [*self.added(own, others, joined), *runtime, *([] if joined else own)]
        usages = self.usages([*core, *own, *support], joined=joined)
        texts = [path.read_text() for path in own] + sorted(joined.undefined if joined else ())
        if not uses_counter(usages, "\n".join(texts)):
            del usages[COUNT]
        usages = widened(usages, self.variant, self.target.isa)
        level = self.scratch / "level.s"
        level.write_text(level_text(reads_values(usages), joined))
        objects = [joined.path] if joined else []
        members = [assemble_core([*core, level], objects, self.command, self.scratch)]
        members += assemble_glue(self.target, usages, self.command, self.scratch)
        members += assemble_support(support, self.command, self.scratch)
        return pack(self.command, self.scratch / "library.a", members)

    def compile_own(self, source: Path, parts: Parts, name: str) -> Path:
        """Compile a file of the library's own to assembly, and show the compiler's warnings."""
        from inst.glue.variants import renames

        output = self.scratch / f"{len(list(self.scratch.iterdir()))}-{source.stem}.s"
        if source.suffix == ".s":
            output.write_bytes(source.read_bytes())
            return output
        step = "-E" if source.suffix == ".S" else "-S"
        own = [f"-I{data('runtime')}", name, *renames(self.variant), step, str(source)]
        command = own_command(self.command, parts, source)
        run_tool([*command, *own, "-o", str(output)], show=not parts.shipped)
        text = cxx_names(with_own_functions(output.read_text()))
        refuse_constructors(source, text)
        output.write_text(text)
        return output

    def joined(self, own: list[Path], parts: Parts) -> Joined | None:
        """Return the library's own objects in one, unless it is C and assembly alone."""
        if not needs_joining(parts):
            return None
        return join(own, parts, self.command, self.variant, self.scratch)

    def runtime_files(self) -> list[Path]:
        """Return the C that every such library consists of, besides its hooks."""
        runtime = data("runtime")
        folders = [runtime, runtime / self.target.runtime]
        folders += [runtime / "guard"] if self.variant.check_stack else []
        return [path for folder in folders for path in sorted(folder.glob("*.c"))]

    def compile(self, path: Path, *more: str) -> Path:
        """Compile a file to assembly."""
        output = self.scratch / f"{len(list(self.scratch.iterdir()))}-{path.stem}.s"
        own = f"-I{data('runtime')}"
        run_tool([*self.command, own, *more, "-S", str(path), "-o", str(output)])
        output.write_text(with_own_functions(output.read_text()))
        return output

    def added(self, own: list[Path], others: list[Path], joined: Joined | None) -> list[Path]:
        """Return what the variant adds, made to measure for the library's own hooks."""
        from inst.glue.variants import added_source, own_names

        texts = {str(path): own_names(path.read_text()) for path in own}
        usages = self.usages(others, texts, joined) if self.variant.check_stack else {}
        defined = "".join(texts.values())
        defined += "".join(f"{name}:\n" for name in (joined.functions if joined else ()))
        source = added_source(self.variant, defined, usages)
        if not source:
            return []
        path = self.scratch / "added.c"
        path.write_text(source)
        return [self.compile(path)]

    def usages(
        self,
        files: list[Path],
        texts: dict[str, str] | None = None,
        joined: Joined | None = None,
    ) -> dict[str, Usage]:
        """Return what the functions that glue calls ask of it."""
        from inst.glue.usage import hook_usages

        found = {str(path): path.read_text() for path in files}
        unseen = joined.functions if joined else frozenset[str]()
        return hook_usages({**found, **(texts or {})}, self.target.isa, self.target.abi, unseen)


def with_own_functions(assembly: str) -> str:
    """Return assembly that calls inst.memcpy and its kin, never the program's own functions."""
    if not _IMPLICIT_CALLS.search(assembly):
        return assembly
    lines = assembly.splitlines(keepends=True)
    return "".join(
        line if _TEXT.match(line) else _IMPLICIT_CALLS.sub(r"\1inst.\2", line) for line in lines
    )


def _tables(scratch: Path) -> Path:
    """Write the tables that C includes; return their directory."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from inst import stfwords
    from inst.calls.kernel import CALLS, MULTIPLEXED

    directory = scratch / "include"
    directory.mkdir()
    for template, name, variables in (
        (data("runtime/calls_table.h.j2"), "calls_table.h",
         {"calls": CALLS, "multiplexed": MULTIPLEXED}),
        (data("hooks/stf/words.h.j2"), "stf_words.h", stfwords.tables()),
    ):  # fmt: skip
        environment = Environment(loader=FileSystemLoader(template.parent),
                                  undefined=StrictUndefined)  # fmt: skip
        text = environment.get_template(template.name).render(variables)
        (directory / name).write_text(text + "\n")
    return directory
