"""From a mnemonic and its operands to facts: walks the tables, with no instruction of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from inst.arch.sparc.tables.barriers import barrier_of
from inst.arch.sparc.tables.control import GET_CONTEXT, SYSTEM_TRAPS
from inst.arch.sparc.tables.memory import ORDINARY, SPACE_NAMES, SPACES
from inst.arch.sparc.tables.natural import of_width
from inst.arch.sparc.tables.operand import (
    REWRITING_RELOCATIONS,
    TRAILING_RELOCATIONS,
    Seen,
    see,
)
from inst.arch.sparc.tables.registers import SPANS
from inst.arch.sparc.tables.roles import ROLES, Fit, Role
from inst.arch.sparc.tables.spaces import NOT_MEMORY
from inst.arch.sparc.tables.table import table
from inst.arch.sparc.tables.wide_spaces import TWINS
from inst.asm import model
from inst.asm.operands import parse_operands
from inst.dataclass import replace
from inst.isa.model import (
    Access,
    Barrier,
    Facts,
    Form,
    RegisterSet,
    SystemEvent,
    Transfer,
    UnknownInstruction,
)
from inst.isa.rows import BARRIERS, Row

REMEMBERED = 1 << 17
"""Distinct texts whose facts are cached: far more than one file has."""


COPIES = frozenset(("mov", "fmovs", "fmovd", "fmovq"))
JOINS = frozenset(("and", "or"))
"""Instructions that change nothing if all of their operands are one register."""
ADJUSTS = frozenset(("add", "or", "sub", "xor"))
"""Instructions that change nothing if the second operand is 0."""


def _read(bits: int, natural: dict[str, str], mnemonic: str, operands: str) -> Facts:
    """Return the facts of an instruction; raise UnknownInstruction if no row fits it."""
    root, _, tail = mnemonic.partition(",")
    rows = table().rows(natural.get(root, root))
    if not rows:
        raise _unknown_mnemonic(natural, mnemonic, operands)
    nodes, rewrites = _without_mark(parse_operands(operands, "sparc") if operands else ())
    seen = [see(node) for node in nodes]
    suffixes = tail.replace(" ", "").split(",") if tail else ()
    for row in rows:
        if _fits(row, seen) and row.suffixes.issuperset(suffixes):
            found = _facts(row, seen, root, tail, rewrites)
            return _in_control_space(found) if bits == 32 and found.access else found
    raise _unknown_operands(mnemonic, operands)


def _facts_of_width(bits: int) -> Callable[[str, str], Facts]:
    """Return the function from mnemonic and operands to facts for code of that width."""
    return lru_cache(maxsize=REMEMBERED)(partial(_read, bits, of_width(bits)))


facts = _facts_of_width(32)
wide_facts = _facts_of_width(64)


def _without_mark(nodes: tuple[model.Operand, ...]) -> tuple[tuple[model.Operand, ...], bool]:
    """Take off a last operand that only marks the instruction for the linker."""
    if nodes:
        last = nodes[-1]
        if isinstance(last, model.Relocation):
            if last.operator in REWRITING_RELOCATIONS:
                return nodes[:-1], True
            if last.operator in TRAILING_RELOCATIONS:
                return nodes[:-1], False
    return nodes, False


def _fits(row: Row, seen: list[Seen]) -> bool:
    if len(row.roles) != len(seen):
        return False
    for name, operand in zip(row.roles, seen, strict=True):
        role = ROLES[name]
        if not role.fit & operand.fit or (role.literal and role.literal != operand.name):
            return False
    return True


def _facts(row: Row, seen: list[Seen], root: str, tail: str, rewrites: bool) -> Facts:
    known = row.facts
    uses, defs = known.uses, known.defs
    target = -1
    for index, (name, operand) in enumerate(zip(row.roles, seen, strict=True)):
        role = ROLES[name]
        if role.target:
            target = index
            continue
        touched = _touched(role, operand)
        if role.uses:
            uses |= touched
        if role.defs:
            defs |= touched
    access = None
    if known.access is not None:
        access, uses, defs = _access(row, known.access, seen, uses, defs, rewrites)
    if known.transfer is Transfer.NONE:
        return Facts(
            uses,
            defs,
            access,
            idle=_is_idle(root, seen, uses, defs),
            window=known.window,
            pc_relative_data=known.pc_relative_data,
            never_runs=known.never_runs,
            recorded=known.recorded,
            barrier=_barrier(row, seen, access),
            event=known.event,
            length=known.length,
        )
    annul = "a" in row.suffixes and "a" in tail.split(",")
    if "never" in row.marks:
        return _never_taken(annul)
    return Facts(
        uses,
        defs,
        transfer=known.transfer,
        target="" if target < 0 else str(seen[target].node),
        target_operand=target,
        conditional=known.conditional,
        delay_slot=known.delay_slot,
        annul=annul,
        window=known.window,
        inverse=f"{known.inverse},{tail}" if known.inverse and tail else known.inverse,
        reach=known.reach,
        pc_relative_data=known.pc_relative_data,
        system_call=known.system_call and _trap_number(seen[-1].node) in SYSTEM_TRAPS,
        keeps_context=known.system_call and _trap_number(seen[-1].node) == GET_CONTEXT,
    )


def _barrier(row: Row, seen: list[Seen], access: Access | None) -> Barrier:
    """Return what an instruction keeps in order; V8's full barrier is `ldstub [%sp-1],%g0`."""
    if "mask" in row.marks:
        return barrier_of(str(seen[0].node))
    if access is not None and access.form == Form.ATOMIC:
        is_unused = access.base == "o6" and access.value == "g0"
        return BARRIERS["full"] if is_unused else Barrier.NONE
    return row.facts.barrier


def _in_control_space(found: Facts) -> Facts:
    """Return the facts of an instruction whose space, in 32-bit code, may hold no memory."""
    assert found.access is not None
    space = found.access.asi
    number = int(space, 0) if space[:1].isdigit() else None
    if number not in NOT_MEMORY:
        return found
    event = NOT_MEMORY[number] if found.access.store else SystemEvent.NONE
    return replace(found, access=None, event=event)


def _is_idle(root: str, seen: list[Seen], uses: RegisterSet, defs: RegisterSet) -> bool:
    """Return whether an instruction leaves its only register as it was: `mov %g2,%g2`."""
    if not defs or uses != defs:
        return False
    if root in COPIES or (root in JOINS and seen[0].registers and seen[1].registers):
        return True
    return root in ADJUSTS and (seen[1].name == "g0" or _number(seen[1]) == 0)


def _number(operand: Seen) -> int | None:
    return operand.node.value if isinstance(operand.node, model.Number) else None


def _trap_number(node: model.Operand) -> int | None:
    """Return the number of a trap; disassemblers write the register of its address too: %g0+16."""
    if isinstance(node, model.Binary) and node.operator == "+":
        terms = (node.left, node.right)
        node = next((one for one in terms if isinstance(one, model.Number)), node)
        if not any(isinstance(one, model.Register) and one.name == "g0" for one in terms):
            return None
    return node.value if isinstance(node, model.Number) else None


def _never_taken(annul: bool) -> Facts:
    """A branch never taken is a nop; annulling, it is a jump over the next instruction."""
    if not annul:
        return Facts(0, 0)
    return Facts(0, 0, transfer=Transfer.BRANCH, target=".+8", delay_slot=True, annul=True)


def _touched(role: Role, operand: Seen) -> RegisterSet:
    if role.width == 1:
        return operand.registers
    return SPANS[role.width][operand.name]


def _access(
    row: Row,
    pattern: Access,
    seen: list[Seen],
    uses: RegisterSet,
    defs: RegisterSet,
    rewrites: bool,
) -> tuple[Access, RegisterSet, RegisterSet]:
    """Return the access, and the registers used and defined if the space widens them."""
    memory, value = _memory_and_value(seen)
    size, form = pattern.size, pattern.form
    if "space" in row.marks and memory.asi is not None:
        size, form, registers = _in_space(pattern, value, memory.asi)
        uses |= registers if pattern.store else 0
        defs |= registers if pattern.load else 0
    base, index, offset = _address(memory)
    access = Access(
        pattern.load,
        pattern.store,
        size,
        value,
        base,
        index,
        offset,
        form,
        asi="" if memory.asi is None else str(memory.asi),
        linker_rewrites=rewrites,
        registers=_integers(row),
    )
    return access, uses, defs


def _integers(row: Row) -> int:
    """Return how many integer registers an access loads or stores; 1 where it is no pair."""
    roles = (ROLES[name] for name in row.roles)
    return max(role.width if role.fit == Fit.INTEGER else 1 for role in roles)


def _memory_and_value(seen: list[Seen]) -> tuple[model.Memory, str]:
    """Return the address, and the last register operand: the one loaded or stored."""
    value = "g0"
    memory = None
    for operand in seen:
        if isinstance(operand.node, model.Memory):
            memory = operand.node
        else:
            value = operand.name
    assert memory is not None
    return memory, value


def _address(memory: model.Memory) -> tuple[str | None, str | None, str]:
    """Return base, index and offset, with %g0 left out."""
    names = [
        register.name
        for register in (memory.base, memory.index)
        if register is not None and register.name != "g0"
    ]
    offset = "" if memory.offset is None else str(memory.offset)
    base = names[0] if names else None
    index = names[1] if len(names) > 1 else None
    return base, index, offset


def _in_space(
    pattern: Access, value: str, space: model.Expression
) -> tuple[int, Form, RegisterSet]:
    """Return size, form and registers of a doubleword access in an alternate space."""
    number = _space_number(space)
    floating = value in SPANS[16]
    if number is None:
        return 0, Form.SPECIAL, SPANS[16][value] if floating else 0
    if not floating:
        twin = pattern.load and number in TWINS
        return (16, Form.SPECIAL, 0) if twin else (pattern.size, Form.SIMPLE, 0)
    found = SPACES.get(number)
    if found is None:
        return pattern.size, Form.SIMPLE, 0
    return found.size, found.form, SPANS[found.width][value]


def _space_number(space: model.Expression) -> int | None:
    """Return an address space's number, or one that acts like it; None: known at run time."""
    if isinstance(space, model.Number):
        return space.value
    if isinstance(space, model.Symbol) and space.name.startswith("#"):
        return next((n for begin, n in SPACE_NAMES if space.name.startswith(begin)), ORDINARY)
    return None


def _unknown_mnemonic(natural: dict[str, str], mnemonic: str, operands: str) -> UnknownInstruction:
    hint = _closest(tuple(natural), mnemonic.partition(",")[0])
    return UnknownInstruction(f"unknown instruction `{mnemonic} {operands}`".rstrip(), hint=hint)


@lru_cache
def _closest(natural: tuple[str, ...], mnemonic: str) -> str:
    """Return a hint; comparing names takes milliseconds, and a trace has a word many times."""
    import difflib

    close = difflib.get_close_matches(mnemonic, {*table().mnemonics, *natural}, n=1)
    return f"did you mean `{close[0]}`?" if close else "no SPARC instruction has such a name"


def _unknown_operands(mnemonic: str, operands: str) -> UnknownInstruction:
    text = f"{mnemonic} {operands}".rstrip()
    return UnknownInstruction(
        f"`{text}`: no form of this instruction takes these operands",
        hint="check the number and kinds of operands, and suffixes such as `,a`",
    )
