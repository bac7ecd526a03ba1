"""Where control comes to code that records: at functions, and at labels by branches and jumps.

Such code keeps a register from one place to the next, so that a walk cannot begin at any label, as
it can with probes.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from inst.asm.model import Kind
from inst.isa.model import Transfer

from .listing import DISTANCE, NAME, Listing

_RANGES = (".debug", ".gcc_except_table", ".eh_frame")
"""Sections that name places only to describe what is between them; `unseen` has landing pads."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Places of the input that a walk begins at, and those that it only comes to."""

    functions: frozenset[int] = frozenset()
    """Where functions begin whose type the file states."""
    jumps: dict[int, set[str]] = field(default_factory=dict)
    """Jump of a compiler without a table after it -> labels whose address its function takes."""
    inside: frozenset[str] = frozenset()
    """Labels that nothing leads to but branches, jumps by tables, these, ways that no branch shows,
    and what is before them."""


def entries_of(old: Listing, tables: dict[int, set[str]], compiled: bool) -> Entries:
    """Find the places of a file; `tables` are the jumps with a table after them, and its labels."""
    typed = old.functions()
    typed |= {f".L.{name}" for name in typed}
    for statement, section in zip(old.statements, old.section, strict=True):
        if section == ".opd":  # descriptors, which begin with a function's address
            typed.update(NAME.findall(statement.operands))
    functions = frozenset(old.labels[name] for name in typed & old.labels.keys())
    named = _named(old)
    jumps = _jumps(old, tables, typed, named) if compiled else {}
    called = {
        found.facts.target
        for found in old.instructions
        if found.facts.transfer == Transfer.CALL and not found.facts.pc_relative_data
    }
    jumped_to = set().union(*jumps.values(), *tables.values())
    inside = {name for name in old.labels if name.startswith(".")}
    inside -= called | named.keys() - jumped_to
    return Entries(functions, jumps, frozenset(inside))


def _named(old: Listing) -> dict[str, list[int]]:
    """Return the names in data, and those whose address code takes, with the statements."""
    found: dict[str, list[int]] = {}
    for position, statement in enumerate(old.statements):
        operands = statement.operands
        if position in old.at:
            is_target = old.instructions[old.at[position]].facts.target
            operands = "" if is_target else DISTANCE.sub("", operands)
        elif statement.name.startswith(".cfi_") or old.section[position].startswith(_RANGES):
            continue
        for name in NAME.findall(operands):
            found.setdefault(name, []).append(position)
    return found


def _jumps(
    old: Listing, tables: dict[int, set[str]], functions: set[str], named: dict[str, list[int]]
) -> dict[int, set[str]]:
    starts = [
        position
        for position, one in enumerate(old.statements)
        if one.kind == Kind.LABEL and one.name in functions
    ]
    taken: dict[int, set[str]] = {}
    for name in named.keys() & old.labels.keys() - functions:
        if name.startswith(".") and old.labels[name] < len(old.instructions):
            place = old.instructions[old.labels[name]].statement
            taken.setdefault(bisect_right(starts, place), set()).add(name)
    found = {}
    for index, one in enumerate(old.instructions):
        own = taken.get(bisect_right(starts, one.statement), set())
        if one.facts.transfer == Transfer.JUMP and index not in tables and own:
            found[index] = own
    return found
