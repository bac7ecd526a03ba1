"""C of a hook library compiled to assembly; the runtime, which all libraries share, only once.

The analysis of what hooks clobber reads the assembly, and the linker needs objects. Both are cached
as members of one archive for each target, place (program or shared object) and compiler; what is
read in the assembly, in another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from inst.arch.registry import architecture
from inst.paths import data
from inst.target.archives import cached_archive, digest, pack
from inst.target.model import Target
from inst.target.tools import compiler_tool, run_tool

_MODULES = ("build/archives.py", "build/compiled.py", "calls", "words")
_READERS = ("arch", "asm", "flow", "glue", "hooktable.py", "isa")
"""What reads assembly."""
_DECLARED = "-Werror=implicit-function-declaration"
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
    """The runtime of a target, unpacked: objects, assembly, and what is known of functions."""

    directory: Path

    def core(self) -> list[Path]:
        """Return the objects that are part of every program."""
        found = sorted(self.directory.glob("*.o"))
        return [path for path in found if not path.name.startswith(_SUPPORT)]

    def support(self) -> list[Path]:
        """Return the objects of functions that only some hooks call."""
        return sorted(self.directory.glob(f"{_SUPPORT}*.o"))

    def functions(self) -> list[str]:
        """Return what is known of the functions of each file (`inst.glue.usage.packed_file`)."""
        return [path.read_text() for path in sorted(self.directory.glob("*.json"))]


def compiled_runtime(
    command: list[str], target: Target, folders: Iterable[str], directory: Path
) -> Compiled:
    """Unpack the runtime of a target into a directory that is made; compile it if need be.

    `command` is the compiler with its options; `folders` names folders of the runtime whose C is
    needed; "" is what every library for an operating system consists of, `BARE` the others.
    """
    directory.mkdir()
    for folder in folders:
        for made in _compiled_folder, _read_folder:
            _unpack(command, made(command, target, folder), directory)
    return Compiled(directory)


def _unpack(command: list[str], archive: Path, directory: Path) -> None:
    run_tool([compiler_tool(command, "ar"), "x", str(archive)], directory)


def _compiled_folder(command: list[str], target: Target, folder: str) -> Path:
    """Return an archive of a folder of the runtime; "" is what every library consists of."""
    return cached_archive(
        _archive_name("runtime", target, folder),
        _archive_key(command, target, folder, ()),
        lambda scratch: _compile_all(command, target, folder, scratch),
    )


def _read_folder(command: list[str], target: Target, folder: str) -> Path:
    """Return an archive of what is known of the functions of a folder of the runtime."""
    return cached_archive(
        _archive_name("functions", target, folder),
        _archive_key(command, target, folder, _READERS),
        lambda scratch: _read_all(command, target, folder, scratch),
    )


def _archive_name(what: str, target: Target, folder: str) -> str:
    return f"{what}-{folder}-{target.name}" if folder else f"{what}-{target.name}"


def _archive_key(command: list[str], target: Target, folder: str, more: Iterable[str]) -> str:
    modules = (*_MODULES, f"arch/{target.isa}/words", *more)
    return digest(command, modules, folder)


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
    instruction_tables(target, scratch)
    command = [*command, _DECLARED, _CALLS_HOOKS, f"-I{_system_calls(scratch)}"]
    made = scratch / "made"
    made.mkdir()
    for prefix, source in _sources(target, folder):
        compile_file(command, source, made / f"{prefix}-{source.stem}.s")
    run_tool([*command, "-c", *sorted(path.name for path in made.iterdir())], made)
    return pack(command, scratch / "runtime.a", sorted(made.iterdir()))


def _read_all(command: list[str], target: Target, folder: str, scratch: Path) -> Path:
    """Read the assembly of the runtime; return an archive of what is known of its functions."""
    from inst.glue.usage import packed_file

    _unpack(command, _compiled_folder(command, target, folder), scratch)
    for path in scratch.glob("*.s"):
        text = packed_file(path.read_text(), path.name, target.isa, target.abi)
        path.with_suffix(".json").write_text(text)
    return pack(command, scratch / "functions.a", sorted(scratch.glob("*.json")))


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


def instruction_tables(target: Target, scratch: Path) -> Path:
    """Write what the C of a target includes of its instruction words; return the directory."""
    from inst.words.model import Words

    words, folder = architecture(target.isa).part(Words), data("runtime") / target.isa
    rendered_header(folder / "accesses.h.j2", "accesses.h", words.c_tables(), scratch)
    if words.event_tables is not None:
        rendered_header(folder / "events.h.j2", "events.h", words.event_tables(), scratch)
    opcodes = {"opcodes": words.opcodes()}
    return rendered_header(data("runtime/opcodes.h.j2"), "opcodes.h", opcodes, scratch)


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
