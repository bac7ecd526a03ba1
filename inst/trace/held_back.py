"""Converters that hold the last thing back until the next part of the trace, or its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

Part = TypeVar("Part", contravariant=True)
Made = TypeVar("Made", covariant=True)


class Converter(Protocol[Part, Made]):
    """Makes something of the parts of a trace, and holds back what may not be complete."""

    def take(self, part: Part, /) -> Iterator[Made]:
        """Yield what the part completes."""

    def flush(self) -> Iterator[Made]:
        """Yield what was held back."""


def converted(parts: Iterable[Part], converter: Converter[Part, Made]) -> Iterator[Made]:
    """Yield what the converter makes of the parts; on damage, all before it and then the error."""
    try:
        for part in parts:
            yield from converter.take(part)
    except Exception:
        yield from converter.flush()
        raise
    yield from converter.flush()
