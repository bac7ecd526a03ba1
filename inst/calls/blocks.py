"""Functions of the C library that give a block of memory, or are given it back.

Which thread had its memory before, the next one knows: the C library sees to that, and nothing
in a trace tells. C++'s operators have a table of their own (`operators`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Blocks:
    """What happens to blocks in a call: C expressions of pointers, "" for none."""

    back: str = ""
    """The block that is given back; known before the function runs."""
    given: str = ""
    """The one that is given, a pointer of the function's written ranges, which tell its size."""
    raw: bool = False
    """Whether nothing was written into the block that is given."""


BLOCKS: dict[str, Blocks] = {
    "free": Blocks(back="block"),
    "realloc": Blocks("old", "result"),
    "reallocarray": Blocks("old", "result"),
    "posix_memalign": Blocks(given="*place", raw=True),
    **{
        name: Blocks(given="result", raw=True)
        for name in ("malloc", "aligned_alloc", "memalign", "valloc", "pvalloc")
    },
    **{name: Blocks(given="result") for name in ("calloc", "strdup", "strndup", "wcsdup")},
}
"""The functions by name."""
