"""C++'s operators that allocate and free memory, which orders threads as in `inst.calls.blocks`.

They call the memory functions inside the run-time library, which is not instrumented. Names are
mangled by the Itanium C++ ABI; size_t is `unsigned int` (j) on 32-bit targets and `unsigned long`
(m) on the others.
"""

from __future__ import annotations

from inst.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Operator:
    """One form of `new` or `delete`."""

    name: str
    parameters: str
    arguments: str
    allocates: bool
    """Whether it is a form of new."""
    header: str = "<stddef.h>"


_ALIGNED, _QUIET = "St11align_val_t", "RKSt9nothrow_t"
"""Parameters after the others: an alignment, and `std::nothrow`."""


def _forms() -> list[Operator]:
    found = []
    for kind in ("w", "a"):  # of an object, of an array
        for size in ("j", "m"):
            found += _with_tails(f"_Zn{kind}{size}", "size_t size", "size", allocates=True)
    for kind in ("l", "a"):
        found += _with_tails(f"_Zd{kind}Pv", "void *block", "block", allocates=False)
        for size in ("j", "m"):
            declared = "void *block, size_t size"
            sized = _with_tails(f"_Zd{kind}Pv{size}", declared, "block, size", allocates=False)
            found += [one for one in sized if not one.name.endswith(_QUIET)]
    return found


def _with_tails(name: str, parameters: str, arguments: str, *, allocates: bool) -> list[Operator]:
    """Return a form with and without an alignment and `std::nothrow`."""
    found = []
    for aligned in (False, True):
        if aligned:
            name, parameters = name + _ALIGNED, parameters + ", size_t alignment"
            arguments += ", alignment"
        quiet = (name + _QUIET, parameters + ", const void *tag", arguments + ", tag")
        found += [Operator(name, parameters, arguments, allocates), Operator(*quiet, allocates)]
    return found


OPERATORS: dict[str, Operator] = {form.name: form for form in _forms()}
"""The operators by name."""
