"""How its assembly is written: `lw t1,4(t2)`; t6 is the stack pointer, t7 the return address."""

from __future__ import annotations

import re

from inst.asm.model import Memory, Operand, Register
from inst.asm.syntax import Syntax
from inst.asm.usual import plain

_ADDRESS = re.compile(r"(-?\w+)\((t[0-7])\)")


def _usual(syntax: Syntax, text: str) -> Operand | None:
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return plain(syntax, text)
    return Memory(Register(found[2], found[2]), None, plain(syntax, found[1]), None, text)


PART = Syntax(
    comment="!",
    mnemonic_suffix="",
    branch_suffixes=False,
    registers={f"t{n}": f"t{n}" for n in range(8)},
    bare_registers=True,
    any_case=False,
    usual=_usual,
    type_mark="@",
    words=frozenset((".word",)),
    addresses={32: ".word"},
)
