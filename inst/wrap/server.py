"""The server of a build: it has imported inst-cc, its assembler and its linker (`inst.server`)."""

from __future__ import annotations

import gc
import os
import runpy
import sys
from importlib import import_module

from inst.paths import data_name
from inst.rewrite.options import Options
from inst.server.process import Server, Work, freeze, main_of
from inst.target.targets import TARGETS
from inst.translate import translate

_TOOLS = ("cc", "assembler", "linker")
_LATE = ("inst.build.library", "inst.build.wraplibrary", "inst.wrap.bodies",
         "inst.wrap.library_variant")  # fmt: skip
"""What these import where they use it."""
_CODE = "f:\n\tnop\n"
"""Code of every instruction set: translating it reads the tables of instructions."""


def work_of(name: str, words: list[str]) -> Work | None:
    """Return what inst-cc or the Python of its tools does."""
    base = os.path.basename(name)
    if base == "inst-cc":
        return main_of("inst.wrap.cc", [name, *words])
    start = os.path.realpath(data_name("wrappers/start.py"))
    if base != "python" or words[:2] != ["-I", "-S"] or os.path.realpath(words[2]) != start:
        return None

    def work() -> object:
        sys.argv = words[2:]
        return runpy.run_path(start, run_name="__main__")

    return work


def main() -> None:
    """Import and read what the tools need, then serve."""
    gc.disable()
    for name in (*(f"inst.wrap.{tool}" for tool in _TOOLS), *_LATE):
        import_module(name)
    for target in TARGETS.values():
        for record in (False, True):
            translate(_CODE, target, Options(record=record))
    freeze()
    Server(sys.argv[1], work_of).serve()
