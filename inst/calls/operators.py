"""C++'s operators that give and take memory: which thread had a block before, the next one knows.

They call the memory functions inside the run-time library, where nothing sees it. Names are mangled as the C++ ABI for Itanium says; size_t is
`unsigned int` (j) on 32-bit targets and `unsigned long` (m) on the others.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operator:
    """One form of `new` or `delete`."""

    name: str
    parameters: str
    arguments: str
    gives: bool
    """Whether it is a form of new."""
    header: str = "<stddef.h>"


def _forms() -> list[Operator]:
    found = []
    for kind in ("w", "a"):  # of an object, of an array
        for size in ("j", "m"):
            name = f"_Zn{kind}{size}"
            found += [
                Operator(name, "size_t size", "size", gives=True),
                Operator(
                    f"{name}RKSt9nothrow_t", "size_t size, const void *tag", "size, tag", True
                ),
            ]
    for kind in ("l", "a"):
        name = f"_Zd{kind}Pv"
        found.append(Operator(name, "void *block", "block", gives=False))
        for size in ("j", "m"):
            found.append(Operator(name + size, "void *block, size_t size", "block, size", False))
    return found


OPERATORS: dict[str, Operator] = {form.name: form for form in _forms()}
"""The operators by name."""
