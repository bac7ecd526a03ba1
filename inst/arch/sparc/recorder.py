"""How the segments of SPARC code are written."""

from __future__ import annotations

from inst.arch.sparc.rewrite import segments
from inst.rewrite.record.recorder import Recorder

PART = Recorder(
    takes=segments.takes,
    pointer=segments.pointer,
    reserve=segments.reserve,
    kept=lambda work: "",
    store_pointer=segments.store_pointer,
    put=segments.put,
    raw_bytes=segments.raw_bytes,
    put_raw=segments.put_raw,
    effect=segments.effect,
    needs_address=lambda work, index: False,
    linked_address=lambda work, index, to: None,
    carried=segments.carried,
    put_arriving=segments.put_arriving,
    arriving_bytes=segments.arriving_bytes,
)
