"""How SPARC assembly is written."""

from __future__ import annotations

import re

from inst.asm.model import Binary, Expression, Memory, Operand, Register, Relocation
from inst.asm.syntax import Syntax
from inst.asm.usual import plain

_RELOCATION = re.compile(r"(%[a-z_0-9]+)\(([^()]+)\)")
_JUMP = re.compile(r"%(\w+) ?\+ ?(%\w+|[0-9]+)")
"""Where `jmp` and `return` go, without brackets."""
_ADDRESS = re.compile(r"\[%(\w+)(?: ?(?:\+ ?([^\[\]]+)|(-[0-9]+)))?\]")


def _registers() -> dict[str, str]:
    """Return canonical names by spelling, without the percent sign."""
    windows = [f"{letter}{n}" for letter in "goli" for n in range(8)]
    names = {name: name for name in windows}
    names |= {f"r{n}": name for n, name in enumerate(windows)}
    names |= {"sp": "o6", "fp": "i6"}
    for letter, step in (("f", 1), ("d", 2), ("q", 4)):
        names |= {f"{letter}{n}": f"f{n}" for n in range(0, 64, step)}
    names |= {f"c{n}": f"c{n}" for n in range(32)}
    names |= {f"asr{n}": f"asr{n}" for n in range(32)}
    names |= {f"fcc{n}": f"fcc{n}" for n in range(4)}
    names |= {name: name for name in _SPECIAL.split()}
    # The ancillary state registers that have names of their own.
    names |= {"asr0": "y", "asr2": "ccr", "asr3": "asi", "asr4": "tick", "asr5": "pc"}
    names |= {"asr6": "fprs", "asr19": "gsr"}
    return names


_SPECIAL = """
    y psr wim tbr fsr csr fq cq icc xcc ccr asi tick pc npc fprs gsr tpc tnpc tstate tt tba
    pstate tl pil cwp cansave canrestore cleanwin otherwin wstate ver gl hpstate htstate hintp
    htba hver hstick_offset hstick_enable hstick_cmpr hmcdper pcr pic dcr softint set_softint
    clear_softint tick_cmpr sys_tick sys_tick_cmpr stick stick_cmpr cps pause mwait cfr mcdper
    entropy pmcdper efsr ccsr ccfr cccrcr ccpr ccsr2 cccrr ccrstr
"""


def _usual(syntax: Syntax, text: str) -> Operand | None:
    if text.startswith("["):
        return _address(syntax, text)
    return _expression(syntax, text) or _jump(syntax, text)


def _expression(syntax: Syntax, text: str) -> Expression | None:
    found = _RELOCATION.fullmatch(text)
    if not found:
        return plain(syntax, text)
    operand = plain(syntax, found[2])
    return Relocation(found[1], operand) if operand is not None else None


def _jump(syntax: Syntax, text: str) -> Expression | None:
    found = _JUMP.fullmatch(text)
    name = syntax.register(found[1]) if found else None
    if not found or not name:
        return None
    index = syntax.register(found[2][1:]) if found[2].startswith("%") else None
    distance = Register(index, found[2]) if index else plain(syntax, found[2])
    if distance is None:
        return None
    return Binary("+", Register(name, f"%{found[1]}"), distance)


def _address(syntax: Syntax, text: str) -> Memory | None:
    found = _ADDRESS.fullmatch(text)
    name = syntax.register(found[1]) if found else None
    if not found or not name:
        return None
    base = Register(name, f"%{found[1]}")
    rest = found[2] or found[3]
    if not rest:
        return Memory(base, None, None, None, text)
    index = syntax.register(rest[1:]) if rest.startswith("%") else None
    if index:
        return Memory(base, Register(index, rest), None, None, text)
    offset = _expression(syntax, rest)
    return Memory(base, None, offset, None, text) if offset is not None else None


PART = Syntax(
    comment="!",
    mnemonic_suffix=r"(?:,(?:a|pt|pn))*",
    branch_suffixes=True,
    registers=_registers(),
    bare_registers=False,
    any_case=False,
    usual=_usual,
    type_mark="#",
    words=frozenset((".long", ".4byte", ".int", ".word", ".uaword")),
    addresses={32: ".uaword", 64: ".uaxword"},
)
