"""The program that calls a library's hooks: linked for a trace's target, run by its emulator."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inst.arch.registry import byte_order, is_wide, produced_by, unknown
from inst.build.hookparts import from_root, parts_of
from inst.build.library import build_library
from inst.common.elf import FUNCTION, OBJECT, Elf
from inst.errors import InstError
from inst.hooktable import BY_NAME, LEVEL_SYMBOLS
from inst.offline.layout import CALLED, FIELDS, HEADER, TEXT, call, declaration
from inst.paths import data
from inst.shipped import WRITING
from inst.target.emulator import command_for
from inst.target.model import Target, Targets
from inst.target.tools import compiler_tool, run_tool
from inst.trace.model import Image

FAILED = 113
"""Exit status of a driver that cannot go on, and has said why."""
REPLACED = ("inst_getbase",)
"""Functions of the run-time library that the driver has its own of."""
_TEMPLATE = Path(__file__).with_name("driver.c.j2")
_FLAGS = ("-std=gnu11", "-O2", "-pthread", "-w")
_LINKS = ("-static", "-no-pie", "-pthread", "-Wl,-Ttext-segment=0x60000000")
"""How it is linked: not where programs are, whose code hooks must not take it for."""
_RENAMED = "inst.program."
"""Before names that hooks take from the program: the driver and its C library have their own."""
_WITHOUT_VALUES = LEVEL_SYMBOLS["addresses"].split()[0]


@dataclass(frozen=True, slots=True)
class Library:
    """A hook library for one target, and what is in it."""

    hooks: str
    target: Target
    archive: Path
    defined: frozenset[str]
    """The hooks that it has."""
    reads_values: bool
    """Whether its hooks take the values of accesses."""


def target_for(arch: str) -> Target:
    """Return the target whose programs write a producer's word for the instruction set."""
    isa = produced_by(arch)
    if isa is None:
        raise unknown(arch)
    wanted = 64 if is_wide(arch) else 32, byte_order(arch)
    for target in isa.part(Targets).targets:
        if (target.bits, target.byte_order) == wanted:
            return target
    raise InstError(f"no target has processors of '{arch}'")


def library_for(hooks: str, target: Target) -> Library:
    """Return a hook library, built if it is not in the cache; `hooks` is what INST_HOOKS may be."""
    parts = parts_of(hooks)
    if parts.shipped and parts.name in WRITING:
        raise InstError(
            f"hook library `{parts.name}` writes traces, and there is one already",
            hint="inst convert, or inst replay -o, writes it in another format",
        )
    compiler = list(target.compiler)
    archive = build_library(from_root(hooks), compiler, target, shared=False)
    names = _names(archive, compiler, "--defined-only")
    return Library(
        hooks,
        target,
        archive,
        frozenset(name for name in names if name in BY_NAME),
        reads_values=_WITHOUT_VALUES not in names,
    )


def _names(archive: Path, compiler: list[str], which: str) -> set[str]:
    """Return the global names of an archive that nm's option chooses."""
    command = [compiler_tool(compiler, "nm"), "-P", "-g", which, str(archive)]
    rows = (line.split() for line in run_tool(command).decode(errors="replace").splitlines())
    return {row[0] for row in rows if len(row) > 1}


def source(base: int) -> str:
    """Return the driver in C; `base` is where the program's file was loaded."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_TEMPLATE.read_text()).render(
        called=CALLED,
        call=call,
        record=declaration(FIELDS),
        header=declaration(HEADER),
        text=TEXT,
        failed=FAILED,
        base=f"{base:#x}ULL",
    )


def link(library: Library, image: Image | None, program: str | None, scratch: Path) -> Path:
    """Link a library with the driver; `image` is the program's, which was recorded at its base.

    Names that are the program's, and not the library's, get the addresses that they had in it.
    """
    compiler = list(library.target.compiler)
    text, archive = scratch / "driver.c", scratch / "library.a"
    text.write_text(source(image.base if image else 0))
    inputs = [text, archive]
    names = _names_of_program(library)
    if names:
        inputs.append(scratch / "names.s")
        inputs[-1].write_text(_stubs(library, names, image, program))
    changes = [f"--redefine-sym={name}={_RENAMED}{name}" for name in names]
    changes += [f"--weaken-symbol={name}" for name in REPLACED]
    run_tool([compiler_tool(compiler, "objcopy"), *changes, str(library.archive), str(archive)])
    include = f"-I{data('runtime') / 'include'}"
    made = scratch / "driver"
    run_tool([*compiler, *_FLAGS, include, *_LINKS, "-o", str(made), *map(str, inputs)])
    return made


def _names_of_program(library: Library) -> list[str]:
    """Return the names that hooks refer to and neither they nor the run-time library define.

    What the run-time library itself needs of the C library is what one without hooks needs.
    """
    compiler = list(library.target.compiler)
    plain = build_library("empty", compiler, library.target, shared=False)
    found = _names(library.archive, compiler, "-u") - _names(plain, compiler, "-u")
    found -= _names(library.archive, compiler, "--defined-only") | BY_NAME.keys()
    if found:
        helpers = run_tool([*compiler, "-print-libgcc-file-name"]).decode().strip()
        found -= _names(Path(helpers), compiler, "--defined-only")
    return sorted(found)


def _stubs(library: Library, names: list[str], image: Image | None, program: str | None) -> str:
    """Return assembly that gives names the addresses which they had in the program."""
    if program is None:
        raise InstError(
            f"the hooks in {library.hooks} refer to {_listed(names)}, which only the program has",
            hint="name it, and its addresses are taken: inst replay RECORDING PROGRAM --hooks=...; "
            "hooks call what inst/hooks.h and inst/support.h declare",
        )
    elf = Elf(program)
    known = {
        symbol.name: symbol.value
        for symbol in elf.symbols(".symtab")
        if symbol.kind in (FUNCTION, OBJECT) and symbol.value
    }
    if missing := [name for name in names if name not in known]:
        raise InstError(
            f"the hooks in {library.hooks} refer to {_listed(missing)}, "
            f"which {program} does not define",
            hint="hooks call what inst/hooks.h and inst/support.h declare",
        )
    start = min((start for start, _ in elf.loads), default=0)
    bias = image.base - start if elf.relocatable and image else 0
    return "".join(_stub(name, known[name], elf, bias) for name in names)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _stub(name: str, value: int, elf: Elf, bias: int) -> str:
    """Return the definition of a name: an address, or a descriptor of a function's code."""
    content, start = elf.section(".opd") or (b"", 0)
    name = _RENAMED + name
    if 0 <= value - start <= len(content) - 8:
        code = int.from_bytes(content[value - start :][:8], "big") + bias
        return (
            f'\t.section ".opd","aw"\n\t.align 3\n\t.globl {name}\n{name}:\n'
            f"\t.quad {code:#x}, 0, 0\n"
        )
    return f"\t.globl {name}\n\t.set {name}, {value + bias:#x}\n"


def start(program: Path, events: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Run a driver that reads from a descriptor."""
    command = command_for(program, [str(events)])
    return subprocess.Popen(command, pass_fds=(events,), env=dict(environment))
