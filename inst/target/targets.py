"""The targets, one value each: everything that depends on the target comes from here."""

from __future__ import annotations

from inst.arch.registry import all_architectures
from inst.target.model import Target, Targets

TARGETS: dict[str, Target] = {
    target.name: target for one in all_architectures() for target in one.part(Targets).targets
}


def target_of_elf(number: int, byte_order: str) -> Target | None:
    """Return the target of an ELF file, from its e_machine; None if inst does not have it."""
    return next((one for one in TARGETS.values() if one.is_of(number, byte_order)), None)
