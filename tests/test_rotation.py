"""What `make test` leaves to a campaign: a part of the cases, the same in each run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from functools import cache

from inst.target.targets import TARGETS
from tests.conftest import ROOT
from tests.rotation import is_in


def test_every_target_has_its_part() -> None:
    others = TARGETS.keys() - {"ppc32"}
    names = [f"case {number}" for number in range(600)]
    assert all(is_in(name, "ppc32", ("ppc32",)) for name in names)
    for target in others:
        assert 20 < sum(is_in(name, target, ("ppc32",)) for name in names) < 60
    assert all(sum(is_in(name, one, ("ppc32",)) for one in others) <= 1 for name in names)


TURNS = "tests/runtime/test_paused.py"
"""Tests whose named targets take turns."""
NAMED = re.compile("ppc64le|sparc-v8")


@cache
def collected(*options: str) -> frozenset[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *options, "tests/annotate", "tests/truth/test_truth.py", TURNS],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    return frozenset(line for line in done.stdout.splitlines() if "::" in line)


def test_the_campaign_has_what_is_left_out() -> None:
    run, left, both = collected(), collected("-m", "campaign"), collected("-m", "")
    assert run and left and not run & left and run | left == both
    assert all(any(target in name for name in run) for target in TARGETS)


def test_named_targets_take_turns() -> None:
    """Each case is on one of them, and each test on both."""
    named = [name for name in collected() if name.startswith(TURNS)]
    cases = Counter(NAMED.sub("", name) for name in named if NAMED.search(name))
    assert set(cases.values()) == {1}
    tests = {name.partition("[")[0] for name in named}
    for target in ("ppc64le", "sparc-v8"):
        assert {name.partition("[")[0] for name in named if target in name} == tests
