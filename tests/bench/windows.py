"""How much two processes gain at executing windows again: `python -m tests.bench.windows`.

The kernel of the cost bench is recorded for re-execution, and states are taken once. Four windows
from the middle are written by one process, and by two at a time, in turn; the same trace comes out.
It is compressed: an instruction takes 150 bytes of text, and what the two write plainly has to be
copied afterwards, one after the other.
Elapsed time: the median of the quotients of pairs that follow each other.
"""

from __future__ import annotations

import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from inst.target.targets import TARGETS  # noqa: E402
from inst.trace.source import open_chunks  # noqa: E402

TARGETS_SHOWN = ("ppc32", "ppc64le")
SIZE, FIRST, WINDOWS, PAIRS = 2_000_000, 2, 4, 3
"""Instructions of a window, the first one, and how many; pairs of runs."""
ROUNDS = "1200"
"""Of the program, which makes as many windows as are needed."""
GOAL = 1.8


def _run(*words: str | Path) -> float:
    """Run a command; return the seconds that it took."""
    start = time.monotonic()
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def _digest(chunks: Iterator[bytes]) -> bytes:
    found = hashlib.sha256()
    for chunk in chunks:
        found.update(chunk)
    return found.digest()


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
            trace = directory / f"{processes}.stf.zst"
            trace.unlink(missing_ok=True)
            command = ("inst", "replay", "-j", str(processes), *window, recording, "-o", trace)
            found.append(_run(*command))
    one, two = (open_chunks(directory / f"{n}.stf.zst")[1] for n in seconds)
    assert _digest(one) == _digest(two), "the traces differ"
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
