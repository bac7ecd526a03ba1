"""Atomic operations that compilers call as functions of libatomic where a target has no instruction.

Each becomes one or several accesses in the trace, ordered by the memory orders that it is passed.
Facts: GCC's manual, "__atomic Builtins", and its wiki page "Atomic/GCCMM/LIbrary".
"""

from __future__ import annotations

from inst.dataclass import dataclass

PREFIX = "__atomic_"
"""How all of their names begin."""
_TYPES = {
    1: "unsigned char",
    2: "unsigned short",
    4: "unsigned",
    8: "unsigned long long",
    16: "unsigned __int128",
}
"""Bytes -> type; compilers of 32-bit targets refuse the last, and its wrappers are left out."""
_CHANGES = {
    "add": "{old} + {by}",
    "sub": "{old} - {by}",
    "and": "{old} & {by}",
    "or": "{old} | {by}",
    "xor": "{old} ^ {by}",
    "nand": "~({old} & {by})",
}
"""Operation -> the new value, as C."""


@dataclass(frozen=True, slots=True)
class Atomic:
    """A function and how its wrapper reports it."""

    name: str
    result: str
    parameters: str
    kind: str
    """load, store, exchange, change or compare_exchange: parts of `atomic.c.j2`."""
    type: str = ""
    """C type of the object; "": the function is passed `size` and pointers to the values."""
    calls: str = ""
    """The function that does the work."""
    arguments: str = ""
    changed: str = ""
    """The new value of a change, as C in terms of `old` and `value`."""
    is_new: bool = False
    """Whether a change returns the new value."""
    header: str = "<string.h>"


def _of_size(size: int, type_: str) -> list[Atomic]:
    at = "volatile void *object"

    def one(
        kind: str, result: str, parameters: str, arguments: str, name: str = "", changed: str = ""
    ) -> Atomic:
        called = f"{PREFIX}{name or kind}_{size}"
        return Atomic(called, result, parameters, kind, type_, called, arguments, changed)

    found = [
        one("load", type_, f"const {at}, int order", "object, order"),
        one("store", "void", f"{at}, {type_} value, int order", "object, value, order"),
        one("exchange", type_, f"{at}, {type_} value, int order", "object, value, order"),
        one("compare_exchange", "_Bool", f"{at}, void *expected, {type_} value, int order, int failure",
            "object, expected, value, order, failure"),
    ]  # fmt: skip
    for name, formula in _CHANGES.items():
        changed = formula.format(old="old", by="value")
        old = one("change", type_, f"{at}, {type_} value, int order", "object, value, order",
                  f"fetch_{name}", changed)  # fmt: skip
        new = Atomic(f"{PREFIX}{name}_fetch_{size}", type_, old.parameters, "change", type_,
                     old.calls, old.arguments, changed, is_new=True)  # fmt: skip
        found += [old, new]
    return found


def _of_any_size() -> list[Atomic]:
    rows = {
        "load": "void *to, int order",
        "store": "void *from, int order",
        "exchange": "void *from, void *to, int order",
        "compare_exchange": "void *expected, void *from, int order, int failure",
    }
    found = []
    for kind, rest in rows.items():
        names = ", ".join(part.split()[-1].lstrip("*") for part in rest.split(", "))
        result = "_Bool" if kind == "compare_exchange" else "void"
        parameters = f"size_t size, volatile void *object, {rest}"
        name = PREFIX + kind
        found.append(Atomic(name, result, parameters, kind, "", name, f"size, object, {names}"))
    return found


ATOMICS: dict[str, Atomic] = {
    one.name: one
    for one in (*(row for each in _TYPES.items() for row in _of_size(*each)), *_of_any_size())
}
"""The functions by name."""
