"""Programs that record, killed at random moments: what they had done is in the trace.

Two threads and a signal's handler count in a file that they share with the campaign
(`counting.c`), so how far each has come is known without the trace.  The trace has to be read to
its end, state that it was cut, and have each count in its order, without a hole, up to the last
events of the thread.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inst.errors import InstError
from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.campaign.rows import append_row, read_rows

WAYS = {
    "values": "--inst-record=values",
    "addresses": "--inst-record=addresses",
    "loads": "--inst-record=loads",
    "rst": "--inst-hooks=rst",
}
"""How the program is compiled."""
OUTPUTS = ("file", "run")
"""Who writes the trace: the program by itself, or `inst run -o`, which compresses it."""
_SOURCE = Path(__file__).with_name("counting.c")
_SHARED_BYTES = 4096
_FIRST, _APART, _COUNTERS = 16, 16, 3
"""Where the counts are among the shared words (`counting.c`)."""
_LAST_EVENTS = 8192
"""Events of a thread that may be missing: more than a block has words (docs/formats/rec.md)."""
_LONGEST = 0.25
"""Seconds from the start of the counting to the latest kill."""
_START_SECONDS = 120
_INCOMPLETE = 3
"""Status of `inst check --strict` for a trace that was cut."""


@dataclass(frozen=True, slots=True)
class _Kill:
    """One run that is killed."""

    target: str
    way: str
    output: str
    number: int

    @property
    def name(self) -> str:
        """Return what it is called among the results."""
        return f"{self.target} {self.way} {self.output} {self.number}"


def run_kills(results: Path, targets: list[str], kills: int, jobs: int, seconds: float) -> bool:
    """Kill programs until the time is over; return whether each trace holds what was done.

    `kills` are shared out among targets, ways to record and outputs.
    """
    done = {row["case"]: row["problem"] for row in read_rows(results)}
    places = [(t, way, output) for t in targets for way in WAYS for output in OUTPUTS]
    every = [_Kill(*places[n % len(places)], n // len(places)) for n in range(kills)]
    waiting = [kill for kill in every if kill.name not in done]
    end = time.monotonic() + seconds
    with ProcessPoolExecutor(jobs) as pool:
        for target, way in {(kill.target, kill.way): None for kill in waiting}:
            _program(results.parent, target, way)
        pending = [pool.submit(_judge, kill, results.parent, end) for kill in waiting]
        for future in as_completed(pending):
            row = future.result()
            if row is None:
                continue
            done[row["case"]] = row["problem"]
            append_row(results, row)
            if row["problem"]:
                print(f"{row['case']}: {row['problem']}", flush=True)
    failed = sum(map(bool, done.values()))
    print(f"kills: {len(done) - failed} traces hold what was done, {failed} do not", flush=True)
    return not failed


def _program(directory: Path, target: str, way: str) -> Path:
    """Return the program, compiled if it is not there."""
    path = directory / "kills" / f"counting-{target}-{way}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        options = ["-O2", "-pthread", str(_SOURCE), "-o", str(path)]
        command = ["inst-cc", WAYS[way], *TARGETS[target].compiler, *options]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise InstError(f"{' '.join(command)}: {made.stderr}")
    return path


def _judge(kill: _Kill, directory: Path, end: float) -> dict[str, Any] | None:
    """Run, kill and read one program; None if the time is over."""
    if time.monotonic() > end:
        return None
    place = directory / "kills" / kill.name.replace(" ", "-")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        problem = _problem(kill, directory, place)
    except Exception as error:  # what a defect of ours raises is a result as well
        problem = f"{type(error).__name__}: {error}"
    if not problem:
        shutil.rmtree(place)
    return {"case": kill.name, "problem": problem}


def _problem(kill: _Kill, directory: Path, place: Path) -> str:
    """Return what is wrong with the trace of a killed program, or nothing."""
    trace = place / "trace.rec"
    words = _killed(kill, _program(directory, kill.target, kill.way), place, trace)
    if isinstance(words, str):
        return words
    base = words[1] << 32 | words[2]
    counts = [_FIRST + _APART * number for number in range(_COUNTERS)]
    stored = _stored(trace, [base + 4 * word for word in counts])
    for number, word in enumerate(counts):
        values, reached = stored[number], int(words[word])
        if kill.way != "addresses" and not np.array_equal(values, np.arange(1, len(values) + 1)):
            wrong = int(np.flatnonzero(values != np.arange(1, len(values) + 1))[0])
            return f"count {number}: {values[wrong]} after {wrong} events"
        if not reached - _LAST_EVENTS <= len(values) <= reached + 1:
            return f"count {number}: {len(values)} events, {reached} were stored"
    checked = subprocess.run(
        ["inst", "check", "--strict", "--only", "well-formed", str(trace)],
        capture_output=True,
        text=True,
    )
    if checked.returncode != _INCOMPLETE:
        return f"check gave {checked.returncode}: {checked.stdout}{checked.stderr}"
    return ""


def _killed(kill: _Kill, program: Path, place: Path, trace: Path) -> list[int] | str:
    """Run a program and kill it; return the words that it shared, or what went wrong."""
    shared = place / "shared"
    shared.write_bytes(bytes(_SHARED_BYTES))
    if kill.output == "run":
        command = ["inst", "run", "-o", str(trace), str(program), str(shared)]
    else:
        command = command_for(program, [str(shared)])
    order = ">" if TARGETS[kill.target].byte_order == "big" else "<"
    environment = {**os.environ, "INST_OUT": str(trace)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as running:
        words = _words(shared, order)
        latest = time.monotonic() + _START_SECONDS
        while not words[3] and running.poll() is None and time.monotonic() < latest:
            time.sleep(0.002)
            words = _words(shared, order)
        time.sleep(random.Random(kill.name).uniform(0, _LONGEST))
        if words[0]:
            os.kill(words[0], signal.SIGKILL)
        else:
            running.kill()
        said = running.communicate()[1]
    if running.returncode != -signal.SIGKILL:
        return f"status {running.returncode}: {said}"
    return _words(shared, order)


def _words(shared: Path, order: str) -> list[int]:
    return [*struct.unpack(f"{order}{_SHARED_BYTES // 4}I", shared.read_bytes())]


def _stored(trace: Path, addresses: list[int]) -> list[np.ndarray]:
    """Return the values that a trace's stores bring to each address, in order."""
    found: list[list[np.ndarray]] = [[] for _ in addresses]
    for events in _events(trace):
        stores = events[events["kind"] == Kind.WRITE]
        for number, address in enumerate(addresses):
            found[number].append(stores["value"][stores["address"] == address])
    return [np.concatenate(pieces) if pieces else np.zeros(0, "u8") for pieces in found]


def _events(trace: Path) -> Iterator[np.ndarray]:
    yield from open_trace(trace).events()
