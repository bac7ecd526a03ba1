"""The finding codes of break-before-make: what each means and what would have been right."""

from __future__ import annotations

_ROWS: tuple[tuple[str, str, str], ...] = (
    # code, meaning, what would have been right
    ("input-size", "The input size that T0SZ gives is not 21 to 48 bits.",
     "T0SZ from 16 to 43 in tcr_el2 or vtcr_el2 before the table is installed"),
    ("encoding", "Bits 1:0 of a valid descriptor mean nothing at its level.",
     "0b11 for a table (levels 0 to 2) or a page (level 3), 0b01 for a block (levels 1 and 2)"),
    ("walk-uninitialised", "A table that becomes reachable has memory that was never initialised: "
     "the walker would read garbage.", "mem-init of the whole page before it is linked"),
    ("table-unaligned", "A table does not begin at a page boundary.",
     "a base that is a multiple of 4096"),
    ("double-use", "A page becomes a table that already is one: in this tree, in another, or "
     "through a circle.", "a page of its own, or the release of the old tree first"),
    ("write-uninitialised", "A write to memory that was never initialised.",
     "mem-init before the first write; or leave memory that is no page table out of the trace"),
    ("write-unaligned", "A write into a table whose address is no multiple of its size: a walker "
     "may see a part of it.", "a store of 8 bytes to a multiple of 8"),
    ("thread-owned", "A write to an entry that another thread owns.",
     "the write by its owner, or set_pte_thread_owner first"),
    ("root-without-lock", "A write to an entry of a tree that no lock protects.",
     "set_root_lock for the root before the first write"),
    ("lock-not-held", "A write to an entry without the lock of its tree.",
     "the lock, held by the writing thread"),
    ("plain-unauthorised", "A second plain write of the thread under the lock that touches a "
     "valid entry, with no DSB since the first: the walker may see them in another order.",
     "a DSB between the two writes, or a store with release order"),
    ("unclean-parent", "A change of an entry below a table that was unlinked and is not yet clean: "
     "walkers may still go through it.",
     "dsb, tlbi, dsb for the unlinked table before its entries change"),
    ("valid-to-valid", "A live entry replaced in place: the TLB may hold both translations.",
     "break before make: write 0, dsb ish, tlbi, dsb ish, then the new entry"),
    ("unclean-to-valid", "A valid entry written where the old one may still be in a TLB.",
     "the rest of: write 0, dsb ish, tlbi, dsb ish, and then the new entry"),
    ("freeze-thread-owned", "A table is unlinked while a thread owns an entry below it.",
     "set_pte_thread_owner with all ones for the entry first"),
    ("read-mismatch", "A page-table entry was read with another value than was last written: "
     "something changed it that the trace does not show.",
     "every write to the entry in the trace"),
    ("init-used", "Memory is initialised again that is a page-table entry, or not zero.",
     "mem-free first, or mem-init only once"),
    ("free-pte", "Memory freed that still is part of a page table.",
     "unlinking and cleaning the table, or release_table, first"),
    ("set-unaligned", "A mem-set whose region is not made of whole entries "
     "(of whole pages in profile casemate).", "address and size that are multiples of 8 (4096)"),
    ("dsb-too-weak", "A DSB of the local domain where an invalidation is under way that other "
     "processors must see.", "dsb ish"),
    ("unclean-children", "An unlinked table becomes clean while an entry below it is not.",
     "dsb, tlbi, dsb for the entries below before the table is unlinked"),
    ("tlbi-not-broadcast", "A TLBI of this processor only, where others may hold the entry.",
     "the form of the operation that ends in 'is'"),
    ("register-unset", "A regime is turned on whose table register was never written.",
     "vttbr_el2 or ttbr0_el2 before the regime is turned on"),
    ("asid-reserved", "ttbr0_el2 with an ASID: the EL2 regime has none.",
     "bits 63:48 of the value 0"),
    ("root-id-changed", "A root is installed with another VMID than before: entries under the old "
     "one remain in the TLB.", "the same VMID, or release_table first"),
    ("duplicate-id", "Two roots with one VMID or ASID: the TLB cannot distinguish them.",
     "an identifier that no other root has, or release_table of that one first"),
    ("release-unclean", "A tree is released while an entry in it is invalid and not clean.",
     "dsb, tlbi, dsb before release_table"),
    ("release-not-root", "release_table of something that is no root.",
     "the address of an installed root"),
    ("release-in-use", "A tree is released that a thread's register still points to.",
     "another table in the register of every thread first"),
    ("owner-uninitialised", "set_pte_thread_owner for memory that was never initialised.",
     "an entry of an installed table"),
    ("owner-not-pte", "set_pte_thread_owner for memory that is no page-table entry.",
     "an entry of an installed table"),
    ("owner-not-last-level", "set_pte_thread_owner for an entry that is not of level 3.",
     "an entry of level 3"),
    ("already-held", "A lock taken that is held.", "unlock first"),
    ("trylock-other", "A trylock succeeded on a lock that another thread holds.",
     "unlock by the holder first"),
    ("not-held", "A lock released that no thread holds.", "lock first"),
    ("held-by-other", "A lock released by a thread that does not hold it.",
     "unlock by the thread that took it"),
    ("owner-root-unaligned", "set_owner_root for an address within a table, where it names a page.",
     "the address of the page"),
    ("violation-missing", "The trace ends with a line that begins with '!': its producer saw a "
     "violation there, and the check sees none.",
     "a violation at the last record, or a trace without that line"),
    # What only the arm profile reports, as warnings: the protocol's verdict does not depend on it.
    ("tlbi-operand", "A TLBI whose operand matches no entry that is being invalidated, but would "
     "if it had been shifted by 12: the granule's shift was used, or none.",
     "address >> 12 in the operand, whatever the granule"),
    ("tlbi-ttl", "The level hint in a TLBI's operand is wrong for the entry, or stray bits of an "
     "address: the TLBI may not reach the entry.",
     "0 in bits 47:44, or 0b01 and the entry's level; mask the address's upper bits"),
    ("tlbi-before-dsb", "A TLBI before the DSB that makes the write visible: a walker may fetch "
     "the old entry again.", "dsb ishst or ish between the write and the TLBI"),
    ("reuse-without-isb", "A translation of the own regime is used anew with no ISB after the DSB "
     "that completes the invalidation.", "isb after the last dsb ish"),
    ("switch-without-tlbi", "A root was installed under the identifier of a released one, and "
     "nothing was invalidated: the TLB holds the old tree's entries.",
     "tlbi vmalls12e1is, alle1is or alle2is, and dsb ish, before or right after the switch"),
)  # fmt: skip

STALE = "stale-translation"
CODES = {code: meaning for code, meaning, _ in _ROWS} | {
    STALE: "A page used after its entry has changed and before it was flushed: the TLB may hold "
    "the old translation (reference MMU of SPARC).",
}
RIGHT = {code: right for code, _, right in _ROWS}
ADVICE = frozenset(
    {"tlbi-operand", "tlbi-ttl", "tlbi-before-dsb", "reuse-without-isb", "switch-without-tlbi"}
)
"""Warnings of the arm profile."""


class Violation(Exception):
    """A step that the protocol forbids; the state is as it was before the step."""

    def __init__(self, code: str, message: str, *addresses: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.addresses = addresses
        """Locations that explain it, the one meant first."""
