"""Accidents that a traced program may have: what it does, and what its trace holds after them."""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inst.cli import main as inst
from inst.commands.run_drain import drained
from inst.trace import open_trace
from inst.trace.model import Array, Flag
from tests.signals.programs import Program

NUMBERS = 0x5A000000
ALARMS = 0x5C000000
"""What the handler writes: these and the count of signals."""
KINDS = (
    "close",
    "end",
    "exec",
    "fork",
    "overflow",
    "limit",
    *(["full"] if os.geteuid() == 0 else []),
)
"""Only root may mount the small file system that gets full; the limit does nearly the same."""
LIMIT = 1 << 20
STOPPED = "cannot write"


@dataclass(frozen=True)
class Remains:
    """What a trace holds of victim.c."""

    numbers: list[int]
    alarms: list[int]
    ended: bool
    """False: its reader says that the trace is incomplete."""


def check_form(path: Path) -> bool:
    """Check that a trace is well-formed; return whether its program came to its end."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = inst(["check", "--only", "well-formed", str(path)])
    if status:
        raise AssertionError(said.getvalue())
    return "incomplete" not in said.getvalue()


def read_remains(path: Path) -> Remains:
    """Read a trace that must be well-formed; its numbers must follow one another."""
    ended = check_form(path)
    trace = open_trace(path)
    columns = ["address", "pc", "value"]
    rows = [
        batch[(batch["kind"] == 2) & (batch["size"] == 4) & _valued(batch)][columns]
        for batch in trace.events()
    ]
    stores = np.concatenate(rows)
    assert not np.any(stores["pc"] == 0), "a record is there in part"
    return Remains(
        _written_to_one_place(stores, NUMBERS),
        _written_to_one_place(stores, ALARMS),
        ended,
    )


def _valued(batch: Array) -> Array:
    """Leave out what the kernel and the C library wrote: it is reported without value and place."""
    found: Array = batch["flags"] & int(Flag.HAS_VALUE) != 0
    return found


def _written_to_one_place(stores: Array, kind: int) -> list[int]:
    """Return the numbers of a kind that one variable was given; others were put on the stack."""
    stores = stores[stores["value"] >> np.uint64(24) == kind >> 24]
    _, where, often = np.unique(stores["address"], return_inverse=True, return_counts=True)
    if not len(stores):
        return []
    numbers: list[int] = (stores["value"][where == np.argmax(often)] - np.uint64(kind)).tolist()
    return numbers


MEANWHILE = ("nothing", "clock", "storm")
"""What happens in a program that is killed: one thread alone, two and a clock's signals, or one
that is interrupted all the time."""


def kill_once(
    program: Program,
    directory: Path,
    chance: random.Random,
    meanwhile: str = "storm",
    *,
    compressed: bool = False,
) -> int:
    """Kill the program at a random moment; return how many numbers its trace still holds.

    `compressed`: it is a recording, which another process compresses meanwhile.
    """
    out = directory / "out"
    out.unlink(missing_ok=True)
    with drained() if compressed else contextlib.nullcontext():
        said = _kill(program, out, chance, meanwhile)
    assert out.read_bytes().startswith(b"INST-RZP") == compressed
    remains = read_remains(out)
    assert remains.numbers == list(range(len(remains.numbers))), "a number is missing"
    in_order = remains.alarms == list(range(len(remains.alarms)))
    assert in_order or meanwhile == "clock", "a signal's record is missing"
    assert len(remains.numbers) >= said, "what came before the last output is missing"
    assert not remains.ended, "nothing says that the trace is cut off"
    return len(remains.numbers)


def _kill(program: Program, out: Path, chance: random.Random, meanwhile: str) -> int:
    """Kill the program at a random moment; return the last number that it printed."""
    with subprocess.Popen(
        program.command(program.traced, "live", meanwhile),
        env={**os.environ, "INST_OUT": str(out)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        time.sleep(chance.random() ** 2 * 0.1)
        process.kill()
        said = process.stdout.read().rpartition("\n")[0].rpartition("\n")[2]
        errors = process.stderr.read()
        assert process.wait() == -signal.SIGKILL and not errors, errors
    return int(said or 0)


def have_accident(program: Program, kind: str, directory: Path) -> str:
    """Let the program have an accident, plain and traced; return what was seen."""
    arguments = [kind]
    if kind == "exec":
        arguments += program.command(program.traced, "again")
    room = directory / "room"
    room.mkdir(exist_ok=True)
    own = directory / "own"
    if kind in ("close", "end"):
        arguments.append(str(own))
    with _full_disk(room) if kind == "full" else contextlib.nullcontext():
        plain = program.run(program.plain, *_of_plain(program, arguments))
        out = room / "out"
        traced = program.run(
            program.traced, *arguments, out=out, limit=LIMIT if kind == "limit" else 0
        )
        assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode), traced
        remains = read_remains(out)
        assert not own.exists() or own.read_text() == "mine\n", "the program's file was changed"
        stopped = kind in ("close", "end", "full", "limit")
        assert traced.stderr.count("\n") == stopped, traced.stderr
        assert (STOPPED in traced.stderr) == stopped, traced.stderr
        wanted = {"exec": 30000, "overflow": 30100}.get(kind, 60000)
        held = len(remains.numbers)
        assert remains.numbers == list(range(held)), "a number is missing"
        assert 0 < held < wanted if stopped and kind != "end" else held == wanted, (kind, held)
        assert remains.ended == (kind in ("fork", "exec", "overflow")), (kind, remains.ended)
        _look_at_others(kind, room)
    return f"{held} of {wanted} numbers; {traced.stderr.strip() or 'nothing said'}"


def _of_plain(program: Program, arguments: list[str]) -> list[str]:
    return [str(program.plain) if one == str(program.traced) else one for one in arguments]


def _look_at_others(kind: str, room: Path) -> None:
    """Read the traces of the child, or of what came after exec."""
    others = [path for path in room.iterdir() if path.name.startswith("out.")]
    assert len(others) == (kind in ("fork", "exec")), others
    for path in others:
        remains = read_remains(path)
        wanted = range(30000, 31000) if kind == "fork" else range(60000)
        assert remains.ended and remains.numbers == list(wanted), (kind, len(remains.numbers))


@contextlib.contextmanager
def _full_disk(room: Path) -> Iterator[None]:
    """Mount a file system of a megabyte."""
    options = ["-t", "tmpfs", "-o", f"size={LIMIT}", "none", str(room)]
    subprocess.run(["mount", *options], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(room)], check=True)
