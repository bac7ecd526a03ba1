"""How PowerPC assembly is written."""

from __future__ import annotations

import re

from inst.asm.model import Expression, Memory, Operand, Register, Relocation
from inst.asm.syntax import Syntax
from inst.asm.usual import plain

_SUFFIXED = re.compile(r"([^@()]+)((?:@[a-z]+)+)")
_ADDRESS = re.compile(r"([^()]+)\((\w+)\)")


def _registers() -> dict[str, str]:
    """Return canonical names by spelling; the percent sign is optional in operands."""
    names: dict[str, str] = {}
    for prefix, count in (("r", 32), ("f", 32), ("v", 32), ("vs", 64), ("cr", 8)):
        for number in range(count):
            names[f"{prefix}{number}"] = f"{prefix}{number}"
            names[f"{prefix}.{number}"] = f"{prefix}{number}"
    names |= {name: name for name in ("lr", "ctr", "xer", "fpscr", "vscr", "vrsave")}
    names |= {"sp": "r1", "r.sp": "r1", "rtoc": "r2", "r.toc": "r2"}
    names |= {name: name for name in ("dar", "dec", "dsisr", "sdr1", "srr0", "srr1")}
    return names


def _usual(syntax: Syntax, text: str) -> Operand | None:
    return _address(syntax, text) if text.endswith(")") else _expression(syntax, text)


def _expression(syntax: Syntax, text: str) -> Expression | None:
    found = _SUFFIXED.fullmatch(text)
    if not found:
        return plain(syntax, text)
    operand = plain(syntax, found[1])
    return Relocation(found[2], operand) if operand is not None else None


def _address(syntax: Syntax, text: str) -> Memory | None:
    found = _ADDRESS.fullmatch(text)
    if not found:
        return None
    offset = _expression(syntax, found[1])
    name = found[2]
    number = int(name) if name.isdecimal() and name.isascii() else -1
    known = f"r{number}" if 0 <= number < 32 else syntax.register(name)
    if offset is None or not known:
        return None
    return Memory(Register(known, name), None, offset, None, text)


PART = Syntax(
    comment="#",
    mnemonic_suffix=r"[+-]?+",
    branch_suffixes=False,
    registers=_registers(),
    bare_registers=True,
    any_case=True,
    usual=_usual,
    type_mark="@",
    words=frozenset((".long", ".4byte", ".int")),  # .word has two bytes
    addresses={32: ".4byte", 64: ".8byte"},
)
