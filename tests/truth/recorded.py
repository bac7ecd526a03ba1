"""Recordings, whose events are read from what inst converts them to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inst.cli import main
from truth import rst
from truth.emulator import Array


def read_events(path: Path) -> Iterator[Array]:
    """Yield the accesses of a recording in batches, in order.

    Raises RuntimeError if it is damaged, or cannot be executed again.
    """
    converted = path.with_name(path.name + ".rst")
    if main(["convert", str(path), str(converted)]):
        raise RuntimeError(f"{path.name} cannot be converted")
    yield from rst.read_events(converted)
