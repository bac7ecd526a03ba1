"""Members of the static C library that the link instruments: their wrappers go, or stay."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from inst.objects.archive import archive_of, read_members
from inst.program.program import Program
from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind, among
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


def _part(library: Path, made: Path, names: tuple[str, ...] = MEMBERS) -> None:
    """Write an archive of some members of a library."""
    members = read_members(str(library), library.read_bytes())
    made.write_bytes(archive_of(one for one in members if one.name in names))
    subprocess.run(["ranlib", made], check=True)


@pytest.mark.rotated(turns=True)
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


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_code_that_sets_the_thread_pointer_is_recorded_whole(name: str, shell: Shell) -> None:
    """The space for records is found by that pointer: inline, as by hooks, none may be lost."""
    target = TARGETS[name]
    require_tools(target.compiler[0])
    _part(Path(FOLDERS[name][0]) / "libc.a", shell.directory / "libpart.a", ("libc-tls.o",))
    (shell.directory / "main.c").write_text("int main(void) { return 0; }")
    found = []
    for way in ("--inst-hooks=rst", "--inst-record=values"):
        command = ["inst-cc", way, "--inst-objects=libpart.a", *target.compiler, "-O1", "-static"]
        shell.check(*command, "main.c", "-L.", "-Wl,-u,__libc_setup_tls", "-lpart", "-o", "p")
        shell.check("inst", "run", "-o", "trace", "./p")
        rows = np.concatenate(list(open_trace(shell.directory / "trace").events()))
        places = Program(shell.directory / "p").function_table()
        begin, size = next(row[:2] for row in places if row[2] == "__libc_setup_tls")
        inside = rows[(rows["pc"] >= begin) & (rows["pc"] < begin + size)]
        found.append([(int(one["kind"]), int(one["size"])) for one in inside])
    assert found[0] == found[1] and len(found[0]) > 20


def _function(shell: Shell, name: str) -> tuple[int, int]:
    """Return where a function or an object of the program begins and ends."""
    lines = shell.check("nm", "-S", "p").splitlines()
    begin, size = next(line.split()[:2] for line in lines if line.endswith(f" {name}"))
    return int(begin, 16), int(begin, 16) + int(size, 16)


SORTING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int by_number(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void)
{
    int numbers[] = {7, 3, 9, 1, 5};
    char *copy = malloc(64);
    qsort(numbers, 5, sizeof *numbers, by_number);
    memcpy(copy, "2.5e1 and more", 15);
    printf("%d %d %.2f %s\n", numbers[0], numbers[4], strtod(copy, 0), copy);
    free(copy);
    return 0;
}
"""
WRITTEN = {
    "ppc64": ("msort.o", "memcpy-power7.o", "strlen-power7.o"),
    "ppc64le": ("msort.o", "qsort.o", "mul.o", "mul_1.o"),
}
"""Members that each target instruments: the whole of the library would take minutes."""
LEAST = 150
"""Accesses of the program if these members are instrumented; its own are fewer than 50."""


@pytest.mark.parametrize("name", WRITTEN)
def test_members_of_64_bit_libraries_do_the_same(name: str, shell: Shell) -> None:
    target = TARGETS[name]
    require_tools(target.compiler[0])
    library = Path(FOLDERS[name][0]) / "libc.a"
    _part(library, shell.directory / "libpart.a", WRITTEN[name])
    (shell.directory / "main.c").write_text(SORTING)
    command = ["inst-cc", "--inst-objects=libpart.a", *target.compiler, "-O1", "-static"]
    shell.check(*command, "main.c", "-L.", "-lpart", "-o", "p")
    assert shell.check("inst", "run", "-o", "p.rst", "./p") == "1 9 25.00 2.5e1 and more\n"
    shell.check("inst", "check", "p.rst")
    rows = np.concatenate(list(open_trace(shell.directory / "p.rst").events()))
    accesses = among(Kind.READ, Kind.WRITE)[rows["kind"]] & (rows["pc"] != 0)
    assert np.sum(accesses) > LEAST


ROUNDING = r"""
#include <fenv.h>
#include <math.h>
#include <stdio.h>
static void show(double x)
{
    printf("%g %g %g %g\n", floor(x), ceil(x), trunc(x), round(x));
    printf("%g %g %a\n", (double)floorf(x), (double)ceilf(x), remainder(x, 0.7));
}
int main(void)
{
    volatile double values[] = {2.5, -2.5, 1e20, -0.25, 7.0};
    for (int n = 0; n < 5; n++)
        show(values[n]);
    feraiseexcept(FE_OVERFLOW);
    printf("%d\n", fetestexcept(FE_OVERFLOW | FE_UNDERFLOW) == FE_OVERFLOW);
    feclearexcept(FE_OVERFLOW);
    printf("%d\n", fetestexcept(FE_OVERFLOW));
    return 0;
}
"""
ROUNDED = {
    "ppc32": ("s_floor.o", "s_ceil.o", "s_trunc.o", "s_round.o", "s_floorf.o", "s_ceilf.o",
              "e_remainder.o", "fraiseexcpt.o", "fclrexcpt.o"),
    "ppc64": ("s_floor-ppc64.o", "s_ceil-ppc64.o", "s_trunc-ppc64.o", "s_round-ppc64.o"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDED)
def test_members_that_set_how_numbers_are_rounded(name: str, shell: Shell) -> None:
    """The assembler has no text for some of their instructions, which capstone does not know."""
    target = TARGETS[name]
    _part(Path(FOLDERS[name][0]) / "libm.a", shell.directory / "libpart.a", ROUNDED[name])
    (shell.directory / "main.c").write_text(ROUNDING)
    command = [*target.compiler, "-O1", "-fno-builtin", "-static", "main.c", "-L.", "-lpart"]
    shell.check(*command, "-lm", "-o", "plain")
    wanted = shell.check(*command_for(shell.directory / "plain", []))
    made = shell.run(
        "inst-cc", "--inst-hooks=count", "--inst-objects=libpart.a", *command, "-lm", "-o", "p"
    )
    assert (made.returncode, b"left as it is" in made.stderr) == (0, False), made.stderr
    assert shell.check(*command_for(shell.directory / "p", []), INST_OUT="out") == wanted
    assert wanted.splitlines()[0] == "2 3 2 3"


HANDLERS = r"""
#include <signal.h>
#include <string.h>
static volatile int last;
static void handler(int number) { last = number; }
int main(void)
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    for (int n = 0; n < 1000; n++)
        if (sigaction(SIGUSR1, &action, &before) || (n && before.sa_handler != handler))
            return 1;
    raise(SIGUSR1);
    return last != SIGUSR1;
}
"""


@pytest.mark.parametrize("name", ["ppc32", "sparc-v8"])
def test_the_library_may_make_events_while_it_sets_handlers(name: str, shell: Shell) -> None:
    """The trace's lock is held then, which an event needs where the trace needs room."""
    target = TARGETS[name]
    require_tools(target.compiler[0])
    library = Path(FOLDERS[name][0]) / "libc.a"
    _part(library, shell.directory / "libc_part.a", ("sigaction.o", "libc_sigaction.o"))
    (shell.directory / "main.c").write_text(HANDLERS)
    command = ["inst-cc", "--inst-objects=libc_part.a", *target.compiler, "-O1", "-static"]
    shell.check(*command, "main.c", "-L.", "-lc_part", "-o", "p")
    shell.check("inst", "run", "-o", "p.rst", "./p")
    shell.check("inst", "check", "--set", "memory=strict", "p.rst")


ENDING = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *ends(void *unused) { exit(0); }
int main(void)
{
    pthread_t thread;
    int child = fork();
    printf("%s\n", child ? "parent" : "child");
    if (!child)
        return 0;
    wait(0);
    pthread_create(&thread, 0, ends, 0);
    return pthread_join(thread, 0);
}
"""


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("name", TARGETS)
def test_a_trace_ends_after_the_library_has_run_all_handlers(name: str, shell: Shell) -> None:
    """In a process that returns from main, and in one that a thread ends."""
    target = TARGETS[name]
    require_tools(target.compiler[0])
    library = Path(FOLDERS[name][0]) / "libc.a"
    _part(library, shell.directory / "libc_part.a", ("exit.o",))
    (shell.directory / "main.c").write_text(ENDING)
    command = ["inst-cc", "--inst-objects=libc_part.a", *target.compiler, "-O1", "-static"]
    shell.check(*command, "main.c", "-L.", "-lc_part", "-o", "p")
    assert shell.check("inst", "run", "-o", "p.rst", "./p") == "child\nparent\n"
    done, _ = _function(shell, "__exit_funcs_done")  # written when all handlers have run
    traces = [*shell.directory.glob("p.rst*")]
    assert len(traces) == 2
    for trace in traces:
        shell.check("inst", "check", str(trace))
        assert b"ending=exit" in trace.read_bytes()
        rows = np.concatenate(list(open_trace(trace).events()))
        assert np.any((rows["kind"] == Kind.WRITE) & (rows["address"] == done))
