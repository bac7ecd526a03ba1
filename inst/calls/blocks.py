"""Functions of the C library that allocate or free a block of memory, which orders threads.

What a thread does with a block happens before what the block's next owner does with it. The C library
establishes this order, which nothing else in a trace shows. C++'s operators are in `operators`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Blocks:
    """What happens to blocks in a call: C expressions of pointers, "" for none."""

    freed: str = ""
    """The block that is freed; known before the function runs."""
    allocated: str = ""
    """The one that is allocated, a pointer of the function's written ranges, which have its size."""
    raw: bool = False
    """Whether nothing was written into the block that is allocated."""


BLOCKS: dict[str, Blocks] = {
    "free": Blocks(freed="block"),
    "realloc": Blocks("old", "result"),
    "reallocarray": Blocks("old", "result"),
    "posix_memalign": Blocks(allocated="*place", raw=True),
    **{
        name: Blocks(allocated="result", raw=True)
        for name in ("malloc", "aligned_alloc", "memalign", "valloc", "pvalloc")
    },
    **{name: Blocks(allocated="result") for name in ("calloc", "strdup", "strndup", "wcsdup")},
}
"""The functions by name."""
