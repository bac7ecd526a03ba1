"""How fast all checks together are on the trace of an ordinary program.

`tree.c` inserts words into a binary tree, looks them up and removes them, with malloc, free and
strings: its trace has all that checks look at, and few of its accesses are alike. The figures
are processor times of whole processes, `inst check TRACE` and one that reads the events only.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent / "tree.c"
PROGRAMS = {
    "ppc32": (("powerpc-linux-gnu-gcc",), 2),
    "sparc-v8": (("sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"), 3),
}
"""Target -> compiler, and how often the tree is built: about ten million records."""
_READ = (
    "import sys; from inst.trace import open_trace\nfor _ in open_trace(sys.argv[1]).events(): pass"
)


def write_trace(target: str, directory: Path) -> Path:
    """Build the program for a target, run it, and return its trace."""
    compiler, rounds = PROGRAMS[target]
    program, trace = directory / f"tree-{target}", directory / f"tree-{target}.rst"
    build = [
        sys.executable,
        "-m",
        "inst.wrap.cc",
        *compiler,
        "-O2",
        str(SOURCE),
        "-o",
        str(program),
    ]
    run = [sys.executable, "-m", "inst", "run", "-o", str(trace), str(program), str(rounds)]
    for command in (build, run):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return trace


def measure_checks(
    directory: Path, seconds: Callable[[list[str]], float], size: int
) -> dict[str, dict[str, Any]]:
    """Return for each target records a second, and how often the time of reading that is.

    `seconds` returns the processor time of a command; a record has `size` bytes.
    """
    result = {}
    for target in PROGRAMS:
        trace = write_trace(target, directory)
        records = trace.stat().st_size // size
        reading = seconds([sys.executable, "-c", _READ, str(trace)])
        checking = seconds([sys.executable, "-m", "inst", "check", str(trace)])
        result[target] = {
            "records": records,
            "records_per_second": round(records / checking),
            "over_reading": round(checking / reading, 2),
        }
        trace.unlink()
    return result
