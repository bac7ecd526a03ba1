"""Functions of the C library that allocate and free blocks of memory.

The hooks allochook, releasehook and keephook are called for these; `inst.calls.blocks` says what the
same functions mean for the order of threads. What the C library allocates for itself is not the
program's: only blocks that the program has to release are here. C++'s operators have a table of
their own (`operators`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Allocation:
    """What a call does, as C in terms of the parameters and of `result`; "" for nothing."""

    releases: str = ""
    """The block that it may free; known before the function runs, and `released` after it."""
    gives: str = ""
    """The block that it allocates, if any."""
    size: str = ""
    """As the program requested, or as the function has chosen."""
    given: str = "result"
    """Whether it allocates one."""
    noted: str = ""
    """Declarations of what has to be recorded before the function runs."""
    kept: str = ""
    """Whether the block that it could have freed is still the program's; "": never."""


_NEW = Allocation(gives="result", size="size")
_MOVED = Allocation("old", "result", "size", kept="!result && size")
_LINE = Allocation(
    releases="line && size ? *line : 0",
    gives="*line",
    size="*size",
    given="line && size",
    noted="size_t room = released ? *size : 0",
    kept="released && *line == released && *size == room",
)
ALLOCATIONS: dict[str, Allocation] = {
    "free": Allocation(releases="block"),
    "calloc": replace(_NEW, size="count * size"),
    "realloc": _MOVED,
    "reallocarray": replace(_MOVED, size="count * size", kept="!result && count && size"),
    "posix_memalign": Allocation(gives="*place", size="size", given="!result"),
    **dict.fromkeys(("malloc", "aligned_alloc", "memalign", "valloc", "pvalloc"), _NEW),
    **dict.fromkeys(("strdup", "strndup"), replace(_NEW, size="STRING(result)")),
    "wcsdup": replace(_NEW, size="WIDE(result)"),
    "realpath": replace(_NEW, size="STRING(result)", given="result && !to"),
    "getcwd": replace(_NEW, size="size ? size : STRING(result)", given="result && !to"),
    **dict.fromkeys(("getline", "getdelim", "__getdelim"), _LINE),
}
"""The functions by name."""
