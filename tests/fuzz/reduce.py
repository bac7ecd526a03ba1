"""Make a failing program small: delta debugging on lines, then C-Vise for C.

What is left has to fail in the same step, and to be a program whose behaviour C defines:
a sanitizer on this machine and the compiler's warnings must find nothing in it.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_LINES_SECONDS, _CVISE_SECONDS = 600, 900
"""How long each of the two goes on; what is smallest then is kept."""
_DEFINED = (
    "-Werror=return-type",
    "-Werror=uninitialized",
    "-Werror=maybe-uninitialized",
    "-Werror=implicit",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-fsanitize=address,undefined",
    "-fno-sanitize=alignment,shift",
    "-fno-sanitize-recover=all",
)
"""Alignment: fields of packed structures; shifts: csmith counts on what every machine does."""


def reduce_lines(
    lines: list[str], fails: Callable[[list[str]], bool], seconds: float = 1e9
) -> list[str]:
    """Return a smallest list of lines that still fails (Zeller's ddmin, by halves)."""
    end = time.monotonic() + seconds
    size = max(1, len(lines) // 2)
    while size:
        position, shrunk = 0, False
        while position < len(lines):
            if time.monotonic() > end:
                return lines
            rest = lines[:position] + lines[position + size :]
            if fails(rest):
                lines, shrunk = rest, True
            else:
                position += size
        if size == 1 and not shrunk:
            break
        size = max(1, size // 2) if not shrunk or size > 1 else 1
    return lines


def is_defined(text: str, directory: Path, language: str = "c") -> bool:
    """Return whether a program of csmith's kind runs here without undefined behaviour."""
    source, made = directory / f"defined.{language}", directory / "defined"
    source.write_text(text)
    compiler = "g++" if language == "cc" else "gcc"
    more = ["-fpermissive"] if language == "cc" else ["-std=gnu17"]
    flags = [*_DEFINED[: 3 if language == "cc" else 6], *_DEFINED[6:], *more]
    command = [compiler, "-O1", "-I/usr/include/csmith", *flags, "-o", str(made), str(source)]
    if subprocess.run(command, capture_output=True).returncode:
        return False
    return not subprocess.run(["prlimit", "--cpu=5", str(made)], capture_output=True).returncode


def reduce_c(
    text: str,
    fails: Callable[[str], bool],
    command: Sequence[str],
    directory: Path,
    seconds: tuple[float, float] = (_LINES_SECONDS, _CVISE_SECONDS),
    language: str = "c",
) -> str:
    """Return a small C program that still fails.

    `command` with a file after it gives status 0 where `fails` of its text holds: C-Vise
    asks it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    guarded = is_defined(text, directory, language)

    def wanted(lines: list[str]) -> bool:
        changed = "".join(lines)
        return fails(changed) and (not guarded or is_defined(changed, directory, language))

    lines = reduce_lines(text.splitlines(keepends=True), wanted, seconds[0])
    source = directory / f"small.{language}"
    source.write_text("".join(lines))
    _run_cvise(source, [*command, *(["--defined"] if guarded else [])], seconds[1])
    return source.read_text()


def _run_cvise(source: Path, command: Sequence[str], seconds: float) -> None:
    """Let C-Vise shrink a file in place; it stays as small as it got when the time is up."""
    if shutil.which("cvise") is None:
        print("cvise is not installed (sudo apt-get install cvise): lines only", file=sys.stderr)
        return
    test = source.with_name("interesting.sh")
    test.write_text(f"#!/bin/sh\nexec {shlex.join(command)} {source.name} >/dev/null 2>&1\n")
    test.chmod(0o755)
    cvise = ["cvise", "--n", "1", "--timeout", "120", test.name, source.name]
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(cvise, cwd=source.parent, capture_output=True, timeout=seconds)
