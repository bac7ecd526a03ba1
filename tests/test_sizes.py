"""The number of examples depends on hypothesis's profile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.conftest import ROOT
from tests.sizes import CAMPAIGN, examples

OWN = """\
from hypothesis import given, settings, strategies
from tests.sizes import examples
tried = []
@settings(max_examples=examples(60), deadline=None)
@given(strategies.integers())
def test_some(number):
    tried.append(number)
def test_they_are_as_many():
    assert {low} <= len(tried) <= {high}
"""


@pytest.mark.parametrize(("profile", "low", "high"), [("default", 20, 40), (CAMPAIGN, 600, 700)])
def test_a_campaign_tries_more(tmp_path: Path, profile: str, low: int, high: int) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.sizes import register_profiles\nregister_profiles()\n"
    )
    (tmp_path / "test_own.py").write_text(OWN.format(low=low, high=high))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-c", "/dev/null", f"--rootdir={tmp_path}", f"--hypothesis-profile={profile}"]
    done = subprocess.run(
        [*command, tmp_path], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True
    )
    assert done.returncode == 0, done.stdout.decode()


def test_the_suite_tries_a_third_but_some() -> None:
    if settings.get_current_profile_name() != CAMPAIGN:
        assert [examples(number) for number in (5, 20, 30, 150)] == [5, 20, 20, 50]
