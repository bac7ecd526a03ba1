"""Which modules name an instruction set, or its registers and instructions, outside its package.

They would have to change for a further one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import inst
from inst.arch.powerpc.tables.table import mnemonics as powerpc_mnemonics
from inst.arch.registry import all_architectures
from inst.arch.sparc.tables.table import table as sparc_table
from inst.isa.model import Tables

PACKAGE = Path(inst.__file__).parent
_NAMES = re.compile(r"(?i)(?<![a-z])(sparc|powerpc|ppc)")
_CONVENTIONS = frozenset(("v8", "v9", "svr4", "elfv1", "elfv2"))
_WIDTHS = frozenset((32, 64))
_WORD = re.compile(r"[A-Za-z0-9_.]+")

ORDINARY = {
    "types of numpy": "i1 i4",
    "kinds, details and columns of events": "trap tlbi privileged done stop pause set return",
    "filters and their language": "and or not add bt move",
    "how the names of hooks and of entries begin": "ld st",
    "labels of numbers, backwards and forwards: 1b, 1f": "bf",
    "options of compilers and linkers": "std lm sr",
    "file descriptors, and functions of the C library": "fd get scan",
    "colours, keys and elements of pages": "li td div f1 tui",
    "records of RST and their fields": "tl v9",
    "registers of page tables, and their fields": "ta ti",
    "a variable of a digest, a hash": "sha256 v1",
    "packets of gdb": "bc",
    "a C compiler": "tcc",
    "a name in a form of calls": "a1",
    "the hook library": "windows",
}
"""What words mean that are names of instructions or registers, too."""

ALLOWED = {
    "calls/atomics.py": ("sub xor nand", "ends of names of libatomic's functions"),
    "calls/quadruple.py": ("sub mul cmp neg", "ends of names of libgcc's functions"),
    "check/pagetable/software.py": (
        "tlbia tlbie tlbiel tlbilxlpid tlbilxpid tlbilxva tlbivax tlbsync tlbwe sync",
        "details of the events of page tables that software reads",
    ),
    "glue/usage.py": ("upper paired", "what no site can save, by names of its own"),
    "rewrite/unreportable.py": ("paired", "the same"),
    "objects/frames.py": ("restore nop", "DWARF's instructions for unwinding"),
    "rewrite/record/reading.py": ("nop", "in every assembly"),
    "rewrite/record/writing.py": ("nop", "in every assembly"),
    "wrap/server.py": ("nop", "a name of inst's"),
}
"""Module -> the words that only it may have, and why."""


def named_in(path: Path) -> list[str]:
    """Return what a module names an instruction set by: names of modules, words, comparisons."""
    found = [path.name] if _NAMES.match(path.name) else []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found += [repr(text) for text in _words(tree) if _NAMES.search(text) or text in _CONVENTIONS]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in names if _NAMES.search(name)]
        elif isinstance(node, ast.Compare) and _compares_width(node):
            found.append(ast.unparse(node))
    return found


def _words(tree: ast.Module) -> Iterator[str]:
    """Yield the literal texts that are no prose: documentation, messages, examples in help."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and " " not in text and id(node) not in documentation:
            yield text


def _compares_width(node: ast.Compare) -> bool:
    """Return whether the width of an instruction set is asked for."""
    sides = [node.left, *node.comparators]
    asks = any(isinstance(side, ast.Attribute) and side.attr == "bits" for side in sides)
    return asks and any(isinstance(side, ast.Constant) and side.value in _WIDTHS for side in sides)


@cache
def instruction_words() -> frozenset[str]:
    """Return the names of all registers and instructions, but for those of one letter."""
    isas = (isa for one in all_architectures() for isa in one.part(Tables).isas)
    registers = (name for isa in isas for name in isa.registers.names)
    names = {*registers, *sparc_table().mnemonics, *powerpc_mnemonics()}
    return frozenset(name for name in names if len(name) > 1)


def instructions_in(path: Path) -> list[str]:
    """Return the names of registers and instructions in a module's literals."""
    texts = _words(ast.parse(path.read_text(encoding="utf-8")))
    return [word for text in texts for word in _WORD.findall(text) if word in instruction_words()]


def naming_instructions(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return the names of registers and instructions that each module has and should not."""
    ordinary = {word for words in ORDINARY.values() for word in words.split()}
    found = {}
    for path, module in _modules(package):
        allowed = ordinary.union(ALLOWED.get(module, ("",))[0].split())
        if names := [word for word in instructions_in(path) if word not in allowed]:
            found[module] = names
    return found


def naming(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return what each module outside the instruction sets' packages names one by."""
    found = {module: named_in(path) for path, module in _modules(package)}
    return {module: names for module, names in found.items() if names}


def _modules(package: Path) -> Iterator[tuple[Path, str]]:
    """Yield the modules outside the instruction sets' packages, with their names."""
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package)
        if len(module.parts) <= 2 or module.parts[0] != "arch":
            yield path, module.as_posix()


if __name__ == "__main__":
    import sys

    package = Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE
    modules = naming(package)
    for module, names in (*modules.items(), *naming_instructions(package).items()):
        print(f"{len(names):4} {module}: {', '.join(names)[:150]}")
    print(sum(map(len, modules.values())), "in", len(modules), "modules")
