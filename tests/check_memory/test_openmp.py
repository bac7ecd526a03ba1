"""How OpenMP's constructs order threads, and what of libgomp is not seen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inst.calls.openmp import UNORDERED, constructs, is_unseen
from inst.check import check_trace
from inst.program.program import Locator
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.finding import Report
from tests.conftest import Shell
from tests.sizes import rounds

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

PROGRAM = Path(__file__).parent / "programs" / "openmp.c"
TASKS = {8: {"by_task", "ran"}, 9: {"by_child", "ran"}}
WAYS = {
    1: {"by_critical"}, 2: {"by_name"}, 3: {"by_lock"}, 4: {"by_nest"}, 5: {"by_barrier", "ran"},
    6: {"by_loop"}, 7: {"by_ordered"}, **TASKS,
}  # fmt: skip
"""What each way of openmp.c guards."""
UNSEEN = """\
int steps[8];
int main(void)
{
#pragma omp parallel for num_threads(2) ordered(1)
    for (int n = 1; n < 8; n++) {
#pragma omp ordered depend(sink : n - 1)
        steps[n] = steps[n - 1] + 1;
#pragma omp ordered depend(source)
    }
    return steps[7];
}
"""
REGION = """\
void call(void (*body)(int))
{
#pragma omp parallel num_threads(2)
#pragma omp critical
    body(1);
}
"""
CALLER = """\
void call(void (*)(int));
static int sum;
static void add(int one) { sum += one; }
int main(void)
{
    call(add);
    return sum;
}
"""
TASK = """\
struct counted {
    int *copies, value;
    counted(int *copies, int value) : copies(copies), value(value) {}
    counted(const counted &other) : copies(other.copies), value(other.value)
    {
#pragma omp atomic
        ++*copies;
    }
};
int main()
{
    int copies = 0, sum = 0;
    counted one(&copies, 5);
    alignas(64) long wide[3] = { 1, 2, 3 };
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task firstprivate(one, wide)
#pragma omp critical
        sum += one.value + wide[2] + !((unsigned long)wide % alignof(long) == 0);
#pragma omp taskloop firstprivate(one) num_tasks(2)
        for (unsigned long long n = 1ull << 33; n < (1ull << 33) + 6; n++)
#pragma omp critical
            sum += one.value + (n >> 33);
    }
    return copies >= 3 ? sum : 0;
}
"""


def checked(shell: Shell, *words: str, checks: tuple[str, ...] = ("races", "locks")) -> Report:
    shell.check("inst", "run", "-o", "p.rec", "./p", *words)
    trace = open_trace(shell.directory / "p.rec")
    report = check_trace(trace, checks, locator=Locator([str(shell.directory / "p")], trace))
    assert report.error is None
    return report


def build(shell: Shell, target: Target, record: str, *options: str) -> None:
    shutil.copy(PROGRAM, shell.directory / "p.c")
    shell.check("inst-cc", f"--inst-record={record}", *target.compiler, "-O1", "-g", "-fopenmp",
                "-Wall", *options, "p.c", "-o", "p")  # fmt: skip


@pytest.mark.parametrize("record", ["values", "loads"])
def test_what_constructs_order(record: str, target: Target, shell: Shell) -> None:
    """Correct with all of them; without one of them, what that guards is raced for."""
    build(shell, target, record, *(("-static",) if record == "loads" else ()))
    for _ in range(rounds(3)):
        report = checked(shell)
        assert (report.findings, report.notes) == ([], [])
    source = PROGRAM.read_text().splitlines()
    half = (target.name in ("ppc32", "ppc64le", "sparc-v9")) == (record == "loads")
    for way in sorted(WAYS)[half::2]:
        found = checked(shell, str(way)).findings
        assert found, way
        for finding in found:
            line = source[int(finding.site.rpartition(":")[2]) - 1]
            assert any(name in line for name in WAYS[way]), (way, line)


def test_recordings_are_whole_and_executed_again(target: Target, shell: Shell) -> None:
    """Threads that wait for work when the process ends, in functions that the library calls."""
    build(shell, target, "loads")
    shell.check("inst", "run", "-o", "p.rec", "./p")
    report = shell.check("inst", "check", "--strict", "p.rec", "p")
    assert "clean" in report and "incomplete" not in report
    executed = shell.check("inst", "replay", "p.rec", "-o", "p.rst")
    assert "note" not in executed
    assert open_trace(shell.directory / "p.rst").facts


def test_functions_without_wrappers_are_named(target: Target, shell: Shell) -> None:
    (shell.directory / "p.c").write_text(UNSEEN)
    shell.check("inst-cc", *target.compiler, "-O1", "-fopenmp", "p.c", "-o", "p")
    assert shell.run("inst", "run", "-o", "p.rec", "./p").returncode == 7
    report = check_trace(open_trace(shell.directory / "p.rec"), ("races",))
    (note,) = report.notes
    assert note.startswith("races: GOMP_") and "so races were not looked for" in note


@pytest.mark.parametrize("linked", [(), ("-static",)], ids=["dynamic", "static"])
def test_regions_of_plain_code_are_not_seen(
    linked: tuple[str, ...], target: Target, shell: Shell
) -> None:
    (shell.directory / "p.c").write_text(CALLER)
    (shell.directory / "region.c").write_text(REGION)
    shell.check(*target.compiler, "-O1", "-fopenmp", "-c", "region.c")
    shell.check("inst-cc", *target.compiler, "-O1", "-fopenmp", *linked, "p.c", "region.o", "-o",
                "p")  # fmt: skip
    assert shell.run("inst", "run", "-o", "p.rec", "./p").returncode == 2
    report = check_trace(open_trace(shell.directory / "p.rec"), ("races",))
    assert any("libgomp in the program is not instrumented" in note for note in report.notes)


def test_tasks_get_their_data(target: Target, shell: Shell) -> None:
    """Also what has constructors, is aligned further, and what the library writes there."""
    (shell.directory / "p.cc").write_text(TASK)
    compiler = [one.replace("-gcc", "-g++") for one in target.compiler]
    shell.check("inst-cc", *compiler, "-O1", "-fopenmp", "p.cc", "-o", "p")
    assert shell.run("inst", "run", "-o", "p.rec", "./p").returncode == 5 + 3 + 6 * 6
    report = check_trace(open_trace(shell.directory / "p.rec"), ("races",))
    assert (report.findings, report.notes) == ([], [])


def test_every_function_has_a_wrapper(target: Target, shell: Shell) -> None:
    declared = "".join(f"void {name}(void);\n" for name in constructs())
    (shell.directory / "p.c").write_text(
        f"{declared}void (*const all[])(void) = {{ {', '.join(constructs())} }};\n"
        "int main(int count, char **words) { return all[count + 99] == main; }\n"
    )
    shell.check("inst-cc", *target.compiler, "-w", "-fopenmp", "-static", "p.c", "-o", "p")
    symbols = shell.check("nm", "p")
    assert all(f" inst.wrap.{name}\n" in symbols for name in constructs())


def test_what_orders_threads_and_is_not_seen() -> None:
    unseen = ("GOMP_target", "GOMP_doacross_wait", "__kmpc_fork_call", "omp_fulfill_event")
    assert all(is_unseen(name) for name in unseen)
    assert not any(is_unseen(name) for name in (*UNORDERED, "omp_get_thread_num", "omp_helper"))
