"""How much two processes gain at executing windows again: `python -m tests.bench.windows`.

The kernel of the cost bench is recorded for re-execution, and states are taken once. Four windows
from the middle are written by one process, and by two at a time, in turn; the same trace comes out.
Elapsed time: the median of the quotients of pairs that follow each other.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from inst.target.targets import TARGETS  # noqa: E402

TARGETS_SHOWN = ("ppc32", "ppc64le")
SIZE, FIRST, WINDOWS, PAIRS = 500_000, 4, 4, 3
"""Instructions of a window, the first one, and how many; pairs of runs."""
ROUNDS = "300"
"""Of the program, which makes as many windows as are needed."""
GOAL = 1.8


def _run(*words: str | Path) -> float:
    """Run a command; return the seconds that it took."""
    start = time.monotonic()
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def gain(target: str, directory: Path) -> tuple[float, float]:
    """Return the seconds of one process, and how many times as fast two are."""
    program, recording = directory / "kernel", directory / "kernel.rec"
    compiler = TARGETS[target].compiler
    _run("inst-cc", "--inst-record=loads", *compiler, "-O2", HERE / "kernel.c", "-o", program)
    _run("inst", "run", "-o", recording, program, ROUNDS)
    _run("inst", "replay", "--states", "--window-size", str(SIZE), recording)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(PAIRS):
        for processes, found in seconds.items():
            window = ("--window", f"{FIRST}..{FIRST + WINDOWS - 1}", "--window-size", str(SIZE))
            trace = directory / f"{processes}.stf"
            trace.unlink(missing_ok=True)
            command = ("inst", "replay", "-j", str(processes), *window, recording, "-o", trace)
            found.append(_run(*command))
    one, two = ((directory / f"{n}.stf").read_bytes().split(b"\n", 1)[1] for n in seconds)
    assert one == two, "the traces differ"
    quotients = [a / b for a, b in zip(seconds[1], seconds[2], strict=True)]
    return statistics.median(seconds[1]), statistics.median(quotients)


def main() -> int:
    """Print what each target gains; 1 when the goal is missed."""
    print(f"{WINDOWS} windows of {SIZE:,} instructions, {os.cpu_count()} processors")
    fast = True
    for target in TARGETS_SHOWN:
        with tempfile.TemporaryDirectory() as directory:
            seconds, quotient = gain(target, Path(directory))
        print(f"{target:10} {seconds:6.2f} s by one process, two are {quotient:.2f} times as fast")
        fast &= quotient >= GOAL
    print(f"goal: {GOAL} times as fast on two processors")
    return int(not fast)


if __name__ == "__main__":
    sys.exit(main())
