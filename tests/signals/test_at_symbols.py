"""Signals at chosen instructions of the run time: gdb delivers them through the emulator."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from inst.cli import main
from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from tests.conftest import Shell, require_tools
from tests.signals.programs import HERE

SOURCE = HERE / "at_symbol.c"
LISTENING = "00010000"
"""Flags of a socket in /proc/net/unix: __SO_ACCEPTCON."""


def wait_for(socket: Path, emulator: subprocess.Popen[bytes]) -> None:
    """Wait until the emulator accepts a connection."""
    while emulator.poll() is None:
        rows = (row.split() for row in Path("/proc/net/unix").read_text().splitlines())
        if any(row[-1] == str(socket) and row[3] == LISTENING for row in rows):
            return
        time.sleep(0.02)
    pytest.fail(f"the emulator ended with {emulator.returncode}")


def run_with_signal_at(shell: Shell, symbol: str) -> str:
    """Run the program `p`; SIGUSR1 arrives at the first instruction of a function, once."""
    require_tools("gdb-multiarch")
    socket = shell.directory / "gdb"
    program = shell.directory / "p"
    command = command_for(program, [], ["-E", "INST_OUT=p.rst", "-g", str(socket)])
    orders = (f"target remote {socket}", f"break *{symbol}", "continue", "delete", "signal SIGUSR1")
    words = [word for order in ("set sysroot", *orders) for word in ("-ex", order)]
    with subprocess.Popen(command, cwd=shell.directory) as emulator:
        wait_for(socket, emulator)
        printed = shell.check("gdb-multiarch", "-nx", "-batch", *words, "p")
        assert emulator.wait() == 0
    return printed


@pytest.mark.parametrize("name", ["sparc-v8", "sparc-v9"])
def test_a_function_that_glue_s_callee_has_jumped_to(name: str, shell: Shell) -> None:
    """Before its save, %o7 is the call in glue of the function that jumped there."""
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    options = ("-O2", "-static", str(SOURCE), "-o", "p")
    shell.check("inst-cc", "--inst-hooks=rst", *target.compiler, *options)
    assert "inst_report_exchange" in run_with_signal_at(shell, "inst_report_exchange")
    path = str(shell.directory / "p.rst")
    words = [event.detail for event in open_trace(path).objects() if "signal" in event.detail]
    assert words == ["signal in a hook", "back from signal"]
    assert main(["check", "--strict", "--set", "memory=strict", path]) == 0
