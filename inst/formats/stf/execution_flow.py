"""Where each instruction of an STF trace leads, and what branches leave in lr and ctr."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.arch.powerpc.words.branches import branches, may_leave
from inst.formats.stf.execution_results import compare_status
from inst.formats.stf.moments import CODES, COUNT, LINK, Moments, Wrong
from inst.trace.model import Array


@dataclass(frozen=True, slots=True)
class _Ways:
    """Where instructions may lead, by row."""

    straight: Array
    """The address of the next instruction."""
    target: Array
    known: Array
    """Where the target is known."""
    may_jump: Array
    may_fall: Array


def flow(moments: Moments) -> list[Wrong]:
    """Return the instructions after which another one comes than they lead to."""
    following, there = moments.columns.following(moments.count)
    ways = _ways(moments)
    good = ways.may_fall & (following == ways.straight)
    good |= ways.may_jump & (~ways.known | (following == ways.target))
    rows = np.flatnonzero(there & ~good & ~may_leave(moments.words))
    return [_elsewhere(moments, ways, row, int(following[row])) for row in rows.tolist()]


def _ways(moments: Moments) -> _Ways:
    made = branches(moments.words, moments.pcs, moments.mask)
    link, link_known = moments.status_before(LINK, moments.rows)
    count, count_known = moments.status_before(COUNT, moments.rows)
    codes, codes_known = moments.status_before(CODES, moments.rows)
    target = np.where(made.by_link, link, np.where(made.by_count, count, made.target))
    met = _holds(made.on_code, codes >> (31 - made.code).astype("u8") & np.uint64(1), made.wanted)
    met &= _holds(made.counts, (count - np.uint64(1) & moments.mask == 0), made.at_zero)
    decided = (codes_known | ~made.on_code) & (count_known | ~made.counts)
    return _Ways(
        straight=moments.pcs + moments.lengths & moments.mask,
        target=target & ~np.uint64(3),
        known=(link_known | ~made.by_link) & (count_known | ~made.by_count),
        may_jump=made.transfer & (met | ~decided),
        may_fall=~made.transfer | ~met | ~decided,
    )


def _holds(asked: Array, value: Array, wanted: Array) -> Array:
    """Return where a condition is met, or not asked for."""
    return np.asarray(~asked | ((value != 0) == wanted))


def _elsewhere(moments: Moments, ways: _Ways, row: int, following: int) -> Wrong:
    leads = []
    if ways.may_jump[row]:
        leads.append(f"{int(ways.target[row]):#x}")
    if ways.may_fall[row]:
        leads.append(f"{int(ways.straight[row]):#x}")
    pc = int(moments.pcs[row])
    message = f"after {pc:#x} comes {following:#x}; the instruction leads to {' or '.join(leads)}"
    return Wrong(row, "stf-flow", message, bool(moments.general[row]))


def after_branches(moments: Moments) -> list[Wrong]:
    """Return the branches that leave another lr or ctr than they make."""
    made = branches(moments.words, moments.pcs, moments.mask)
    rows = np.flatnonzero(made.links)
    expected = moments.pcs[rows] + np.uint64(4) & moments.mask
    found = compare_status(moments, rows, LINK, expected, np.ones(len(rows), "?"))
    rows = np.flatnonzero(made.counts)
    value, known = moments.status_before(COUNT, rows)
    expected = value - np.uint64(1) & moments.mask
    return found + compare_status(moments, rows, COUNT, expected, known)
