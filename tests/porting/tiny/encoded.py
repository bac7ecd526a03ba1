"""Instructions that a program gives as numbers."""

from __future__ import annotations

from inst.flow.model import Encoded

PART = Encoded(mask=0xF0000000, on_registers=frozenset(), spelled={32: None})
