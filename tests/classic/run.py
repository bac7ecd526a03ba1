"""Run the programs: what they wrote, how long they took, what they executed."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from truth.emulator import Plugins
from truth.gzip_truth import make_data

from inst.target.emulator import command_for
from tests.classic.terminal import AwaitStop, Keys, Resize, Send, Step, drive
from tests.classic.workloads import WORK, tcc_input

TASKS = {"gzip": "gzip", "gunzip": "gzip", "tcc": "tcc", "vi": "vi"}
"""What is run, and the program that does it."""
_SIZE = Resize(24, 80)
SESSION: list[Step] = [
    Keys(b"/needle\r"),
    Keys(b"dd"),
    Keys(b"G"),
    Keys(b"p"),
    Keys(b"ofull screen\x1b"),
    Send(signal.SIGTSTP),
    AwaitStop(),
    Send(signal.SIGCONT),
    Keys(b":%s/word/phrase/g\r"),
    Keys(b"u"),
    Keys(b"ihalf a wo"),
    Keys(b"\x03"),
    Keys(b"\x1b"),
    Resize(40, 100),
    Keys(b"1G"),
    Keys(b"5yy"),
    Keys(b"3p"),
    Keys(b"\x06"),
    Send(signal.SIGWINCH),
    Keys(b"\x1a"),
    AwaitStop(),
    Send(signal.SIGCONT),
    Resize(18, 60),
    Keys(b"10dd"),
    Keys(b"."),
    Send(signal.SIGINT),
    Keys(b"A the end\x1b"),
    Keys(b":w\r"),
    Keys(b":q\r"),
]
"""Two suspensions (by signal and by key), two interrupts, four changes of the window."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the programs are given."""

    data: Path
    packed: Path
    source: Path
    text: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave."""

    result: tuple[bytes, ...]
    """All that must be the same however the program was built."""
    errors: bytes
    seconds: float
    """User processor time of the emulator."""
    instructions: int = 0


def make_inputs(directory: Path, data_bytes: int, small: bool) -> Inputs:
    """Write the inputs; the small source is one file of a hundred functions."""
    directory.mkdir(parents=True, exist_ok=True)
    data = make_data(directory / "data", data_bytes)
    packed = directory / "data.gz"
    done = subprocess.run(["gzip", "-nc", str(data)], capture_output=True, check=True)
    packed.write_bytes(done.stdout)
    source = directory / "source.c"
    if small:
        source.write_text("".join(_small_function(number) for number in range(100)))
    else:
        tcc_input(source)
    text = directory / "text"
    lines = [f"line {n}: a word and a word{' needle' if n == 77 else ''}\n" for n in range(150)]
    text.write_text("".join(lines))
    return Inputs(data, packed, source, text)


def _small_function(number: int) -> str:
    return (
        f"struct s{number} {{ int a; char *text; }};\n"
        f"int f{number}(struct s{number} *s, int n) {{\n"
        f'  switch (n) {{ case {number}: return s->a; case -1: s->text = "text {number}"; }}\n'
        f"  for (int i = 0; i < n; i++) s->a += i * {number} + s->text[i];\n"
        f"  return s->a > {number} ? s->a : n;\n}}\n"
    )


def run_task(
    task: str,
    program: Path,
    inputs: Inputs,
    plugins: Plugins | None = None,
    environment: dict[str, str] | None = None,
) -> Outcome:
    """Run a task; with plugins the instructions are counted, and the time means nothing."""
    log = WORK / "instructions"
    options = ("-plugin", f"{plugins.insncount},out={log}") if plugins else ()
    runner = _run_vi if task == "vi" else _run_once
    outcome = runner(task, program, inputs, options, environment or {})
    count = int(log.read_text().split()[1]) if plugins else 0
    return Outcome(outcome.result, outcome.errors, outcome.seconds, count)


def _run_once(
    task: str, program: Path, inputs: Inputs, options: tuple[str, ...], variables: dict[str, str]
) -> Outcome:
    made = inputs.source.with_suffix(".o")
    made.unlink(missing_ok=True)
    arguments = {
        "gzip": ["-nc", str(inputs.data)],
        "gunzip": ["-dc", str(inputs.packed)],
        "tcc": ["-nostdinc", "-c", str(inputs.source), "-o", str(made)],
    }[task]
    command = command_for(program, arguments, ("-0", task, *options))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, env={**os.environ, **variables})
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    compiled = made.read_bytes() if made.exists() else b""
    return Outcome((b"%d" % done.returncode, done.stdout, compiled), done.stderr, seconds)


def _run_vi(
    task: str, program: Path, inputs: Inputs, options: tuple[str, ...], variables: dict[str, str]
) -> Outcome:
    edited = inputs.text.with_name("edited")
    edited.write_bytes(inputs.text.read_bytes())
    # A name alone: vi waits for a key where its status line is longer than the window.
    command = command_for(program, [edited.name], ("-0", task, *options))
    session = drive(command, SESSION, _SIZE, variables, inputs.text.with_name("vi.errors"))
    result = (b"%d" % session.status, session.screen, edited.read_bytes())
    return Outcome(result, session.errors, session.seconds)
