"""Packages of inst import what stands below them, and no modules import each other.

`FLOORS` is the plan of the house: a package or module of one floor may import what stands on a
lower floor, and `ARROWS` are the imports that there are. An import inside a function counts like
any other: it saves time, not an arrow.
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
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import inst
from tests.parsed import parsed

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
BASE = frozenset(
    ["inst", "lazy_dataclass", "dataclass", "shown", "errors", "arch", "paths", "common"]
)
"""What any room may import that stands above it."""
ARROWS = {
    "isa": "asm",
    "server": "cache",
    "target": "cache",
    "words": "isa",
    "flow": "asm isa words",
    "trace": "calls words",
    "glue": "hooktable shipped asm isa target flow",
    "objects": "asm isa target words flow",
    "program": "hooktable target words trace",
    "replay": "isa target words",
    "simulation": "isa words trace",
    "calltree": "calls words trace program",
    "formats": "hooktable isa target words flow trace program replay simulation",
    "rewrite": "hooktable asm calls isa flow",
    "build": "hooktable shipped calls cache isa target words glue",
    "check": "words trace program formats",
    "convert": "calls words trace program calltree formats",
    "debugging": "isa target words trace program replay formats",
    "filter": "trace program formats",
    "statistics": "words trace program",
    "translate": "isa target flow rewrite",
    "browse": "trace program calltree check",
    "diff": "words trace filter",
    "offline": "hooktable shipped target words trace build",
    "testing": "target trace program check",
    "wrap": "hooktable shipped asm cache isa server target glue objects rewrite build translate",
    "tui": "browse",
    "commands": (
        "calls cache server target trace glue objects program replay calltree formats build "
        "check convert debugging filter statistics translate browse diff offline wrap tui"
    ),
    "cli": "commands",
    "start": "cli",
    "__main__": "start",
}
"""Room -> the other rooms that it imports, all of which stand lower; one without any is not here.
Formats are named by texts in `inst.trace.registry`, by which a format may be added: no arrow."""
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


@cache
def _telling(path: Path) -> list[ast.AST]:
    """Return the nodes of a module that may be imports: three tests look at them."""
    kinds = (ast.Import, ast.ImportFrom)
    nodes = ast.walk(parsed(path))
    return [node for node in nodes if isinstance(node, kinds) or _asks_for_part(node)]


def imports(path: Path, known: dict[str, Path], types: bool = False) -> Iterator[str]:
    """Yield the modules of inst that a module imports anywhere; for types alone if asked to."""
    of_types = _for_types(path) if not types else frozenset()
    for node in _telling(path):
        if node in of_types:
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


def _asks_for_part(node: ast.AST) -> bool:
    """Return whether a node may be such a call: to spell every call takes long."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_method and node.func.attr == "part"


@cache
def _for_types(path: Path) -> frozenset[ast.AST]:
    """Return what only a type checker reads."""
    return frozenset(
        inner
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    )


def room(module: str) -> str:
    """Return the package, or module beside the packages, that a module belongs to."""
    found = re.fullmatch(r"inst\.arch\.\w+\.(\w+)(\..*)?", module)
    return PARTS[found[1]] if found else (*module.split("."), "inst")[1]


def test_every_import_goes_to_a_lower_floor() -> None:
    """Also an import for types alone."""
    known = modules()
    floor = {name: number for number, names in enumerate(FLOORS) for name in names.split()}
    assert floor.keys() == {room(module) for module in known}
    wrong = [
        f"{module} -> {other}"
        for module, path in sorted(known.items())
        for other in imports(path, known, types=True)
        if room(module) != room(other) and floor[room(module)] <= floor[room(other)]
    ]
    assert not wrong, "\n".join(wrong)


def test_rooms_import_what_the_plan_says() -> None:
    known = modules()
    found = {(room(m), room(other)) for m, path in known.items() for other in imports(path, known)}
    arrows = {(one, other) for one, other in found if one != other and other not in BASE}
    planned = {(one, other) for one, names in ARROWS.items() for other in names.split()}
    assert not arrows - planned, "new: an arrow to add, if it shall be there"
    assert not planned - arrows, "no longer there"


def test_no_modules_import_each_other() -> None:
    """Not for types alone either."""
    known = modules()
    graph = {m: {*imports(path, known, types=True)} - {m} for m, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise AssertionError(circle) from None
