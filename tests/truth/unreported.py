"""Accesses that sites do not report: what program and trace say of them, and what was there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from inst.program.sitetable import read_sites
from inst.trace import open_trace
from truth.binary import Binary
from truth.emulator import Array, Result

_LINE = re.compile(
    rb"inst: (\d+)( or more)? access(?:es)? between a load with reservation and its conditional "
    rb"store w(?:as|ere) not reported\n"
)


def unreported_sites(binary: Binary) -> set[int]:
    """Return the addresses of accesses that are not reported."""
    return {site.address for site in read_sites(binary.path) if site.event == "unreported"}


def take_count(result: Result) -> tuple[Result, str]:
    """Return a run without the line that counts, and what that line says: "12", "12+" or ""."""
    found = _LINE.search(result.errors)
    if not found:
        return result, ""
    errors = result.errors.replace(found[0], b"", 1)
    return replace(result, errors=errors), found[1].decode() + "+" * bool(found[2])


def executions(log: Iterable[Array], addresses: set[int]) -> int:
    """Return how often simple accesses at some addresses ran, by the emulator's log."""
    wanted = np.array(sorted(addresses), "u8")
    return sum(int(np.isin(batch["pc"], wanted).sum()) for batch in log) if addresses else 0


def wrong_counts(trace: Path, said: str, seen: int) -> Iterator[str]:
    """Yield what is wrong with what the program and its trace say: both exactly what was seen."""
    written = _written(trace) if said or seen else None
    if written is not None and written not in (said, said + "0"):
        yield f"the program says {said!r} accesses were not reported, its trace {written!r}"
    exact = not said.endswith("+")
    number = int(said.rstrip("+") or 0)
    if number != seen if exact else number > seen:
        yield f"{seen} accesses were not reported, and the program says {said!r}"


def _written(trace: Path) -> str | None:
    """Return what a trace says, without leading zeros; None for the tests' own format."""
    if trace.suffix == ".flat":
        return None
    opened = open_trace(trace)
    for _ in opened.batches():
        pass
    texts = [text[11:].strip() for text in opened.facts.strings if text.startswith("unreported=")]
    return texts[0].lstrip("0") if texts else ""
