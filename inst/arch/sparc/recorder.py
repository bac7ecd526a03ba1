"""How the segments of SPARC code are written."""

from __future__ import annotations

from inst.arch.sparc.rewrite import parts, segments, site, windows
from inst.rewrite.record.recorder import Loose, Recorder

PART = Recorder(
    takes=segments.takes,
    pointer=segments.pointer,
    reserve=segments.reserve,
    kept=segments.kept,
    store_pointer=segments.store_pointer,
    put=segments.put,
    raw_bytes=segments.raw_bytes,
    put_raw=segments.put_raw,
    effect=segments.effect,
    needs_address=lambda work, index: False,
    linked_address=lambda work, index, to: None,
    carried=parts.carried,
    leaves=parts.leaves,
    left_by_system=parts.LEFT_BY_SYSTEM,
    arriving_bytes=parts.arriving_bytes,
    changes_kept=windows.reported_frames,
    frames=segments.frames,
    put_frame=segments.put_frame,
    passes=segments.passes,
    loose=Loose(
        parts=parts.parts,
        put=segments.put_loosely,
        put_value=segments.put_value_loosely,
        name=segments.name_loosely,
        calls=segments.CALLS,
        in_place_of=site.in_place_of,
        fills=segments.fills,
        move=segments.move,
        store_moved=segments.store_moved,
        loads_constant=segments.loads_constant,
    ),
)
