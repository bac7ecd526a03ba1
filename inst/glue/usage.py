"""What the hooks of a library read and clobber, found in their own compiled assembly.

Entries save exactly what is clobbered and compute exactly what is read, so a wrong answer
here breaks programs: whatever is not understood counts as reading and clobbering all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from inst.errors import InstError
from inst.flow.liveness import Windows
from inst.flow.model import Conventions
from inst.glue.bodies import Function, Node, pack_functions, read_functions, unpack_functions
from inst.hooktable import ACCESS_HOOKS, HOOKS
from inst.isa import get
from inst.isa.model import Isa, RegisterSet
from inst.isa.sites import Sites

_TALKS_OF_COUNTER = re.compile(r"\binst_[gs]etsic\b")
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
_OPTIONAL = frozenset((*(hook.name for hook in HOOKS), "inst_event_at"))
"""What a library may have: the runtime's calls of one that is nowhere do not happen."""
_NAMED = frozenset((*_ENTERED, *(hook.name for hook in HOOKS)))
"""What glue enters by its name, in whatever file it is."""


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
    """It reads the register that points at its module's own data (`Conventions.toc`)."""


def hook_usages(
    sources: dict[str, str],
    isa_name: str,
    abi: str = "",
    unseen: Iterable[str] = (),
    packed: Iterable[str] = (),
) -> dict[str, Usage]:
    """Return the usage of each function that glue may call and these assembly files define.

    `unseen` are functions of object files, which may do all that a calling convention allows;
    `packed` are other assembly files, as `packed_file` returns them.
    """
    isa = get(isa_name, abi)
    functions: dict[str, Function] = {}
    for text in packed:
        functions.update(unpack_functions(text))
    for file, source in sources.items():
        functions.update(read_functions(source, file, isa, _NAMED))
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


def packed_file(source: str, file: str, isa_name: str, abi: str = "") -> str:
    """Return what is known of an assembly file's functions by themselves, as JSON."""
    return pack_functions(read_functions(source, file, get(isa_name, abi), _NAMED))


def _unseen(name: str, isa: Isa) -> Function:
    """Return a function that reads what it may be passed and changes all that it may."""
    registers = isa.registers
    read = registers.arguments | registers.mask(*isa.part(Conventions).toc)
    node = Node(uses=read, live=read)
    return Function(name, [node], registers.volatile, quiet=False)


def _beyond_preserving(isa: Isa) -> frozenset[str]:
    """Return what a windowhook may change and INST_PRESERVING, which calls it, does not save."""
    registers = isa.registers
    saved = (registers.integer & ~registers.reserved) | registers.link | registers.special
    saved &= ~registers.mask(*isa.part(Sites).not_preserved)
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


def _usage(function: Function, isa: Isa) -> Usage:
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
        toc=bool(live & registers.mask(*isa.part(Conventions).toc)),
    )


_NOT_KEPT = {
    "upper": "SPE instructions that change the upper halves of registers: compile it with -mno-spe",
    "paired": "paired singles",
    "windows": "instructions that read other register windows",
}
"""What no entry can save for the program, and how it is reported."""


def _refuse_unkept(function: Function, isa: Isa) -> None:
    for name, what in _NOT_KEPT.items():
        if function.clobbers & isa.registers.bit.get(name, 0):
            raise InstError(f"the hook `{function.name}` has {what}")


def _close_over_calls(functions: dict[str, Function], isa: Isa) -> None:
    """Let functions clobber what those do that they call; hooks that no file has are not called."""

    def close(function: Function) -> bool:
        before = function.clobbers
        for name in function.callees:
            if callee := functions.get(name):
                function.clobbers |= callee.clobbers
            elif name not in _OPTIONAL:
                function.clobbers |= isa.registers.volatile
        return function.clobbers != before

    _settle(functions, close)


def _find_liveness(functions: dict[str, Function], isa: Isa) -> None:
    """Find what is live before each node of each function."""
    solver = _Solver(functions, isa)

    def solve(function: Function) -> bool:
        entry = function.live_at_entry()
        solver.solve(function)
        return function.live_at_entry() != entry

    _settle(functions, solve)


def _settle(functions: dict[str, Function], changes: Callable[[Function], bool]) -> None:
    """Bring each function to its fixed point, callees first.

    `changes` does so with one, by those that it calls, and returns whether its callers have to be
    done again.
    """
    callers = _callers(functions)
    waiting = _callees_first(functions)
    while waiting:
        name = waiting.popitem()[0]
        if changes(functions[name]):
            waiting |= dict.fromkeys(callers.get(name, ()))


def _callers(functions: dict[str, Function]) -> dict[str, list[str]]:
    callers: dict[str, list[str]] = {}
    for name, function in functions.items():
        for callee in {node.callee for node in function.nodes}:
            callers.setdefault(callee, []).append(name)
    return callers


def _callees_first(functions: dict[str, Function]) -> dict[str, None]:
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

    def __init__(self, functions: dict[str, Function], isa: Isa) -> None:
        self.functions = functions
        self.volatile = isa.registers.volatile
        self.arguments = isa.registers.arguments
        self.windows = Windows(isa.registers)

    def solve(self, function: Function) -> None:
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

    def _before(self, node: Node, nodes: list[Node]) -> RegisterSet:
        after = 0
        for successor in node.successors:
            after |= nodes[successor].live
        if node.callee:
            callee = self.functions.get(node.callee)
            after &= ~self.volatile
            after |= callee.live_at_entry() if callee else self.arguments
        if node.window:
            return node.uses | self.windows.renamed(node.window, after & ~node.defs)
        return node.uses | (after & ~node.defs)
