"""A signal before each instruction that records what a library function has written.

That is the run time's `inst_writes`: the emulator stops at its start, goes on by a number of
instructions, and takes the signal there.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from inst.common.gdb_packets import Packets, packed
from inst.program.program import Program
from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.signals.accidents import check_form
from tests.signals.programs import RECORD, Builder, builder
from tests.sizes import stride

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
STEPS = 60
"""More instructions than the function has."""
FIRST, SECOND = 200, 256
"""How many bytes range.c has written at once."""
SIGNALS = (signal.SIGALRM, signal.SIGTERM, signal.SIGKILL)
"""A handler that never returns, and two ends."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


class Stopped:
    """A program that the emulator's gdb stub has stopped, over a connection to that."""

    def __init__(self, process: subprocess.Popen[bytes], connection: socket.socket) -> None:
        self._process, self._connection = process, connection
        self._packets = Packets(lambda: connection.recv(4096) or b"$X00#", connection.sendall)
        assert self.ask("?").startswith("T05")

    def ask(self, request: str) -> str:
        """Send a packet, and return what is answered."""
        self._connection.sendall(packed(request.encode()))
        return (self._packets.next() or b"").decode()

    def run_to(self, address: int) -> None:
        """Go on up to an instruction."""
        assert self.ask(f"Z0,{address:x},4") == "OK"
        assert self.ask("c").startswith("T05")
        assert self.ask(f"z0,{address:x},4") == "OK"

    def end(self, number: int) -> str:
        """Go on with a signal to the end; return what was printed."""
        os.kill(self._process.pid, number)
        if number != signal.SIGKILL:
            stopped = f"T{number:02x}"
            assert self.ask("c").startswith(stopped)
            while self.ask(f"C{number:02x}").startswith(stopped):
                pass  # it is sent once more, by the run time
        return self._process.communicate(timeout=20)[0].decode()


@contextlib.contextmanager
def stopped(program: Path, out: Path) -> Iterator[Stopped]:
    """Begin a program; the stub listens in the current directory."""
    command = command_for(program, [], ("-g", "stub"))
    environment = {**os.environ, "INST_OUT": str(out)}
    with (
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process,
        socket.socket(socket.AF_UNIX) as connection,
    ):
        try:
            connection.settimeout(20)
            deadline = time.monotonic() + 20
            while connection.connect_ex("stub"):
                assert time.monotonic() < deadline, "the emulator does not listen"
                time.sleep(0.002)
            yield Stopped(process, connection)
        finally:
            process.kill()
            Path("stub").unlink(missing_ok=True)  # left behind by what is killed


def address_of(program: Path, name: str, target: str) -> int:
    """Return an instruction that each call of a function executes, among its first.

    Of ELFv2 (ppc64le) calls of a module's own functions begin behind the two instructions that
    set register 2.
    """
    address = next(at for at, _, one in Program(program).function_table() if one == name)
    return address + 8 if target == "ppc64le" else address


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("target", TARGETS)
def test_a_range_is_recorded_or_not(
    built: Builder, target: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, out = built(target, "range.c", RECORD).traced, Path("trace.rec")
    places = [address_of(program, name, target) for name in ("write_memory", "inst_writes")]
    found = []
    for steps in range(0, STEPS, stride(3)):
        with stopped(program, out) as run:
            for place in places:
                run.run_to(place)
            for _ in range(steps):
                assert run.ask("s").startswith("T05")
            printed = run.end(number)
        assert printed == ("end\n" if number == signal.SIGALRM else "")
        assert check_form(out) == (number != signal.SIGKILL)
        rows = np.concatenate(list(open_trace(out).events()))
        sizes = rows[rows["kind"] == Kind.WRITE]["size"].tolist()
        assert sizes.count(SECOND) == (number == signal.SIGALRM)
        found.append(sizes.count(FIRST))
    assert found == sorted(found) and set(found) == {0, 1}, found
