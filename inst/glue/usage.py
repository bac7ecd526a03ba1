"""What the hooks of a library read and clobber, found in their own compiled assembly.

Entries save exactly what is clobbered and compute exactly what is read, so a wrong answer
here breaks programs: whatever is not understood counts as reading and clobbering all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from inst.asm.model import Kind, Statement
from inst.asm.split import split
from inst.errors import InstError
from inst.flow.liveness import Windows
from inst.flow.model import Conventions
from inst.hooktable import ACCESS_HOOKS, HOOKS
from inst.isa import get
from inst.isa.model import Facts, Isa, RegisterSet, Transfer

_DECLARED = re.compile(r"inst: (\w+) clobbers only (.*)")
_TALKS_OF_COUNTER = re.compile(r"\binst_[gs]etsic\b")
_NOT_IN_NAMES = re.compile(r"(@\w+|\+32768@plt|,.*|\s.*)$")
RARE = "inst_rare"
"""The function that decodes what ordinary entries cannot report."""
COUNT = "inst_count"
"""The function that counts towards the next window."""
DOWN, WINDOW = "inst_count_down", "inst_window"
"""What replaces it where windowhook reads the program's registers: the count, and the function
called with them where a window has ended."""
MOVED = "inst_stack_moved"
"""The function that is passed a frame whose %sp moved."""
UNREPORTED = "inst_unreported"
"""The function that counts accesses which sites cannot report."""
ROOM = "inst_room"
"""The function that gives a thread more room for segments, in a library that records."""
_ENTERED = (RARE, COUNT, DOWN, WINDOW, MOVED, UNREPORTED, ROOM)
_FLOAT_CONDITIONS = ("fcc0", "fcc1", "fcc2", "fcc3")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one hook requires of the entry that calls it."""

    name: str
    address: bool
    pc: bool
    value: bool
    clobbers: frozenset[str]
    """Registers, by name, that may be changed on return and that the ABI lets it change."""
    empty: bool
    """It has no observable effect: the entry need not call it."""
    toc: bool = False
    """It reads r2, which in 64-bit PowerPC code points at its module's TOC."""


@dataclass(slots=True)
class _Node:
    """One step of a function: an instruction, or what happens after its delay slot."""

    uses: RegisterSet = 0
    defs: RegisterSet = 0
    window: int = 0
    callee: str = ""
    successors: list[int] = field(default_factory=list)
    live: RegisterSet = 0


@dataclass(slots=True)
class _Function:
    name: str
    nodes: list[_Node] = field(default_factory=list)
    clobbers: RegisterSet = 0
    callees: set[str] = field(default_factory=set)
    quiet: bool = True
    """No memory access, call, trap or branch: it has no observable effect."""

    def live_at_entry(self) -> RegisterSet:
        return self.nodes[0].live if self.nodes else 0


def hook_usages(
    sources: dict[str, str],
    isa_name: str,
    abi: str = "",
    unseen: Iterable[str] = (),
    packed: Iterable[str] = (),
) -> dict[str, Usage]:
    """Return the usage of each function that glue may call and these assembly files define.

    `unseen` are functions of object files, which may do all that a calling convention allows;
    `packed` are other assembly files, as `pack_functions` returns them.
    """
    isa = get(isa_name, abi)
    functions: dict[str, _Function] = {}
    for text in packed:
        functions.update(_unpacked(text))
    for file, source in sources.items():
        functions.update(_read_file(source, file, isa))
    for name in unseen:
        functions.setdefault(name, _unseen(name, isa))
    _close_over_calls(functions, isa)
    _find_liveness(functions, isa)
    names = (*(hook.name for hook in HOOKS), *_ENTERED)
    usages = {name: _usage(functions[name], isa) for name in names if name in functions}
    if COUNT in usages and "windowhook" in usages:
        beyond = usages["windowhook"].clobbers & _beyond_preserving(isa)
        usages[COUNT] = replace(usages[COUNT], clobbers=usages[COUNT].clobbers | beyond)
    return usages


def pack_functions(source: str, file: str, isa_name: str, abi: str = "") -> str:
    """Return what is known of an assembly file's functions by themselves, as JSON."""
    return json.dumps(
        [
            [name, function.clobbers, function.quiet, sorted(function.callees),
             [[one.uses, one.defs, one.window, one.callee, one.successors]
              for one in function.nodes]]
            for name, function in _read_file(source, file, get(isa_name, abi)).items()
        ]
    )  # fmt: skip


def _unpacked(text: str) -> dict[str, _Function]:
    return {
        name: _Function(name, [_Node(*node) for node in nodes], clobbers, {*callees}, quiet)
        for name, clobbers, quiet, callees, nodes in json.loads(text)
    }


def _read_file(source: str, file: str, isa: Isa) -> dict[str, _Function]:
    """Return the functions of an assembly file, by names that no other file's have."""
    statements = split(source, isa.name, file)
    found = _among_others(_functions_of(statements, isa), file, _global_names(statements))
    return found | _declared_functions(source, isa)


def _unseen(name: str, isa: Isa) -> _Function:
    """Return a function that reads what it may be passed and changes all that it may."""
    registers = isa.registers
    read = registers.arguments | registers.bit.get("r2", 0)
    node = _Node(uses=read, live=read)
    return _Function(name, [node], registers.volatile, quiet=False)


def _beyond_preserving(isa: Isa) -> frozenset[str]:
    """Return what a windowhook may change and INST_PRESERVING, which calls it, does not save."""
    registers = isa.registers
    saved = (registers.integer & ~registers.reserved) | registers.link | registers.special
    saved &= ~registers.mask(*(name for name in _FLOAT_CONDITIONS if name in registers.bit))
    return frozenset(registers.listed((registers.volatile | registers.reserved) & ~saved))


def noticed(usages: dict[str, Usage]) -> bool:
    """Return whether any hook of the library does anything."""
    return any(not usage.empty for name, usage in usages.items() if name not in _ENTERED)


def reports_accesses(usages: dict[str, Usage]) -> bool:
    """Return whether a library does something at an access, so that it can miss one."""
    names = (*(hook.name for hook in ACCESS_HOOKS), "llhook", "stblockhook")
    return any(name in usages and not usages[name].empty for name in names)


def reads_registers(usages: dict[str, Usage]) -> bool:
    """Return whether windowhook is called, and reads the program's registers."""
    hook = usages.get("windowhook")
    return COUNT in usages and hook is not None and hook.address


def uses_counter(usages: dict[str, Usage], hooks: str) -> bool:
    """Return whether a library whose own assembly is `hooks` needs backward branches counted.

    signalhook and signalhook_special get the counter as their first and second argument.
    """
    window, signal, special = (
        usages.get(name) for name in ("windowhook", "signalhook", "signalhook_special")
    )
    return (
        (window is not None and not window.empty)
        or (signal is not None and signal.address)
        or (special is not None and special.pc)
        or _TALKS_OF_COUNTER.search(hooks) is not None
    )


def _usage(function: _Function, isa: Isa) -> Usage:
    registers = isa.registers
    live = function.live_at_entry()
    read = [bool(live & registers.bit[name]) for name in isa.part(Conventions).parameters]
    noticed = registers.volatile | registers.reserved
    _refuse_unkept(function, isa)
    return Usage(
        name=function.name,
        address=read[0],
        pc=read[1],
        value=any(read[2:]),
        clobbers=frozenset(registers.listed(function.clobbers & noticed)),
        empty=function.quiet,
        toc=bool(live & registers.bit.get("r2", 0)),
    )


_NOT_KEPT = {
    "upper": "SPE instructions that change the upper halves of registers: compile it with -mno-spe",
    "paired": "paired singles",
    "windows": "instructions that read other register windows",
}
"""What no entry can save for the program, and how it is reported."""


def _refuse_unkept(function: _Function, isa: Isa) -> None:
    for name, what in _NOT_KEPT.items():
        if function.clobbers & isa.registers.bit.get(name, 0):
            raise InstError(f"the hook `{function.name}` has {what}")


def _functions_of(statements: list[Statement], isa: Isa) -> dict[str, _Function]:
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
    functions: dict[str, _Function], file: str, known: set[str]
) -> dict[str, _Function]:
    """Return a file's functions with unique names for those not visible in other files.

    Two files may have static functions of one name, which do different things.
    """
    entered = {*_ENTERED, *(hook.name for hook in HOOKS)}
    names = {name: f"{file}:{name}" for name in functions if name not in known | entered}
    for function in functions.values():
        function.callees = {names.get(name, name) for name in function.callees}
        for node in function.nodes:
            node.callee = names.get(node.callee, node.callee)
    return {names.get(name, name): function for name, function in functions.items()}


def _declared_functions(source: str, isa: Isa) -> dict[str, _Function]:
    """Return functions whose assembly lists in a comment what it leaves changed.

    They pass on what they are passed: INST_PRESERVING's NAME calls NAME_body.
    """
    declared = {}
    for name, registers in _DECLARED.findall(source):
        function = _Function(name, [_Node(callee=f"{name}_body")], quiet=False)
        function.clobbers = isa.registers.mask(*registers.split())
        declared[name] = function
    return declared


def _build(name: str, body: list[Statement], isa: Isa) -> _Function:
    instructions = [one for one in body if one.kind == Kind.INSTRUCTION]
    facts = [_read(isa.facts(one.name, one.operands)) for one in instructions]
    labels = _label_positions(body)
    function = _Function(name, [_Node(one.uses, one.defs, one.window) for one in facts])
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
    function: _Function, facts: list[Facts], position: int, labels: dict[str, int], isa: Isa
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
        nodes.append(_Node(slot.uses, slot.defs, slot.window, successors=after))
        after = [len(nodes) - 1]
    if one.conditional and one.annul:
        after = after + _following(position + 2, len(facts))
    nodes[position].successors = after


def _effect(
    function: _Function,
    one: Facts,
    position: int,
    labels: dict[str, int],
    count: int,
    isa: Isa,
) -> _Node:
    """Return what a transfer does once its delay slot, if any, has run."""
    target = _NOT_IN_NAMES.sub("", one.target)
    following = _following(position + (2 if one.delay_slot else 1), count)
    falls = one.conditional and not (one.annul and one.delay_slot)
    if one.transfer == Transfer.RETURN:
        return _Node(one.uses, 0, successors=following if falls else [])
    if one.transfer == Transfer.BRANCH and target in labels:
        here = [labels[target]] if labels[target] < count else []
        return _Node(one.uses, 0, successors=here + (following if falls else []))
    function.callees.add(target)
    returns = one.transfer in (Transfer.CALL, Transfer.TRAP) or falls
    effect = _Node(0, 0, callee=target or "?", successors=following if returns else [])
    if one.transfer == Transfer.TRAP:
        function.callees.discard(target)
        function.clobbers |= one.defs or isa.registers.volatile
        effect.callee, effect.uses = "", one.uses | isa.registers.arguments
    elif not one.target:
        effect.uses = one.uses
    return effect


def _following(position: int, count: int) -> list[int]:
    return [position] if position < count else []


def _close_over_calls(functions: dict[str, _Function], isa: Isa) -> None:
    changed = True
    while changed:
        changed = False
        for function in functions.values():
            clobbers = function.clobbers
            for name in function.callees:
                callee = functions.get(name)
                clobbers |= callee.clobbers if callee else isa.registers.volatile
            if clobbers != function.clobbers:
                function.clobbers = clobbers
                changed = True


def _find_liveness(functions: dict[str, _Function], isa: Isa) -> None:
    """Bring each function to its fixed point; redo its callers if it reads more at entry."""
    solver = _Solver(functions, isa)
    callers = _callers(functions)
    waiting = _callees_first(functions)
    while waiting:
        name = waiting.popitem()[0]
        entry = functions[name].live_at_entry()
        solver.solve(functions[name])
        if functions[name].live_at_entry() != entry:
            waiting |= dict.fromkeys(callers.get(name, ()))


def _callers(functions: dict[str, _Function]) -> dict[str, list[str]]:
    callers: dict[str, list[str]] = {}
    for name, function in functions.items():
        for callee in {node.callee for node in function.nodes}:
            callers.setdefault(callee, []).append(name)
    return callers


def _callees_first(functions: dict[str, _Function]) -> dict[str, None]:
    """Return all functions as the keys of a dictionary whose last ones call nothing before."""
    ordered: dict[str, None] = {}
    for root in functions:
        path = [] if root in ordered else [root]
        while path:
            name = path[-1]
            missing = next(
                (
                    one
                    for one in sorted(functions[name].callees & functions.keys())
                    if one not in ordered and one not in path
                ),
                "",
            )
            if missing:
                path.append(missing)
            else:
                ordered[path.pop()] = None
    return dict.fromkeys(reversed(ordered))


class _Solver:
    """Finds what is live before each node of a function, given what its callees read."""

    def __init__(self, functions: dict[str, _Function], isa: Isa) -> None:
        self.functions = functions
        self.volatile = isa.registers.volatile
        self.arguments = isa.registers.arguments
        self.windows = Windows(isa.registers)

    def solve(self, function: _Function) -> None:
        """Bring one function to its fixed point."""
        nodes = function.nodes
        predecessors: list[list[int]] = [[] for _ in nodes]
        for position, node in enumerate(nodes):
            for successor in node.successors:
                predecessors[successor].append(position)
        waiting = list(range(len(nodes)))
        while waiting:
            position = waiting.pop()
            live = self._before(nodes[position], nodes)
            if live != nodes[position].live:
                nodes[position].live = live
                waiting += predecessors[position]

    def _before(self, node: _Node, nodes: list[_Node]) -> RegisterSet:
        after = 0
        for successor in node.successors:
            after |= nodes[successor].live
        if node.callee:
            callee = self.functions.get(node.callee)
            after &= ~self.volatile
            after |= callee.live_at_entry() if callee else self.arguments
        if node.window:
            return node.uses | self.windows.renamed(node.window, after)
        return node.uses | (after & ~node.defs)
