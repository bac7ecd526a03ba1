"""Memory that is freed stays in the process: a reader allocates and frees the same all the time.

The C library gives freed memory at the end of its heap, and every block above a size, back to
the system, which then clears each page again when the next chunk of a trace needs it. That
took a third of the time of reading and checking.
"""

from __future__ import annotations

import ctypes
import functools

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of mallopt, in glibc's malloc.h."""
_LARGEST = 32 << 20
"""Bytes of the largest block that comes from the heap: the most that mallopt takes."""
_KEPT = 4 * _LARGEST
"""Bytes that may be free at the end of the heap."""


@functools.cache
def keep_freed() -> None:
    """Keep what is freed, as far as the C library can be told: glibc can."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST)
        mallopt(_TRIM_THRESHOLD, _KEPT)
