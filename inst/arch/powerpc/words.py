"""What PowerPC's instruction words do."""

from __future__ import annotations

from inst.words import powerpc, transfers
from inst.words.model import Words

PART = Words(
    access_of=powerpc.access_of,
    lookup=powerpc.lookup,
    transfers=transfers.powerpc,
    have_addresses=transfers.powerpc_addresses,
    delay_slots=0,
)
