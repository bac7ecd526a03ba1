"""Programs whose own code runs before the C library has set up thread-local storage."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.check import check_trace
from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Event, Kind
from tests.conftest import Shell

SOURCE = Path(__file__).parent / "files" / "own.c"


def test_own_functions_of_a_static_program(shell: Shell, target: Target) -> None:
    """Each store to the number of early calls is in the trace, from the first on."""
    hooks = {"sparc-v9": "sexp", "ppc64": "stf"}.get(target.name, "rst")
    text = _run(shell, target, hooks, "-static")
    assert text[:4] == ["42", "two", "6", "1"]
    early = int(text[4])
    assert early > 0
    path = shell.directory / "out"
    assert _stored(shell, path, "times_resolved") == [1]
    assert _stored(shell, path, "calls_before_main") == list(range(1, early + 1))
    assert check_trace(open_trace(path)).findings == []


def test_counts_of_a_static_program(shell: Shell, target: Target) -> None:
    """What is counted before and after the change of the thread pointer is one sum."""
    text = _run(shell, target, "count", "-static")
    assert text[:4] == ["42", "two", "6", "1"]
    counts = dict(line.split() for line in (shell.directory / "out").read_text().splitlines())
    assert int(counts["all"]) > 4 * int(text[4])


@pytest.mark.parametrize("hooks", ["count", "rst"])
def test_a_resolver_of_a_dynamic_program(shell: Shell, target: Target, hooks: str) -> None:
    """The environment, where INST_OUT is, is not the C library's yet, and nothing of the storage
    has its initial value.
    """
    text = _run(shell, target, hooks)
    assert text[:3] == ["42", "two", "6"]
    assert sorted(path.name for path in shell.directory.iterdir()) == ["out", "own"]
    if hooks == "rst":
        path = shell.directory / "out"
        assert _stored(shell, path, "times_resolved") == [*range(1, int(text[3]) + 1)]


@pytest.mark.parametrize("name", ["ppc64", "ppc64le"])
def test_vector_registers_before_constructors(name: str, shell: Shell) -> None:
    """Both halves of a VSX register are saved by the first events, too."""
    source = SOURCE.with_name("early_vectors.c")
    flags = ("-O2", "-mcpu=power8", "-static")
    shell.check("inst-cc", "--inst-hooks=rst", *TARGETS[name].compiler, *flags, source, "-o", "own")
    assert shell.check(*command_for(shell.directory / "own", []), INST_OUT="out") == "0\n"


def _run(shell: Shell, target: Target, hooks: str, *flags: str) -> list[str]:
    """Return the words that the program prints."""
    command = ["inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-O1", "-w", "-fno-builtin"]
    shell.check(*command, *flags, SOURCE, "-o", "own")
    done = shell.run(*command_for(shell.directory / "own", []), INST_OUT="out")
    assert (done.returncode, done.stderr) == (7, b"")
    return done.stdout.decode().split()


def _events(path: Path) -> tuple[list[Event], int]:
    """Return the accesses of a trace and the address of the program's first byte."""
    trace = open_trace(path)
    events = [event for event in trace.objects() if event.kind in (Kind.READ, Kind.WRITE)]
    return events, int(trace.facts.producer["image"].rpartition("=0x")[2], 16)


def _stored(shell: Shell, path: Path, name: str) -> list[int | None]:
    """Return the values that a variable was given, in order; all events are of one thread."""
    events, base = _events(path)
    assert len({event.cpu for event in events}) == 1
    lines = (line.split() for line in shell.check("nm", "own").splitlines())
    (linked,) = (int(line[0], 16) for line in lines if line[-1] == name)
    address = linked if linked >= base else linked + base
    return [e.value for e in events if e.kind == Kind.WRITE and e.address == address]
