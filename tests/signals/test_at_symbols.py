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


def debug(shell: Shell, symbol: str, orders: str) -> tuple[str, str]:
    """Run the program `p` to a function, then what gdb is told; return what gdb and `p` print."""
    require_tools("gdb-multiarch")
    socket = shell.directory / "gdb"
    program = shell.directory / "p"
    command = command_for(program, [], ["-E", "INST_OUT=p.rst", "-g", str(socket)])
    begin = f"set sysroot\ntarget remote {socket}\nbreak *{symbol}\ncontinue\ndelete\n"
    (shell.directory / "orders").write_text(begin + orders)
    with subprocess.Popen(command, cwd=shell.directory, stderr=subprocess.PIPE) as emulator:
        wait_for(socket, emulator)
        printed = shell.check("gdb-multiarch", "-nx", "-batch", "-x", "orders", "p")
        _, said = emulator.communicate()
        assert emulator.returncode == 0
    return printed, said.decode()


@pytest.mark.parametrize("name", ["sparc-v8", "sparc-v9"])
def test_a_function_that_glue_s_callee_has_jumped_to(name: str, shell: Shell) -> None:
    """Before its save, %o7 is the call in glue of the function that jumped there."""
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    options = ("-O2", "-static", str(SOURCE), "-o", "p")
    shell.check("inst-cc", "--inst-hooks=rst", *target.compiler, *options)
    printed, _ = debug(shell, "inst_report_exchange", "signal SIGUSR1\n")
    assert "inst_report_exchange" in printed
    path = str(shell.directory / "p.rst")
    words = [event.detail for event in open_trace(path).objects() if "signal" in event.detail]
    assert words == ["signal in a hook", "back from signal"]
    assert main(["check", "--strict", "--set", "memory=strict", path]) == 0


EVERY_INSTRUCTION = """\
set $caller = $lr
while $pc != $caller
tbreak *$pc
signal SIGUSR1
info symbol $pc
stepi
end
continue
"""
"""From the start of a function to its return; a breakpoint stops the program behind the handler.
gdb cannot do this on SPARC, where it steps with breakpoints of its own."""


@pytest.mark.parametrize("name", ["ppc32", "ppc64", "ppc64le"])
def test_every_instruction_of_a_hook_call(name: str, shell: Shell) -> None:
    """The hook calls functions; in prologues and epilogues the return address is in r0."""
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    hooks, program = HERE / "calls_in_hook.c", HERE / "one_load.c"
    options = ("-O2", "-static", str(program), "-o", "p")
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, *options)
    printed, said = debug(shell, "load_once", EVERY_INSTRUCTION)
    places = [row.split(" in section ")[0] for row in printed.splitlines() if " in section " in row]
    outside = sum(place.split(" ")[0] == "load_once" for place in places)
    assert said == f"signals in the hook: {len(places) - outside}, elsewhere: {outside}\n"
    assert 0 < outside < 12 < len(places)
