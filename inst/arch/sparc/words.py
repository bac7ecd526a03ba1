"""What SPARC's instruction words do."""

from __future__ import annotations

from inst.words import sparc, transfers
from inst.words.model import Words

PART = Words(
    access_of=sparc.access_of,
    lookup=sparc.lookup,
    transfers=transfers.sparc,
    have_addresses=transfers.sparc_addresses,
    delay_slots=1,
)
