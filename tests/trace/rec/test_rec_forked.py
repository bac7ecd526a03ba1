"""Recordings for re-execution of children of fork, which go on from their parents' state."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from inst.formats.rec import forked
from inst.trace import open_trace
from inst.trace.model import Array, Kind, TraceError
from tests.conftest import Shell
from tests.debugging.gdb import under_gdb

FAMILY = r"""
#include <sys/wait.h>
#include <unistd.h>
static int cells[16], generation;
__attribute__((noinline)) static int sum(int from, int *more)
{
    int found = from;
    for (int n = 0; n < 16; n++)
        found += cells[n] + more[n & 3];
    return found;
}
/* A child returns through the frames of its parent, with what these hold. */
__attribute__((noinline)) static int divide(int depth, int *more)
{
    int own[4] = {depth, more[0], 2, 3}, found;
    if (depth)
        return divide(depth - 1, own) + own[1] + sum(depth, more);
    pid_t child = FORK();
    if (child) {
        int status = 0;
        waitpid(child, &status, 0);
        found = WEXITSTATUS(status);
    } else {
        generation++;
        found = generation < 3 ? divide(2, own) : sum(own[1], own);
    }
    cells[generation] += found & 31;
    return found + own[0] + sum(1, own);
}
int main(void)
{
    int own[4] = {1, 2, 3, 4};
    for (int n = 0; n < 16; n++)
        cells[n] = n * n;
    int found = divide(3, own) + sum(0, own);
    return generation ? found & 63 : 0;
}
"""
COMPILERS = [
    pytest.param("powerpc-linux-gnu-gcc", id="ppc32"),
    pytest.param("sparc64-linux-gnu-gcc", id="sparc-v9"),
    pytest.param("powerpc64-linux-gnu-gcc", id="ppc64", marks=pytest.mark.campaign),
    pytest.param("powerpc64le-linux-gnu-gcc", id="ppc64le", marks=pytest.mark.campaign),
    pytest.param("sparc64-linux-gnu-gcc -m32 -mcpu=v8", id="sparc-v8", marks=pytest.mark.campaign),
]


def _processes(shell: Shell, level: str, compiler: str, fork: str) -> list[Path]:
    """Run the family; return the recordings of its processes, the oldest first."""
    (shell.directory / "main.c").write_text(FAMILY.replace("FORK", fork))
    command = ["inst-cc", f"--inst-record={level}", *compiler.split(), "-O2", "main.c"]
    shell.check(*command, "-o", level)
    shell.check("inst", "run", "-o", f"{level}.rec", f"./{level}")
    first = shell.directory / f"{level}.rec"
    own = int(_events(first)["thread"][0])
    most = int(Path("/proc/sys/kernel/pid_max").read_text())  # after which numbers begin again
    children = shell.directory.glob(f"{level}.rec.*")
    return [first, *sorted(children, key=lambda path: (int(path.suffix[1:]) - own) % most)]


def _events(path: Path) -> Array:
    events = np.concatenate([*open_trace(path).events()])
    return events[np.isin(events["kind"], (Kind.READ, Kind.WRITE))]


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("fork", ["fork", "_Fork"])
def test_children_go_on_from_their_parents(shell: Shell, compiler: str, fork: str) -> None:
    found, wanted = (_processes(shell, level, compiler, fork) for level in ("loads", "values"))
    assert len(found) == len(wanted) == 4
    for own, other in zip(found, wanted, strict=True):
        events, recorded = _events(own), _events(other)
        assert np.count_nonzero(events["kind"] == Kind.READ) > 100
        for column in ("kind", "size"):
            assert np.array_equal(events[column], recorded[column])
        shell.check("inst", "check", "--strict", str(own))


def test_a_parent_stays_open_while_it_is_read(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is collected meanwhile: nothing else refers to the parent's trace."""
    _, child, *_ = _processes(shell, "loads", "powerpc-linux-gnu-gcc", "fork")
    up_to = forked.up_to

    def collecting(fork: forked.Fork, pieces: forked.Pieces) -> object:
        gc.collect()
        return up_to(fork, pieces)

    monkeypatch.setattr(forked, "up_to", collecting)
    assert len(_events(child)) > 100


def test_a_child_without_its_parent_is_refused(shell: Shell) -> None:
    """With its grandparent alone, too: the execution begins with the first process."""
    first, second, third, _ = _processes(shell, "loads", "powerpc-linux-gnu-gcc", "fork")
    second.rename(shell.directory / "elsewhere")
    with pytest.raises(TraceError, match="which forked this one, is not beside it"):
        _events(third)
    assert len(_events(first))
    (shell.directory / "elsewhere").rename(second)
    assert len(_events(third))


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_gdb_shows_a_child_with_the_frames_of_its_parent(compiler: str, shell: Shell) -> None:
    _, child, *_ = _processes(shell, "loads", f"{compiler} -g", "fork")
    orders = ("bt -frame-arguments none", "break sum", "continue", "reverse-continue", "bt 1")
    printed = under_gdb(shell, child.name, "loads", *orders)
    at_fork, _, later = printed.partition("Breakpoint 1")
    frames = [line for line in at_fork.splitlines() if line.startswith("#")]
    functions = [line.split(" (")[0].split()[-1] for line in frames]
    assert functions == ["divide"] * 4 + ["main"]
    assert "No more reverse-execution history" in later
