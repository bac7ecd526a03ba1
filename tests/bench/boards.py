"""What an access costs without an operating system: `python -m tests.bench.boards`.

For each board of the emulator, as ratios in one table: the instructions of a loop with five
accesses in a basic block, plain, with the records of the library `ring`, and recorded inline; the
memory an access takes, and the code. The emulator counts each instruction as the same time, so no
figure depends on this machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from inst.common.elf import Elf
from inst.formats.flight.layout import read_flight
from inst.formats.ring.layout import SLOT
from inst.program.firmware import Firmware
from inst.trace import open_trace
from inst.trace.model import Kind, joined
from tests.board.boards import BOARDS, Board, running
from tests.board.recorded import COUNTS_AS_TIME

ROOT = Path(__file__).parents[2]
ROUNDS, ACCESSES = 20000, 5
"""Of the loop in board.c."""
COUNTED = {"leon3": 3, "mpc8544ds": 1}
"""Instructions of each round of the loop that the program measures first."""
PLAIN = (
    "INST=",
    f"CFLAGS=-g -O2 -ffreestanding -fno-pic -fno-stack-protector -I{ROOT / 'runtime/include'}",
)
WAYS = {
    "plain": PLAIN,
    "ring": (),
    "inline, values": ("OPTIONS=--inst-record=values",),
    "inline, addresses": ("OPTIONS=--inst-record=addresses",),
}


def _code_size(object_file: Path) -> int:
    """Return the bytes of an object's code."""
    return sum(one.size for one in Elf(object_file).headers() if one.name.startswith(".text"))


def _bytes_an_access(program: Path, where: str, memory: bytes, directory: Path) -> float:
    """Return how much memory an access has taken."""
    if not Firmware(program).rings().inline:
        return float(SLOT.itemsize)
    command = ["inst", "dump", "--gdb", where, "-o", str(directory / "t.rst"), str(program)]
    subprocess.run(command, check=True, capture_output=True)
    events = joined([*open_trace(directory / "t.rst").events()])
    number = int(np.count_nonzero(np.isin(events["kind"], (Kind.READ, Kind.WRITE))))
    written = sum(len(piece.words) for piece in read_flight(memory, str(program)).pieces)
    return 4 * written / number


def _measured(board: Board, variables: tuple[str, ...], directory: Path) -> tuple[float, ...]:
    """Return instructions of the loop's rounds, bytes an access, and bytes of code."""
    for old in (*directory.glob("*.o"), *directory.glob("*.elf")):
        old.unlink()
    make = ["make", "-s", f"BOARD={board.name}", *variables, "cost.elf"]
    subprocess.run(make, cwd=directory, check=True, stderr=subprocess.DEVNULL)
    program = directory / "cost.elf"
    with running(board, program, COUNTS_AS_TIME) as run:
        counted, loop = (int(line, 16) for line in run.output.split()[:2])
        size = 0.0
        if variables != PLAIN:
            place = Firmware(program).rings()
            memory = run.read(place.address, place.size)
            size = _bytes_an_access(program, run.where, memory, directory)
    instructions = loop / counted * ROUNDS * COUNTED[board.name]
    return instructions, size, float(_code_size(directory / "cost.o"))


def _rows(board: Board) -> Iterator[str]:
    """Yield a line for each way."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / "board"
        shutil.copytree(ROOT / "examples/board", directory)
        shutil.copy(ROOT / "tests/bench/board.c", directory / "cost.c")
        plain: tuple[float, ...] = ()
        for way, variables in WAYS.items():
            instructions, size, code = _measured(board, variables, directory)
            plain = plain or (instructions, size, code)
            more = (instructions - plain[0]) / (ROUNDS * ACCESSES)
            yield (
                f"{board.name:10} {way:18} {instructions / plain[0]:12.2f} {more:12.1f} "
                f"{size:7.1f} {code / plain[2]:6.2f}"
            )


def main() -> int:
    """Print the table."""
    missing = [name for name in ("make", "inst", "inst-cc") if shutil.which(name) is None]
    missing += [one.emulator[0] for one in BOARDS.values() if shutil.which(one.emulator[0]) is None]
    if missing:
        print(f"not found: {', '.join(missing)}; ./bootstrap bench installs them", file=sys.stderr)
        return 2
    os.environ.setdefault("INST_CACHE", str(ROOT / "build" / "bench"))
    print("board      way                instructions more an access  bytes   code")
    print("                                  (x plain)                       (x plain)")
    for board in BOARDS.values():
        for line in _rows(board):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
