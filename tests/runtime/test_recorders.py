"""A program and its instrumented shared objects write one trace each: they say so."""

from __future__ import annotations

from pathlib import Path

from inst.target.emulator import command_for
from inst.target.targets import Target
from inst.trace import open_trace
from tests.conftest import Shell

LIBRARY = "int cell; int set(int value) { cell = value; return cell; }\n"
PROGRAM = """
#include <unistd.h>
#include <sys/wait.h>
int own, set(int);
int main(void)
{
    own = set(7);
    if (fork() == 0)
        return set(own) - 7;
    int status = 0;
    wait(&status);
    return own - 7 + status;
}
"""


def test_a_program_and_its_library(shell: Shell, target: Target) -> None:
    """All traces, the earlier ones too, say that there are two; standard error does once, and not
    again in a child of fork.
    """
    hooks = {"sparc-v8": "sexp", "ppc64le": "stf"}.get(target.name, "rst")
    said, names = _run(shell, target, hooks)
    assert len(said.splitlines()) == 1
    assert said.startswith(b"inst: this process writes 2 traces: ")
    assert b"/out.libset.so" in said
    assert len(names) == 4
    facts = [_facts(name) for name in names]
    assert [one["recorders"] for one in facts] == ["2"] * 4
    assert len({one["run"] for one in facts}) == 2


def _facts(path: Path) -> dict[str, str]:
    trace = open_trace(path)
    for _ in trace.batches():
        pass
    return trace.facts.producer


def _run(shell: Shell, target: Target, hooks: str) -> tuple[bytes, list[Path]]:
    """Return what the program says on standard error, and its traces."""
    (shell.directory / "lib.c").write_text(LIBRARY)
    (shell.directory / "a.c").write_text(PROGRAM)
    compiler = ["inst-cc", f"--inst-hooks={hooks}", *target.compiler]
    shell.check(*compiler, "-fPIC", "-shared", "lib.c", "-o", "libset.so")
    shell.check(*compiler, "a.c", "./libset.so", "-o", "a")
    out = str(shell.directory / "out")
    done = shell.run(*command_for(shell.directory / "a", []), INST_OUT=out)
    assert done.returncode == 0
    return done.stderr, sorted(shell.directory.glob("out*"))
