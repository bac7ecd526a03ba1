"""`inst/annotate.h` and INST_WATCH: what programs say of themselves, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import Event, Kind
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

PROGRAM = """\
#include <inst/annotate.h>
int lock; long long area[4]; int calls;
static int called(void) { return ++calls; }
int main(void)
{
    INST_LOCK(&lock);
    INST_TRYLOCK(&lock);
    INST_UNLOCK(&lock);
    INST_MEM_INIT(area, sizeof area);
    INST_MEM_SET(area, 16, 0x1ff);
    INST_MEM_FREE(area, sizeof area);
    INST_BARRIER("dsb ish");
    INST_BARRIER("isb"); INST_BARRIER("dmb ishld");
    INST_TLBI("vmalls12e1is");
    INST_TLBI_BY("ipas2e1is", 0x123456789abcdefull);
    INST_SYSREG("vttbr_el2", 0x1000000002000ull);
    INST_HINT("set_root_lock", area, 0xfedcba9876543210ull);
    INST_HAPPENS_BEFORE(&lock); INST_HAPPENS_AFTER(&lock);
    INST_MEM_SET(area, 8, called());
    return calls != INST_RECORDING;
}
"""
EXPECTED = [
    (Kind.LOCK, 6, "lock", 0, None, ""),
    (Kind.TRYLOCK, 7, "lock", 0, None, ""),
    (Kind.UNLOCK, 8, "lock", 0, None, ""),
    (Kind.INIT, 9, "area", 32, None, ""),
    (Kind.SET, 10, "area", 16, 0xFF, ""),
    (Kind.FREE, 11, "area", 32, None, ""),
    (Kind.BARRIER, 12, None, 0, None, "dsb ish"),
    (Kind.BARRIER, 13, None, 0, None, "isb"),
    (Kind.BARRIER, 13, None, 0, None, "dmb ishld"),
    (Kind.TLBI, 14, None, 0, None, "vmalls12e1is"),
    (Kind.TLBI, 15, None, 0, 0x123456789ABCDEF, "ipas2e1is"),
    (Kind.SYSREG, 16, None, 0, 0x1000000002000, "vttbr_el2"),
    (Kind.HINT, 17, "area", 0, 0xFEDCBA9876543210, "set_root_lock"),
    (Kind.HINT, 18, "lock", 0, 0, "happens_before"),
    (Kind.HINT, 18, "lock", 0, 0, "happens_after"),
    (Kind.SET, 19, "area", 8, 1, ""),
]
ACCESSES = {Kind.READ, Kind.WRITE, Kind.PRODUCER, Kind.IMAGE, Kind.ORDER}


def build(shell: Shell, target: Target, source: str, *options: str) -> None:
    (shell.directory / "p.c").write_text(source)
    shell.check("inst-cc", *options, *target.compiler, "-Wall", "-Wextra", "-Werror", "-O2",
                "-static", "p.c", "-o", "p")  # fmt: skip


def events(shell: Shell, **variables: str) -> list[Event]:
    shell.check("inst", "run", "-o", "p.trace", "./p", **variables)
    return list(open_trace(shell.directory / "p.trace").objects())


def symbols(shell: Shell, target: Target) -> dict[str, int]:
    reader = target.compiler[0].removesuffix("gcc") + "nm"
    lines = (line.split() for line in shell.check(reader, "p").splitlines())
    return {words[2]: int(words[0], 16) for words in lines if len(words) == 3}


@pytest.mark.parametrize("hooks", ["sexp", "rst"])
def test_every_annotation_is_recorded(hooks: str, target: Target, shell: Shell) -> None:
    build(shell, target, PROGRAM, f"--inst-hooks={hooks}")
    found = [event for event in events(shell) if event.kind not in ACCESSES]
    places = symbols(shell, target)
    expected = [
        (kind, f"p.c:{line}", places[name] if name else None, size, value, detail)
        for kind, line, name, size, value, detail in EXPECTED
    ]
    assert [(e.kind, e.site, e.address, e.size, e.value, e.detail) for e in found] == expected


@pytest.mark.parametrize("hooks", ["count", "empty"])
def test_libraries_without_annotation_hooks(hooks: str, target: Target, shell: Shell) -> None:
    build(shell, target, PROGRAM, f"--inst-hooks={hooks}")
    shell.check("inst", "run", "./p")


def test_nothing_without_inst(target: Target, shell: Shell) -> None:
    """The header alone compiles to nothing, without a warning, and evaluates nothing."""
    (shell.directory / "p.c").write_text(PROGRAM)
    include = shell.check("inst-cc", "--inst-include").strip()
    command = [*target.compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-I", include, "p.c"]
    shell.check(*command, "-static", "-o", "p")
    shell.check("inst", "run", "./p")
    assert not any(name.startswith("inst_") for name in symbols(shell, target))
    shell.check("inst-cc", *command, "-static", "-o", "q", INST_DISABLE="1")
    assert (shell.directory / "p").read_bytes() == (shell.directory / "q").read_bytes()


def test_long_sources_keep_their_end(target: Target, shell: Shell) -> None:
    source = f'#line 7 "{"/very/long" * 30}/end.c"\n' + PROGRAM
    for hooks in ("sexp", "rst"):
        build(shell, target, source, f"--inst-hooks={hooks}")
        found = [event for event in events(shell) if event.kind not in ACCESSES]
        assert len(found) == len(EXPECTED)
        assert all("/end.c:" in event.site and len(event.site) <= 96 for event in found)


WATCHED = """\
#include <stdio.h>
int pool[8], other; static double wide; char last;
int main(void)
{
    for (volatile int n = 0; n < 8; n++)
        pool[n] = n;
    *(volatile int *)&other = 9;
    *(volatile double *)&wide = 1.5;
    *(volatile char *)&last = 7;
    return pool[5] != 5;
}
"""


def accesses(shell: Shell, watch: str) -> set[int]:
    found = events(shell, INST_WATCH=watch)
    return {e.address for e in found if e.kind in (Kind.READ, Kind.WRITE) and e.address}


@pytest.mark.parametrize("hooks", ["sexp", "rst"])
def test_watching(hooks: str, target: Target, shell: Shell) -> None:
    """Symbols, numbers, parts of them, and several; accesses that overlap a range count."""
    build(shell, target, WATCHED, f"--inst-hooks={hooks}")
    at = symbols(shell, target)
    pool, other, wide = at["pool"], at["other"], at["wide"]
    all_of_pool = {pool + 4 * n for n in range(8)}
    assert accesses(shell, "pool") == all_of_pool
    assert accesses(shell, "pool,other") == {*all_of_pool, other}
    assert accesses(shell, f"{pool:#x}-{pool + 8:#x}") == {pool, pool + 4}
    assert accesses(shell, f"{pool + 6}+1") == {pool + 4}
    assert accesses(shell, "pool+9") == {pool, pool + 4, pool + 8}
    assert accesses(shell, f"{wide + 7:#x}+1") <= {wide, wide + 4} != set()
    assert accesses(shell, "0xfffffff0+4") == set()
    assert accesses(shell, "") > {*all_of_pool, other, at["last"]}


def test_counting_what_is_watched(target: Target, shell: Shell) -> None:
    """The counts are those of a trace of the same accesses."""
    build(shell, target, WATCHED, "--inst-hooks=count")
    for watch, stores, loads in (("pool", 8, 1), ("last", 1, 0), ("pool,other", 9, 1)):
        text = shell.run("inst", "run", "./p", INST_WATCH=watch).stderr.decode()
        counts = {name: int(number) for name, number in map(str.split, text.splitlines())}
        assert sum(n for name, n in counts.items() if name.startswith("st")) == stores
        assert sum(n for name, n in counts.items() if name.startswith("ld")) <= loads
        assert counts["all"] >= stores
    text = shell.run("inst", "run", "./p").stderr.decode()
    assert int(text.splitlines()[-1].split()[1]) > 20


@pytest.mark.parametrize("watch", ["nosuch", "pool+", "pool-1", "12x", ",", "other+0"])
def test_watching_what_is_not_there(watch: str, target: Target, shell: Shell) -> None:
    """One sentence, and everything is traced: a filter that fails must not lose events."""
    build(shell, target, WATCHED, "--inst-hooks=rst")
    done = shell.run("inst", "run", "-o", "p.trace", "./p", INST_WATCH=watch)
    said = done.stderr.decode()
    assert done.returncode == 0 and said.count("\n") == 1 and "INST_WATCH" in said
    found = list(open_trace(shell.directory / "p.trace").objects())
    assert sum(event.kind is Kind.WRITE for event in found) > 10


def test_watching_a_program_that_moves(target: Target, shell: Shell) -> None:
    """The symbols of a position-independent program are found where it was loaded."""
    (shell.directory / "p.c").write_text(WATCHED)
    shell.check("inst-cc", "--inst-hooks=rst", *target.compiler, "-O2", "-fPIE", "-pie", "p.c",
                "-o", "p")  # fmt: skip
    found = [e for e in events(shell, INST_WATCH="pool") if e.kind in (Kind.READ, Kind.WRITE)]
    assert len({event.address for event in found}) == 8
    assert {event.value for event in found if event.kind is Kind.WRITE} == set(range(8))


ORDERED = """\
int data, flag, plain; long long pair;
int main(void)
{
    *(volatile int *)&data = 1;
    BARRIER;
    *(volatile int *)&flag = 2;
    *(volatile int *)&plain = 3;
    return 0;
}
"""


def test_stores_behind_barriers_are_releases(target: Target, shell: Shell) -> None:
    """The first store after a barrier has release order, and no other."""
    barrier = {"v8": "stbar", "v9": "membar #StoreStore"}.get(target.abi, "lwsync")
    for text in (f'__asm__ volatile("{barrier}" ::: "memory")', "__sync_synchronize()"):
        build(shell, target, ORDERED.replace("BARRIER", text), "--inst-hooks=sexp")
        at = symbols(shell, target)
        orders = {e.address: e.detail for e in events(shell) if e.kind is Kind.WRITE}
        assert [orders[at[name]] for name in ("data", "flag", "plain")] == [
            "plain", "release", "plain",
        ]  # fmt: skip
    build(shell, target, ORDERED.replace("BARRIER", "(void)0"), "--inst-hooks=sexp")
    assert {e.detail for e in events(shell) if e.kind is Kind.WRITE} == {"plain"}


def test_annotations_do_not_decide_the_level(target: Target, shell: Shell, tmp_path: Path) -> None:
    """A library whose only hooks with values are annotations serves address-only objects."""
    hook = "#include <inst/hooks.h>\nvoid hinthook(const char *kind, inst_address address,"
    hook += " uint64_t value)\n{ volatile uint64_t kept = value; (void)kept; }\n"
    (shell.directory / "h.c").write_text(hook)
    build(shell, target, PROGRAM, "--inst-hooks=./h.c", "--inst-level=addresses")
    shell.check("inst", "run", "./p")


BOTH = """\
#include <inst/annotate.h>
#include <pthread.h>
static pthread_mutex_t seen = PTHREAD_MUTEX_INITIALIZER, again; static int own;
int main(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &recursive);
    pthread_mutex_lock(&seen);
    INST_LOCK(&seen);
    INST_LOCK(&own);
    if (pthread_mutex_trylock(&again) == 0)
        INST_TRYLOCK(&again);
    pthread_mutex_lock(&again), pthread_mutex_unlock(&again);
    INST_UNLOCK(&again);
    pthread_mutex_unlock(&again);
    INST_UNLOCK(&own);
    INST_UNLOCK(&seen);
    pthread_mutex_unlock(&seen);
    INST_LOCK(&seen);
    INST_UNLOCK(&seen);
    return 0;
}
"""


def test_a_lock_that_is_seen_and_annotated_is_told_once(target: Target, shell: Shell) -> None:
    """A lock that a wrapper records counts once; an annotation alone counts too."""
    build(shell, target, BOTH, "--inst-hooks=rst")
    shell.check("inst", "run", "-o", "p.trace", "./p")
    told = [
        (event.kind, event.site.startswith("0x"))
        for event in open_trace(shell.directory / "p.trace").objects()
        if event.kind in (Kind.LOCK, Kind.TRYLOCK, Kind.UNLOCK)
    ]
    seen, annotated = True, False
    assert told == [
        (Kind.LOCK, seen), (Kind.LOCK, annotated), (Kind.TRYLOCK, seen), (Kind.TRYLOCK, seen),
        (Kind.UNLOCK, seen), (Kind.UNLOCK, seen), (Kind.UNLOCK, annotated), (Kind.UNLOCK, seen),
        (Kind.LOCK, annotated), (Kind.UNLOCK, annotated),
    ]  # fmt: skip
    shell.check("inst", "check", "--only", "locks", "p.trace")
