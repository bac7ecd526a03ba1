"""Text in, text out: the whole translation as one list of steps.

split -> facts -> normalise -> (again) -> liveness -> probes -> reach -> edits -> site table
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from inst import isa as instruction_sets
from inst.asm.model import Kind, Statement
from inst.asm.opaque import check_opaque
from inst.asm.split import split
from inst.flow.code import Code, read_code, statement_error
from inst.flow.liveness import find_liveness
from inst.hooktable import LEVEL_SYMBOLS
from inst.isa.model import Isa, Transfer
from inst.rewrite import normalise, powerpc, reach, sparc
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import apply_edits
from inst.sitetable import SECTION
from inst.targets import Target

_PROBES: dict[str, Callable[[Rewriting], None]] = {
    "sparc": sparc.place_probes,
    "powerpc": powerpc.place_probes,
}
_COMPUTED = re.compile(r"[-+*]")
_ADDRESS_DIRECTIVE = {"sparc": ".uaword", "powerpc": ".4byte"}


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose when the file is instrumented."""

    level: str = "values"
    """"values": addresses and values; "addresses": addresses only."""


def translate(source: str, target: Target, options: Options, file: str = "<stdin>") -> str:
    """Return the instrumented form of an assembly file.

    Text that holds no access comes back as it went in.  Raises InstError (or ErrorList)
    with file, line and text for what cannot be understood or cannot be instrumented.
    """
    with _collector_paused():
        return _translate(source, instruction_sets.get(target.isa), options, file)


def _translate(source: str, isa: Isa, options: Options, file: str) -> str:
    code = _read(source, isa, file)
    mentioned = code.mentioned()
    if isa.name == "sparc":
        opened = normalise.normalise(code)
        if opened.by_statement:
            code = _read(apply_edits(code.statements, opened), isa, file)
    _refuse_computed_targets(code)
    work = Rewriting(code, isa, find_liveness(code, isa), options.level == "values", mentioned)
    _PROBES[isa.name](work)
    if not work.sites:
        return source
    reach.relax(code, work.edits)
    return apply_edits(code.statements, work.edits) + _site_table(work, options, file)


def _read(source: str, isa: Isa, file: str) -> Code:
    statements = split(source, isa.name, file)
    check_opaque(statements, file)
    return read_code(statements, isa, file)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the cycle collector from walking the many statements that live to the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _refuse_computed_targets(code: Code) -> None:
    """Refuse branches to a label plus a distance: code in between is about to grow."""
    for index, fact in enumerate(code.facts):
        if fact.transfer != Transfer.BRANCH or fact.pc_relative_data:
            continue
        if _COMPUTED.search(fact.target.split("@")[0]) and code.target(index) < 0:
            raise statement_error(
                code,
                index,
                f"a branch to {fact.target} depends on the length of the code in between",
                "name the target by a label of its own",
            )


def _site_table(work: Rewriting, options: Options, file: str) -> str:
    """Return the directives of the file's site table."""
    address = _ADDRESS_DIRECTIVE[work.isa.name]
    places = _source_places(work.code.statements)
    lines = [f'\n\t.section {SECTION},"",@progbits\n']
    lines.append(f'\t.ascii "L"\n\t{address} {quoted(LEVEL_SYMBOLS[options.level])}\n\t.byte 0\n')
    current = None
    for site in work.sites:
        statement = work.code.statements[site.statement]
        name, line = places[site.statement] or (file, statement.line)
        if name != current:
            current = name
            lines.append(f"\t.ascii {quoted('F' + name)}\n\t.byte 0\n")
        text = " ".join(f"{statement.name} {statement.operands}".split())
        fields = quoted(f"{site.event}\t{site.size}\t{line}\t{text}")
        lines.append(f'\t.ascii "S"\n\t{address} {site.label}\n\t.asciz {fields}\n')
    return "".join(lines)


def quoted(text: str) -> str:
    """Return text as a string (or symbol) in double quotes, as gas reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'


_FILE = re.compile(r'(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')


def _source_places(statements: list[Statement]) -> list[tuple[str, int] | None]:
    """Return the source file and line of each statement, by `.file` and `.loc`."""
    files: dict[str, str] = {}
    current: tuple[str, int] | None = None
    places: list[tuple[str, int] | None] = []
    for statement in statements:
        if statement.kind == Kind.DIRECTIVE:
            if statement.name == ".loc":
                number, line, *_ = [*statement.operands.split(None, 2), "0"]
                current = (files.get(number, "?"), int(line))
            elif statement.name == ".file":
                match = _FILE.match(statement.operands)
                if match:
                    files[match[1]] = _joined(match[2], match[3])
        places.append(current)
    return places


def _joined(first: str, second: str | None) -> str:
    """Join directory and name of a `.file`; with one string it is the name."""
    if second is None or second.startswith("/"):
        return second or first
    return f"{first}/{second}"
