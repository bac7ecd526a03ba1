"""Recordings, whose events are read from what inst converts them to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inst.cli import main
from inst.formats.rec.trace import RecTrace
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


def hooked(path: Path) -> Array:
    """Return the accesses whose records a hook writes, as linked."""
    with path.open("rb") as stream:
        shared, _ = RecTrace(str(path), stream).opened()
        return shared.tables.hooked


def has_signals_in_hooks(path: Path) -> bool:
    """Return whether a signal came while a hook ran; `read_events` has been called before."""
    return b"signal in " in path.with_name(path.name + ".rst").read_bytes()
