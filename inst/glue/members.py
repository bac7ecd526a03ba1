"""The members of a hook library's archive: hooks and runtime in one, entries in the others."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from inst.arch.registry import architecture
from inst.glue.model import Glue
from inst.glue.usage import ROOM, Usage
from inst.hooktable import ACCESS_HOOKS, BY_NAME, LEVEL_SYMBOLS, SMALL_DATA_SYMBOL
from inst.isa.sites import Sites
from inst.paths import data
from inst.shipped import WINDOWS
from inst.target.model import Target
from inst.target.tools import run_tool

_RECORDER = "inst_own_recorder"


@dataclass(frozen=True, slots=True)
class Joined:
    """Objects of a library in one, and names of theirs that assembly does not show."""

    path: Path
    functions: frozenset[str]
    undefined: frozenset[str]


def served_levels(name: str, usages: dict[str, Usage]) -> list[str]:
    """Return the levels of objects that a library can serve, by what its code does.

    What `windows` leaves out, only code that is executed again can know: it serves nothing else in
    a program. In a shared object it is `record`, whose code calls hooks.
    """
    if name == WINDOWS and ROOM in usages:
        return ["record-windows"]
    if ROOM in usages:
        return [level for level in LEVEL_SYMBOLS if level != "record-windows"]
    reads = any(usages[hook.name].value for hook in ACCESS_HOOKS if hook.name in usages)
    return ["values"] if reads else ["values", "addresses"]


def facts_text(
    name: str,
    served: list[str],
    joined: Joined | None,
    key: str,
    target: Target,
    *,
    is_shared: bool,
    bare: bool,
) -> str:
    """Return assembly with the library's name, and the levels and objects that it can serve.

    It makes hooks of objects invisible outside the program, as those of sources are. A note has
    the name, too, where the recorder of its module lies, and a key that modules of one recorder
    have in common (runtime/joining.c); one without an operating system has no other modules.
    """
    lines = ['\t.section\t.text.inst,"ax"']
    for symbol in (*(LEVEL_SYMBOLS[level] for level in served), SMALL_DATA_SYMBOL):
        lines += _defined(f'"{symbol}"')
    instruction_set = architecture(target.isa)
    if choice := instruction_set.part(Sites).abis[target.abi].symbol:
        lines += _defined(f'"{choice}"')
    for hook in sorted(joined.functions & {*BY_NAME} if joined else ()):
        lines += [f"\t.weak\t{hook}", f"\t.hidden\t{hook}", f"\t.reloc 0, BFD_RELOC_NONE, {hook}"]
    octal = "".join(f"\\{byte:03o}" for byte in os.fsencode(name))
    lines += ["\t.section\t.rodata", *_defined("inst_hooks"), f'\t.asciz\t"{octal}"']
    distance = instruction_set.part(Glue).distance.format(_RECORDER)
    end = '\t.section\t.note.GNU-stack,"",@progbits\n'
    if bare:
        return "\n".join([*lines, end])
    lines += ['\t.section\t.note.inst,"a",@note', "\t.balign\t4"]
    lines += ["\t.4byte\t5, 2f-1f, 1", '\t.ascii\t"inst\\0\\0\\0\\0"', *_defined("inst_facts")]
    lines += ["1:", f"\t.4byte\t{distance}", f"\t.4byte\t{int(is_shared)}"]
    lines += [f'\t.ascii\t"{key}"', f'\t.asciz\t"{octal}"', "\t.balign\t4", "2:"]
    return "\n".join([*lines, end])


def _defined(symbol: str) -> list[str]:
    return [f"\t.globl\t{symbol}", f"\t.hidden\t{symbol}", f"{symbol}:"]


def assemble_core(
    assembly: list[Path], others: list[Path], command: list[str], scratch: Path
) -> Path:
    """Assemble hooks, and join them and the runtime into one object so that none is left out."""
    objects = scratch / "core"
    objects.mkdir()
    run_tool([*command, "-c", *(str(path) for path in assembly)], objects)
    core = scratch / "library.o"
    parts = [*sorted(str(path) for path in objects.iterdir()), *map(str, others)]
    run_tool([*command, "-r", "-nostdlib", "-o", str(core), *parts])
    return core


def assemble_glue(
    target: Target, usages: dict[str, Usage], command: list[str], scratch: Path
) -> list[Path]:
    """Assemble the entries that sites call, each group of them as a member."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(data("runtime") / target.runtime), undefined=StrictUndefined
    )
    isa = architecture(target.isa)
    environment.globals["site"] = isa.part(Sites).abis[target.abi].macros
    entries = isa.part(Glue).entries[target.abi]
    directory = scratch / "glue"
    directory.mkdir()
    rendered = entries.accesses(usages)
    rendered["glue.s.j2"] |= entries.events(usages)
    for template, members in entries.counter(usages).items():
        rendered[template] = {**rendered.get(template, {}), **members}
    for template, members in rendered.items():
        text = environment.get_template(template)
        for name, variables in members.items():
            (directory / f"{name}.s").write_text(text.render(variables) + "\n")
    sources = sorted(path.name for path in directory.iterdir())
    run_tool([*command, "-c", *sources], directory)
    return sorted(directory.glob("*.o"))
