"""Compare the calls that were reconstructed with those that the emulator executed, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from inst.calltree.calls import Calls
from inst.program.sitetable import read_sites
from inst.trace import open_trace
from inst.trace.model import Array, Flag, Kind
from inst.words.access import BOTH
from inst.words.decode import lookup
from tests.calltree.oracle import Layout, Moved, Names, Path_, Thread

MOST_SHOWN = 5
Stated = tuple[tuple[str, bool], ...]
"""The program's own functions that are stated to run, and of each whether its caller is known."""


@dataclass(slots=True)
class Seen:
    """What was reconstructed of a thread; paths are of the program's own functions."""

    moves: list[Moved] = field(default_factory=list)
    """Calls as they begin and end; where they return to is known of reported entries."""
    accesses: list[tuple[int, Path_]] = field(default_factory=list)
    """As linked."""
    stated: list[Stated] = field(default_factory=list)
    """Of each access."""


@dataclass(slots=True)
class Compared:
    """How many calls, ends of calls and accesses were compared, and what is different."""

    calls: int = 0
    returns: int = 0
    sites: int = 0
    """Calls whose return address was compared: those that the program's own code makes."""
    accesses: int = 0
    differences: int = 0
    shown: list[str] = field(default_factory=list)
    """The first ones."""

    def add(self, text: str) -> None:
        """Count a difference."""
        self.differences += 1
        if len(self.shown) < MOST_SHOWN:
            self.shown.append(text)

    def with_all(self, other: Compared) -> Compared:
        """Return another comparison with the differences of this one."""
        other.differences += self.differences
        other.shown = [*self.shown, *other.shown][:MOST_SHOWN]
        return other


def reconstruct(trace: Path, program: Path, names: Names) -> tuple[Calls, dict[int, Seen]]:
    """Return what inst reconstructs, by thread."""
    opened, found = open_trace(trace), dict[int, Seen]()
    calls, known = Calls(opened, [program], demangle=False), dict[int, tuple[Path_, Stated]]()

    def own(node: int) -> tuple[Path_, Stated]:
        if node not in known:
            tree = calls.tree
            chain = [one for one in tree.chain(node) if tree.names[one] in names]
            path = tuple(tree.names[one] for one in chain)
            known[node] = path, tuple((tree.names[one], tree.direct[one]) for one in chain)
        return known[node]

    for rows in opened.events():
        taken = calls.take(rows)
        bias = opened.facts.images[0].base if opened.facts.images else 0
        for move in taken.moves:
            if calls.tree.names[move.node] in names and (move.counted or not move.enters):
                back = _back(rows[move.row], bias) if move.enters else 0
                seen = found.setdefault(move.thread, Seen())
                seen.moves.append((move.enters, own(move.node)[0], back))
        for row in accesses_of(rows).tolist():
            seen = found.setdefault(int(rows["thread"][row]), Seen())
            path, stated = own(int(taken.nodes[row]))
            seen.accesses.append((int(rows["pc"][row]) - bias, path))
            seen.stated.append(stated)
    return calls, found


def _back(row: Any, bias: int) -> int:
    return int(row["value"]) - bias if row["kind"] == Kind.ENTER else 0


def accesses_of(rows: Array) -> Array:
    """Return the first event of each instruction that accessed memory."""
    own = rows["flags"] & int(Flag.HAS_PC) != 0
    own &= np.isin(rows["kind"], (Kind.READ, Kind.WRITE, Kind.RESERVE))
    own[1:] &= rows["record"][1:] != rows["record"][:-1]
    places: Array = np.flatnonzero(own)
    return places


def reported(program: Path, isa: str) -> list[int]:
    """Return the link-time addresses of accesses that the trace has.

    The linker makes additions of some loads: these are none any more.
    """
    layout = Layout(program, {})
    sites = [site.address for site in read_sites(program) if site.event != "unreported"]
    words = np.array([layout.word(site) for site in sites], "u4")
    what, _ = lookup(words, isa)
    return [site for site, one in zip(sites, what.tolist(), strict=True) if one & BOTH]


def compare(seen: Seen, true: Thread) -> Compared:
    """Compare calls, their order, depth, callers, call sites and ends, and each access's place."""
    found = Compared()
    for number, (one, other) in enumerate(zip_longest(seen.moves, true.moves)):
        for text in _difference(one, other):
            found.add(f"move {number}: {text}")
        if other:
            found.calls += other[0]
            found.returns += not other[0]
            found.sites += bool(other[2])
    for number, (access, wanted) in enumerate(zip_longest(seen.accesses, true.accesses)):
        found.accesses += 1
        if access != wanted:
            found.add(f"access {number}: {access} is not {wanted}")
    return found


def _difference(one: Moved | None, other: Moved | None) -> Iterator[str]:
    if one is None or other is None or one[:2] != other[:2]:
        yield f"{one} is not {other}"
    elif other[2] and one[2] != other[2]:
        yield f"{one[1]} returns to {one[2]:#x}, not {other[2]:#x}"


def contradictions(seen: Seen, true: Thread) -> Iterator[str]:
    """Yield the accesses around which calls are stated that were not."""
    for at, (stated, (_, path)) in enumerate(zip(seen.stated, true.accesses, strict=True)):
        if not _is_within(stated, path):
            yield f"access {at}: {stated} is not of {path}"


def _is_within(stated: Stated, path: Path_) -> bool:
    """Return whether functions are among those that ran, callers adjacent where stated."""
    ends = {-1}
    for name, direct in stated:
        places = [at for at, one in enumerate(path) if one == name]
        ends = {
            at
            for at in places
            if any(at == end + 1 or (at > end and (not direct or end < 0)) for end in ends)
        }
    return len(path) - 1 in ends
