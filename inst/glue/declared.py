"""Hooks that a library declares, compared with the table: names, order and types of parameters.

A hook is called by code that does not see its definition, so nothing else would report that its
parameters differ from what it is passed, or that a misspelt hook is never called.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from inst.errors import ErrorList, InstError
from inst.glue.functions import Function, Type
from inst.hooktable import BY_NAME, Hook, prototype
from inst.target.model import Target

_LIKE = 0.85
"""How alike a name and a hook's are (difflib's ratio) if one is probably meant as the other."""
_WORDS = {
    "inst_address": ("unsigned", 0),
    "size_t": ("unsigned", 0),
    "long": ("signed", 0),
    "uint32_t": ("unsigned", 4),
    "int32_t": ("signed", 4),
    "unsigned": ("unsigned", 4),
    "int": ("signed", 4),
    "uint64_t": ("unsigned", 8),
    "int64_t": ("signed", 8),
}
"""Types of the table: sign and bytes; 0 for a word of the target."""
_INTEGERS = ("signed", "unsigned", "integer")
_FIXED = ("uint32_t", "uint64_t")


def check_functions(functions: Iterable[Function], target: Target) -> None:
    """Raise an InstError that lists what is wrong with the functions of a library."""
    seen: dict[str, Function] = {}
    errors: list[InstError] = []
    for function in functions:
        hook = BY_NAME.get(function.name)
        if hook is None:
            if name := nearest(function.name):
                errors.append(_unknown(function, name))
        elif function.name in seen:
            errors.append(_twice(function, seen[function.name]))
        elif wrong := _wrong(function, hook, target):
            errors.append(_differs(function, hook, wrong))
        seen.setdefault(function.name, function)
    raise_all(errors)


def raise_all(errors: list[InstError]) -> None:
    """Raise errors together, if there are any."""
    if errors:
        raise ErrorList(errors) if len(errors) > 1 else errors[0]


def nearest(name: str) -> str:
    """Return the hook that a function's name is a misspelling of; "" if it is none."""
    if name in BY_NAME or name.startswith(("inst", "_Z")):
        return ""
    cutoff = 0.0 if name.lower().endswith("hook") else _LIKE
    found = difflib.get_close_matches(name.lower(), BY_NAME, 1, cutoff)
    return found[0] if found else ""


def unknown_hint(name: str) -> str:
    """Return what to do about a function whose name is like that of a hook."""
    return f"did you mean {name}? A function of the library's own with such a name must be static"


def _unknown(function: Function, name: str) -> InstError:
    return InstError(
        f"there is no hook `{function.name}`",
        location=function.location,
        hint=unknown_hint(name),
    )


def _twice(function: Function, first: Function) -> InstError:
    return InstError(
        f"`{function.name}` is defined twice",
        location=function.location,
        hint=f"the first definition is at {first.location}",
    )


def _differs(function: Function, hook: Hook, wrong: str) -> InstError:
    return InstError(
        f"`{function}`: {wrong}",
        location=function.location,
        hint=f"the hook is {prototype(hook)}; parameters may be left out at the end only",
    )


def _wrong(function: Function, hook: Hook, target: Target) -> str:
    """Return what is wrong with a hook's definition; "" if nothing is."""
    if function.result.kind not in ("nothing", *_INTEGERS):
        return "a hook returns nothing"
    given, wanted = function.parameters, hook.parameters
    if len(given) > len(wanted):
        return f"it has {len(given)} parameters, but is passed {len(wanted) or 'none'}"
    names = [parameter.name for parameter in wanted]
    for number, ((type, name), parameter) in enumerate(zip(given, wanted, strict=False), 1):
        if name != parameter.name and name in names:
            return f"parameter {number} is `{parameter}`, not `{name}`"
        if not _is_passed_as(type, parameter.type, target):
            return f"parameter {number} is `{parameter}`, which is passed otherwise{_why(type)}"
    return _left_out(function, hook)


def _why(type: Type) -> str:
    return {"boolean": " than a bool", "floating": ", in general registers"}.get(
        type.kind, f" than `{type.text}`"
    )


def _is_passed_as(type: Type, wanted: str, target: Target) -> bool:
    """Return whether a parameter of one type receives what is passed as another.

    Callers extend what is smaller than a register, by its sign.
    """
    word = target.bits // 8
    kind, size = ("pointer", word) if wanted.endswith("*") else _WORDS[wanted]
    size = size or word
    if type.kind not in (*_INTEGERS, "pointer") or type.size != size:
        return False
    if size >= word or type.kind == "integer":
        return True
    return type.kind == kind


def _left_out(function: Function, hook: Hook) -> str:
    """Return what is wrong if the last parameter seems to be one that comes later in the table.

    Types do not show it where uint64_t is passed as inst_address is.
    """
    types = [type.text for type, _ in function.parameters]
    if len(types) < 2 or types[-1] not in _FIXED or types[-1] in types[:-1]:
        return ""
    here, later = hook.parameters[len(types) - 1], hook.parameters[len(types) :]
    is_right = types[-1] == here.type or function.parameters[-1][1] == here.name
    if is_right or types[-1] not in [parameter.type for parameter in later]:
        return ""
    return f"parameter {len(types)} is `{here}`, not a {types[-1]}"
