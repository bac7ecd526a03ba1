"""Which combinations of a test and a target `make test` runs; `make campaign` runs the others.

A test marked `rotated(*targets)` runs on these targets with all of its parameters, and each of its
cases on about a sixteenth of the other targets.  Which these are depends on the case's name alone:
it is the same in each run, and the cases are spread over the targets.

With `turns=True` each case runs on one of the named targets in place of all of them, or of all five
if none is named.  They take turns along each parameter, and begin with one that depends on the
test's name; a case that only one of them has runs on that.  This is for tests of what is compiled
for each target from the same C, whose parameters have little to do with the target.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

import pytest

from inst.target.targets import TARGETS

SHARE = 16
"""One of so many combinations is run."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A test with its parameters."""

    item: pytest.Item
    test: str
    target: str
    values: tuple[tuple[str, str], ...]
    """The names of the other parameters, and their values as texts."""
    always: tuple[str, ...]
    """The targets that the marker names."""
    turns: bool


def mark_the_others(items: Iterable[pytest.Item]) -> None:
    """Mark the combinations that are left to a campaign."""
    cases = [case for item in items if (case := _case(item))]
    left = {case.item for case in _left_by_turns([case for case in cases if case.turns])}
    for case in cases:
        name = case.item.nodeid.replace(case.target, "")
        if case.item in left or not is_in(name, case.target, case.always):
            case.item.add_marker(pytest.mark.campaign)


def is_in(name: str, target: str, always: Iterable[str]) -> bool:
    """Return whether a case is run on a target without a campaign."""
    others = sorted(TARGETS.keys() - set(always))
    return target not in others or (_number(name) + others.index(target)) % SHARE == 0


def _left_by_turns(cases: list[_Case]) -> Iterator[_Case]:
    """Yield the cases of named targets that another named one has in its turn."""
    ranks: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    targets: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for case in cases:
        for name, value in case.values:
            found = ranks[case.test, name]
            found.setdefault(value, len(found))
        if case.target in case.always:
            targets[case.test, case.values].append(case.target)
    for case in cases:
        there = sorted(targets[case.test, case.values])
        turn = _number(case.test) + sum(
            ranks[case.test, name][value] for name, value in case.values
        )
        if case.target in case.always and case.target != there[turn % len(there)]:
            yield case


def _case(item: pytest.Item) -> _Case | None:
    """Return a test that is marked and has a target."""
    marker, target = item.get_closest_marker("rotated"), _target_of(item)
    if marker is None or not target:
        return None
    call = getattr(item, "callspec", None)
    values = {key: _untargeted(value) for key, value in (call.params if call else {}).items()}
    turns, always = bool(marker.kwargs.get("turns")), marker.args or tuple(TARGETS)
    test = item.nodeid.partition("[")[0]
    return _Case(item, test, target, tuple(sorted(values.items())), always, turns)


def _untargeted(value: object) -> str:
    """Return a parameter's value as a text without a target."""
    parts = value if isinstance(value, tuple) else (value,)
    return " ".join(repr(one) for one in parts if not (isinstance(one, str) and one in TARGETS))


def _number(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4])


def _target_of(item: pytest.Item) -> str:
    """Return the name of the target among a test's parameters, or nothing."""
    call = getattr(item, "callspec", None)
    values = call.params.values() if call else ()
    words = (word for one in values for word in (one if isinstance(one, tuple) else (one,)))
    return next((word for word in words if isinstance(word, str) and word in TARGETS), "")
