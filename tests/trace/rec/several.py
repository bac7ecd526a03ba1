"""A recording of several threads, and traces of every instruction of it."""

from __future__ import annotations

import os
from pathlib import Path

from inst.cli import main
from tests.conftest import Shell

SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
static unsigned table[40], seed;
static double mean;
static int by_value(const void *one, const void *other)
{
    unsigned a = *(const unsigned *)one, b = *(const unsigned *)other;
    return a < b ? -1 : a > b;
}
static void *sort(void *given)
{
    unsigned *own = given;
    for (int n = 0; n < 20; n++) {
        own[n] = (seed = seed * 1103515245 + 12345) >> 8;
        mean += own[n] / 20.0;
    }
    qsort(own, 20, sizeof *own, by_value);
    return 0;
}
int main(void)
{
    pthread_t other;
    sort(table);
    pthread_create(&other, 0, sort, table + 20);
    pthread_join(other, 0);
    return table[0] > table[19] || table[20] > table[39];
}
"""
SIZE = 600
"""Instructions of a window; there are several thousand."""


def recorded(commands: Path, directory: Path) -> Path:
    """Return a recording for re-execution."""
    shell = Shell(directory, {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"})
    (directory / "main.c").write_text(SOURCE)
    command = ["inst-cc", "--inst-record=loads", "powerpc-linux-gnu-gcc", "-O1", "main.c"]
    shell.check(*command, "-pthread", "-o", "main")
    shell.check("inst", "run", "-o", "main.rec", "./main")
    return directory / "main.rec"


def replayed(record: Path, *options: str, status: int = 0) -> bytes:
    """Return the trace that a command with options writes."""
    made = record.with_name("made.stf")
    made.unlink(missing_ok=True)
    assert main(["replay", str(record), "-o", str(made), *options]) == status
    return made.read_bytes()


def instructions(trace: bytes) -> list[bytes]:
    return [line for line in trace.splitlines() if line.startswith(b"PCN")]
