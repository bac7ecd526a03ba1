"""Variants of hook libraries: the stack check around any library's hooks, and saving more.

Both are C that is compiled beside the library's own: hooks that check an access and then call
the library's, which was compiled under another name; and hooks that do nothing where a library
has none, since saving everything is only seen where a hook is called.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inst.arch.registry import architecture
from inst.glue.model import Glue
from inst.hooktable import ACCESS_HOOKS, BY_NAME, Hook, Parameter

if TYPE_CHECKING:
    from inst.glue.usage import Usage

OWN = "inst_own_"
"""Prefix of the names of a library's own hooks where the stack check calls them."""
GUARDED = ("restorehook", "savehook", *(hook.name for hook in ACCESS_HOOKS))


@dataclass(frozen=True, slots=True)
class Variant:
    """How a library differs from what its hooks require."""

    check_stack: bool = False
    """Check each access against the save areas of register windows."""
    save_registers: bool = False
    """Save every register that a call may change, as if every hook changed them all."""
    save_conditions: bool = False
    """Save condition codes in the same way."""
    counts: bool = False
    """Count for the windows that INST_START, INST_STOP and INST_SAMPLE ask for."""
    bare: bool = False
    """Use the runtime that needs no operating system (runtime/bare)."""
    records: int = 0
    """Records that the ring of a processor holds, a power of 2; of the library `ring` alone."""
    cpus: int = 1
    """Processors that have a ring each."""
    pieces: tuple[int, int] = (0, 0)
    """Bytes of each piece that code records to without an operating system, and how many there are;
    of the library `flight` alone."""

    def for_isa(self, isa: str) -> Variant:
        """Return the part of it that applies where there may be no register windows."""
        checks = self.check_stack and architecture(isa).part(Glue).windows
        return replace(self, check_stack=checks)

    @property
    def saves(self) -> bool:
        """Whether entries save more than hooks require."""
        return self.save_registers or self.save_conditions


def renames(variant: Variant) -> list[str]:
    """Return the additional options for compiling the library's own file."""
    return [f"-D{name}={OWN}{name}" for name in GUARDED] if variant.check_stack else []


def own_names(text: str) -> str:
    """Return the library's own assembly with its hooks under their own names."""
    return text.replace(OWN, "")


def added_source(variant: Variant, own: str, usages: dict[str, Usage]) -> str:
    """Return C to compile beside a library whose own assembly and usages these are."""
    defined = {name for name in BY_NAME if re.search(rf"^{name}:", own, re.MULTILINE)}
    if variant.check_stack:
        lines = ["#include <inst/guard.h>"]
        lines += [_checking(hook, usages.get(hook.name)) for hook in ACCESS_HOOKS]
        lines += [_turn(name, name in defined) for name in ("savehook", "restorehook")]
        return "\n".join(lines) + "\n"
    if variant.saves:
        missing = [hook.name for hook in ACCESS_HOOKS if hook.name not in defined]
        return "".join(f"void {name}(void) {{ }}\n" for name in missing)
    return ""


def _checking(hook: Hook, usage: Usage | None) -> str:
    """Return a hook that checks; it takes the value only if the library's own does."""
    parameters = hook.parameters if usage is not None and usage.value else hook.parameters[:2]
    size = f"{hook.size}" + (" | INST_GUARD_STORE" if hook.event.startswith("st") else "")
    body = f"inst_guard_check(address, {size}, pc);"
    own = _own(hook.name, parameters) if usage is not None else ("", "")
    return f"{own[0]}void {hook.name}({_declared(parameters)}) {{ {body}{own[1]} }}"


def _turn(name: str, defined: bool) -> str:
    parameters = BY_NAME[name].parameters
    bodies = {
        "savehook": "inst_guard_save(stack, frame, pc);",
        "restorehook": "inst_guard_restore(buf16[6]);",
    }
    own = _own(name, parameters) if defined else ("", "")
    return f"{own[0]}void {name}({_declared(parameters)}) {{ {bodies[name]}{own[1]} }}"


def _own(name: str, parameters: tuple[Parameter, ...]) -> tuple[str, str]:
    """Return the declaration of the library's own hook, and a call of it."""
    arguments = ", ".join(parameter.name for parameter in parameters)
    declared = f'__attribute__((visibility("hidden"))) void {OWN}{name}({_declared(parameters)});\n'
    return declared, f" {OWN}{name}({arguments});"


def _declared(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(str(parameter) for parameter in parameters)


def widened(usages: dict[str, Usage], variant: Variant, isa: str) -> dict[str, Usage]:
    """Return usages as if every hook clobbered what the variant wants saved."""
    if not variant.saves:
        return usages
    from inst.glue.usage import COUNT, DOWN, RARE, ROOM, UNREPORTED, WINDOW

    glue = architecture(isa).part(Glue)
    names = glue.registers.split() if variant.save_registers else []
    names += glue.conditions.split() if variant.save_conditions else []
    entered = {hook.name for hook in ACCESS_HOOKS}
    entered |= {RARE, COUNT, DOWN, WINDOW, UNREPORTED, ROOM}
    entered |= {"restorehook", "savehook", "enterhook", "leavehook"}
    return {
        name: replace(usage, clobbers=usage.clobbers | set(names), empty=False)
        if name in entered
        else usage
        for name, usage in usages.items()
    }
