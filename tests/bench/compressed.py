"""What it costs to compress a program's trace while it is written, and what tables of it take.

The program is the cost bench's kernel on ppc32 with the hook library `rst`. Elapsed time is that
of the whole `inst run`, in rounds that write the plain trace first.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from inst.target.targets import TARGETS
from tests.bench.building import build
from tests.bench.programs import PROGRAMS, WORK
from tests.bench.ways import WAYS

ROUNDS = 5
ENDINGS = ("", ".zst", ".gz")
"""Without compression first: the others are compared with it."""
_SIZE = 40
"""Rounds of the kernel: 1.4 million records."""


def measure_compressed() -> dict[str, Any]:
    """Return sizes, and elapsed times as ratios over the plain trace's in the same round."""
    program = build(PROGRAMS["kernel"], WAYS["rst"], TARGETS["ppc32"])
    arguments = PROGRAMS["kernel"].arguments(_SIZE)
    with tempfile.TemporaryDirectory(dir=WORK) as directory:
        plain = Path(directory, "t.rst")
        rounds = [
            [_run(program, arguments, Path(f"{plain}{ending}")) for ending in ENDINGS]
            for _ in range(ROUNDS)
        ]
        written = {
            f"t.rst{ending}": {
                "bytes": Path(f"{plain}{ending}").stat().st_size,
                "over_plain": round(statistics.median(one[at] / one[0] for one in rounds), 2),
            }
            for at, ending in enumerate(ENDINGS)
        }
        return {"written": written, "sizes": _sizes(plain)}


def _run(program: Path, arguments: list[str], trace: Path) -> float:
    """Run the program, write its trace; return the elapsed seconds."""
    trace.unlink(missing_ok=True)
    command = ["run", "-o", str(trace), str(program), *arguments]
    start = time.perf_counter()
    _inst(command)
    return time.perf_counter() - start


def _sizes(plain: Path) -> dict[str, int]:
    """Return the bytes of a trace: plain, by two levels of zstd, as Parquet, and as rstzip."""
    result = {"RST": plain.stat().st_size}
    for level in ("-3", "-19"):
        packed = plain.with_suffix(f".level{level}")
        subprocess.run(["zstd", level, "-T1", "-qf", "-o", str(packed), str(plain)], check=True)
        result[f"RST, zstd {level}"] = packed.stat().st_size
    for name, ending in (("Parquet", "parquet"), ("rstzip", "rz3")):
        table = plain.with_suffix(f".{ending}")
        _inst(["convert", str(plain), str(table)])
        result[name] = table.stat().st_size
    return result


def _inst(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "inst", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
