"""What is mapped of a file changes when the file is written: no read of it is a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.check import Options, check_trace
from inst.formats.sexp.trace import SexpTrace
from inst.target.targets import Target
from inst.trace import open_trace
from tests.conftest import Shell

PROGRAM = Path(__file__).parent / "programs" / "mapped.c"
STRICT = Options(settings={"memory": "strict"})
READS = (("read", 0x0), ("read", 0x1), ("read", 0x1), ("read", 0x2))


def _trace(*events: tuple[str, int] | tuple[str, int, int]) -> SexpTrace:
    """Return a trace of reads at 0x5000 and of hints about mappings."""
    lines = []
    for number, (what, *values) in enumerate(events, 1):
        head = f"(id {number}) (tid 1)"
        if what == "read":
            size = f"(address 0x5000) (value {values[0]:#x}) (size 4)"
            lines.append(f'(mem-read {head} {size} (src "a.c:1"))')
        else:
            where = f"(kind {what}) (location {values[0]:#x}) (value {values[1]:#x})"
            lines.append(f'(hint {head} {where} (src "mmap"))')
    return SexpTrace("t", ["\n".join([*lines, ""]).encode()])


@pytest.mark.parametrize(
    ("before", "findings", "counted"),
    [
        ([], 2, 0),
        ([("mapping_shared", 0x4000, 0x1000)], 2, 0),
        ([("mapping_shared", 0x4000, 0x1004)], 0, 2),
        ([("mapping_shared", 0x5000, 0x1000)], 0, 2),
        ([("mapping_shared", 0x5001, 0x1000)], 2, 0),
        ([("mapping_shared", 0x4000, 0x3000), ("mapping_removed", 0x4000, 0x1000)], 0, 2),
        ([("mapping_shared", 0x4000, 0x3000), ("mapping_removed", 0x5000, 0x1000)], 2, 0),
        ([("mapping_shared", 0x5000, 0x1000), ("mapping_removed", 0x5000, 0)], 2, 0),
        ([("mapping_shared", 0x4000, 0x3000), ("mapping_removed", 0x5000, 0)], 0, 2),
        ([("mapping_shared", 0x9000, 0x1000), ("mapping_moves", 0x9000, 0x1000),
          ("mapping_moved", 0x5000, 0x2000)], 0, 2),
        ([("mapping_moves", 0x9000, 0x1000), ("mapping_moved", 0x5000, 0x2000)], 2, 0),
        ([("mapping_shared", 0x5000, 0x1000), ("mapping_moves", 0x5000, 0x1000),
          ("mapping_moved", 0x9000, 0x1000)], 2, 0),
    ],
)  # fmt: skip
def test_only_reads_of_mappings_are_left_alone(
    before: list[tuple[str, int, int]], findings: int, counted: int
) -> None:
    report = check_trace(_trace(*before, *READS), ("memory-sound",), STRICT)
    assert len(report.findings) == findings
    said = (
        f"{counted} reads found bytes that had changed without a record in mappings that others "
        "may write, of files or with other processes"
    )
    assert report.notes == [said] * bool(counted)


@pytest.mark.rotated("ppc32", "sparc-v8", "ppc64le", turns=True)
@pytest.mark.parametrize("hooks", ["record", "rst", "sexp"])
def test_a_mapped_file_is_written(target: Target, hooks: str, shell: Shell) -> None:
    way = [] if hooks == "record" else [f"--inst-hooks={hooks}"]
    shell.check("inst-cc", *way, *target.compiler, "-g", "-O1", PROGRAM, "-o", "p")
    name = "p.rec" if hooks == "record" else f"p.{hooks}"
    assert shell.check("inst", "run", "./p", INST_OUT=name) == "0 120 240 1\n"
    report = check_trace(open_trace(shell.directory / name), options=STRICT)
    assert report.findings == []
    assert any("in mappings that others may write" in note for note in report.notes)


ATTACHED = r"""
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    volatile int *at = shmat(id, 0, 0);
    if (shmctl(id, IPC_RMID, 0) || at == (void *)-1)
        return 2;
    at[5] = 1;
    int before = at[5];
    pid_t child = fork();
    if (!child) {
        at[5] = 7;
        _exit(0);
    }
    waitpid(child, 0, 0);
    printf("%d %d\n", before, at[5]);
    return shmdt((const void *)at);
}
"""


@pytest.mark.rotated("ppc32", "sparc-v8", "sparc-v9", turns=True)
@pytest.mark.parametrize("way", ["--inst-record=values", "--inst-record=loads", "--inst-hooks=rst"])
def test_attached_memory_is_written_by_another_process(
    target: Target, way: str, shell: Shell
) -> None:
    (shell.directory / "a.c").write_text(ATTACHED)
    shell.check("inst-cc", way, *target.compiler, "-g", "-O1", "a.c", "-o", "p")
    assert shell.check("inst", "run", "./p", INST_OUT="p.trace") == "1 7\n"
    report = check_trace(open_trace(shell.directory / "p.trace"), options=STRICT)
    assert report.findings == []
    assert any("in mappings that others may write" in note for note in report.notes)
