"""Hook libraries: C files compiled for a target and joined with glue made to measure.

A library is an archive.  One member holds hooks and runtime; the others hold the entries
that sites call, a few to a member, so that a program takes in only those it uses.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from inst import __version__
from inst.archives import digest, kept_archive, pack, run_tool
from inst.errors import InstError
from inst.glue.variants import Variant
from inst.hooktable import ACCESS_HOOKS, LEVEL_SYMBOLS, SMALL_DATA_SYMBOL
from inst.paths import absolute, data
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
_MODULE_FILES = ("archives.py", "library.py", "hooktable.py", "glue", "calls", "stfwords.py",
                 "words/decode.py", "words/powerpc_access.py")  # fmt: skip
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

    `hooks` is the name of a library that ships or the path of a C file.  What is built with
    `shared` false is faster and fits programs only; otherwise it fits shared objects as well.
    """
    source = find_hooks(hooks)
    only = _ONE_ISA.get(source.name, target.isa)
    if only != target.isa:
        raise InstError(
            f"hook library `{source.name}` is not for {target.name}",
            hint=f"its format is {only}'s: rst and sexp are for every target",
        )
    command = [*compiler, *flags(target, shared)]
    variant = variant.for_runtime(target.runtime)
    key = digest(command, _MODULE_FILES, str(variant), _contents(source, command))
    return kept_archive(
        f"{source.stem}-{target.name}",
        key,
        lambda scratch: _Building(command, target, variant, scratch).build(source),
    )


def find_hooks(hooks: str) -> Path:
    """Return what a name or a path means: a C file, or the directory of a library's files."""
    if "/" in hooks or hooks.endswith(".c"):
        path = Path(hooks)
        if path.is_file():
            return absolute(path)
        raise InstError(f"hook library {hooks} is not there")
    for path in _shipped():
        if path.stem == hooks:
            return path
    known = ", ".join(path.stem for path in _shipped())
    raise InstError(
        f"unknown hook library `{hooks}`",
        hint=f"known are {known}; or give the path of a C file",
    )


def _shipped() -> list[Path]:
    """Return the libraries that ship: C files, and directories of them."""
    found = data("hooks").iterdir()
    return sorted(path for path in found if path.suffix == ".c" or any(path.glob("*.c")))


def _files_of(source: Path) -> list[Path]:
    """Return the C files of a library."""
    return sorted(source.glob("*.c")) if source.is_dir() else [source]


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


def _contents(source: Path, command: list[str]) -> bytes:
    """Return what hooks consist of: a library that ships includes what ships with it."""
    if source.parent == data("hooks"):
        headers = sorted(data("hooks").glob("*.h"))
        parts = sorted(source.iterdir()) if source.is_dir() else [source]
        return b"\0".join(path.read_bytes() for path in (*headers, *parts) if path.is_file())
    return run_tool([*command, "-E", str(source)])


class _Building:
    """A library while it is built in a directory of its own."""

    def __init__(self, command: list[str], target: Target, variant: Variant, scratch: Path) -> None:
        self.command = [*command, f"-I{_tables(scratch)}"]
        self.target = target
        self.variant = variant
        self.scratch = scratch

    def build(self, source: Path) -> Path:
        """Return the archive."""
        from inst.glue.usage import COUNT, uses_counter
        from inst.glue.variants import renames, widened

        name = f'-DINST_HOOKS="{source.stem}"'
        runtime = [self.compile(path, name, _CALLS_HOOKS) for path in self.runtime_files()]
        runtime += sorted((data("runtime") / self.target.runtime).glob("*.s"))
        support = [self.compile(path) for path in sorted(data("runtime/support").glob("*.c"))]
        again = renames(self.variant)
        own = [self.compile(path, name, *again) for path in _files_of(source)]
        others = [*runtime, *support]
        core = [*own, *self.added(own, others), *runtime]
        usages = self.usages([*core, *support])
        if not uses_counter(usages, "".join(path.read_text() for path in own)):
            del usages[COUNT]
        usages = widened(usages, self.variant, self.target.isa)
        level = self.scratch / "level.s"
        level.write_text(_level_text(_reads_values(usages)))
        members = [_assemble_core([*core, level], self.command, self.scratch)]
        members += _assemble_glue(self.target, usages, self.command, self.scratch)
        members += _assemble_support(support, self.command, self.scratch)
        return pack(self.command, self.scratch / "library.a", members)

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

    def added(self, own: list[Path], others: list[Path]) -> list[Path]:
        """Return what the variant adds, made to measure for the library's own hooks."""
        from inst.glue.variants import added_source, own_names

        texts = {str(path): own_names(path.read_text()) for path in own}
        usages = self.usages(others, texts)
        source = added_source(self.variant, "".join(texts.values()), usages)
        if not source:
            return []
        path = self.scratch / "added.c"
        path.write_text(source)
        return [self.compile(path)]

    def usages(self, files: list[Path], texts: dict[str, str] | None = None) -> dict[str, Usage]:
        """Return what the functions that glue calls ask of it."""
        from inst.glue.usage import hook_usages

        found = {str(path): path.read_text() for path in files}
        return hook_usages({**found, **(texts or {})}, self.target.isa, self.target.abi)


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


def _reads_values(usages: dict[str, Usage]) -> bool:
    """Tell whether a hook reads the value of an access, which not every object passes."""
    return any(usages[hook.name].value for hook in ACCESS_HOOKS if hook.name in usages)


def _level_text(reads_values: bool) -> str:
    """Return assembly that defines the levels this library can serve, and objects' other mark."""
    served = ["values"] if reads_values else ["values", "addresses"]
    lines = ['\t.section\t.text.inst,"ax"']
    for name in (*(LEVEL_SYMBOLS[level] for level in served), SMALL_DATA_SYMBOL):
        symbol = f'"{name}"'
        lines += [f"\t.globl\t{symbol}", f"\t.hidden\t{symbol}", f"{symbol}:"]
    lines.append('\t.section\t.note.GNU-stack,"",@progbits')
    return "\n".join(lines) + "\n"


def _assemble_core(assembly: list[Path], command: list[str], scratch: Path) -> Path:
    """Assemble hooks and runtime, and join them into one object so that none is left out."""
    objects = scratch / "core"
    objects.mkdir()
    run_tool([*command, "-c", *(str(path) for path in assembly)], objects)
    core = scratch / "library.o"
    parts = sorted(str(path) for path in objects.iterdir())
    run_tool([*command, "-r", "-nostdlib", "-o", str(core), *parts])
    return core


def _assemble_support(files: list[Path], command: list[str], scratch: Path) -> list[Path]:
    """Assemble each file of the support library as a member that only some programs take."""
    directory = scratch / "support"
    directory.mkdir()
    run_tool([*command, "-c", *map(str, files)], directory)
    return sorted(directory.glob("*.o"))


def _assemble_glue(
    target: Target, usages: dict[str, Usage], command: list[str], scratch: Path
) -> list[Path]:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from inst.glue.events import event_members

    environment = Environment(
        loader=FileSystemLoader(data("runtime") / target.runtime), undefined=StrictUndefined
    )
    glue = import_module(f"inst.glue.{target.runtime}")
    directory = scratch / "glue"
    directory.mkdir()
    rendered = glue.templates(usages)
    rendered["glue.s.j2"] |= event_members(target.runtime, usages)
    for template, members in rendered.items():
        text = environment.get_template(template)
        for name, variables in members.items():
            (directory / f"{name}.s").write_text(text.render(variables) + "\n")
    sources = sorted(path.name for path in directory.iterdir())
    run_tool([*command, "-c", *sources], directory)
    return sorted(directory.glob("*.o"))
