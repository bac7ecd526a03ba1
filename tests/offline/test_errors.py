"""What hooks over a recording cannot do, what is said then, and how the command ends."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from inst.target.targets import TARGETS, Target
from tests.conftest import Shell
from tests.offline.test_offline import EXAMPLES, HERE, SHOW, live, over, recorded

PPC32 = TARGETS["ppc32"]


@pytest.fixture(scope="module")
def recording(commands: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording of values of kinds.c, beside the program."""
    directory = tmp_path_factory.mktemp("recorded")
    shell = Shell(directory, {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"})
    return directory / recorded(shell, PPC32, "kinds.c", "values", "--inst-functions")


def refused(shell: Shell, *words: str | Path, text: str = "") -> str:
    """Return what is said where hooks are refused; `text` is the library's, of the name own.c."""
    (shell.directory / "own.c").write_text(
        f"#include <inst/hooks.h>\n#include <inst/support.h>\n{text}"
    )
    done = shell.run("inst", "replay", *words)
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert "Traceback" not in said
    return said


@pytest.mark.rotated("ppc64", "sparc-v8", turns=True)
def test_names_of_the_program(shell: Shell, target: Target) -> None:
    """The sampler compares functions with one of the program: its samples are those of the run."""
    sampler = f"{EXAMPLES / 'sampler.c'} -DSAMPLE=work -DSAMPLE_EVERY=3"
    source = "../hooks/sampled.c"
    expected = live(shell, target, source, sampler, "--inst-functions")
    trace = recorded(shell, target, source, "values", "--inst-functions")
    found = over(shell, trace, sampler, "program")
    assert expected[-1].startswith("4 calls, ")

    def plain(lines: list[str]) -> list[str]:
        """Leave out what is another in each build: addresses and the process."""
        return [re.sub(r"0x\w+|process \d+", "", line) for line in lines]

    assert plain(found) == plain(expected)


def test_names_without_the_program(shell: Shell, recording: Path) -> None:
    hooks = f"--hooks={EXAMPLES / 'sampler.c'} -DSAMPLE=fibonacci"
    assert "refer to `fibonacci`, which only the program has" in refused(shell, recording, hooks)
    calls = "extern int puts(const char *);\nvoid ldwhook(void) { puts(0); }"
    said = refused(shell, recording, "--hooks=./own.c", text=calls)
    assert "`puts`, which only the program has" in said
    assert "inst replay RECORDING PROGRAM" in said
    calls = calls.replace("puts", "no_such_function")
    program = recording.with_name("program")
    said = refused(shell, recording, program, "--hooks=./own.c", text=calls)
    assert f"`no_such_function`, which {program} does not define" in said


def test_events_that_traces_do_not_have(shell: Shell, recording: Path) -> None:
    said = refused(shell, recording, f"--hooks={EXAMPLES / 'heap.c'}")
    assert "allochook, releasehook, keephook (blocks are not in traces)" in said
    done = shell.run("inst", "replay", recording, "--hooks=count")
    assert done.returncode == 0
    assert b"inst: note: not called: windowhook, savehook, restorehook (" in done.stderr


def test_memory_of_the_program(shell: Shell, recording: Path) -> None:
    reads = """volatile uint32_t word;
    void ldwhook(inst_address address, inst_address pc) { word = *(const uint32_t *)pc; }"""
    said = refused(shell, recording, "--hooks=./own.c", text=reads)
    assert "the hooks in ./own.c were ended by SIGSEGV" in said
    assert "of the program there are addresses alone" in said


def test_hooks_that_end_the_process(shell: Shell, recording: Path) -> None:
    said = refused(shell, recording, "--hooks=./own.c", text="void ldwhook(void) { _EXIT(5); }")
    assert "the hooks in ./own.c ended the process, with status 5" in said
    said = refused(shell, recording, "--hooks=./own.c", text="void ldwhok(void) { }")
    assert "there is no hook `ldwhok`" in said


def test_values_that_were_not_recorded(shell: Shell) -> None:
    name = recorded(shell, PPC32, "walk.c", "addresses")
    reads = "uint32_t sum;\nvoid ldwhook(inst_address a, inst_address p, uint32_t v) { sum += v; }"
    said = refused(shell, name, "--hooks=./own.c", text=reads)
    assert f"{name} has addresses without values, and the hooks read values" in said
    expected = live(shell, PPC32, "walk.c", str(EXAMPLES / "cache.c"))
    found = over(shell, name, str(EXAMPLES / "cache.c"))
    assert found[:2] == expected[:2]


def test_what_is_no_recording(shell: Shell, recording: Path) -> None:
    shell.check("inst", "convert", recording, "trace.sexp")
    assert "is neither a recording nor a trace in RST" in refused(
        shell, "trace.sexp", "--hooks=count"
    )
    assert "not a trace" in refused(shell, HERE / "kinds.c", "--hooks=count")
    assert "cannot open the trace" in refused(shell, "nothing.rec", "--hooks=count")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--hooks=rst",), "writes traces"),
        (("--hooks=no-such",), "no-such"),
        (("--hooks=./no-such.c",), "no-such.c"),
        (("--hooks=count", "-o", "x.rst"), "--output is not for --hooks"),
        (("--hooks=count", "--to", "sexp"), "--to is not for --hooks"),
        (("--hooks=count", "-m"), "--memory is not for --hooks"),
        (("--hooks=count", "-j", "2"), "--jobs is not for --hooks"),
        (("--hooks=count", "--gdb", "0"), "--gdb is not for --hooks"),
    ],
)
def test_options(shell: Shell, recording: Path, words: tuple[str, ...], said: str) -> None:
    done = shell.run("inst", "replay", recording, *words)
    assert done.returncode in (1, 2)
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_damage(shell: Shell, recording: Path) -> None:
    """Without --partial nothing is said of what is before it; with it the hooks come to an end."""
    shell.check("inst", "convert", recording, "trace.rst")
    content = (shell.directory / "trace.rst").read_bytes()
    (shell.directory / "cut.rst").write_bytes(content[: len(content) * 3 // 4 + 5])
    said = refused(shell, "cut.rst", f"--hooks={SHOW}")
    assert "cut short" in said
    assert "exithook" not in said
    kept = refused(shell, "cut.rst", "--partial", f"--hooks={SHOW}")
    assert "cut short" in kept
    assert "exithook" in kept
    assert kept.count("hook ") > 50
