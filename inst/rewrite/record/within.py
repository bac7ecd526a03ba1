"""Calls of a file's own functions, which re-execution follows into them and back.

Where such a function begins, and where it returns to, all registers are known that the file's code
has computed. So its calls enter it after the code that records what other callers leave in
registers, and nothing is recorded where they return. Registers that functions preserve for their
callers are recorded even so, by a function that saves them: the callers may not have read them.

A function that ends by going on to one elsewhere is entered in this way too, but other code may
have the last word on what it leaves: that is recorded.

Functions are entered as by others in a part of a large file, since most of their calls are in other
parts, and in a file with line numbers: debuggers stop at a function's address.
"""

from __future__ import annotations

from bisect import bisect_right

from inst.calls.wraptable import WRAPPED
from inst.dataclass import dataclass, field
from inst.flow.blocks import Block
from inst.flow.code import Code
from inst.flow.conventions import convention_of
from inst.flow.functions import Function, Functions
from inst.flow.model import Conventions
from inst.isa.model import RegisterSet, Transfer
from inst.rewrite.context import Rewriting

_MAY_BE_ANOTHERS = ("comdat", "linkonce")
"""In what names a section: the linker keeps one of those that several files have."""
_DIRECTIVES = frozenset((".weak", ".type", ".localentry", ".section"))
_LEAVES_TABLE = "1"
"""Of a function's second entry: the function may change the pointer to the table of contents."""


@dataclass(slots=True)
class Inner:
    """A function that calls of the same file enter past what is recorded for others."""

    function: Function
    entry: int
    """The instruction at which the code of all callers begins."""
    returns: bool = True
    """It ends by its own returns alone, or by those of others that do so too."""
    tails: list[str] = field(default_factory=list)
    """The functions to which it goes on instead of returning."""


def inner_functions(work: Rewriting) -> dict[str, Inner]:
    """Return the functions that a file's code calls so, by their names.

    The linker may not put another function in their place, and no code is counted on to run where
    they are entered by their names.
    """
    code = work.code
    if not code.compiled or work.options.functions:
        return {}
    local, (left, shared) = code.local_entries(), _left_to_others(code)
    found: dict[str, Inner] = {}
    for function in Functions(code, work.isa).found:
        names, section = function.names, bisect_right(code.section_end, function.entry)
        if names & left or code.sections[section] in shared or function.entry in work.left_out:
            continue
        entry = next((local[name] for name in sorted(names) if name in local), function.entry)
        inner = Inner(function, entry)
        _find_tails(work, inner)
        found |= dict.fromkeys(names, inner)
    _exclude_open(found)
    return found


def _left_to_others(code: Code) -> tuple[set[str], set[str]]:
    """Return the functions that the linker may take from another file, with those that change what
    their callers expect to be left alone; and the sections that it may take from another one."""
    found, shared = set(WRAPPED), set[str]()
    for statement in code.statements:
        if statement.name not in _DIRECTIVES:
            continue
        first, *others = (one.strip().strip('"') for one in statement.operands.split(","))
        match statement.name:
            case ".weak":
                found |= {first, *others}
            case ".type" if "indirect" in statement.operands:
                found.add(first)
            case ".localentry" if others == [_LEAVES_TABLE]:
                found.add(first)
            case ".section" if any(one in statement.operands for one in _MAY_BE_ANOTHERS):
                shared.add(first)
    return found, shared


def _find_tails(work: Rewriting, inner: Inner) -> None:
    """Find to which functions a function goes on; that it may return, if that is not known."""
    for index in inner.function.exits:
        transfer = work.code.facts[index].transfer
        if transfer in (Transfer.BRANCH, Transfer.CALL):
            inner.tails.append(work.code.callee(index).partition("@")[0])
        elif transfer != Transfer.RETURN:
            inner.returns = False


def _exclude_open(found: dict[str, Inner]) -> None:
    """Find the functions that may go on to one which does not return to their callers itself."""
    changed = True
    while changed:
        changed = False
        for inner in found.values():
            goes_out = any(name not in found or not found[name].returns for name in inner.tails)
            if inner.returns and goes_out:
                inner.returns, changed = False, True


class Within:
    """The calls of such functions, and where these return to, as blocks."""

    def __init__(self, work: Rewriting) -> None:
        self.code = work.code
        self.functions = inner_functions(work)
        has_lines = any(statement.name == ".loc" for statement in work.code.statements)
        self.enters = not (work.code.elsewhere or has_lines)
        """Whether calls enter functions past what is recorded for others."""
        registers, convention = work.isa.registers, convention_of(work.isa)
        conventions = work.isa.part(Conventions)
        names = (name for name in conventions.unwound if name in registers.bit)
        self.preserved = registers.mask(*names) & ~registers.mask(conventions.stack_pointer)
        """What functions leave to their callers as it was."""
        floating = registers.volatile & ~convention.killed
        returned = registers.mask(*conventions.calls[work.isa.abi].returned.split())
        self.arguments = (convention.arguments & convention.killed | floating) & ~self.preserved
        """What a function may be given, and what it may leave."""
        self.known = (convention.killed | floating) & ~self.preserved
        """What has been computed since the code has been entered, if the function reads it."""
        self.results = (returned | floating) & ~self.preserved
        self.labels: dict[int, str] = {}
        """By where a function begins, the label where calls enter it."""
        self.following: dict[int, set[int]] = {}
        """By block, the beginnings of functions that it calls, or where it returns to."""

    def called(self, block: Block) -> Inner | None:
        """Return the function that a block's call enters; None: it is no such call."""
        fact = self.code.facts[block.terminator] if block.terminator >= 0 else None
        if not self.functions or fact is None or fact.transfer != Transfer.CALL:
            return None
        name, _, form = fact.target.partition("@")
        return self.functions.get(name) if form in ("", "plt", "local") else None

    def returns(self, block: Block) -> bool:
        """Return whether control comes back from a block's call as re-execution knows it."""
        inner = self.called(block)
        return inner is not None and inner.returns

    def passed(self, block: Block) -> RegisterSet:
        """Return the registers that a block passes to a function that it calls, or returns to."""
        fact = self.code.facts[block.terminator] if block.terminator >= 0 else None
        is_return = fact is not None and fact.transfer == Transfer.RETURN
        return self.results if is_return else self.arguments

    def connect(self, blocks: list[Block], calls: list[int]) -> None:
        """Find the blocks that follow calls, some of the blocks, and returns."""
        block_at = {block.first: number for number, block in enumerate(blocks)}
        behind: dict[int, set[int]] = {}
        for number in calls:
            inner = self.called(blocks[number])
            if inner is None:
                continue
            if self.enters:
                self.following[number] = {block_at[inner.entry]}
            if inner.returns:
                behind.setdefault(inner.entry, set()).add(blocks[number].falls)
        inners = {one.entry: one for one in self.functions.values()}.values()
        changed = True
        while changed:
            changed = False
            for inner in inners:
                for name in inner.tails if inner.returns else ():
                    to = behind.setdefault(self.functions[name].entry, set())
                    new = behind.get(inner.entry, set()) - to
                    to |= new
                    changed |= bool(new)
        ends = {block.terminator: number for number, block in enumerate(blocks)}
        for inner in inners:
            for index in inner.function.exits:
                number = ends.get(index, -1)
                if number >= 0 and self.code.facts[index].transfer == Transfer.RETURN:
                    self.following[number] = behind.get(inner.entry, set())
