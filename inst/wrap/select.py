"""The target, from the options that the compiler passes to its assembler and its linker.

The compiler has resolved all its own options when it runs them, so nothing is guessed.
"""

from __future__ import annotations

from inst import TYPE_CHECKING
from inst.arch.registry import all_architectures
from inst.errors import InstError
from inst.target.model import Target, Targets
from inst.target.targets import TARGETS, target_of_elf
from inst.wrap.registers import with_registers

if TYPE_CHECKING:
    from typing import Literal

EMULATIONS = {name: target for target in TARGETS.values() for name in target.emulations}
"""The linker's -m and the target it means."""

_ELF_HEADER = 20
"""Bytes of an ELF header up to the end of e_machine."""


def target_of_emulation(arguments: list[str]) -> Target | None:
    """Return the target of a linker command; None if inst does not have it."""
    for position, argument in enumerate(arguments):
        if argument == "-m" and position + 1 < len(arguments):
            target = EMULATIONS.get(arguments[position + 1])
        elif argument.startswith("-m"):
            target = EMULATIONS.get(argument[2:])
        else:
            continue
        if target:
            return with_registers(target)
    return None


def target_of_objects(arguments: list[str]) -> Target | None:
    """Return the target of the first object among a linker's inputs, from its ELF header.

    A specs file may leave the emulation (-m) out: the linker then takes its default.  None where
    no input is an object of one of inst's targets.
    """
    for argument in arguments:
        if argument.endswith((".o", ".lo", ".obj")) and (target := _target_of_file(argument)):
            return with_registers(target)
    return None


def _target_of_file(path: str) -> Target | None:
    """Return the target that an ELF file's header names (System V ABI, chapter 4, "ELF Header")."""
    try:
        with open(path, "rb") as stream:
            header = stream.read(_ELF_HEADER)
    except OSError:
        return None
    if len(header) < _ELF_HEADER or header[:4] != b"\x7fELF":
        return None
    order: Literal["big", "little"] = "big" if header[5] == 2 else "little"
    machine = int.from_bytes(header[18:20], order)
    return target_of_elf(machine, order)


def target_of_assembler(arguments: list[str]) -> Target:
    """Return the target of an assembler command, from its machine options."""
    for one in all_architectures():
        if name := one.part(Targets).assembled(arguments):
            return with_registers(TARGETS[name])
    options = " ".join(a for a in arguments if a.startswith(("-a", "-m", "-A", "-6", "-3", "--6")))
    raise InstError(
        f"no target that inst knows is assembled with '{options or 'no machine option'}'",
        hint=f"targets are {', '.join(TARGETS)}; INST_DISABLE=1 makes inst-cc a plain compiler",
    )
