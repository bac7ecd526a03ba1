"""Classes of `inst.lazy_dataclass` behave as those of the standard library."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from inst import lazy_dataclass

MODULES = (dataclasses, lazy_dataclass)


def _classes(module: Any) -> Iterator[Any]:
    """Yield a class that can be changed, a frozen one that has more fields, one without `eq`."""

    @module.dataclass(slots=True)
    class Base:
        x: int
        put: str = "p"
        many: list[int] = module.field(default_factory=list)
        later: int = module.field(init=False)

        def __post_init__(self) -> None:
            self.later = self.x + 1

        def twice(self) -> int:
            return 2 * self.x

    @module.dataclass(frozen=True, slots=True)
    class Frozen:
        missing: int
        self_: tuple[int, ...] = ()

        def __str__(self) -> str:
            return "own"

    @module.dataclass(frozen=True, slots=True)
    class More(Frozen):
        size: int = 4

    @module.dataclass(frozen=True, slots=True, eq=False)
    class Identity:
        name: str

    @module.dataclass
    class Open:
        name: str = "n"

    @module.dataclass(frozen=True, slots=True)
    class Counted:
        own: int = module.field(default=7, init=False)
        made: list[int] = module.field(default_factory=list, init=False)

    yield from (Base, Frozen, More, Identity, Open, Counted)


def _seen(module: Any) -> list[Any]:
    """Return what a user of the classes can see."""
    base, frozen, more, identity, opened, counted = _classes(module)
    one, other = base(1), base(1, "q", [2])
    changed = module.replace(other, x=5)
    three = more(1, size=3)
    with_attribute = opened()
    with_attribute.extra = 1
    names = [[field.name for field in dataclasses.fields(each)] for each in (base, more)]
    return [
        one.many is not base(1).many, one.later, one.twice(), one == base(1), one == other,
        (changed.x, changed.put, changed.later, changed.many is other.many), base.__hash__,
        base.__qualname__, repr(one).rpartition(".")[2], repr(frozen(1)).rpartition(".")[2],
        str(three), three == more(1, (), 3), three == frozen(1),
        hash(three) == hash(more(1, (), 3)),
        frozen(1) == more(1), {frozen(2): 1}[frozen(2)], frozen(1) != 1,
        identity("a") == identity("a"), len({identity("a"), identity("a")}),
        hasattr(one, "__dict__"), hasattr(three, "__dict__"), vars(with_attribute),
        dataclasses.asdict(other), dataclasses.is_dataclass(more), names,
        counted().own, counted().made is not counted().made,
        base.__match_args__, more.__match_args__, base.__doc__ is None or "Base" in base.__doc__,
    ]  # fmt: skip


def test_as_the_standard_library() -> None:
    standard, own = map(_seen, MODULES)
    assert own == standard


@pytest.mark.parametrize("module", MODULES)
def test_mistakes(module: Any) -> None:
    base, frozen, more, *_ = _classes(module)
    for wrong in (base, frozen, lambda: more(1, 2, 3, 4), lambda: base(1, later=1)):
        with pytest.raises(TypeError, match="argument"):
            wrong()
    with pytest.raises(dataclasses.FrozenInstanceError):
        more(1).size = 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        del frozen(1).missing
    with pytest.raises(AttributeError):
        base(1).unknown = 1
