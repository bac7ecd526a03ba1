"""Every function that has a wrapper does what it did without one, and says what it touches."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.build import library
from inst.build.wrapbuild import made_for_long_time
from inst.calls import long_time
from inst.calls.atomics import ATOMICS
from inst.calls.formatted import FORMATTED
from inst.calls.functions import FUNCTIONS
from inst.calls.functions import LONG_TIME as FUNCTIONS_OF_LONG_TIME
from inst.calls.locking import LOCKING
from inst.calls.openmp import constructs
from inst.calls.operators import OPERATORS
from inst.calls.wraptable import OWN_FILES, WRAPPED
from inst.check import Options, check_trace
from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

HERE = Path(__file__).parent
EVERY = tuple(HERE / "programs" / name for name in ("every.c", "further.c"))
PLAIN = ("-std=gnu17", "-O0", "-fno-builtin", "-w")
LONG_TIME = (*PLAIN, "-D_TIME_BITS=64", "-D_FILE_OFFSET_BITS=64")
"""Other functions are called then where targets have 32 bits."""
FORTIFIED = ("-std=gnu17", "-O2", "-D_FORTIFY_SOURCE=2", "-w")
ALL_FLAGS = (PLAIN, FORTIFIED, LONG_TIME)
_OF_THREADS = re.compile(
    r"_Z\w+|_Qp?_\w+|(__)?pthread_(?!sigmask)\w+|thrd_\w+|vfork|_Fork|clone|call_once|"
    r"(bsd_|sysv_|__sysv_|s)?signal|sig(action|set)"
)


def names(target: Target, shell: Shell, *flags: str) -> set[str]:
    """Return the functions that the program refers to."""
    shell.check(*target.compiler, *flags, "-c", *EVERY)
    text = shell.check("nm", "-u", *(f"{source.stem}.o" for source in EVERY))
    return {line.split()[-1] for line in text.splitlines() if line}


def test_names_are_those_of_the_rows() -> None:
    own = {name for names in OWN_FILES.values() for name in names}
    own |= {name for *_, names in long_time.COMPILED_AGAIN for name in names.values()}
    formatted = {one.name for one in FORMATTED}
    known = {
        *constructs(),
        *FUNCTIONS,
        *LOCKING,
        *OPERATORS,
        *ATOMICS,
        *long_time.NAMES,
        *FUNCTIONS_OF_LONG_TIME,
    }
    assert {*known, *formatted, *own, *long_time.MUSL} == WRAPPED
    assert {*long_time.MUSL.values()} <= {*FUNCTIONS, *LOCKING}


def test_all_are_called(shell: Shell, target: Target) -> None:
    """The program below calls all functions of the table."""
    called = {name for flags in ALL_FLAGS for name in names(target, shell, *flags)}
    elsewhere = {*LOCKING, *ATOMICS, *constructs(), *long_time.MUSL}
    elsewhere |= {name for name, short in long_time.NAMES.items() if short in LOCKING}
    if target.bits == 64:
        elsewhere |= {name for name in WRAPPED if re.fullmatch(r"__\w+64(_\w+)?", name)}
    missing = {name for name in WRAPPED - called - elsewhere if not _OF_THREADS.fullmatch(name)}
    assert not missing, sorted(missing)


@pytest.mark.parametrize("flags", ALL_FLAGS, ids=("plain", "fortified", "long time"))
def test_same_output(shell: Shell, target: Target, flags: tuple[str, ...]) -> None:
    """Output, errors, errno and exit status are those of the plain program."""
    results = []
    for kind, command in (("plain", ()), ("told", ("inst-cc", "--inst-hooks=sexp"))):
        directory = shell.directory / kind
        directory.mkdir()
        program = directory / "every"
        shell.check(*command, *target.compiler, *flags, *EVERY, "-o", program, "-lm")
        done = subprocess.run(
            command_for(program, []),
            cwd=directory,
            capture_output=True,
            env={"INST_OUT": "trace", "PATH": "/usr/bin:/bin"},
            check=False,
        )
        assert done.returncode == 42, done.stderr.decode()
        files = {name: (directory / name).read_bytes() for name in ("every.wide", "every.out")}
        results.append((done.stdout, done.stderr, files))
    assert results[0][0].splitlines() == results[1][0].splitlines()
    assert results[0] == results[1]


@pytest.mark.parametrize("name", ["sparc-v8", "ppc32", "ppc64"])
@pytest.mark.parametrize("flags", ALL_FLAGS, ids=("plain", "fortified", "long time"))
def test_what_they_touch(name: str, shell: Shell, flags: tuple[str, ...]) -> None:
    """Nothing that the program reads afterwards was changed without being told: errno, results
    that go to memory, what checked functions write."""
    target = TARGETS[name]
    shell.check("inst-cc", *target.compiler, *flags, "-static", *EVERY, "-o", "every", "-lm")
    done = shell.run(target.emulator, "./every", INST_OUT="every.rst")
    assert done.returncode == 42
    strict = Options(settings={"memory": "strict"})
    report = check_trace(open_trace(shell.directory / "every.rst"), ("memory-sound",), strict)
    assert report.error is None and report.findings == []


def test_names_of_musl_have_wrappers(target: Target, shell: Shell) -> None:
    """Where time has 64 bits, and the C library is not glibc."""
    if not target.may_have_long_time:
        return
    made = made_for_long_time(is_glibc=False)
    assert {*long_time.MUSL} <= made.functions.keys()
    assert not {*long_time.MUSL} & made_for_long_time(is_glibc=True).functions.keys()
    (shell.directory / "made.c").write_text(made.together())
    options = [one for one in library.flags(target, shared=True) if not one.startswith("-W")]
    shell.check(*target.compiler, *options, "-D_GNU_SOURCE", "-w", "-c", "made.c")
    defined = {line.split()[-1] for line in shell.check("nm", "made.o").splitlines()}
    assert {f"__wrap_{name}" for name in long_time.MUSL} <= defined


def test_atomic_operations(shell: Shell, target: Target) -> None:
    """Those of libatomic do what they did, and what each writes is in the trace."""
    source = HERE / "programs" / "atomics.c"
    options = (*target.compiler, "-O1", "-w")
    shell.check(*options, "-c", source, "-o", "plain.o")
    text = shell.check("nm", "-u", "plain.o")
    sixteen = target.name in ("sparc-v9", "ppc64")
    expected = {name for name in ATOMICS if sixteen or not name.endswith("_16")}
    assert {line.split()[-1] for line in text.splitlines()} >= expected
    shell.check(*options, "-static", "plain.o", "-latomic", "-o", "plain")
    shell.check("inst-cc", *options, "-static", source, "-latomic", "-o", "told")
    plain = shell.check(target.emulator, "./plain")
    assert shell.check(target.emulator, "./told", INST_OUT="t.rst") == plain
    strict = Options(settings={"memory": "strict"})
    report = check_trace(open_trace(shell.directory / "t.rst"), ("memory-sound",), strict)
    assert report.error is None and report.findings == []
