"""Make a failing program small: delta debugging on statements, or C-Vise for C."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def reduce_lines(lines: list[str], fails: Callable[[list[str]], bool]) -> list[str]:
    """Return a smallest list of lines that still fails (Zeller's ddmin, by halves)."""
    size = max(1, len(lines) // 2)
    while size:
        position, shrunk = 0, False
        while position < len(lines):
            rest = lines[:position] + lines[position + size :]
            if fails(rest):
                lines, shrunk = rest, True
            else:
                position += size
        if size == 1 and not shrunk:
            break
        size = max(1, size // 2) if not shrunk or size > 1 else 1
    return lines


def reduce_c(source: Path, command: list[str]) -> bool:
    """Let C-Vise shrink a C file in place while `command` on it gives status 0."""
    if shutil.which("cvise") is None:
        print("cvise is not installed: the program is kept as it is", file=sys.stderr)
        return False
    test = source.with_name("interesting.sh")
    test.write_text(f"#!/bin/sh\nexec {shlex.join(command)} {source.name} >/dev/null 2>&1\n")
    test.chmod(0o755)
    done = subprocess.run(
        ["cvise", "--n", "1", "--timeout", "120", str(test), source.name],
        cwd=source.parent,
        capture_output=True,
    )
    return done.returncode == 0
