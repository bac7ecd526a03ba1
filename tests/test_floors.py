"""Packages of inst import what stands below them, and no modules import each other.

`FLOORS` is the plan of the house: a package or module of one floor may import whatever stands on
a lower floor. An import inside a function counts like any other: it saves time, not an arrow.
An instruction set's package (`inst.arch.sparc`) reaches through the floors: each part of it belongs
to the room that uses it (`PARTS`). A room reaches its parts by `Architecture.part`, which counts
as an import of that part of every instruction set.
Within a package there are no floors, but no circles either: what two modules share stands in a
module that both import.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import inst

PACKAGE = Path(inst.__file__).parent
FLOORS = (
    "inst",
    "lazy_dataclass",
    "dataclass shown",
    "errors",
    "arch paths common hooktable shipped",
    "asm calls",
    "isa cache",
    "server words target",
    "flow trace",
    "glue program simulation objects replay",
    "rewrite formats calltree",
    "build translate statistics filter check convert debugging",
    "wrap diff testing browse offline",
    "tui",
    "commands",
    "cli",
    "start",
    "__main__",
)
"""What stands on each floor, the lowest first: packages, and modules beside them."""
PARTS = {
    "syntax": "asm",
    "grammar": "asm",
    "tables": "isa",
    "sites": "isa",
    "words": "words",
    "targets": "target",
    "conventions": "flow",
    "encoded": "flow",
    "glue": "glue",
    "objects": "objects",
    "passes": "rewrite",
    "regvals": "formats",
    "rewrite": "rewrite",
    "writer": "rewrite",
    "recorder": "rewrite",
    "semantics": "replay",
    "debugger": "replay",
    "system": "calls",
}
"""Module of an instruction set's package -> the room that it belongs to."""
_PART = re.compile(r".*\.part\(([A-Z]\w*)\)", re.DOTALL)
"""How a module asks for a part: by the name of its type."""


def modules() -> dict[str, Path]:
    """Return every module by its dotted name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of inst that a module imports anywhere, but for types alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module in known:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.Call) and (kind := _PART.fullmatch(ast.unparse(node))):
            name = kind[1].lower()
            assert name in PARTS, f"{path}: no room has parts of the type {kind[1]}"
            yield from (one for one in known if re.fullmatch(rf"inst\.arch\.\w+\.{name}", one))


def room(module: str) -> str:
    """Return the package, or module beside the packages, that a module belongs to."""
    found = re.fullmatch(r"inst\.arch\.\w+\.(\w+)(\..*)?", module)
    return PARTS[found[1]] if found else (*module.split("."), "inst")[1]


def test_every_import_goes_to_a_lower_floor() -> None:
    known = modules()
    floor = {name: number for number, names in enumerate(FLOORS) for name in names.split()}
    assert floor.keys() == {room(module) for module in known}
    wrong = [
        f"{module} -> {other}"
        for module, path in sorted(known.items())
        for other in imports(path, known)
        if room(module) != room(other) and floor[room(module)] <= floor[room(other)]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_modules_import_each_other() -> None:
    known = modules()
    graph = {module: {*imports(path, known)} - {module} for module, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise AssertionError(circle) from None
