"""Dataclasses that cost little until they are used: the assembler is started for every file.

The standard library writes and compiles up to eight methods of a class where it is defined, and
imports `inspect` for that: 45 of the 120 ms that a file of ten lines took. Here `__init__` is
written when the first instance is made, and classes share all other methods. `asdict` and
`fields` of `dataclasses` take such classes too.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from inst import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeVar

    Given = TypeVar("Given")
_MISSING: Any = object()


class Field:
    """What a class says of a field: its default, what makes one, whether it is passed."""

    __slots__ = ("default", "factory", "init")

    def __init__(self, default: Any, factory: Any, init: bool) -> None:
        self.default, self.factory, self.init = default, factory, init


def field(*, default: Any = _MISSING, default_factory: Any = _MISSING, init: bool = True) -> Any:
    """Describe a field."""
    return Field(default, default_factory, init)


def replace(instance: Given, /, **changes: Any) -> Given:
    """Return a copy of an instance that has other values in some fields."""
    fields: dict[str, Field] = instance.__inst_fields__  # type: ignore[attr-defined]
    for name, described in fields.items():
        if described.init and name not in changes:
            changes[name] = getattr(instance, name)
    return type(instance)(**changes)


def dataclass(
    given: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Any:
    """Make a class a dataclass."""
    if given is None:
        return lambda later: _made(later, frozen, slots, eq)
    return _made(given, frozen, slots, eq)


def _made(given: type, frozen: bool, slots: bool, eq: bool) -> type:
    annotated = given.__dict__.get("__annotations__", ())  # noqa: RUF063 (inspect is slow)
    own = {name: _described(given, name) for name in annotated}
    fields = {**getattr(given, "__inst_fields__", {}), **own}
    methods: dict[str, Any] = {"__init__": _initialiser(fields, frozen), "__repr__": _repr}
    if eq:
        methods |= _comparison(tuple(fields), frozen)
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    methods = {name: method for name, method in methods.items() if name not in given.__dict__}
    methods["__inst_fields__"] = fields
    methods["__match_args__"] = tuple(name for name, described in fields.items() if described.init)
    methods["__dataclass_fields__"] = _StandardFields()
    if slots:
        return _with_slots(given, tuple(own), methods)
    for name, method in methods.items():
        setattr(given, name, method)
    return given


def _described(given: type, name: str) -> Field:
    default = given.__dict__.get(name, _MISSING)
    return default if isinstance(default, Field) else Field(default, _MISSING, True)


def _with_slots(given: type, own: tuple[str, ...], methods: dict[str, Any]) -> type:
    """Return the class again, with slots for its own fields."""
    left_out = {*own, "__dict__", "__weakref__"}
    content = {name: value for name, value in given.__dict__.items() if name not in left_out}
    content |= methods | {"__slots__": own}
    made = type(given)(given.__name__, given.__bases__, content)
    made.__qualname__ = given.__qualname__
    return made


def _initialiser(fields: dict[str, Field], frozen: bool) -> Callable[..., None]:
    """Return an `__init__` that is replaced by the real one when it is first called."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        owner: Any = next(
            one for one in type(self).__mro__ if one.__dict__.get("__init__") is __init__
        )
        owner.__init__ = _written(owner, fields, frozen)
        owner.__init__(self, *values, **named)

    return __init__


def _written(owner: type, fields: dict[str, Field], frozen: bool) -> Callable[..., None]:
    """Write the `__init__` of a class."""
    known: dict[str, Any] = {"_missing": _MISSING, "_put": object.__setattr__}
    parameters, lines = ["self"], []
    for name, described in fields.items():
        value = own = _own_value(name, described, known)
        if described.init and described.factory is not _MISSING:
            parameters.append(f"{name}=_missing")
            value = f"{own} if {name} is _missing else {name}"
        elif described.init:
            parameters.append(f"{name}={own}" if own else name)
            value = name
        if value:
            lines.append(f"_put(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(owner, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", known)
    written: Callable[..., None] = known["__init__"]
    written.__qualname__ = f"{owner.__qualname__}.__init__"
    return written


def _own_value(name: str, described: Field, known: dict[str, Any]) -> str:
    """Return code for what a field has unless a value is passed; "" if there is nothing."""
    if described.factory is not _MISSING:
        known[f"_make_{name}"] = described.factory
        return f"_make_{name}()"
    if described.default is not _MISSING:
        known[f"_default_{name}"] = described.default
        return f"_default_{name}"
    return ""


def _comparison(names: tuple[str, ...], frozen: bool) -> dict[str, Any]:
    """Return `__eq__` and `__hash__`, by all fields; what can be changed has no hash."""
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda one: ()

    def __eq__(self: Any, other: Any) -> Any:
        return (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__inst_fields__)
    return f"{type(self).__qualname__}({shown})"


def _refuse(self: Any, name: str, *value: Any) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")


class _StandardFields:
    """The fields of a class as the functions of `dataclasses` look for them."""

    def __get__(self, instance: object, owner: Any) -> dict[str, Any]:
        import dataclasses

        fields = [
            (name, object, dataclasses.field(init=described.init))
            for name, described in owner.__inst_fields__.items()
        ]
        standard: Any = dataclasses.make_dataclass("Standard", fields, kw_only=True)
        found: dict[str, Any] = standard.__dataclass_fields__
        return found
