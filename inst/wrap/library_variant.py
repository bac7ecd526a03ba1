"""Which variant of a hook library the options of inst-cc choose."""

from __future__ import annotations

from inst.errors import InstError
from inst.glue.variants import Variant
from inst.shipped import FLIGHT, RING
from inst.wrap import options


def library_variant() -> Variant:
    """Return which variant of a hook library is linked."""
    bare = options.is_bare()
    hooks = options.hook_library() if bare else ""
    is_ring = hooks == RING
    return Variant(
        check_stack=options.is_on("stack-check") and not options.is_on("no-stack"),
        bare=bare,
        records=_ring_records() if is_ring else 0,
        cpus=_cpus() if is_ring else 1,
        pieces=_pieces() if hooks == FLIGHT else (0, 0),
        save_registers=options.is_on("always-sr"),
        save_conditions=options.is_on("always-cc"),
        counts=options.is_on("counts"),
    )


_RING_HEAD, _RING_RECORD = 64, 24
"""Bytes of a ring's head and of each record: runtime/include/inst/ring.h."""
_LEAST_RECORDS, _MOST_RECORDS = 16, 1 << 20
_MOST_CPUS = 16


_LEAST_PIECE, _MOST_PIECES = 1 << 13, 16
"""Bytes of a piece of memory for recording inline, and how many there are: hooks/flight."""
_PIECE_HEAD = 8
"""Bytes of the head for each piece: runtime/include/inst/flight.h."""


def _ring_records() -> int:
    """Return how many records fit into the memory for a ring: a power of 2."""
    fit = (_ring_bytes() - _RING_HEAD) // _RING_RECORD
    if fit < _LEAST_RECORDS:
        raise _no_memory("1K")
    return min(1 << fit.bit_length() - 1, _MOST_RECORDS)


def _pieces() -> tuple[int, int]:
    """Return the bytes of each piece that code records to, a power of 2, and how many there are."""
    room = _ring_bytes()
    piece = max(1 << max(room // _MOST_PIECES, 1).bit_length() - 1, _LEAST_PIECE)
    count = (room - _RING_HEAD) // (piece + _PIECE_HEAD)
    if count < 2:
        raise _no_memory("32K where code records inline")
    return piece, count


def _ring_bytes() -> int:
    """Return the memory that the builder gives; 0 if that is no number."""
    text = options.value("ring-size").upper()
    factor = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
    digits = text if factor == 1 else text[:-1]
    return int(digits) * factor if digits.isascii() and digits.isdigit() else 0


def _no_memory(least: str) -> InstError:
    return InstError(
        f"INST_RING_SIZE={options.value('ring-size')} is not a size for a ring",
        hint=f"{options.PREFIX}ring-size= takes bytes such as 64K or 1M, at least {least}",
    )


def _cpus() -> int:
    text = options.value("cpus")
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= _MOST_CPUS:
        raise InstError(
            f"INST_CPUS={text} is not a number of processors",
            hint=f"{options.PREFIX}cpus= takes 1 to {_MOST_CPUS}",
        )
    return number
