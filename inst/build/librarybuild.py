"""Building a hook library that is not in the cache: compile, join, generate its glue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inst.arch.registry import all_architectures
from inst.build.compiled import (
    BARE,
    Compiled,
    compile_file,
    compiled_runtime,
    rendered_header,
    with_own_functions,
)
from inst.build.hookparts import Parts, own_command, recorder_key
from inst.build.ownhooks import (
    check_declarations,
    cxx_names,
    join,
    needs_joining,
    refuse_constructors,
)
from inst.glue.assembled import check_assembly, read_assembly, renamed
from inst.glue.members import Joined, assemble_core, assemble_glue, facts_text, served_levels
from inst.glue.usage import COUNT, Usage, hook_usages, uses_counter
from inst.glue.variants import Variant, added_source, own_names, renames, widened
from inst.isa import get as instruction_set
from inst.paths import data
from inst.target.archives import pack
from inst.target.model import Target
from inst.target.tools import run_tool
from inst.words.model import Words


class Building:
    """A library being built in a directory of its own."""

    def __init__(self, command: list[str], target: Target, variant: Variant, scratch: Path) -> None:
        self.command = command
        self.target = target
        self.variant = variant
        self.scratch = scratch

    def build(self, parts: Parts) -> Path:
        """Return the archive."""
        own = self.compile_own(parts)
        if not parts.shipped:
            check_declarations(parts, self.command, self.target, self.scratch)
        joined = self.joined(own, parts)
        runtime = self.runtime(parts)
        added = self.added(own, runtime, joined)
        sources = {str(path): path.read_text() for path in [*added, *own]}
        usages = self.usages(sources, runtime, joined)
        texts = [sources[str(path)] for path in own] + sorted(joined.undefined if joined else ())
        if not uses_counter(usages, "\n".join(texts)):
            usages.pop(COUNT, None)
        usages = widened(usages, self.variant, self.target.isa)
        facts = self.scratch / "facts.s"
        key = recorder_key(parts, self.command, self.target)
        served = served_levels(parts.name if parts.shipped else "", usages)
        facts.write_text(
            facts_text(
                parts.name,
                served,
                joined,
                key,
                self.target,
                is_shared=parts.shipped,
                bare=self.variant.bare,
            )
        )
        objects = [*runtime.core(), *([joined.path] if joined else [])]
        core = [*added, facts, *([] if joined else own)]
        members = [assemble_core(core, objects, self.command, self.scratch)]
        members += assemble_glue(self.target, usages, self.command, self.scratch)
        members += runtime.support()
        return pack(self.command, self.scratch / "library.a", members)

    def runtime(self, parts: Parts) -> Compiled:
        """Return what every library of the variant consists of, besides its hooks."""
        if self.variant.bare:
            directory = self.scratch / "runtime"
            return compiled_runtime(self.command, self.target, [BARE], directory)
        folders = ["", "guard"] if self.variant.check_stack else [""]
        folders += ["segments"] if parts.records else []
        folders += ["counted" if self.variant.counts else "uncounted"]
        return compiled_runtime(self.command, self.target, folders, self.scratch / "runtime")

    def compile_own(self, parts: Parts) -> list[Path]:
        """Compile the library's own files to assembly, and show the compiler's warnings."""
        header = data("hooks/stf/words.h.j2")
        tables = rendered_header(header, "stf_words.h", _hook_tables(), self.scratch)
        options = [f"-I{tables}", f"-I{data('runtime')}", *renames(self.variant)]
        if self.variant.records:
            options += [f"-DINST_RING_RECORDS={self.variant.records}"]
            options += [f"-DINST_CPUS={self.variant.cpus}"]
        if any(self.variant.pieces):
            piece, count = self.variant.pieces
            options += [f"-DINST_FLIGHT_PIECE={piece}", f"-DINST_FLIGHT_PIECES={count}"]
        return [
            self.compile_one(source, parts, options, self.scratch / f"own-{number}-{source.stem}.s")
            for number, source in enumerate(parts.sources)
        ]

    def compile_one(self, source: Path, parts: Parts, options: list[str], output: Path) -> Path:
        """Compile a file of the library's own; assembly is only checked."""
        isa = instruction_set(self.target.isa, self.target.abi)
        if source.suffix == ".s":
            text = read_assembly(source)
            check_assembly(text, isa, str(source))
            output.write_text(renamed(text, self.variant))
            return output
        step = "-E" if source.suffix == ".S" else "-S"
        command = own_command([*self.command, *options], parts, source, self.target)
        run_tool([*command, step, str(source), "-o", str(output)], show=not parts.shipped)
        text = cxx_names(with_own_functions(output.read_text()))
        if source.suffix == ".S":
            check_assembly(own_names(text), isa, str(source))
        refuse_constructors(source, text)
        output.write_text(text)
        return output

    def joined(self, own: list[Path], parts: Parts) -> Joined | None:
        """Return the library's own objects in one, unless it is C and assembly alone."""
        if not needs_joining(parts):
            return None
        return join(own, parts, self.command, self.variant, self.scratch)

    def added(self, own: list[Path], runtime: Compiled, joined: Joined | None) -> list[Path]:
        """Return what the variant adds, generated for the library's own hooks."""
        texts = {str(path): own_names(path.read_text()) for path in own}
        usages = self.usages(texts, runtime, joined) if self.variant.check_stack else {}
        defined = "".join(texts.values())
        defined += "".join(f"{name}:\n" for name in (joined.functions if joined else ()))
        source = added_source(self.variant, defined, usages)
        if not source:
            return []
        path = self.scratch / "added.c"
        path.write_text(source)
        return [compile_file(self.command, path, path.with_suffix(".s"))]

    def usages(
        self, sources: dict[str, str], runtime: Compiled, joined: Joined | None
    ) -> dict[str, Usage]:
        """Return what the functions that glue calls require of it."""
        unseen = joined.functions if joined else frozenset[str]()
        functions = runtime.functions()
        return hook_usages(sources, self.target.isa, self.target.abi, unseen, functions)


def _hook_tables() -> dict[str, Any]:
    """Return the words that the STF library names, of the instruction set that has the format."""
    parts = (one.part(Words) for one in all_architectures())
    return next(words.hook_tables() for words in parts if words.hook_tables)
