"""Functions of the C library that allocate and free blocks of memory.

The hooks allochook, releasehook and keephook are called for these; `inst.calls.blocks` has the order
of threads that the same functions imply.  What the C library allocates for itself is not the
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
    allocated: str = ""
    """The block that it allocates, if any."""
    size: str = ""
    """As the program requested it, or as the function chose it."""
    succeeded: str = "result"
    """The condition under which it allocates one."""
    declarations: str = ""
    """Declarations of what has to be saved before the function runs."""
    survives: str = ""
    """The condition under which the block that it could have freed is still allocated; "": never."""


_NEW = Allocation(allocated="result", size="size")
_MOVED = Allocation("old", "result", "size", survives="!result && size")
_LINE = Allocation(
    releases="line && size ? *line : 0",
    allocated="*line",
    size="*size",
    succeeded="line && size",
    declarations="size_t room = released ? *size : 0",
    survives="released && *line == released && *size == room",
)
ALLOCATIONS: dict[str, Allocation] = {
    "free": Allocation(releases="block"),
    "calloc": replace(_NEW, size="count * size"),
    "realloc": _MOVED,
    "reallocarray": replace(_MOVED, size="count * size", survives="!result && count && size"),
    "posix_memalign": Allocation(allocated="*place", size="size", succeeded="!result"),
    **dict.fromkeys(("malloc", "aligned_alloc", "memalign", "valloc", "pvalloc"), _NEW),
    **dict.fromkeys(
        ("strdup", "strndup", "canonicalize_file_name", "get_current_dir_name", "tempnam"),
        replace(_NEW, size="STRING(result)"),
    ),
    "wcsdup": replace(_NEW, size="WIDE(result)"),
    "realpath": replace(_NEW, size="STRING(result)", succeeded="result && !to"),
    "getcwd": replace(_NEW, size="size ? size : STRING(result)", succeeded="result && !to"),
    **dict.fromkeys(("getline", "getdelim", "__getdelim"), _LINE),
}
"""The functions by name."""
