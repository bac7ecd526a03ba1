"""Members of the static C library that the link instruments: their wrappers go, or stay."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from inst.objects.archive import archive_of, read_members
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell, require_tools
from tests.objects.libraries import FOLDERS

MEMBERS = ("wcslen.o", "pthread_mutex_lock.o", "pthread_mutex_unlock.o")
SOURCE = r"""
#include <pthread.h>
#include <wchar.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
const wchar_t *volatile text = L"seven..";
int main(void)
{
    pthread_mutex_lock(&mutex);
    int length = wcslen(text);
    pthread_mutex_unlock(&mutex);
    return length != 7;
}
"""


def _part(library: Path, made: Path) -> None:
    """Write an archive of some members of a library."""
    members = read_members(str(library), library.read_bytes())
    made.write_bytes(archive_of(one for one in members if one.name in MEMBERS))
    subprocess.run(["ranlib", made], check=True)


@pytest.mark.parametrize("name", ["ppc32", "sparc-v8"])
def test_wrappers_that_only_tell_ranges_are_left_out(name: str, shell: Shell) -> None:
    """Accesses of wcslen are told instead of what it reads; a mutex is still an event."""
    target = TARGETS[name]
    require_tools(target.compiler[0])
    _part(Path(FOLDERS[name][0]) / "libc.a", shell.directory / "libpart.a")
    (shell.directory / "main.c").write_text(SOURCE)
    found = {}
    for objects in ("", "libpart.a"):
        command = ["inst-cc", f"--inst-objects={objects}", *target.compiler, "-O1", "-static"]
        shell.check(*command, "main.c", "-L.", "-lpart", "-o", "p")
        shell.check("inst", "run", "-o", "p.rst", "./p")
        rows = np.concatenate(list(open_trace(shell.directory / "p.rst").events()))
        told = rows[(rows["kind"] == Kind.READ) & (rows["pc"] == 0)]
        begin, end = _function(shell, "wcslen")
        inside = np.sum((rows["pc"] >= begin) & (rows["pc"] < end) & (rows["kind"] == Kind.READ))
        locks = [int(np.sum(rows["kind"] == kind)) for kind in (Kind.LOCK, Kind.UNLOCK)]
        found[objects] = 32 in told["size"], int(inside) >= 8, locks
    assert found == {"": (True, False, [1, 1]), "libpart.a": (False, True, [1, 1])}


def _function(shell: Shell, name: str) -> tuple[int, int]:
    """Return where a function of the program begins and ends."""
    lines = shell.check("nm", "-S", "p").splitlines()
    begin, size = next(line.split()[:2] for line in lines if line.endswith(f" {name}"))
    return int(begin, 16), int(begin, 16) + int(size, 16)
