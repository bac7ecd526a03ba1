"""Functions of the C library that allocate or free a block of memory, which orders threads.

What a thread did with a block comes before what the block's next owner does: the C library
orders them, and nothing else in a trace shows it. C++'s operators have a table of their own (`operators`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Blocks:
    """What happens to blocks in a call: C expressions of pointers, "" for none."""

    back: str = ""
    """The block that is freed; known before the function runs."""
    given: str = ""
    """The one that is allocated, a pointer of the function's written ranges, which have its size."""
    raw: bool = False
    """Whether nothing was written into the block that is allocated."""


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
