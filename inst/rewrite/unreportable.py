"""Instructions that are known, but that no probe can report: files with them are refused."""

from __future__ import annotations

from inst.flow.code import Code, statement_error
from inst.isa.model import Form, Isa

_HINT = "compile this file with INST_DISABLE=1: the rest of the program can be instrumented"

_STATE = {
    "paired": "paired singles are in use, and hooks save only the first number of each pair",
    "windows": "this instruction reads other register windows, which hooks may spill",
}
"""Registers of the model that nothing around a hook keeps, and what to say of their use."""


def refuse_unreportable(code: Code, isa: Isa) -> None:
    """Raise an error for the first instruction that cannot be instrumented."""
    bits = isa.registers.bit
    reasons = {bits[name]: reason for name, reason in _STATE.items() if name in bits}
    touched = isa.registers.mask(*(name for name in _STATE if name in bits))
    for index, fact in enumerate(code.facts):
        if fact.access is not None and fact.access.form == Form.OPAQUE:
            raise statement_error(code, index, "what this instruction moves is not known", _HINT)
        if fact.defs & touched:
            reason = next(text for mask, text in reasons.items() if fact.defs & mask)
            raise statement_error(code, index, reason, _HINT)
