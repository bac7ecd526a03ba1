"""Page-table descriptors: 4 KiB granule, levels 0 to 3, 8 bytes each."""

from __future__ import annotations

from inst.check.pagetable.codes import Violation

PAGE = 4096
SLOTS = 512
ADDRESS_BITS = 0x0000_FFFF_FFFF_F000

TABLE, MAPPING, INVALID = "table", "mapping", "invalid"

_OUTPUT = {1: 0x0000_FFFF_C000_0000, 2: 0x0000_FFFF_FFE0_0000, 3: ADDRESS_BITS}
_SOFTWARE = 0xF << 55
_ACCESSED = 1 << 10
_SHAREABILITY, _NOT_GLOBAL, _CONTIGUOUS = 3 << 8, 1 << 11, 1 << 52
_MEMORY_TYPE = {1: 7 << 2, 2: 0xF << 2}
"""By stage: AttrIndx, and MemAttr."""


def shift_of(level: int) -> int:
    """Return how many address bits an entry of a level spans: 39, 30, 21, 12."""
    return 39 - 9 * level


def kind_of(value: int, level: int, address: int = 0) -> str:
    """Return what a descriptor is at a level; Violation when the encoding means nothing."""
    low = value & 3
    if not low & 1:
        return INVALID
    if low == 3:
        return TABLE if level < 3 else MAPPING
    if level in (1, 2):
        return MAPPING
    message = f"the descriptor {value:#x} at {address:#x} means nothing at level {level}"
    raise Violation("encoding", message, address)


def is_table(value: int, level: int) -> bool:
    """Return whether a valid descriptor points to a table, whatever else it may be."""
    return level < 3 and value & 3 == 3


def next_table(value: int) -> int:
    return value & ADDRESS_BITS


def output(value: int, level: int) -> int:
    return value & _OUTPUT[level]


def needs_break(old: int, new: int, level: int, stage: int, casemate: bool) -> bool:
    """Return whether a valid descriptor must be broken before the other valid one is made."""
    if is_table(old, level) or is_table(new, level):
        return True
    changed = old ^ new
    if casemate:
        return not (old | new) & _ACCESSED and bool(changed & ~_SOFTWARE)
    important = _OUTPUT[level] | _MEMORY_TYPE[stage] | _SHAREABILITY | _NOT_GLOBAL | _CONTIGUOUS
    return bool(changed & important)


def describe(value: int, level: int) -> str:
    """Return a descriptor in words."""
    if not value & 1:
        return "invalid"
    try:
        kind = kind_of(value, level)
    except Violation:
        return f"an encoding that means nothing at level {level}"
    if kind == TABLE:
        return f"table at {next_table(value):#x}"
    return f"mapping to {output(value, level):#x}"
