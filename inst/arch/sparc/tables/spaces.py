"""Address spaces of 32-bit SPARC in which instructions access no memory.

Sources: The SPARC Architecture Manual, version 8, appendix H (the reference MMU: H.5 registers, H.6
flush and probe) and I.2 (assignments of spaces); GRLIB IP Core User's Manual, LEON3, "ASI
assignments". In 64-bit code these numbers mean other spaces, of memory.
"""

from __future__ import annotations

from inst.isa.model import SystemEvent

FLUSH = (0x03, 0x18)
"""Stores invalidate translations (version 8 and LEON3)."""
REGISTERS = (0x04, 0x19)
"""Stores write registers of the memory management (version 8 and LEON3)."""
_OTHERS = (0x02, *range(0x05, 0x08), *range(0x0C, 0x17), 0x1D, 0x1E)
"""Control registers, diagnostics of translations, tags and contents of caches, their flushes."""

NOT_MEMORY = {
    **dict.fromkeys(_OTHERS, SystemEvent.NONE),
    **dict.fromkeys(FLUSH, SystemEvent.TLBI),
    **dict.fromkeys(REGISTERS, SystemEvent.SYSREG),
}
"""Address space identifier -> the event of a store there."""

FLUSHED = ("flush.page", "flush.segment", "flush.region", "flush.context", "flush.all")
"""What a flush invalidates, by bits 11 to 8 of its address; the page is in bits 31 to 12."""
REGISTER_NAMES = (
    "mmu.control",
    "mmu.context_table",
    "mmu.context",
    "mmu.fault_status",
    "mmu.fault_address",
)
"""Registers of the memory management, by bits 12 to 8 of the address."""
