"""The instruction words of system events: the one table, rendered to C for the runtimes.

Which event an instruction is, the instruction tables say (`event:` of `inst.isa.rows`); here is how
its word looks and which of its operands the event has. Sources: Power ISA 2.07, books II and III-E;
EREF (Freescale, rev. 1), chapter 3; PowerPC 440 user's manual, 9 (tlbwe with operands).
"""

from __future__ import annotations

from typing import Any

from inst.arch.powerpc.tables.system_registers import INTERRUPTS, REGISTERS, STATE
from inst.arch.powerpc.tables.table import all_rows_of
from inst.dataclass import dataclass

_OPCODE = 0xFC0007FE
_AND_L = 0xFC6007FE
"""The opcode, and the two bits that choose a kind of `sync` and of `tlbilx`."""


@dataclass(frozen=True, slots=True)
class EventWord:
    """One word, and where its event's operand is."""

    mnemonic: str
    mask: int
    match: int
    operand: str = "none"
    """As runtime/powerpc/system_events.h names it: BY_NONE ..."""
    text: str = ""
    """What the trace calls it, where that is not the mnemonic."""


WORDS = (
    EventWord("sync", _AND_L, 0x7C0004AC),
    EventWord("lwsync", _AND_L, 0x7C2004AC),
    EventWord("ptesync", _AND_L, 0x7C4004AC),
    EventWord("isync", _OPCODE, 0x4C00012C),
    EventWord("mbar", _OPCODE, 0x7C0006AC),
    EventWord("tlbsync", _OPCODE, 0x7C00046C),
    EventWord("tlbwe", _OPCODE, 0x7C0007A4, "source_if_named"),
    EventWord("tlbivax", _OPCODE, 0x7C000624, "sum"),
    EventWord("tlbilxlpid", _AND_L, 0x7C000024),
    EventWord("tlbilxpid", _AND_L, 0x7C200024),
    EventWord("tlbilxva", _AND_L, 0x7C600024, "sum"),
    EventWord("tlbie", _OPCODE, 0x7C000264, "second"),
    EventWord("tlbiel", _OPCODE, 0x7C000224, "second"),
    EventWord("tlbia", _OPCODE, 0x7C0002E4),
    EventWord("slbmte", _OPCODE, 0x7C000324, "second"),
    EventWord("slbie", _OPCODE, 0x7C000364, "second"),
    EventWord("slbia", _OPCODE, 0x7C0003E4),
    EventWord("mtspr", _OPCODE, 0x7C0003A6, "register"),
    EventWord("mtmsr", _OPCODE, 0x7C000124, "source", STATE),
    EventWord("mtmsrd", _OPCODE, 0x7C000164, "source", STATE),
    EventWord("wrtee", _OPCODE, 0x7C000106, "bit", INTERRUPTS),
    EventWord("wrteei", _OPCODE, 0x7C000146, "bit_of_word", INTERRUPTS),
)
"""`msync` is the word of `sync`, `eieio` that of `mbar`."""


def tables() -> dict[str, Any]:
    """Return what the template of the C tables is rendered with."""
    return {
        "event_words": [
            (word.mask, word.match, _kind(word.mnemonic), f"BY_{word.operand.upper()}",
             word.text or word.mnemonic)
            for word in WORDS
        ],
        "system_registers": sorted(REGISTERS.items()),
    }  # fmt: skip


def names() -> frozenset[str]:
    """Return what traces call the instructions, and the registers that they write."""
    return frozenset({*(word.text or word.mnemonic for word in WORDS), *REGISTERS.values()})


def _kind(mnemonic: str) -> str:
    """Return the event's name in C, by the instruction tables."""
    return next(iter(all_rows_of(mnemonic).values())).facts.event.name
