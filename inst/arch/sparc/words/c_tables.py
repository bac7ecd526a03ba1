"""What C of the runtime has of SPARC's words: the memory instructions, and others it knows."""

from __future__ import annotations

from typing import Any

from inst.arch.sparc.tables import wide_spaces
from inst.arch.sparc.tables.control import SYSTEM_TRAPS
from inst.arch.sparc.words import accesses
from inst.arch.sparc.words.recorded import RECORDED
from inst.arch.sparc.words.system_events import BARRIERS, STACK_LDSTUB
from inst.words.access import WRITE

_CALLS = ("WORD_SYSTEM_CALL_32", "WORD_SYSTEM_CALL_64")


def tables() -> dict[str, Any]:
    """Return what the template of the C tables is rendered with."""
    return {
        "rows": [
            (code, access.size, int(bool(access.what & WRITE)), int(access.value == "float"))
            for code, access in sorted(accesses.ROWS.items())
        ],
        "spaces": [(number, *space) for number, space in sorted(_spaces().items())],
    }


def _spaces() -> dict[int, tuple[str, int, int]]:
    """Return what is special about spaces: the kind, in C, the size, and whether it is little."""
    kinds = dict.fromkeys(wide_spaces.BLOCKS, ("IN_BLOCKS", wide_spaces.BLOCK))
    kinds |= {space: ("SHORT", size) for space, size in wide_spaces.SHORT.items()}
    kinds |= {space: ("PARTIAL", size) for space, size in wide_spaces.PARTIAL.items()}
    kinds |= dict.fromkeys(wide_spaces.TWINS, ("TWIN", 16))
    return {
        space: (*kinds.get(space, ("USUAL", 0)), int(space in wide_spaces.LITTLE))
        for space in kinds.keys() | wide_spaces.LITTLE
    }


def opcodes() -> dict[str, int]:
    """Return op3 of the memory instructions, and words, by their names in C."""
    operations = {f"OP3_{row.mnemonic.upper()}": op3 for op3, row in accesses.ROWS.items()}
    barriers = (*BARRIERS, ("stack_ldstub", *STACK_LDSTUB))
    return {
        **operations,
        "OP3_ALTERNATE": accesses.ALTERNATE,
        "WORD_NOP": RECORDED.nop,
        "WORD_PAST_ONE": RECORDED.skips,
        **{f"WORD_{name.upper()}": word for name, _, word in barriers},
        **{f"MASK_{name.upper()}": mask for name, mask, _ in barriers},
        **{
            name: accesses.TRAP_ALWAYS | trap
            for name, trap in zip(_CALLS, SYSTEM_TRAPS, strict=True)
        },
    }
