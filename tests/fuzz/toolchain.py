"""Compiler, assembler and linker one by one, so that a program is compiled once for both forms.

The compiler's driver is asked once which words it gives its assembler and linker. What inst-cc
adds between them is added here by its own functions.
"""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from inst.build.library import PLAIN, build_library
from inst.build.wraplibrary import build_wrappers
from inst.target.targets import Target
from inst.wrap.linker import instrumented
from tests.fuzz.manner import Manner

_INCLUDE = "/usr/include/csmith"
_CLANG = {
    "sparc-v8": ("--target=sparc-linux-gnu", "-mcpu=v8"),
    "sparc-v9": ("--target=sparcv9-linux-gnu",),
    "ppc32": ("--target=powerpc-linux-gnu", "-msecure-plt"),
    "ppc64": ("--target=powerpc64-linux-gnu",),
    "ppc64le": ("--target=powerpc64le-linux-gnu",),
}
_STANDARD: dict[str, tuple[str, ...]] = {"g++": ("-fpermissive",), "clang++": ()}
_COMPILE_SECONDS = 120


_DATA = (".data", ".bss", ".rodata", ".sdata", ".sbss", ".data.rel*", ".data.*", ".bss.*")


class ToolError(Exception):
    """A tool refused its input; says what it said."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The tools for one target and manner."""

    target: Target
    manner: Manner
    directory: Path
    suffix: str = field(init=False)
    """Of the source file."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "suffix", ".cc" if self.manner.plus else ".c")

    def compiler(self) -> list[str]:
        """Return the command that compiles, with all options but what to make."""
        manner, target = self.manner, self.target
        own: tuple[str, ...]
        if manner.compiler.startswith("clang"):
            system = f"{target.sysroot}/include"
            own = (manner.compiler, *_CLANG[target.name], "-fno-integrated-as", "-isystem", system)
        else:
            own = driver(target, manner.compiler)
        standard = _STANDARD.get(manner.compiler, ("-std=gnu17",))
        return [*own, *standard, "-w", f"-I{_INCLUDE}", *manner.compiled]

    def compile(self, source: Path) -> str:
        """Return a program as assembly."""
        return run_tool([*self.compiler(), "-S", "-o", "-", source.name], self.directory)

    def assemble(self, text: str, made: str) -> None:
        """Assemble a text."""
        machine = tuple(w for w in self.manner.compiled if w.startswith(("-m", "-fPI", "-fno-pi")))
        words = assembler_words(driver(self.target, "gcc"), machine)
        run_tool([*words, "-o", made, "-"], self.directory, text)

    def align_data(self, name: str) -> None:
        """Give an object's data one alignment, wherever they will lie.

        Compilers that use vectors look at where an array lies, and access it accordingly: two
        programs that are to access the same have to have it at the same place modulo 16.
        """
        changed = [f"--set-section-alignment={section}=16" for section in _DATA]
        copier = _program(driver(self.target, "gcc"), "objcopy")
        run_tool([copier, *changed, name], self.directory)

    def link(self, object_name: str, made: str, hooks: str = "", mapped: bool = False) -> None:
        """Link one object, with the hook library of that name if there is one."""
        compiler = "g++" if self.manner.plus else "gcc"
        words = list(linker_words(driver(self.target, compiler), (self.manner.linked,)))
        words = [{LINK_INPUT: object_name, LINK_OUTPUT: made}.get(word, word) for word in words]
        if hooks:
            words = instrumented(words, "", *libraries(self.target, hooks))
        run_tool([*words, *([f"-Map={made}.map"] if mapped else [])], self.directory)


LINK_INPUT, LINK_OUTPUT = "object-that-is-linked.o", "program-that-is-made"
"""What `linker_words` has in the place of the objects and of the program."""


def driver(target: Target, compiler: str) -> tuple[str, ...]:
    """Return the command of gcc or g++ for a target."""
    return (target.compiler[0].removesuffix("gcc") + compiler, *target.compiler[1:])


@cache
def assembler_words(command: tuple[str, ...], machine: tuple[str, ...]) -> tuple[str, ...]:
    """Return the assembler that a compiler runs, with its options."""
    asked = (*command, *machine, "-###", "-c", "source.s", "-o", LINK_OUTPUT)
    words = _last_command(asked, "as")
    at = words.index("-o")
    rest = [*words[1:at], *words[at + 2 :]]
    real = _program(command, "as")
    return (real, *(word for word in rest if word != "source.s"))


@cache
def linker_words(command: tuple[str, ...], options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the linker that a compiler runs, with its words, but not the plugin for LTO."""
    asked = (*command, "-###", *options, LINK_INPUT, "-o", LINK_OUTPUT)
    words = iter(_last_command(asked, "collect2"))
    next(words)
    kept = [_program(command, "ld")]
    for word in words:
        if word == "-plugin":
            next(words)
        elif not word.startswith("-plugin-opt="):
            kept.append(word)
    return tuple(kept)


@cache
def libraries(target: Target, hooks: str) -> tuple[str, str]:
    """Return what inst-cc links into a program: wrappers and hook library."""
    compiler = list(target.compiler)
    library = build_library(hooks, compiler, target, False, PLAIN)
    return str(build_wrappers(compiler, target)), str(library)


def _last_command(command: tuple[str, ...], program: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [shlex.split(line) for line in done.stderr.splitlines() if line.startswith(" ")]
    return next(words for words in reversed(lines) if Path(words[0]).name.endswith(program))


def _program(command: tuple[str, ...], name: str) -> str:
    return run_tool([*command, f"-print-prog-name={name}"], Path.cwd()).strip()


def run_tool(command: list[str], directory: Path, text: str = "") -> str:
    """Run a tool; return its output."""
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            errors="surrogateescape",  # clang writes the bytes of strings as they are
            cwd=directory,
            timeout=_COMPILE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"{command[0]} did not end in {_COMPILE_SECONDS} s") from None
    if done.returncode:
        raise ToolError(f"{shlex.join(command)}:\n{done.stderr[:2000]}")
    return done.stdout
