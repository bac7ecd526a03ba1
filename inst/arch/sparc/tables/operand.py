"""Operand trees as the operand roles classify them."""

from __future__ import annotations

from inst.arch.sparc.tables.registers import (
    CONDITION_NAMES,
    COPROCESSOR,
    FLOAT_CONDITION_NAMES,
    FLOAT_NAMES,
    INTEGER_NAMES,
    PRIVILEGED,
    REGISTERS,
    STATE,
)
from inst.arch.sparc.tables.roles import Fit
from inst.asm import model
from inst.dataclass import dataclass
from inst.isa.model import RegisterSet

RETURN_LINKS = frozenset(("o7", "i7"))
RETURN_DISTANCES = frozenset((8, 12))

TRAILING_RELOCATIONS = frozenset(
    ("%tgd_add", "%tldm_add", "%tldo_add", "%tie_add", "%tgd_call", "%tldm_call")
)
REWRITING_RELOCATIONS = frozenset(("%gdop", "%tie_ld", "%tie_ldx"))
"""Operators of a last operand that only marks the instruction for the linker."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An operand: what it may stand for, and the registers in it."""

    fit: int
    node: model.Operand
    name: str = ""  # a register's canonical name
    registers: RegisterSet = 0  # what reading it reads, for everything but wide registers


def _register_fits() -> dict[str, tuple[int, RegisterSet]]:
    """Return for each register name all that it may be, and its mask."""
    fits: dict[str, tuple[int, RegisterSet]] = {}
    bits = REGISTERS.bit
    banks = (
        (Fit.INTEGER | Fit.ADDRESS, {name: bits[name] for name in INTEGER_NAMES}),
        (Fit.FLOAT, {name: bits[name] for name in FLOAT_NAMES}),
        (Fit.CONDITION, {name: bits[name] for name in CONDITION_NAMES}),
        (Fit.FLOAT_CONDITION, {name: bits[name] for name in FLOAT_CONDITION_NAMES}),
        (Fit.STATE, STATE),
        (Fit.PRIVILEGED, PRIVILEGED),
        (Fit.COPROCESSOR, COPROCESSOR),
    )
    for fit, masks in banks:
        for name, mask in masks.items():
            before, present = fits.get(name, (int(Fit.ANY), 0))
            fits[name] = (before | int(fit), present | mask)
    return fits


_REGISTER_FITS = _register_fits()
_MEMORY = int(Fit.MEMORY | Fit.ANY)
_ALTERNATE = int(Fit.ALTERNATE | Fit.ANY)
_NUMBER = int(Fit.NUMBER | Fit.ANY)
_ADDRESS = int(Fit.ADDRESS | Fit.ANY)
_ANY = int(Fit.ANY)


def see(node: model.Operand) -> Seen:
    """Return the operand as the operand roles classify it."""
    if isinstance(node, model.Register):
        fit, mask = _REGISTER_FITS.get(node.name, (_ANY, 0))
        return Seen(fit, node, node.name, mask)
    if isinstance(node, model.Memory):
        return _see_memory(node)
    if isinstance(node, model.Text):
        return Seen(_ANY, node)
    if isinstance(node, model.Binary):
        return _see_sum(node)
    return Seen(_NUMBER | (Fit.HERE if holds_here(node) else 0), node)


def _see_memory(node: model.Memory) -> Seen:
    registers = _mask(node.base) | _mask(node.index)
    if node.asi is None:
        return Seen(_MEMORY, node, "", registers)
    if isinstance(node.asi, model.Register):
        registers |= _REGISTER_FITS.get(node.asi.name, (0, 0))[1]
    return Seen(_ALTERNATE, node, "", registers)


def _see_sum(node: model.Binary) -> Seen:
    """A sum is an address if a register is in it, else a number."""
    registers = _registers_in(node)
    if not registers:
        return Seen(_NUMBER | (Fit.HERE if holds_here(node) else 0), node)
    mask = 0
    for register in registers:
        mask |= _mask(register)
    return Seen(_ADDRESS | (Fit.RETURN if _is_return(node) else 0), node, "", mask)


def _mask(register: model.Register | None) -> RegisterSet:
    return 0 if register is None else REGISTERS.bit.get(register.name, 0)


def _registers_in(node: model.Operand) -> list[model.Register]:
    if isinstance(node, model.Register):
        return [node]
    if isinstance(node, model.Binary):
        first, steps = model.chain(node)
        terms = [first, *(step.right for step in steps)]
        return [register for term in terms for register in _registers_in(term)]
    return []


def _is_return(node: model.Binary) -> bool:
    """Return whether the address is after a call's delay slot (and its `unimp`)."""
    link, distance = node.left, node.right
    if isinstance(link, model.Number):
        link, distance = distance, link
    return (
        node.operator == "+"
        and isinstance(link, model.Register)
        and link.name in RETURN_LINKS
        and isinstance(distance, model.Number)
        and distance.value in RETURN_DISTANCES
    )


def holds_here(node: model.Operand) -> bool:
    """Return whether the expression depends on where the instruction stands."""
    if isinstance(node, model.Binary):
        first, steps = model.chain(node)
        return holds_here(first) or any(holds_here(step.right) for step in steps)
    if isinstance(node, (model.Unary, model.Relocation)):
        return holds_here(node.operand)
    return isinstance(node, model.Here)
