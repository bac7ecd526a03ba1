"""The functions of a hook library's compiled assembly, each by itself.

A function is its instructions as nodes: what they read and write, whom they call, which one is
next. What it does with those that it calls, is found in `inst.glue.usage`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace

from inst.asm.model import Kind, Statement
from inst.asm.split import split
from inst.flow.code import Code
from inst.flow.functions import described_entries
from inst.flow.model import Conventions
from inst.flow.read import read_code
from inst.isa.model import Facts, Isa, RegisterSet, Transfer

_DECLARED = re.compile(r"inst: (\w+) clobbers only (.*)")
_NOT_IN_NAMES = re.compile(r"(@\w+|\+32768@plt|,.*|\s.*)$")


@dataclass(slots=True)
class Node:
    """One step of a function: an instruction, or what happens after its delay slot."""

    uses: RegisterSet = 0
    defs: RegisterSet = 0
    window: int = 0
    callee: str = ""
    successors: list[int] = field(default_factory=list)
    live: RegisterSet = 0


@dataclass(slots=True)
class Function:
    """A function, with what its own instructions change and whom they call."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    clobbers: RegisterSet = 0
    callees: set[str] = field(default_factory=set)
    quiet: bool = True
    """No memory access, call, trap or branch: it has no observable effect."""

    def live_at_entry(self) -> RegisterSet:
        """Return what it reads of its caller's registers; 0 before liveness is found."""
        return self.nodes[0].live if self.nodes else 0


def read_functions(
    source: str, file: str, isa: Isa, entered: frozenset[str]
) -> dict[str, Function]:
    """Return the functions of an assembly file, by names that no other file's have.

    Those in `entered` keep their names, as those do that are visible in other files.
    """
    statements = split(source, isa.name, file)
    functions = _functions_of(read_code(statements, isa, file), isa)
    found = _among_others(functions, file, entered | _global_names(statements))
    return found | _declared_functions(source, isa)


def pack_functions(functions: dict[str, Function]) -> str:
    """Return functions as JSON, without what is found out among others."""
    return json.dumps(
        [
            [name, function.clobbers, function.quiet, sorted(function.callees),
             [[one.uses, one.defs, one.window, one.callee, one.successors]
              for one in function.nodes]]
            for name, function in functions.items()
        ]
    )  # fmt: skip


def unpack_functions(text: str) -> dict[str, Function]:
    """Return the functions that `pack_functions` has packed."""
    return {
        name: Function(name, [Node(*node) for node in nodes], clobbers, {*callees}, quiet)
        for name, clobbers, quiet, callees, nodes in json.loads(text)
    }


def _functions_of(code: Code, isa: Isa) -> dict[str, Function]:
    """Return the functions of a file: each goes up to the next one, or its section's end."""
    entries = described_entries(code, isa)
    starts = {name: code.labels.get(entries.get(name, name), -1) for name in code.functions()}
    starts = {name: start for name, start in starts.items() if start >= 0}
    ends, local = sorted({*starts.values(), *code.section_end}), _local_entries(code)
    found = {}
    for name, start in starts.items():
        end = ends[bisect_right(ends, start)]
        first = bisect_left(code.statement, local.get(name, 0), start, end)
        found[name] = _Body(code, isa, first, end).function(name)
    return found


def _local_entries(code: Code) -> dict[str, int]:
    """Return the directives after which other code of the library enters functions."""
    return {
        statement.operands.split(",")[0].strip(): position
        for position, statement in enumerate(code.statements)
        if statement.name == ".localentry"
    }


def _global_names(statements: list[Statement]) -> set[str]:
    """Return the names visible in other files."""
    return {
        name.strip()
        for statement in statements
        if statement.kind == Kind.DIRECTIVE and statement.name in (".globl", ".global", ".weak")
        for name in statement.operands.split(",")
    }


def _among_others(
    functions: dict[str, Function], file: str, known: frozenset[str]
) -> dict[str, Function]:
    """Return a file's functions with unique names for those not visible in other files.

    Two files may have static functions of one name, which do different things.
    """
    names = {name: f"{file}:{name}" for name in functions if name not in known}
    for function in functions.values():
        function.callees = {names.get(name, name) for name in function.callees}
        for node in function.nodes:
            node.callee = names.get(node.callee, node.callee)
    return {names.get(name, name): function for name, function in functions.items()}


def _declared_functions(source: str, isa: Isa) -> dict[str, Function]:
    """Return functions whose assembly lists in a comment what it leaves changed.

    They pass on what they are passed: INST_PRESERVING's NAME calls NAME_body, for which it finds
    the TOC pointer by itself.
    """
    declared = {}
    toc = isa.registers.mask(*isa.part(Conventions).toc)
    for name, registers in _DECLARED.findall(source):
        nodes = [Node(defs=toc, successors=[1]), Node(callee=f"{name}_body")]
        function = Function(name, nodes, quiet=False)
        function.clobbers = isa.registers.mask(*registers.split())
        declared[name] = function
    return declared


class _Body:
    """The instructions of one function, from its entry up to its end."""

    def __init__(self, code: Code, isa: Isa, first: int, end: int) -> None:
        self._code, self._isa = code, isa
        self._first, self._end = first, end
        self._facts = [_without_idle(fact) for fact in code.facts[first:end]]

    def function(self, name: str) -> Function:
        """Return what the function's own instructions do."""
        nodes = [Node(one.uses, one.defs, one.window) for one in self._facts]
        function = Function(name, nodes)
        for position, one in enumerate(self._facts):
            function.clobbers |= one.defs
            self._connect(function, position)
            if one.access or one.transfer not in (Transfer.NONE, Transfer.RETURN):
                function.quiet = False
        return function

    def _connect(self, function: Function, position: int) -> None:
        """Give a node its successors; a delayed transfer gets nodes of its own."""
        nodes, one = function.nodes, self._facts[position]
        if one.transfer == Transfer.NONE or one.pc_relative_data:
            nodes[position].successors = self._following(position + 1)
            return
        effect = self._effect(function, position)
        if not one.delay_slot:
            node = nodes[position]
            node.uses, node.callee, node.successors = effect.uses, effect.callee, effect.successors
            node.defs |= effect.defs
            return
        nodes[position].uses = 0 if one.transfer == Transfer.CALL and one.target else one.uses
        nodes.append(effect)
        after = [len(nodes) - 1]
        if one.runs_slot and position + 1 < len(self._facts):
            slot = self._facts[position + 1]
            nodes.append(Node(slot.uses, slot.defs, slot.window, successors=after))
            after = [len(nodes) - 1]
        if one.conditional and one.annul:
            after = after + self._following(position + 2)
        nodes[position].successors = after

    def _effect(self, function: Function, position: int) -> Node:
        """Return what a transfer does once its delay slot, if any, has run."""
        one = self._facts[position]
        following = self._following(position + (2 if one.delay_slot else 1))
        falls = one.conditional and not (one.annul and one.delay_slot)
        if one.transfer == Transfer.RETURN:
            return Node(one.uses, 0, successors=following if falls else [])
        if (targets := self._targets(position)) is not None:
            return Node(one.uses, 0, successors=targets + (following if falls else []))
        target = _NOT_IN_NAMES.sub("", one.target)
        function.callees.add(target)
        returns = one.transfer in (Transfer.CALL, Transfer.TRAP) or falls
        effect = Node(0, 0, callee=target or "?", successors=following if returns else [])
        if one.transfer == Transfer.TRAP:
            function.callees.discard(target)
            function.clobbers |= one.defs or self._isa.registers.volatile
            effect.callee, effect.uses = "", one.uses | self._isa.registers.arguments
        elif not one.target:
            effect.uses = one.uses
        return effect

    def _targets(self, position: int) -> list[int] | None:
        """Return where a jump goes within the function; None if it may go elsewhere."""
        code, index = self._code, self._first + position
        table = code.jump_tables().get(index)
        if table is not None:
            targets = list(table.targets)
        elif self._facts[position].transfer == Transfer.BRANCH:
            targets = [code.target(index)]
        else:
            return None
        inside = all(self._first <= target < self._end for target in targets)
        return [target - self._first for target in targets] if inside else None

    def _following(self, position: int) -> list[int]:
        return [position] if position < len(self._facts) else []


def _without_idle(facts: Facts) -> Facts:
    """Return facts without the register that an instruction reads only to leave it as it was."""
    return replace(facts, uses=0, defs=0) if facts.idle else facts
