"""A target's registers as gdb is sent them (gdb's manual, appendix "Target Descriptions")."""

from __future__ import annotations

from inst.arch.registry import architecture
from inst.replay.model import Debugger, Shown
from inst.target.model import Target

_HEAD = '<?xml version="1.0"?>\n<!DOCTYPE target SYSTEM "gdb-target.dtd">\n'


def registers_of(target: Target) -> tuple[Shown, ...]:
    """Return the registers of a target by their numbers in gdb."""
    features = architecture(target.isa).part(Debugger).features(target.bits)
    return tuple(one for _, registers in features for one in registers)


def description_of(target: Target) -> str:
    """Return the description of a target in XML."""
    part = architecture(target.isa).part(Debugger)
    lines = [f"<architecture>{part.architecture(target.bits)}</architecture>"]
    lines.append("<osabi>GNU/Linux</osabi>")
    for name, registers in part.features(target.bits):
        lines.append(f'<feature name="{name}">')
        lines += [
            f'<reg name="{one.name}" bitsize="{one.bits}" type="{one.type}"/>' for one in registers
        ]
        lines.append("</feature>")
    return f"{_HEAD}<target>\n{chr(10).join(lines)}\n</target>\n"
