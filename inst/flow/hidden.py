"""Ways that control goes without a branch, and what is live for them.

- An exception goes from a call, or from anything else that can throw, to a landing pad
  (`inst.flow.call_sites`): the unwinder restores what a call preserves, as it is at the throw.
- `asm goto` may go to the labels that it names, from anywhere in its text.
- An instruction that a table marks, such as `__ex_table`, may go to any place in the table.
- SPARC: setjmp and its kin return a second time, and non-local jumps come to labels whose
  address the code takes.  The window's registers are then what they were when the window was
  last saved to the stack, which may be at any instruction of the function.  PowerPC needs no
  such way: what is live there was stored by the first return.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from inst.asm.model import Kind
from inst.dataclass import dataclass
from inst.flow.call_sites import UnreadableTable, call_sites
from inst.flow.code import NAME, Code, addressed_labels
from inst.flow.conventions import Convention
from inst.flow.model import Conventions
from inst.flow.sections import WORDS, is_table
from inst.flow.tables import marked
from inst.isa.model import Isa, RegisterSet, Transfer

_DIFFERENCE = re.compile(r"[\w.$]+\s*-\s*[A-Za-z_.$][\w$][\w.$]*")
AS_CALLED = r"(\+\d+)?(@plt|@PLT|@notoc)?(\+\d+)?"
"""What calls spell after a name."""
RETURNS_TWICE = re.compile(
    r"_{0,2}(sigsetjmp|setjmp|setjmp_syscall|savectx|vfork|getcontext)" + AS_CALLED
)
"""Functions that return twice: the names in gcc's special_function_p."""
SWITCHES_CONTEXT = re.compile("swapcontext" + AS_CALLED)
"""The function that returns when another context is left for the one that has called it."""
_SECTIONS = frozenset((".section", ".pushsection"))
_APP = re.compile(r"[#!](NO_)?APP\b")


@dataclass(frozen=True, slots=True)
class Way:
    """From each instruction from `first` up to `end`, control may go to `target`."""

    first: int
    end: int
    target: int
    preserved: RegisterSet
    """Registers that hold the same value there as where control comes from."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What is live at each instruction from `first` up to `end`, for ways to unknown places."""

    first: int
    end: int
    live: RegisterSet


def hidden_ways(code: Code, isa: Isa, convention: Convention) -> tuple[list[Way], list[Demand]]:
    """Return the hidden ways of a file, and what is live where they are not known."""
    ways: list[Way] = []
    demands: list[Demand] = []
    sections = [one.operands.strip('"') for one in code.statements if one.name in _SECTIONS]
    if any(is_table(name) for name in sections):
        demands = [Demand(index, index + 1, convention.everything) for index in _marks(code)]
    landing = convention.at_landing if code.compiled else convention.everything
    try:
        sites = call_sites(code) if _has_call_sites(code, sections) else []
        ways += [Way(site.first, site.end, site.pad, landing) for site in sites]
    except UnreadableTable:
        demands.append(Demand(0, len(code.facts), landing))
    ways += [Way(here, here + 1, to, convention.everything) for here, to in _asm_jumps(code)]
    conventions = isa.part(Conventions)
    if conventions.returns_elsewhere and code.compiled:
        preserved = convention.everything & ~convention.killed
        ways += [Way(*part, to, preserved) for to, part in _second_returns(code, conventions)]
    return ways, demands


def computed_jumps(code: Code, preserved: RegisterSet) -> list[Way]:
    """Return the ways of computed jumps: each to all places whose address is taken."""
    places = {code.labels.get(name, -1) for name in addressed_labels(code)} - {-1}
    jumps = [index for index, fact in enumerate(code.facts) if fact.transfer == Transfer.JUMP]
    return [Way(index, index + 1, place, preserved) for index in jumps for place in places]


def labelled_gotos(code: Code) -> dict[int, list[int]]:
    """Return where computed jumps of a compiler's functions go that take the address of labels.

    A jump without a table after it is a `goto` to such a label of its function, or it leaves the
    function: as a tail call, or to where a nested function's `goto` or `__builtin_longjmp` ends,
    which reads nothing that a call changes.
    """
    tables = code.jump_tables() if code.compiled else {}
    jumps = [
        index
        for index, fact in enumerate(code.facts if code.compiled else ())
        if fact.transfer == Transfer.JUMP and index not in tables
    ]
    if not jumps:
        return {}
    taken = addressed_labels(code, code.jump_table_words())
    labels = sorted({code.labels.get(name, -1) for name in taken if name.startswith(".")} - {-1})
    parts = list(_functions(code)) if labels else []
    targets = dict[str, list[int]]()
    for name, first, end in parts:
        inside = labels[bisect_left(labels, first) : bisect_left(labels, end)]
        targets.setdefault(name, []).extend(inside)
    return {
        index: targets[name]
        for name, first, end in parts
        if targets[name]
        for index in jumps[bisect_left(jumps, first) : bisect_left(jumps, end)]
    }


def in_asm(code: Code) -> set[int]:
    """Return the statements of a compiler's file that asm statements of the source made."""
    return {position for first, end in _asm_texts(code) for position in range(first, end)}


def _has_call_sites(code: Code, sections: list[str]) -> bool:
    """Return whether there may be tables of call sites, which most files lack."""
    if any(name.startswith(".gcc_except_table") for name in sections):
        return True
    return any(one.name == ".cfi_lsda" for one in code.statements)


def _marks(code: Code) -> set[int]:
    """Return the instructions that tables mark; the address of a function is no mark."""
    found = {(index, name) for index, _, name in marked(code)}
    functions = code.functions() if found else frozenset()
    return {index for index, name in found if name.removeprefix(".L.") not in functions}


def _asm_jumps(code: Code) -> Iterator[tuple[int, int]]:
    """Yield where `asm goto` may go, and from where: labels named between #APP and #NO_APP."""
    index_of: dict[int, int] = {}
    for first, end in _asm_texts(code):
        targets = set(_named_in(code, first, end))
        if not targets:
            continue
        index_of = index_of or {position: n for n, position in enumerate(code.statement)}
        here = [index_of[position] for position in range(first, end) if position in index_of]
        if not here:  # data alone: a table of places that something rewrites
            here = [index_of[n] for n in range(end, len(code.statements)) if n in index_of][:1]
        yield from ((index, target) for index in here for target in targets)


def _asm_texts(code: Code) -> Iterator[tuple[int, int]]:
    """Yield the statements of each asm statement: the first, and what follows the last."""
    start = -1
    texts = [(n, one.text) for n, one in enumerate(code.statements) if "APP" in one.text]
    for position, text in texts:
        for mark in _APP.finditer(text):
            if mark[1] is None:
                start = position + 1
            elif start >= 0:
                yield start, position + 1
                start = -1


def _named_in(code: Code, first: int, end: int) -> Iterator[int]:
    """Yield the instructions whose labels some statements name; their own labels do not count."""
    texts = code.statements[first:end]
    own = {one.name for one in texts if one.kind == Kind.LABEL}
    for statement in texts:
        if statement.kind in (Kind.DIRECTIVE, Kind.INSTRUCTION):
            for name in NAME.findall(statement.operands):
                if name.startswith(".L") and name not in own and code.labels.get(name, -1) >= 0:
                    yield code.labels[name]


def _second_returns(code: Code, conventions: Conventions) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield where control may return a second time, and the code that may be running then."""
    places = [*_after_calls(code), *_addressed(code, conventions.takes_address)]
    if not places:
        return
    parts = list(_functions(code))
    for place in places:
        name = next(name for name, first, end in parts if first <= place < end)
        yield from ((place, (first, end)) for other, first, end in parts if other == name)


def _after_calls(code: Code) -> Iterator[int]:
    """Yield where functions that return twice return to."""
    calls = [n for n, fact in enumerate(code.facts) if fact.transfer == Transfer.CALL]
    for index in calls:
        if RETURNS_TWICE.fullmatch(code.facts[index].target):
            after = index + 1 + code.facts[index].delay_slot
            if after < len(code.facts) and after not in code.section_end:
                yield after


def _addressed(code: Code, mnemonic: str) -> set[int]:
    """Return the code whose address is taken, by this first; tables among it do not count."""
    taken = [one.operands for one in code.statements if one.name == mnemonic]
    names = {
        name
        for operands in taken
        if ".L" in operands
        for name in NAME.findall(_DIFFERENCE.sub("", operands))
    }
    names = {name for name in names if code.labels.get(name, -1) >= 0}
    return {code.labels[name] for name in names - _tables(code, names)} if names else set()


def _tables(code: Code, names: set[str]) -> set[str]:
    """Return those of some labels that are before data."""
    found, pending = set(), set[str]()
    for statement in code.statements:
        if statement.kind == Kind.LABEL:
            pending |= {statement.name} & names
        elif statement.kind == Kind.INSTRUCTION:
            pending.clear()
        elif statement.kind == Kind.DIRECTIVE and statement.name in WORDS:
            found |= pending
    return found


def _functions(code: Code) -> Iterator[tuple[str, int, int]]:
    """Yield the parts of functions: name, first instruction, and what follows the last one."""
    starts = {0: ""} | dict.fromkeys(code.section_end, "")
    for name in sorted(code.functions()):
        if code.labels.get(name, -1) >= 0:
            starts[code.labels[name]] = name.split(".cold")[0]
    order = sorted(starts)
    yield from ((starts[first], first, end) for first, end in pairwise(order))
