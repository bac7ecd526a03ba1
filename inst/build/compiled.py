"""C of a hook library compiled to assembly; the runtime, which all libraries share, only once.

The analysis of what hooks clobber needs the assembly, and the linker needs objects, so both are
cached: as members of one archive for each target, place (program or shared object) and compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from inst.arch.registry import architecture
from inst.isa.sites import Sites
from inst.paths import data
from inst.target.archives import cached_archive, digest, pack
from inst.target.model import Target
from inst.target.tools import compiler_tool, run_tool

_MODULES = ("build/archives.py", "build/compiled.py", "calls", "words")
_CALLS_HOOKS = "-DINST_ALL_PARAMETERS"
"""For C that calls hooks: inst/hooks.h then declares them with all of their parameters."""
BARE = "bare"
"""The folder of the runtime that needs no operating system."""
_SHARED_WITH_BARE = ("annotate.c", "freestanding.c", "report_access.c", "system_events.c")
"""Files of the runtime that it has, too, compiled with INST_BARE; and the decoder of rare.c."""
_SUPPORT = "support"
"""Prefix of the names of members that only some programs link."""
_IMPLICIT_CALLS = re.compile(r"(?<![\w.$])(\.?)(memcpy|memmove|memset|memcmp|strlen)(?![\w.$])")
"""Functions that compiled hooks may call without naming them (runtime/freestanding.c), and the
code entries of their descriptors on 64-bit PowerPC."""
_TEXT = re.compile(r"\s*\.(?:string|ascii|asciz|file|ident|section)\b")
"""Directives in which such a word is not a symbol."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The runtime of a target, unpacked; assembly and objects have the same names."""

    directory: Path

    def core(self, suffix: str) -> list[Path]:
        """Return the files that are part of every program: `suffix` is ".s" or ".o"."""
        found = sorted(self.directory.glob(f"*{suffix}"))
        return [path for path in found if not path.name.startswith(_SUPPORT)]

    def support(self, suffix: str) -> list[Path]:
        """Return the files of functions that only some hooks call."""
        return sorted(self.directory.glob(f"{_SUPPORT}*{suffix}"))


def compiled_runtime(
    command: list[str], target: Target, folders: Iterable[str], directory: Path
) -> Compiled:
    """Unpack the runtime of a target into a directory that is made; compile it if need be.

    `command` is the compiler with its options; `folders` names folders of the runtime whose C is
    needed; "" is what every library for an operating system consists of, `BARE` the others.
    """
    directory.mkdir()
    for folder in folders:
        archive = _compiled_folder(command, target, folder)
        run_tool([compiler_tool(command, "ar"), "x", str(archive)], directory)
    return Compiled(directory)


def _compiled_folder(command: list[str], target: Target, folder: str) -> Path:
    """Return an archive of a folder of the runtime; "" is what every library consists of."""
    modules = (*_MODULES, f"arch/{target.isa}/words")
    key = digest(command, modules, str((folder, sorted(_macros(target).items()))))
    return cached_archive(
        f"runtime-{folder}-{target.name}" if folder else f"runtime-{target.name}",
        key,
        lambda scratch: _compile_all(command, target, folder, scratch),
    )


def compile_file(command: list[str], source: Path, output: Path) -> Path:
    """Compile C to assembly that calls nothing of the program; return the output."""
    run_tool([*command, f"-I{data('runtime')}", "-S", str(source), "-o", str(output)])
    output.write_text(with_own_functions(output.read_text()))
    return output


def with_own_functions(assembly: str) -> str:
    """Return assembly that calls inst.memcpy and the like, never the program's own functions."""
    if not _IMPLICIT_CALLS.search(assembly):
        return assembly
    lines = assembly.splitlines(keepends=True)
    return "".join(
        line if _TEXT.match(line) else _IMPLICIT_CALLS.sub(r"\1inst.\2", line) for line in lines
    )


def _compile_all(command: list[str], target: Target, folder: str, scratch: Path) -> Path:
    """Compile and assemble the runtime; return an archive of both."""
    _sites(target, scratch)
    _instructions(target, scratch)
    command = [*command, _CALLS_HOOKS, f"-I{_system_calls(scratch)}"]
    made = scratch / "made"
    made.mkdir()
    for prefix, source in _sources(target, folder):
        compile_file(command, source, made / f"{prefix}-{source.stem}.s")
    run_tool([*command, "-c", *sorted(path.name for path in made.iterdir())], made)
    return pack(command, scratch / "runtime.a", sorted(made.iterdir()))


def _sources(target: Target, folder: str) -> list[tuple[str, Path]]:
    """Return each file of the runtime after what its members' names begin with."""
    runtime = data("runtime")
    places = {"core": runtime, target.runtime: runtime / target.runtime}
    places[_SUPPORT] = runtime / _SUPPORT
    if folder == BARE:
        names = [*(runtime / name for name in _SHARED_WITH_BARE), *(runtime / BARE).glob("*.c")]
        return [(BARE, path) for path in (*names, runtime / target.runtime / "rare.c")]
    if folder:
        places = {folder: runtime / folder}
    return [(name, path) for name, folder in places.items() for path in sorted(folder.glob("*.c"))]


def _system_calls(scratch: Path) -> Path:
    """Write the table of system calls that C includes; return its directory."""
    from inst.calls.kernel import CALLS, MULTIPLEXED

    variables = {"calls": CALLS, "multiplexed": MULTIPLEXED}
    return rendered_header(data("runtime/calls_table.h.j2"), "calls_table.h", variables, scratch)


def _sites(target: Target, scratch: Path) -> Path:
    """Write the header of the target's site ABI for C; return its directory."""
    variables = {"macros": _macros(target), "target": target.name}
    return rendered_header(data("runtime/site.h.j2"), "site.h", variables, scratch)


def _macros(target: Target) -> Mapping[str, int]:
    return architecture(target.isa).part(Sites).abis[target.abi].macros


def _instructions(target: Target, scratch: Path) -> None:
    """Write the tables of memory instructions and of system events that C includes."""
    from inst.words.model import Words

    words, folder = architecture(target.isa).part(Words), data("runtime") / target.isa
    rendered_header(folder / "accesses.h.j2", "accesses.h", words.c_tables(), scratch)
    if words.event_tables is not None:
        rendered_header(folder / "events.h.j2", "events.h", words.event_tables(), scratch)


def rendered_header(
    template: Path, name: str, variables: Mapping[str, object], scratch: Path
) -> Path:
    """Render a template into a directory of generated headers; return that directory."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    directory = scratch / "include"
    directory.mkdir(exist_ok=True)
    loader = FileSystemLoader(template.parent)
    environment = Environment(loader=loader, undefined=StrictUndefined)
    text = environment.get_template(template.name).render(variables)
    (directory / name).write_text(text + "\n")
    return directory
