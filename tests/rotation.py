"""Which combinations of a test and a target `make test` runs; `make campaign` runs the others.

A test marked `rotated(*targets)` runs on these targets with all of its parameters, and each of its
cases on about an eighth of the other targets.  Which these are depends on the case's name alone: it
is the same in each run, and the cases are spread over the targets.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import pytest

from inst.target.targets import TARGETS

SHARE = 8
"""One of so many combinations is run."""


def mark_the_others(items: Iterable[pytest.Item]) -> None:
    """Mark the combinations that are left to a campaign."""
    for item in items:
        marker = item.get_closest_marker("rotated")
        target = _target_of(item) if marker else ""
        if marker and target and not is_in(item.nodeid.replace(target, ""), target, marker.args):
            item.add_marker(pytest.mark.campaign)


def is_in(name: str, target: str, always: Iterable[str]) -> bool:
    """Return whether a case is run on a target without a campaign."""
    others = sorted(TARGETS.keys() - set(always))
    return target not in others or (_number(name) + others.index(target)) % SHARE == 0


def _number(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4])


def _target_of(item: pytest.Item) -> str:
    """Return the name of the target among a test's parameters, or nothing."""
    call = getattr(item, "callspec", None)
    values = call.params.values() if call else ()
    words = (word for one in values for word in (one if isinstance(one, tuple) else (one,)))
    return next((word for word in words if isinstance(word, str) and word in TARGETS), "")
