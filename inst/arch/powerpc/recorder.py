"""How the segments of PowerPC code are written."""

from __future__ import annotations

from inst.arch.powerpc.rewrite import parts, results, segments, vectors, wanted
from inst.rewrite.record.recorder import Loose, Recorder

PART = Recorder(
    takes=segments.takes,
    pointer=segments.pointer,
    spilled=segments.spilled,
    spill_pointer=segments.spill_pointer,
    reserve=segments.reserve,
    kept=segments.kept,
    store_pointer=segments.store_pointer,
    put=segments.put,
    raw_bytes=segments.raw_bytes,
    put_raw=vectors.put,
    can_put_raw=segments.can_put_raw,
    effect=results.effect,
    needs_address=segments.needs_address,
    linked_address=segments.linked_address,
    carried=results.carried,
    reads_link=results.reads_link,
    reads_special=results.reads_special,
    leaves_open=results.leaves_open,
    leaves=parts.leaves,
    left_by_system=parts.LEFT_BY_SYSTEM,
    arriving_bytes=parts.arriving_bytes,
    adds_to_name=True,
    read_as_zero=("r0",),
    loose=Loose(
        put=segments.put_loosely,
        passed=results.passed,
        parts=parts.parts,
        put_value=segments.put_value_loosely,
        name=segments.name_loosely,
        saved_as=results.saved_as,
        store_moved=segments.store_moved,
        loads_constant=wanted.loads_constant,
        counter="ctr",
        set_counter=segments.set_counter,
        calls=results.CALLS,
        copy=segments.copy,
        spillable=parts.SPILLABLE,
        spill=parts.spill,
        reads_stack=parts.reads_stack,
        has_stored=segments.has_stored,
    ),
)
