"""What `make test` leaves out of the tests' own, a file at a time.

It is the combinations marked `campaign`, and the many examples of property tests.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from inst.errors import InstError
from tests.campaign.rows import append_row, read_rows
from tests.conftest import ROOT
from tests.sizes import CAMPAIGN

_PYTEST = (
    sys.executable, "-m", "pytest", "-q", "-m", "campaign or hypothesis",
    f"--hypothesis-profile={CAMPAIGN}",
)  # fmt: skip
_NOT_COLLECTED = 5
"""pytest's exit status where nothing is left to run."""


def run_combinations(results: Path, jobs: int, seconds: float) -> bool:
    """Run the files that have no result yet until the time is over; return whether all pass."""
    done = {row["file"]: row["status"] for row in read_rows(results)}
    end = time.monotonic() + seconds
    for file in _files():
        if file in done or time.monotonic() > end:
            continue
        start = time.monotonic()
        ran = _run([*_PYTEST, "-n", str(jobs), file])
        done[file] = 0 if ran.returncode == _NOT_COLLECTED else ran.returncode
        append_row(results, {"file": file, "status": done[file]})
        took = f"{time.monotonic() - start:.0f} s"
        print(f"{file}: {'failed' if done[file] else 'passed'}, {took}", flush=True)
        if done[file]:
            print(ran.stdout, end="", flush=True)
    failed = sum(map(bool, done.values()))
    print(f"combinations: {len(done) - failed} files passed, {failed} failed", flush=True)
    return not failed


def _files() -> list[str]:
    """Return the files that have tests for the campaign."""
    listed = _run([*_PYTEST, "--collect-only"])
    if listed.returncode:
        raise InstError(f"pytest cannot collect the tests\n{listed.stdout}")
    names = (line.partition("::")[0] for line in listed.stdout.splitlines() if "::" in line)
    return sorted(set(names))


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
