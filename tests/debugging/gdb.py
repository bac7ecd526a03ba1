"""gdb with a recording, which it starts `inst replay` for."""

from __future__ import annotations

from tests.conftest import Shell, require_tools


def under_gdb(shell: Shell, record: str, program: str, *orders: str) -> str:
    """Return what gdb prints for orders when it debugs a recording."""
    require_tools("gdb-multiarch")
    remote = f"target remote | inst replay --gdb - {record} {program}"
    first = ("set remotetimeout 120", "set pagination off", "set width 0", remote)
    words = [word for order in (*first, *orders) for word in ("-ex", order)]
    return shell.check("gdb-multiarch", "-nx", "-batch", *words, program)


def recorded(shell: Shell, source: str, *compiler: str) -> None:
    """Compile a program so that it records for re-execution, and run it."""
    (shell.directory / "main.c").write_text(source)
    command = ["inst-cc", "--inst-record=loads", *compiler, "-g", "-O1", "-static"]
    shell.check(*command, "main.c", "-o", "main")
    shell.run("inst", "run", "-o", "main.rec", "./main")
