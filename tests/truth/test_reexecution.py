"""Programs that record for re-execution: the trace read is what the emulator saw."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_program
from truth.programs import EXTRA_FLAGS, Program, read_programs

LEVELS = ("-O2", "-O0", "-Os")
REFUSED = {
    ("powerpc", "powerpc_multiple"): "the instruction is not known",
}
"""Programs that are not re-executed on an instruction set, and what the error says."""

_CALLED = """\
static volatile int one = 1;
static __attribute__((noinline)) int added(int number) { return number + one; }
static __attribute__((noinline)) int twice(int number) { return added(number) + added(one); }
static int numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static __attribute__((noinline)) int chosen(int a, int b, const int *from, const int *then)
{
    return from[a & 3] + then[b & 3];
}
int main(void)
{
    int sum = 0;
    for (int n = 0; n < 60; n++)
        sum += twice(n) + chosen(n, n + 1, numbers, numbers + 4);
    return sum & 63;
}
"""


def _cases() -> Iterator[ParameterSet]:
    """Yield every program on its targets at every level; all but one of these for the campaign."""
    for row, program in enumerate(read_programs()):
        targets = [target for target in sorted(TARGETS) if program.runs_on(target)]
        cases = list(product(targets, LEVELS))
        for number, (target, level) in enumerate(cases):
            marks = () if number == row % len(cases) else (pytest.mark.campaign,)
            yield pytest.param(
                program, target, level, id=f"{program.name}-{target}{level}", marks=marks
            )


@pytest.mark.parametrize(("program", "target", "level"), [*_cases()])
def test_re_execution_gives_what_the_emulator_saw(
    plugins: Plugins,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    program: Program,
    target: str,
    level: str,
) -> None:
    flags = (level, *program.flags, *EXTRA_FLAGS.get(target, ()))
    build = Build(
        TARGETS[target], flags, program.libraries, "record", "loads", in_process=True, record=True
    )
    try:
        refused = REFUSED.get((build.target.isa, program.name))
        if refused:
            with pytest.raises(RuntimeError):
                check_program(plugins, build, program.source, tmp_path)
            assert refused in capsys.readouterr().err
            return
        verdict = check_program(plugins, build, program.source, tmp_path)
    finally:
        shutil.rmtree(tmp_path)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > 20


@pytest.mark.parametrize("target", ["ppc32", "ppc64", "ppc64le"])
def test_thread_pointer_in_place_of_a_name(plugins: Plugins, tmp_path: Path, target: str) -> None:
    """`add 9,9,x@tls` reads r2 in 32-bit code and r13 in 64-bit code, which arrive."""
    build = Build(TARGETS[target], ("-O2",), (), "record", "loads", in_process=True, record=True)
    source = Path(__file__).resolve().parent / "initial_exec.c"
    verdict = check_program(plugins, build, source, tmp_path)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > 20


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_code_by_hand_in_which_no_register_is_free(
    plugins: Plugins, tmp_path: Path, target: str
) -> None:
    flags = ("-O1", "-static")
    build = Build(TARGETS[target], flags, (), "record", "loads", in_process=True, record=True)
    assembly = Path(__file__).resolve().parent / "assembly"
    more = [assembly / "by_hand.S"]
    verdict = check_program(plugins, build, assembly / "by_hand.c", tmp_path, more=more)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > (30 if TARGETS[target].isa == "powerpc" else 2)


_COUNTING = """
extern void count(void) __asm__("_mcount");
__attribute__((no_instrument_function)) void count(void)
{
    __asm__ volatile("mflr 12; mtctr 12; mtlr 0; bctr");
}
"""
"""A `_mcount` for -mprofile-kernel: it finds the caller's return address in r0."""


@pytest.mark.parametrize(
    ("target", "flags"),
    [
        ("ppc32", ("-pg",)),
        ("ppc32", ("-pg", "-fno-pie", "-no-pie")),
        ("ppc64", ("-mprofile-kernel",)),
        ("ppc64le", ("-mprofile-kernel",)),
    ],
)
def test_link_register_after_a_profiling_call(
    plugins: Plugins,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    flags: tuple[str, ...],
) -> None:
    """`_mcount` returns with its caller's return address in lr, which each function reads then, or
    returns to, and with all that the function is passed."""
    monkeypatch.chdir(tmp_path)  # for gmon.out
    is_own = target != "ppc32"
    flags = ("-O2", *(("-fprofile", *flags) if is_own else flags))
    build = Build(TARGETS[target], flags, (), "record", "loads", in_process=True, record=True)
    source = tmp_path / "called.c"
    source.write_text(_CALLED + _COUNTING * is_own)
    verdict = check_program(plugins, build, source, tmp_path)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > 20
