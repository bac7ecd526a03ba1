"""Instructions that are known, but that no probe can report: files with them are refused."""

from __future__ import annotations

import re

from inst.flow.code import statement_error
from inst.isa.model import Form
from inst.isa.sites import Sites
from inst.rewrite.context import Rewriting

_HINT = "leave its function out (--inst-except=NAME), or its file (--inst-except=src:FILE)"

_STATE = {
    "paired": "paired singles are in use, and hooks save only the first number of each pair",
    "windows": "this instruction reads other register windows, which hooks may spill",
}
"""Registers of the model that nothing around a hook saves, and what to say of their use."""


def refuse_unreportable(work: Rewriting) -> None:
    """Raise an error for the first instruction that cannot be instrumented."""
    code, isa = work.code, work.isa
    bits = isa.registers.bit
    reasons = {bits[name]: reason for name, reason in _STATE.items() if name in bits}
    touched = isa.registers.mask(*(name for name in _STATE if name in bits))
    abi = isa.part(Sites).abis[isa.abi]
    undecoded = re.compile(abi.undecoded)
    for index, fact in enumerate(code.facts):
        if fact.access is not None and fact.access.form == Form.OPAQUE:
            raise statement_error(code, index, "what this instruction moves is not known", _HINT)
        name = code.at(index).name
        if fact.access is not None and undecoded.fullmatch(name):
            hint = f"{abi.undecoded_hint}, or {_HINT}"
            raise statement_error(code, index, "32-bit code cannot report this access", hint)
        if fact.defs & touched:
            reason = next(text for mask, text in reasons.items() if fact.defs & mask)
            raise statement_error(code, index, reason, _HINT)


def refuse_accumulators(work: Rewriting) -> None:
    """Raise an error for an access that is reported while an accumulator of POWER10 is in use.

    What saves and restores vector registers around a hook unprimes it: on hardware its contents
    are lost then (Power ISA 3.1, book I, 7.2.1.3), though not under qemu.
    """
    bits = work.isa.registers.bit
    accumulators = work.isa.registers.mask(*(f"a{n}" for n in range(8) if f"a{n}" in bits))
    facts, liveness = work.code.facts, work.liveness
    if not work.options.check_registers or not any(fact.defs & accumulators for fact in facts):
        return
    for index, fact in enumerate(facts):
        live = liveness.before[index] & liveness.after[index] & accumulators
        if fact.access is not None and live:
            raise statement_error(
                work.code, index, "an accumulator is in use here, and a hook may lose it", _HINT
            )
