"""Instructions that a PowerPC program gives as numbers."""

from __future__ import annotations

from inst.flow.model import Encoded

PART = Encoded(
    mask=0xFC000000,
    on_registers=frozenset(opcode << 26 for opcode in (4, 59, 60, 63)),
    spelled={32: frozenset(), 64: frozenset()},
)
