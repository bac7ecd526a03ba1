"""Run programs without an operating system on boards of qemu-system, and read their memory."""

from __future__ import annotations

import resource
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from inst.common.gdb_remote import Target
from tests.conftest import Shell

INLINE = ("OPTIONS=--inst-record=values",)
"""Variables of make for programs that record inline."""
LAST_LINE = b"done\n"
"""What the programs print before they wait."""
SECONDS = 300
"""After this the emulator is killed: a program that never comes to its last line fails its test."""
FILE_BYTES = 1 << 30
"""What the emulator may write to one file, some tens of times what the programs' accesses take."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board of qemu-system, and the compiler for it."""

    name: str
    """As examples/board/Makefile calls it."""
    emulator: tuple[str, ...]
    compiler: tuple[str, ...]
    memory: tuple[int, int]
    """The first address and the size of what an image of memory holds: program and ring."""
    isa: str


BOARDS = {
    "leon3": Board(
        "leon3",
        ("qemu-system-sparc", "-M", "leon3_generic"),
        ("sparc64-linux-gnu-gcc", "-m32", "-mcpu=leon3"),
        (0x40000000, 0x300000),
        "sparc",
    ),
    "mpc8544ds": Board(
        "mpc8544ds",
        ("qemu-system-ppc", "-M", "mpc8544ds", "-nic", "none"),
        ("powerpc-linux-gnu-gcc", "-mcpu=8548", "-msoft-float"),
        (0, 0x500000),
        "powerpc",
    ),
}


def make_program(
    shell: Shell, board: Board, directory: Path, name: str, text: str, *variables: str
) -> Path:
    """Write NAME.c into a copy of examples/board; make and return NAME.elf."""
    (directory / f"{name}.c").write_text(text)
    shell.check("make", "-s", "-C", directory, f"BOARD={board.name}", *variables, f"{name}.elf")
    return directory / f"{name}.elf"


@dataclass(slots=True)
class Run:
    """A board whose program has come to its last line and waits."""

    output: str
    port: int
    """Where the gdb stub listens, on this machine."""
    emulator: subprocess.Popen[bytes] = field(repr=False)

    @property
    def where(self) -> str:
        """Return HOST:PORT of the stub."""
        return f"localhost:{self.port}"

    def read(self, address: int, size: int) -> bytes:
        """Return memory of the stopped board."""
        target = Target(self.where)
        try:
            return target.read(address, size)
        finally:
            target.close()


@contextmanager
def running(
    board: Board,
    program: Path,
    options: Sequence[str] = (),
    meanwhile: Callable[[str], None] = lambda _where: None,
) -> Iterator[Run]:
    """Run a program up to its last line; at the end of the block the emulator ends, too.

    `meanwhile` is called first with HOST:PORT of the stub.
    """
    with socket.create_server(("localhost", 0)) as stub:
        stub.set_inheritable(True)
        gdb = f"socket,id=gdb,fd={stub.fileno()},server=on,wait=off"
        command = [*board.emulator, "-nographic", "-monitor", "none", "-serial", "stdio"]
        command += ["-kernel", str(program), "-chardev", gdb, "-gdb", "chardev:gdb", *options]
        emulator = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(stub.fileno(),),
        )
        resource.prlimit(emulator.pid, resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        limit = threading.Timer(SECONDS, emulator.kill)
        limit.start()
        try:
            meanwhile(f"localhost:{stub.getsockname()[1]}")
            output = _up_to_last_line(emulator)
            yield Run(output, stub.getsockname()[1], emulator)
        finally:
            limit.cancel()
            emulator.terminate()
            emulator.communicate()


def _up_to_last_line(emulator: subprocess.Popen[bytes]) -> str:
    assert emulator.stdout is not None
    lines = []
    for line in emulator.stdout:
        lines.append(line.decode(errors="replace"))
        if line.endswith(LAST_LINE):
            return "".join(lines)
    raise AssertionError(f"the emulator has ended: {''.join(lines)[-1000:]}")
