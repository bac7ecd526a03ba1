"""What random functions in C and C++ have in common: values, assignments, blocks in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

LOCALS = 6
"""A function's own variables are `v0` to `v5`; it has the parameters `x` and `y`."""


class StatementWriter:
    """Writes statements of a function: each kind is a method."""

    def __init__(self, random: Random, number: int) -> None:
        self.random, self.number = random, number
        self.fresh = 0

    def _variable(self) -> str:
        return f"v{self.random.randrange(LOCALS)}"

    def _value(self) -> str:
        number = f"{self.random.randrange(1000)}u"
        return self.random.choice((self._variable(), self._variable(), "x", "y", number))

    def _condition(self) -> str:
        return f"({self._value()} ^ {self._variable()}) % {self.random.randint(2, 5)} == 0"

    def _name(self) -> str:
        self.fresh += 1
        return f"i{self.fresh}"

    def _assign(self, *_: object) -> Iterator[str]:
        operator = self.random.choice("+-*^|&")
        yield f"{self._variable()} = {self._value()} {operator} {self._value()};"
