"""The distance between the two entry points of a function (64-bit PowerPC, ELFv2).

`.localentry f,.-f` says how far the local entry point is after the global one, and a symbol has
room for 4, 8, 16, 32 or 64 bytes only (OpenPOWER ELF V2 ABI 1.5, 3.4.1).  Compilers put nothing
there but what makes the TOC pointer; code by hand may access memory (musl's setjmp).  Code that a
probe makes longer is padded with `nop` to the next such distance.
"""

from __future__ import annotations

import re

from inst.flow.code import Code, statement_error
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import Edits

_WORDS = (1, 2, 4, 8, 16)
"""Instructions that may stand between the two entry points."""
_COUNTED = re.compile(r"0[xX][0-9a-fA-F]+|\d+")


def pad_local_entries(work: Rewriting) -> None:
    """Pad the code before each local entry point to a length that a symbol can hold."""
    code, edits = work.whole, work.edits
    if work.isa.abi != "elfv2":
        return
    padded: set[int] = set()
    for position, statement in enumerate(code.statements):
        if statement.name != ".localentry":
            continue
        name, _, distance = (part.strip() for part in statement.operands.partition(","))
        between = _between(code, name, position)
        grown = sum(_growth(code, edits, index) for index in between)
        if not grown or between[-1] in padded:
            continue
        padded.add(between[-1])
        words = grown + sum(code.facts[index].length // 4 for index in between)
        wanted = next((one for one in _WORDS if one >= words), 0)
        if not wanted or _COUNTED.fullmatch(distance):
            raise statement_error(
                code,
                between[0],
                f"the distance of {name}'s two entry points grows to {4 * words} bytes",
                f"move accesses after the local entry point, and write its distance as `.-{name}`",
            )
        edits.at(code.statement[between[-1]]).after += ["nop"] * (wanted - words)


def _between(code: Code, name: str, position: int) -> list[int]:
    """Return the instructions between a function's label and statement `position`."""
    first = code.labels.get(name, -1)
    found: list[int] = []
    while 0 <= first < len(code.facts) and code.statement[first] < position:
        found.append(first)
        first += 1
        if first in code.section_end:
            break
    return found


def _growth(code: Code, edits: Edits, index: int) -> int:
    edit = edits.by_statement.get(code.statement[index])
    return edit.words() if edit is not None else 0
