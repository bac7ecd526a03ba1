"""The server of a run of the tests: it has imported all of inst, and serves `inst` as well."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import sys

import inst
from inst.server.process import Server, Work, freeze, main_of
from inst.wrap.server import work_of
from tests.warm import COMMANDS, ROOT

_LATE = (
    "capstone",
    "elftools.dwarf.callframe",
    "elftools.elf.elffile",
    "elftools.elf.enums",
    "elftools.elf.relocation",
    "numpy.ma",
)
"""What inst, or NumPy, imports where it is used; importing it takes half of a short command.

pyarrow, duckdb and altair are not among these: few commands use them, and a process that is large
takes long to fork.
"""
_ASSEMBLY = ROOT / "tests" / "truth" / "assembly"
_TRANSLATED = {"ppc32": "ppc32.s", "sparc-v8": "sparc-v8.s", "sparc-v9": "sparc-v9.s"}
"""For each set of tables of instructions, a target and assembly that has most kinds of them."""
_MODULES = {
    "inst": ("inst.cli", "inst/__main__.py"),
    "inst.wrap.cc": ("inst.wrap.cc", "inst/wrap/cc.py"),
}
"""What `python -m` runs: the module whose `main` it is, and the file that it begins with."""


def main() -> None:
    """Import, then serve."""
    gc.disable()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads must not fork
    _import_all()
    _read_tables()
    freeze()
    Server(sys.argv[1], _work_of).serve()


def _work_of(name: str, words: list[str]) -> Work | None:
    base = os.path.basename(name)
    if base == "python" and words[:1] == ["-m"] and words[1] in _MODULES:
        module, file = _MODULES[words[1]]
        return main_of(module, [str(ROOT / file), *words[2:]])
    if base == "python":
        return work_of(name, words)
    return main_of(COMMANDS.get(base, COMMANDS["inst-cc"]), [name, *words])  # or a link to inst-cc


def _import_all() -> None:
    """Import every module of inst, and what they import."""
    for found in pkgutil.walk_packages(inst.__path__, "inst."):
        if not found.name.endswith(("__main__", "pytest_plugin", "_start", ".start")):
            importlib.import_module(found.name)
    for name in _LATE:
        importlib.import_module(name)


def _read_tables() -> None:
    """Read once what commands remember: tables of instructions, patterns, packages with checks."""
    from inst.check.registry import known
    from inst.rewrite.options import Options
    from inst.target.targets import TARGETS
    from inst.translate import translate

    for target, name in _TRANSLATED.items():
        translate((_ASSEMBLY / name).read_text(), TARGETS[target], Options())
    known()
