"""Recordings of loads: control that comes back by exceptions, and threads."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from inst.trace import open_trace
from inst.trace.model import Array, Flag, Kind, TraceError
from tests.conftest import Shell
from tests.signals.programs import TIMED_ATOMICS
from tests.sizes import rounds

THROWING = r"""
#include <cstdlib>
struct Guard {
    int *place;
    Guard(int *to) : place(to) { ++*place; }
    ~Guard() { --*place; }
};
static int down(int depth, int *guards)
{
    Guard one(guards);
    if (!depth)
        throw depth + *guards;
    return down(depth - 1, guards) + *guards;
}
static int order(const void *one, const void *other)
{
    int found = *static_cast<const int *>(one) - *static_cast<const int *>(other);
    try {
        if (found & 1)
            throw found;
    } catch (int odd) {
        return odd;
    }
    return found;
}
int main()
{
    int guards = 0, sum = 0, values[] = {3, 1, 4, 1, 5, 9, 2, 6};
    std::qsort(values, 8, sizeof *values, order);
    for (int depth = 0; depth < 20; depth++) {
        try {
            sum += down(depth, &guards);
        } catch (int found) {
            sum += found;
        }
    }
    return guards || sum != 210 || values[0] != 1 || values[7] != 9;
}
"""
THREADS = r"""
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total, cells[4];
static void *add(void *given)
{
    int *own = given;
    for (int n = 0; n < 2000; n++) {
        *own += n;
        if (n % 100 == 0) {
            pthread_mutex_lock(&mutex);
            total += *own & 7;
            pthread_mutex_unlock(&mutex);
        }
    }
    return 0;
}
int main(void)
{
    pthread_t threads[4];
    for (int n = 0; n < 4; n++)
        pthread_create(&threads[n], 0, add, &cells[n]);
    for (int n = 0; n < 4; n++)
        pthread_join(threads[n], 0);
    return total != 240;
}
"""
FILLING = r"""
static int cells[64];
__attribute__((noinline)) static void fill(int *to, int *end, int value)
{
    *to = value;
    for (;;) {
        to[1] = value;
        to += 2;
        if (to == end)
            return;
        *to = value;
    }
}
int main(void)
{
    fill(cells, cells + 64, 7);
    return cells[63] != 7;
}
"""
"""A loop that loads nothing, with a store in an annulled slot of SPARC, which calls a hook."""
UPPER_MAIN = r"""
void copy(double *from, double *to);
static double from = 1.5, to;
int main(void)
{
    copy(&from, &to);
    return to != 1.5;
}
"""
UPPER_SETTER = "\t.globl set\nset:\tldd [%o0],%f32\n\tretl\n\tnop\n"
UPPER_READER = (
    "\t.globl copy\n\t.type copy,@function\ncopy:\tsave %sp,-176,%sp\n\tcall set\n\tmov %i0,%o0\n"
    "\tfmovd %f32,%f0\n\tstd %f0,[%i1]\n\tret\n\trestore\n"
)
"""Code by hand that returns a register of the upper half to other code by hand."""

STORM = r"""
#include <signal.h>
#include <sys/time.h>
static volatile int hits;
static int table[64], more[64];
static volatile int cells[8];
static double floats[64];
static float singles[64];
static void handler(int number)
{
    for (int n = 0; n < 8; n++)
        more[n] += table[n + (hits & 7)], cells[n]++;
    hits++;
}
static int ends_in(const double *at, const float *with, int count)
{
    double sum = 0;
    for (int n = 0; n < count; n++)
        sum += at[n] * with[n] + table[n];
    for (int n = 0; n < count; n++)
        sum += cells[0] + cells[1] + cells[2] + cells[3] + cells[4] + cells[5] + cells[6];
    return sum > 0;
}
int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    struct itimerval every = {{0, 500}, {0, 500}};
    int sum = 0;
    for (int n = 0; n < 64; n++)
        table[n] = n & 1 ? n : 0, floats[n] = n * .25, singles[n] = n * .5f;
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &every, 0);
    while (hits < 150)
        sum |= ends_in(floats, singles, 64);
    every = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, 0);
    return !sum;
}
"""
PAUSING = """
#include <inst/annotate.h>
static volatile int table[100];
static int sum(int from)
{
    int found = from;
    for (int n = 0; n < 100; n++)
        found += table[n];
    return found;
}
int main(void)
{
    int found = sum(0);
    INST_PAUSE();
    found += sum(1);
    INST_RESUME();
    return sum(found) != 1;
}
"""

MOVING = """
#include <signal.h>
#include <string.h>
static char one[64], other[64];
static void handler(int number)
{
    memset(other, number, sizeof other - 1);
}
int main(int count, char **arguments)
{
    int differ = 0;
    signal(SIGUSR1, handler);
    for (int n = 0; n < 20; n++) {
        memcpy(one, other, n * count);
        memmove(one + n, one, 30 + count);
        if (n & 1)
            raise(SIGUSR1);
        memset(other + count, n, n);
        differ += memcmp(one, other, 40 + n) != 0;
    }
    return !differ;
}
"""

DIVIDE = (
    "\t.globl divide\n\t.type divide,@function\ndivide:\n"
    + "".join(f"\tfadd {n},{n},{n}\n" for n in (0, *range(3, 14)))
    + "\tfdiv 1,1,2\n\tstfd 1,0({to})\n\tblr\n"
)
"""Code by hand that leaves no floating-point register free."""

BUSY_MAIN = """
long busy(long *to, long b, long c, long d, long e, long f, long g, long h);
static long to[3] = {7};
int main(int count, char **arguments)
{
    if (count > 1)
        return 1;
    return busy(to, 1, 2, 3, 4, 5, 6, 7) != 35 || to[2] != 35;
}
"""
BUSY = (
    "\t.abiversion 2\n\t.globl busy\n\t.type busy,@function\nbusy:\n"
    "\tmflr 0\n\tld 12,0(3)\n\tmfcr 11,8\n\tstd 17,-144(1)\n\tstd 18,-136(1)\n\tmr 17,3\n"
    "\tli 18,8\n\tstw 11,8(1)\n\tmtlr 0\n\tstd 0,16(1)\n"
    + "".join(f"\tadd 12,12,{n}\n" for n in range(4, 11))
    + "\tadd 18,18,18\n\tstdx 12,17,18\n\tmr 3,12\n\tld 17,-144(1)\n\tld 18,-136(1)\n"
    "\tlwz 11,8(1)\n\tmtcrf 8,11\n\tblr\n"
)
"""The start of a function that saves condition fields in the last free register."""

COMPILERS = [
    pytest.param("powerpc-linux-gnu-", id="ppc32"),
    pytest.param("powerpc64le-linux-gnu-", id="ppc64le", marks=pytest.mark.campaign),
    pytest.param("sparc64-linux-gnu- -m32 -mcpu=v8", id="sparc-v8", marks=pytest.mark.campaign),
    pytest.param("sparc64-linux-gnu-", id="sparc-v9", marks=pytest.mark.campaign),
]
"""The prefix of a target's compilers, and their options."""


def _recorded(
    shell: Shell, level: str, source: str, compiler: str, name: str, *objects: str, ring: str = ""
) -> Array:
    """Return the events of a program's recording, of the source of main.c or main.cc."""
    (shell.directory / name).write_text(source)
    prefix, *options = compiler.split()
    command = [
        f"{prefix}{'g++' if name.endswith('.cc') else 'gcc'}",
        *options,
        "-O1",
        name,
        *objects,
    ]
    command = ["inst-cc", f"--inst-record={level}", *command]
    shell.check(*command, "-pthread", "-o", level)
    variables = {"INST_RING": ring} if ring else {}
    shell.check("inst", "run", "-o", f"{level}.rec", f"./{level}", **variables)
    return np.concatenate(list(open_trace(shell.directory / f"{level}.rec").events()))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_exceptions_are_followed(shell: Shell, compiler: str) -> None:
    found, wanted = (
        _recorded(shell, level, THROWING, compiler, "main.cc") for level in ("loads", "values")
    )
    for column in ("kind", "size"):
        assert np.array_equal(*(one[column][one["kind"] != Kind.FRAME] for one in (found, wanted)))
    assert len(found) > 1000
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "loads.rec")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_threads_are_executed_each_for_itself(shell: Shell, compiler: str) -> None:
    events = _recorded(shell, "loads", THREADS, compiler, "main.c")
    assert len(np.unique(events["thread"])) >= 5
    assert np.count_nonzero(events["kind"] == 2) >= 8000
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "loads.rec")


def test_hooks_of_a_loop_without_loads_have_each_their_round(shell: Shell) -> None:
    compiler = "sparc64-linux-gnu- -m32 -mcpu=v8"
    events = _recorded(shell, "loads", FILLING, compiler, "main.c")
    stores = events[(events["kind"] == Kind.WRITE) & (events["value"] == 7)]
    assert np.array_equal(np.diff(stores["address"]), np.full(63, 4))


def test_upper_floating_point_registers_arrive(shell: Shell) -> None:
    gcc = "sparc64-linux-gnu-gcc"
    for name, text in (
        ("main.c", UPPER_MAIN),
        ("set.s", UPPER_SETTER),
        ("copy.s", UPPER_READER),
    ):
        (shell.directory / name).write_text(text)
    shell.check(gcc, "-c", "set.s")
    shell.check("inst-cc", "--inst-record=loads", gcc, "main.c", "copy.s", "set.o", "-o", "main")
    shell.check("inst", "run", "-o", "main.rec", "./main")
    events = np.concatenate(list(open_trace(shell.directory / "main.rec").events()))
    stores = events[(events["kind"] == Kind.WRITE) & (events["size"] == 8)]
    assert 0x3FF8000000000000 in stores["value"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_status_of_floating_point_arrives(shell: Shell, compiler: str) -> None:
    compiler += " -frounding-math"
    to = 5 if "64" in compiler else 3  # arguments of floating point take the places of others
    source = Path(__file__).with_name("rounding.c").read_text()
    (shell.directory / "divide.s").write_text(DIVIDE.format(to=to))
    others = ("divide.s", "-lm") if "powerpc" in compiler else ("-lm",)
    found, wanted = (
        _recorded(shell, level, source, compiler, "main.c", *others)
        for level in ("loads", "values")
    )
    third, upward = 0x3FD5555555555555, 0x3FD5555555555556
    values = []
    for events in (found, wanted):
        stores = events[(events["kind"] == Kind.WRITE) & (events["size"] >= 4)]
        first = stores["address"][stores["value"] == third][0]
        values.append(stores["value"][abs(stores["address"].astype(int) - int(first)) < 256])
    assert np.count_nonzero(values[1] == upward) == 2 and len(values[1]) >= 9
    assert np.array_equal(*values)


@pytest.mark.parametrize("compiler", ["powerpc-linux-gnu-", "sparc64-linux-gnu-"])
def test_signals_come_between_values(shell: Shell, compiler: str) -> None:
    """They come at any instruction, also between a load and the store of its value.

    On SPARC that divides a block: what comes after the handler reads what that has stored.
    """
    hits = rounds(60)
    events = _recorded(shell, "loads", STORM.replace("150", str(hits)), compiler, "main.c")
    assert np.count_nonzero(events["kind"] == Kind.WRITE) > hits * 9
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "loads.rec")


@pytest.mark.parametrize("compiler", COMPILERS[:2])
def test_what_library_functions_touch_follows_from_their_arguments(
    shell: Shell, compiler: str
) -> None:
    found, wanted = (
        _recorded(shell, level, MOVING, compiler, "main.c") for level in ("loads", "values")
    )
    assert "inst.wrap.memcpy" not in shell.check("powerpc-linux-gnu-nm", "loads")
    found, wanted = (one[one["kind"] != Kind.ORDER] for one in (found, wanted))
    for column in ("kind", "size"):
        assert np.array_equal(found[column], wanted[column])
    ranges = np.flatnonzero((wanted["size"] > 8) & (wanted["kind"] <= Kind.WRITE))
    assert len(ranges) > 100
    moved = found["address"][ranges] - wanted["address"][ranges]
    assert len(np.unique(moved)) == 1


@pytest.mark.parametrize("compiler", COMPILERS[:2])
def test_signals_come_to_reservations(shell: Shell, compiler: str) -> None:
    """They come between a load that reserves and its conditional store, too, which then fails."""
    hits = rounds(60)
    source = TIMED_ATOMICS.read_text().replace("60", str(hits))
    events = _recorded(shell, "loads", source, compiler, "main.c")
    reserving = np.count_nonzero(events["kind"] == Kind.RESERVE)
    stored = np.count_nonzero((events["kind"] == Kind.WRITE) & (events["flags"] & Flag.ATOMIC != 0))
    assert reserving > stored > 2 * hits
    shell.check("inst", "check", "--strict", "loads.rec")


def test_values_after_a_pause_are_refused(shell: Shell) -> None:
    with pytest.raises(TraceError, match=r"control comes back|after a pause"):
        _recorded(shell, "loads", PAUSING, "powerpc-linux-gnu-", "main.c")


ROUNDING_UP = """\
double values[2] = {3, 1e-30};
int main(void)
{
    double found;
    __asm__("mtfsfi 7,2; fnmadd %0,%1,%1,%2" : "=f"(found) : "f"(values[0]), "f"(values[1]));
    return found > 0;
}
"""
"""Emulators and processors differ in what that leaves."""


def test_what_cannot_be_followed_is_named_with_its_place(shell: Shell) -> None:
    """The line, too, if the program is still the one that ran: no byte of the file is at fault."""
    where = r"`fnmadd f\d+, f\d+, f\d+, f\d+` at 0x[0-9a-f]+"
    count = r"; in thread \d+ after \d+ of its instructions$"
    with pytest.raises(TraceError) as raised:
        _recorded(shell, "loads", ROUNDING_UP, "powerpc-linux-gnu-", "main.c", "-g")
    why = r": the instruction is not known"
    assert re.search(where + r" in main\S* main.c:5" + why + count, raised.value.message)
    (shell.directory / "loads").unlink()
    with pytest.raises(TraceError, match=where + why + count):
        list(open_trace(str(shell.directory / "loads.rec")).events())


def test_objects_that_record_in_two_ways_are_refused(shell: Shell) -> None:
    (shell.directory / "other.c").write_text("int other(int *at) { return *at; }\n")
    command = ["inst-cc", "--inst-record=values", "powerpc-linux-gnu-gcc", "-c", "other.c"]
    shell.check(*command)
    main = "int other(int *at); int main(void) { int zero = 0; return other(&zero); }\n"
    with pytest.raises(TraceError, match="record in two ways"):
        _recorded(shell, "loads", main, "powerpc-linux-gnu-", "main.c", "other.o")


def test_a_ring_that_has_lost_values_is_refused(shell: Shell) -> None:
    """What is left does not say whose values come first."""
    looping = PAUSING.replace("INST_PAUSE();", "for (int n = 0; n < 9999; n++) found |= sum(0);")
    with pytest.raises(TraceError, match="chunks were overwritten"):
        _recorded(shell, "loads", looping, "powerpc-linux-gnu-", "main.c", ring="3400000")


def test_what_arrives_is_recorded_once_a_register_is_free(shell: Shell) -> None:
    (shell.directory / "busy.s").write_text(BUSY)
    compiler = "powerpc64le-linux-gnu-"
    found, wanted = (
        _recorded(shell, level, BUSY_MAIN, compiler, "main.c", "busy.s")
        for level in ("loads", "values")
    )
    for column in ("kind", "size"):
        assert np.array_equal(*(one[column][one["kind"] != Kind.FRAME] for one in (found, wanted)))
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "loads.rec")
