"""Traces of real programs: the same events in both formats; readable if the program is killed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from inst.check import check_trace
from inst.program.program import Locator
from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.ending import UNENDED
from inst.trace.model import Kind, Trace
from tests.warm import python

PROGRAM = """\
#include <signal.h>
#include <unistd.h>
#include <stdlib.h>
int numbers[10];
double sums[2];
unsigned char bytes[4];

__attribute__((noinline)) void work(int count)
{
    for (int i = 0; i < count; i++) {
        numbers[i % 10] += i;
        bytes[i & 3] ^= numbers[i % 7];
        sums[i & 1] += i;
    }
}

int main(int argc, char **argv)
{
    work(atoi(argv[1]));
    if (argc > 2)
        kill(getpid(), SIGKILL);
    return 0;
}
"""


LOADED = 0x10000
"""Numbers of the program are smaller; words from here on are where something was loaded."""


def build(target: str, hooks: str, folder: Path) -> Path:
    (folder / "work.c").write_text(PROGRAM)
    program = folder / f"work-{hooks}"
    command = [python(), "-m", "inst.wrap.cc", f"--inst-hooks={hooks}"]
    command += [*TARGETS[target].compiler, "-g", "-O2", "-o", str(program)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([*command, str(folder / "work.c")], check=True, env=environment)
    return program


def run(program: Path, *arguments: str) -> Path:
    output = program.with_suffix(".trace")
    subprocess.run(
        command_for(program, list(arguments)),
        env=os.environ | {"INST_OUT": str(output)},
        check=False,
    )
    return output


def story(trace: Trace, program: Path) -> list[tuple[object, ...]]:
    """What happened in `work`, in words that do not depend on where things were loaded."""
    locate = Locator([str(program)], trace)
    found: list[tuple[object, ...]] = []
    for event in trace.objects():
        place = locate(event.pc) if event.pc is not None else None
        if place and place.function == "work" and place.line in (11, 12, 13):
            pointer = event.size == 4 and (event.value or 0) >= LOADED
            value = "an address" if pointer else event.value
            found.append((place.line, place.text, event.kind, event.size, value))
    return found


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("target", ["sparc-v8", "ppc32"])
def test_both_formats_tell_the_same_story(target: str, tmp_path: Path) -> None:
    stories = []
    for hooks in ("rst", "sexp"):
        program = build(target, hooks, tmp_path)
        output = run(program, "40")
        trace = open_trace(output)
        assert trace.format == hooks
        stories.append(story(trace, program))
        assert "hooks=" + hooks in trace.facts.strings
        report = check_trace(open_trace(output))
        assert (report.findings, report.notes, report.error) == ([], [], None)
    assert stories[0] == stories[1]
    numbers = [event for event in stories[0] if event[0] == 11 and event[2] == Kind.WRITE]
    assert [event[4] for event in numbers][:11] == [*range(10), 10]
    sums = [event for event in stories[0] if event[0] == 13 and event[3] == 8]
    assert sum(event[2] == Kind.WRITE for event in sums) == 40


@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_a_killed_program_leaves_all_its_events(hooks: str, tmp_path: Path) -> None:
    program = build("ppc32", hooks, tmp_path)
    output = run(program, "40", "die")
    trace = open_trace(output)
    assert sum(event[0] == 11 and event[2] == Kind.WRITE for event in story(trace, program)) == 40
    assert len(trace.notes) == 1 and UNENDED in trace.notes[0]
    assert check_trace(open_trace(output)).findings == []
