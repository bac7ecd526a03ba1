"""What STF contains beyond events: registers."""

from __future__ import annotations

from inst.formats.stf.trace import StfBatch
from inst.trace.writing import Losses


def count_losses(batch: StfBatch, losses: Losses, *, registers: bool) -> None:
    """Count register values, where they are not carried over."""
    if registers:
        return
    losses.add("register values", sum(record.after.count(b"=") for record in batch.records))
    executed = (record for record in batch.records if record.kind == "instr")
    losses.add("status register values", sum(each.before.count(b"=") for each in executed))
