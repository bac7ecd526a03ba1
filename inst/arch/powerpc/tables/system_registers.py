"""Registers of the memory management that `mtspr` writes, and of the machine's state.

Sources: Power ISA 2.07, book III-E, 5.4 and 6.10; EREF (Freescale, rev. 1), table 2-2; PowerPC 405
and 440 user's manuals, chapters "Memory management"; Power ISA 3.1, book III, 5.4.
"""

from __future__ import annotations

REGISTERS = {
    25: "sdr1",
    48: "pid",
    318: "lpcr",
    319: "lpidr",
    338: "lpid",
    339: "mas5",
    341: "mas8",
    464: "ptcr",
    528: "ibat0u", 529: "ibat0l", 530: "ibat1u", 531: "ibat1l",
    532: "ibat2u", 533: "ibat2l", 534: "ibat3u", 535: "ibat3l",
    536: "dbat0u", 537: "dbat0l", 538: "dbat1u", 539: "dbat1l",
    540: "dbat2u", 541: "dbat2l", 542: "dbat3u", 543: "dbat3l",
    624: "mas0", 625: "mas1", 626: "mas2", 627: "mas3", 628: "mas4", 630: "mas6",
    633: "pid1",
    634: "pid2",
    944: "mas7",
    945: "pid",
    946: "mmucr",
    1012: "mmucsr0",
}  # fmt: skip
"""Number of a special-purpose register -> its name in traces (945 is the 405's pid)."""

STATE = "msr"
"""The register that `mtmsr` writes."""
INTERRUPTS = "msr.ee"
"""The bit of it that `wrtee` and `wrteei` write: 1 where interrupts may come."""
