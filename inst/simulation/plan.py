"""What a word does with the values of a simulation, computed once for each word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from inst.arch.registry import producer
from inst.isa.model import Access, Facts, Form, RegisterFile, Transfer
from inst.words.facts import Decoded, decoder, registers_of
from inst.words.model import NOWHERE, Words

CACHE = 1 << 16
"""Distinct words remembered."""

WHOLE = (Form.SIMPLE, Form.MULTIPLE, Form.RESERVE, Form.CONDITIONAL)
"""Forms whose bytes are those of whole registers, one after the other."""

_FLOAT = 4
"""Bytes of a floating-point register where it is not wide: longer numbers have several."""

REACH = 1 << 32

BRANCHES = (Transfer.BRANCH, Transfer.CALL, Transfer.JUMP, Transfer.RETURN)


@dataclass(frozen=True, slots=True)
class Plan:
    """One word's registers and how its memory operand is found."""

    decoded: Decoded
    facts: Facts | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    window: int
    access: Access | None
    offset: int | None
    """The displacement; None if it is not a number."""
    data: tuple[str, ...]
    """Registers whose bytes the access moves, in the order of memory; () if not so simple."""
    element: int
    """Bytes of each of them in memory."""
    size: int
    """Bytes accessed; 0: known only at run time."""
    signed: bool
    single: bool
    """A float that memory holds in single precision and the register in double."""
    reversed: bool
    displacement: int | None
    """The distance of a direct branch; None: it is none, or its text does not show it."""
    system_call: bool
    branches: bool
    unconditional: bool


def planner(arch: str) -> Callable[[int], Plan]:
    """Return a function from a word to its plan, for a producer's architecture word."""
    decode, registers = decoder(arch), registers_of(arch)
    words = producer(arch).part(Words)

    @lru_cache(maxsize=CACHE)
    def plan(word: int) -> Plan:
        access = words.access_of(word, arch)
        signed = access is not None and access.algebraic
        return make_plan(decode(word), registers, words.wide_floats, signed)

    return plan


def make_plan(decoded: Decoded, registers: RegisterFile, wide_floats: bool, signed: bool) -> Plan:
    """Compute the plan of one word, whose load may extend the sign."""
    facts = decoded.facts or Facts(0, 0)
    access = facts.access
    data = _data(facts.access, registers, wide_floats)
    size = access.size if access else 0
    if access and access.form == Form.MULTIPLE:
        size = 4 * len(data)
    return Plan(
        decoded=decoded,
        facts=decoded.facts,
        inputs=tuple(registers.listed(facts.uses)),
        outputs=tuple(registers.listed(facts.defs)),
        window=facts.window,
        access=access,
        offset=_number(access.offset) if access else None,
        data=data,
        element=size // len(data) if data else 0,
        size=size,
        signed=signed,
        single=wide_floats and size == 4 and data[:1] != () and data[0].startswith("f"),
        reversed=access is not None and access.byte_reversed,
        displacement=_displacement(facts.target),
        system_call=facts.transfer == Transfer.TRAP and not facts.conditional,
        branches=facts.transfer in BRANCHES,
        unconditional=facts.transfer in BRANCHES and not facts.conditional,
    )


def _displacement(target: str) -> int | None:
    """Read a target as it is printed for an instruction at NOWHERE."""
    if target.startswith("."):
        return _number(target[1:])
    address = _number(target) if target else None
    # A distant target is an absolute one, or not one to interpret.
    return None if address is None or abs(address - NOWHERE) > REACH else address - NOWHERE


def _number(text: str) -> int | None:
    try:
        return int(text or "0", 0)
    except ValueError:
        return None


def _data(access: Access | None, registers: RegisterFile, wide_floats: bool) -> tuple[str, ...]:
    if access is None or access.value is None or access.form not in WHOLE:
        return ()
    names = registers.names
    if access.value not in names:
        return ()
    first = names.index(access.value)
    if access.form == Form.MULTIPLE:  # up to the last general register
        return names[first : registers.integer.bit_length()]
    if wide_floats:
        return (access.value,) if access.value[0] in "rf" else ()
    if access.value[0] == "f":
        return names[first : first + max(access.size // _FLOAT, 1)]
    if access.size > 8:
        return ()
    return names[first : first + access.registers] if access.size == 8 else (access.value,)
