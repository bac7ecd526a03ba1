"""The functions of a hook library's compiled assembly, each by itself.

A function is its instructions as nodes: what they read and write, whom they call, which one is
next. What it does with those that it calls, is found in `inst.glue.usage`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace

from inst.asm.model import Kind, Statement
from inst.asm.split import split
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
    found = _among_others(_functions_of(statements, isa), file, entered | _global_names(statements))
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


def _functions_of(statements: list[Statement], isa: Isa) -> dict[str, Function]:
    names = {
        statement.operands.split(",")[0].strip()
        for statement in statements
        if statement.kind == Kind.DIRECTIVE
        and statement.name == ".type"
        and "function" in statement.operands
    }
    bodies: dict[str, list[Statement]] = {}
    current: list[Statement] | None = None
    for statement in statements:
        if statement.kind == Kind.LABEL and statement.name in names:
            current = bodies.setdefault(statement.name, [])
        elif current is not None and statement.kind in (Kind.LABEL, Kind.INSTRUCTION):
            current.append(statement)
        elif current is not None and statement.name == ".localentry":
            current.clear()  # entries of the library call this one, not the one before
    return {name: _build(name, body, isa) for name, body in bodies.items()}


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

    They pass on what they are passed: INST_PRESERVING's NAME calls NAME_body.
    """
    declared = {}
    for name, registers in _DECLARED.findall(source):
        function = Function(name, [Node(callee=f"{name}_body")], quiet=False)
        function.clobbers = isa.registers.mask(*registers.split())
        declared[name] = function
    return declared


def _build(name: str, body: list[Statement], isa: Isa) -> Function:
    instructions = [one for one in body if one.kind == Kind.INSTRUCTION]
    facts = [_read(isa.facts(one.name, one.operands)) for one in instructions]
    labels = _label_positions(body)
    function = Function(name, [Node(one.uses, one.defs, one.window) for one in facts])
    for position, one in enumerate(facts):
        function.clobbers |= one.defs
        _connect(function, facts, position, labels, isa)
        if one.access or one.transfer not in (Transfer.NONE, Transfer.RETURN):
            function.quiet = False
    return function


def _read(facts: Facts) -> Facts:
    """Return facts without the register that an instruction reads only to leave it as it was."""
    return replace(facts, uses=0, defs=0) if facts.idle else facts


def _label_positions(body: list[Statement]) -> dict[str, int]:
    positions = {}
    count = 0
    for statement in body:
        if statement.kind == Kind.LABEL:
            positions[statement.name] = count
        else:
            count += 1
    return positions


def _connect(
    function: Function, facts: list[Facts], position: int, labels: dict[str, int], isa: Isa
) -> None:
    """Give the node at `position` its successors; a delayed transfer gets nodes of its own."""
    nodes, one = function.nodes, facts[position]
    if one.transfer == Transfer.NONE or one.pc_relative_data:
        nodes[position].successors = _following(position + 1, len(facts))
        return
    effect = _effect(function, one, position, labels, len(facts), isa)
    if not one.delay_slot:
        node = nodes[position]
        node.uses, node.callee, node.successors = effect.uses, effect.callee, effect.successors
        node.defs |= effect.defs
        return
    nodes[position].uses = 0 if one.transfer == Transfer.CALL and one.target else one.uses
    nodes.append(effect)
    after = [len(nodes) - 1]
    skips = one.annul and not one.conditional
    if not skips and position + 1 < len(facts):
        slot = facts[position + 1]
        nodes.append(Node(slot.uses, slot.defs, slot.window, successors=after))
        after = [len(nodes) - 1]
    if one.conditional and one.annul:
        after = after + _following(position + 2, len(facts))
    nodes[position].successors = after


def _effect(
    function: Function,
    one: Facts,
    position: int,
    labels: dict[str, int],
    count: int,
    isa: Isa,
) -> Node:
    """Return what a transfer does once its delay slot, if any, has run."""
    target = _NOT_IN_NAMES.sub("", one.target)
    following = _following(position + (2 if one.delay_slot else 1), count)
    falls = one.conditional and not (one.annul and one.delay_slot)
    if one.transfer == Transfer.RETURN:
        return Node(one.uses, 0, successors=following if falls else [])
    if one.transfer == Transfer.BRANCH and target in labels:
        here = [labels[target]] if labels[target] < count else []
        return Node(one.uses, 0, successors=here + (following if falls else []))
    function.callees.add(target)
    returns = one.transfer in (Transfer.CALL, Transfer.TRAP) or falls
    effect = Node(0, 0, callee=target or "?", successors=following if returns else [])
    if one.transfer == Transfer.TRAP:
        function.callees.discard(target)
        function.clobbers |= one.defs or isa.registers.volatile
        effect.callee, effect.uses = "", one.uses | isa.registers.arguments
    elif not one.target:
        effect.uses = one.uses
    return effect


def _following(position: int, count: int) -> list[int]:
    return [position] if position < count else []
