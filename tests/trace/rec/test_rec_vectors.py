"""Accesses of vector registers in recordings: the events are those that hooks report."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from inst.formats.rst.codes import EVENT_RECORD, EVENT_SIZE, INSTR, MEMVAL
from inst.trace import open_trace
from inst.trace.model import Kind
from inst.words.decode import access_of
from tests.conftest import Shell

SOURCE = Path(__file__).with_name("vectors.c")
ONE_BY_ONE = {"QEMU_SINGLESTEP": "1", "QEMU_ONE_INSN_PER_TB": "1"}
"""The emulator takes signals only at the start of what it translates at once."""
INDEXED = 31
"""The opcode of accesses without a displacement, which the linker may have set."""
LEVELS = ("values", "loads", "addresses")
STORM = r"""
#include <altivec.h>
#include <signal.h>
#include <sys/time.h>
#define LOAD(CODE, TO, FROM) __asm__ __volatile__(CODE : "=v"(TO) : "b"(&FROM), "m"(FROM))
static volatile int hits;
static vector long wholes[16];
static double floats[16];
static long handled[4];
static void handler(int number)
{
    for (int n = 0; n < 4; n++)
        handled[n] += n + hits;
    hits++;
}
static __attribute__((noinline)) int ends_in(const vector long *at, const double *with)
{
    int differ = 0;
    for (int n = 0; n < 16; n++) {
        vector long one, other;
        vector double both;
        LOAD("lxvd2x %x0,0,%1\n\txxswapd %x0,%x0", one, at[n]);
        LOAD("lvx %0,0,%1", other, at[n]);
        LOAD("lxsdx %x0,0,%1", both, with[n]);
        differ |= one[0] != n || other[1] != -n || both[1] != n;
    }
    return differ;
}
int main(void)
{
    struct itimerval every = {{0, 300}, {0, 300}};
    int wrong = 0;
    for (int n = 0; n < 16; n++)
        wholes[n] = (vector long){ n, -n }, floats[n] = n;
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &every, 0);
    while (hits < 200)
        wrong |= ends_in(wholes, floats);
    every = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, 0);
    return wrong;
}
"""


def _accesses(path: Path, level: str) -> list[tuple[int, ...]]:
    """Return the words of a trace's accesses of floating-point and vector registers, with the
    low bits of the address and the values that are known at that level."""
    trace = open_trace(path)
    records = np.concatenate([batch.raw for batch in trace.batches()])
    arch, found, known = trace.facts.arch, list[tuple[int, ...]](), dict[int, bool]()
    values: list[int] = []
    columns = (records[name].tolist() for name in ("rtype", "word", "first", "second", "flags"))
    is_long = False
    for code, word, address, value, flags in zip(*columns, strict=True):
        if code == INSTR:
            if word not in known:
                access = access_of(word, arch)
                known[word] = access is not None and access.value not in ("general", "reversed")
            values = [word if word >> 26 == INDEXED else word >> 16, value & 15]
            if known[word]:
                found.append(values)
        elif code == MEMVAL and level != "addresses":
            values += [address & 15, value]
        elif code == EVENT_RECORD:
            is_long = flags in (Kind.READ, Kind.WRITE)
            values = [flags, address & 15, value]
        elif code == EVENT_SIZE and is_long and level != "addresses":
            found.append([*values, address, value])
    return [tuple(one) for one in found]


@pytest.mark.parametrize(
    ("prefix", "power"),
    [
        ("powerpc64le-linux-gnu-", 8),
        ("powerpc64-linux-gnu-", 10),
        ("powerpc64le-linux-gnu-", 10),
        ("powerpc64-linux-gnu-", 8),
        pytest.param("powerpc64le-linux-gnu-", 9, marks=pytest.mark.campaign),
    ],
)
def test_vectors_are_recorded_as_hooks_report_them(shell: Shell, prefix: str, power: int) -> None:
    flags = ("-O2", f"-mcpu=power{power}", f"-DPOWER={power}", SOURCE)
    ways = {"rst": "--inst-hooks=rst", **{level: f"--inst-record={level}" for level in LEVELS}}
    fixed = ("-ffixed-r11", "-ffixed-r12")  # as for code that records
    said, calls = set(), dict[str, int]()
    for name, way in ways.items():
        shell.check("inst-cc", way, f"{prefix}gcc", *flags, *fixed, "-o", name)
        said.add(shell.check("inst", "run", "-o", f"{name}.trace", f"./{name}",
                             QEMU_CPU=f"power{power}"))  # fmt: skip
        shell.check("inst", "check", "--strict", f"{name}.trace")
        code = shell.check(f"{prefix}objdump", "-d", name)
        calls[name] = len(re.findall(r"\tbl +\w+ <inst\.rare[.\w]*>", code))
    assert len(said) == 1
    rest = 30 if power == 10 else 9  # of elements, and of two words; lvx of big-endian code
    assert calls["rst"] > 2 * rest and max(calls[level] for level in LEVELS) <= rest, calls
    for level in LEVELS:
        wanted = _accesses(shell.directory / "rst.trace", level)
        found = _accesses(shell.directory / f"{level}.trace", level)
        assert len(found) > 300 and found == wanted


def test_signals_come_between_a_vector_and_its_store(shell: Shell) -> None:
    """The load runs again after the handler."""
    (shell.directory / "main.c").write_text(STORM)
    gcc = ("powerpc64le-linux-gnu-gcc", "-O2", "main.c")
    shell.check("inst-cc", "--inst-record=loads", *gcc, "-o", "main")
    shell.check("inst", "run", "-o", "main.rec", "./main", **ONE_BY_ONE)
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "main.rec")


CALLER = """
typedef int four __attribute__((vector_size(16)));
four other(int);
static volatile four room[2];
static __attribute__((noinline)) int last(int n)
{
    four found = other(n);
    room[0] = found;
    room[1] = found + found;
    return room[0][2] + room[1][3];
}
int main(void)
{
    return last(3) != 5 + 2 * 6;
}
"""
CALLED = """
typedef int four __attribute__((vector_size(16)));
four other(int n)
{
    return (four){ n, n + 1, n + 2, n + 3 };
}
"""


@pytest.mark.parametrize("compiler", ["powerpc64le-linux-gnu-gcc", "powerpc64-linux-gnu-gcc"])
def test_stores_of_what_other_code_returns_call_hooks(shell: Shell, compiler: str) -> None:
    """Vector registers are not recorded where they arrive, so re-execution does not know them."""
    (shell.directory / "caller.c").write_text(CALLER)
    (shell.directory / "called.c").write_text(CALLED)
    flags = ("-O2", "-mcpu=power8")
    shell.check(compiler, *flags, "-c", "called.c")
    options = [*flags, "caller.c", "called.o", "-o", "caller"]
    shell.check("inst-cc", "--inst-record=loads", compiler, *options)
    shell.check("inst", "run", "-o", "caller.rec", "./caller")
    shell.check("inst", "check", "--strict", "caller.rec")
