"""Which modules name an instruction set: what would have to change for a further one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import inst

PACKAGE = Path(inst.__file__).parent
_NAMES = re.compile(r"(?i)(?<![a-z])(sparc|powerpc|ppc)")
_CONVENTIONS = frozenset(("v8", "v9", "svr4", "elfv1", "elfv2"))
_WIDTHS = frozenset((32, 64))


def named_in(path: Path) -> list[str]:
    """Return what a module names an instruction set by: names of modules, words, comparisons."""
    found = [path.name] if _NAMES.match(path.name) else []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in names if _NAMES.search(name)]
        elif isinstance(node, ast.Constant) and id(node) not in documentation:
            text = node.value if isinstance(node.value, str) else ""
            if " " in text:  # prose: messages, examples in help
                continue
            if _NAMES.search(text) or text in _CONVENTIONS:
                found.append(repr(text))
        elif isinstance(node, ast.Compare) and _compares_width(node):
            found.append(ast.unparse(node))
    return found


def _compares_width(node: ast.Compare) -> bool:
    """Return whether the width of an instruction set is asked for."""
    sides = [node.left, *node.comparators]
    asks = any(isinstance(side, ast.Attribute) and side.attr == "bits" for side in sides)
    return asks and any(isinstance(side, ast.Constant) and side.value in _WIDTHS for side in sides)


def naming(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return what each module outside the instruction sets' packages names one by."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package)
        if len(module.parts) > 2 and module.parts[0] == "arch":
            continue
        if names := named_in(path):
            found[str(module)] = names
    return found


if __name__ == "__main__":
    import sys

    modules = naming(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)
    for module, names in modules.items():
        print(f"{len(names):4} {module}: {', '.join(names)[:150]}")
    print(sum(map(len, modules.values())), "in", len(modules), "modules")
