"""What filters are made of: batches of records on their way, and the table's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from inst.trace.batch import Batch, Batches
from inst.trace.model import Array
from inst.trace.registry import PACKAGES, offering
from inst.trace.view import View

Predicate = Callable[[View], Array]
Stage = Callable[[Batches], Batches]
Merge = Callable[[list[Batches]], Batches]
Split = Callable[[Batches], Iterator[tuple[int, Batch]]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a filter."""

    name: str
    read: Callable[[str], Any]
    """Text to value; raises `arguments.Problem`."""
    shape: str
    """How it is written, for the documentation."""
    default: Any = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Filter:
    """A row of the table of filters."""

    name: str
    kind: str
    """select (may be combined with not, and, or), change, merge (first) or split (last)."""
    summary: str
    example: str
    make: Callable[..., Any]
    """Values of the parameters to a Predicate, Stage, Merge or Split."""
    parameters: tuple[Parameter, ...] = ()
    needs: str = ""
    """What a format must offer, or be called; empty if every format will do."""
    reason: str = ""
    """Why other formats have nothing for it."""

    @property
    def formats(self) -> tuple[str, ...]:
        """Return the names of the formats that it works on."""
        return (self.needs,) if self.needs in PACKAGES else offering(self.needs)

    @property
    def usage(self) -> str:
        """Return the name and its arguments as they are written."""
        words = [self.name]
        for parameter in self.parameters:
            shown = parameter.shape
            if not parameter.required:
                shown = f"[{parameter.name}={shown}]"
            words.append(shown)
        return " ".join(words)
