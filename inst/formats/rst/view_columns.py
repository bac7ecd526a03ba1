"""What can be asked of RST records: columns of numbers by name, and marks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inst.formats.rst.codes import (
    EVENT_PC,
    EVENT_RECORD,
    EVENT_SIZE,
    FLAGS,
    INSTR,
    INSTRUCTIONS,
    MEMVAL,
    RFS_CW,
    TSB,
    VARIANT,
    WITH_PC,
    WITH_WORD,
)
from inst.formats.rst.record_view import RecordView
from inst.trace.model import Array, Flag, Kind
from inst.trace.view import Column
from inst.words.access import BOTH, READ, RESERVE_BIT, WRITE


def _program_counters(view: RecordView) -> list[Column]:
    own = view.codes == EVENT_PC
    return [
        (view.raw["first"].astype("u8"), WITH_PC[view.codes] | (own & (view.raw["first"] != 0)))
    ]


def _effective_addresses(view: RecordView) -> list[Column]:
    codes, flags = view.codes, view.raw["flags"]
    second = view.flag("ea_valid") | (codes == TSB)
    wide = (codes == MEMVAL) & (flags & VARIANT != 0)
    first = (codes == MEMVAL) & ~wide
    translated = (codes == RFS_CW) & (view.raw["word"] >> 16 & 0x80 != 0)
    columns = [
        (view.raw["second"].astype("u8"), second),
        (view.raw["first"].astype("u8"), first | translated | _stated(view, Flag.HAS_ADDRESS)),
    ]
    if wide.any():
        columns.append((view.rst.column("memval128", "addr"), wide))
    return columns


def _stated(view: RecordView, flag: Flag) -> Array:
    """Which rows are records of our own that have something."""
    return np.asarray((view.codes == EVENT_RECORD) & (view.raw["half"] & int(flag) != 0), bool)


def _sizes(view: RecordView) -> list[Column]:
    what, sizes = view.accesses
    memval = view.codes == MEMVAL
    wide = view.raw["flags"] & VARIANT != 0
    stated = np.where(wide, 16, view.raw["half"] & 0xF).astype("u8")
    # An INSTR's values count more than its word.
    counts = np.bincount(view.leader[memval], minlength=len(view))
    return [
        (sizes.astype("u8"), (what & 3 != 0) & (sizes != 0) & (counts == 0)),
        (stated, memval),
        (view.raw["first"].astype("u8"), view.codes == EVENT_SIZE),
    ]


def _values(view: RecordView) -> list[Column]:
    memval = view.codes == MEMVAL
    wide = memval & (view.raw["flags"] & VARIANT != 0)
    second = view.raw["second"].astype("u8")
    return [
        (second, memval | _stated(view, Flag.HAS_VALUE)),
        (view.raw["first"].astype("u8"), wide),
    ]


def _ordinals(view: RecordView) -> list[Column]:
    return [(np.arange(view.first, view.first + len(view), dtype="u8"), view.leads)]


def _records(view: RecordView) -> list[Column]:
    """Every record has a number: the group of an event has those of all its records."""
    return [(_ordinals(view)[0][0], np.ones(len(view), bool))]


COLUMNS: dict[str, Callable[[RecordView], list[Column]]] = {
    "pc": _program_counters,
    "ea": _effective_addresses,
    "size": _sizes,
    "value": _values,
    "cpu": lambda view: [view.cpu_column],
    "thread": lambda view: [view.thread_column],
    "id": _ordinals,
    "record": _records,
    "word": lambda view: [(view.raw["word"].astype("u8"), WITH_WORD[view.codes])],
}


def mark(view: RecordView, name: str) -> Array:
    if name == "context":
        return view.context
    if name == "unknown":
        return ~view.known_types
    if name == "instruction":
        return INSTRUCTIONS[view.codes]
    if name == "branch":
        return INSTRUCTIONS[view.codes] & view.branches.is_branch
    if name == "taken":
        return np.asarray(view.flag("bt") & (view.accesses[0] & 3 == 0), bool)
    if name in FLAGS:
        return view.flag(name)
    return _access_mark(view, name)


def _access_mark(view: RecordView, name: str) -> Array:
    """An instruction that was annulled or trapped accessed nothing."""
    return _of_instructions(view, name) | _of_events(view, name)


_KINDS = {
    "load": (Kind.READ, Kind.RESERVE),
    "store": (Kind.WRITE,),
    "access": (Kind.READ, Kind.RESERVE, Kind.WRITE),
    "reserve": (Kind.RESERVE,),
}


def _of_events(view: RecordView, name: str) -> Array:
    """Which rows are accesses by one instruction that are events of our own."""
    own = _stated(view, Flag.HAS_PC)
    if not own.any():
        return own
    access = own & np.isin(view.raw["flags"], _KINDS["access"])
    if name in _KINDS:
        return np.asarray(access & np.isin(view.raw["flags"], _KINDS[name]), bool)
    return access & _stated(view, Flag.ATOMIC)


def _of_instructions(view: RecordView, name: str) -> Array:
    what = view.accesses[0]
    done = ~view.flag("annulled") & ~view.flag("trapped") & (view.codes == INSTR)
    reserve: Array = np.asarray((what & RESERVE_BIT != 0) & done)
    bits = {"load": READ, "store": WRITE, "access": BOTH}
    if name in bits:
        return np.asarray((what & bits[name] != 0) & done, bool)
    if name == "reserve":
        return reserve
    return np.asarray(reserve | ((what & 3 == BOTH) & done))  # atomic
