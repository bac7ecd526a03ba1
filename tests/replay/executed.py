"""Single instructions of PowerPC executed by the emulator, which is not part of inst."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inst.target.targets import TARGETS

Array = npt.NDArray[Any]
MEMORY = 512
AT = 0x30000000
"""Address of a case in the program that executes it."""
UNTOUCHED = (1, 2, 13, 31)
"""Registers that the program needs; r31 has the address of the state."""
_CPU = {"ppc32": ("-maltivec", "7447a"), "ppc64": ("-mcpu=power9", "power10"),
        "ppc64le": ("-mcpu=power9", "power10")}  # fmt: skip


def case_type(target: str) -> np.dtype[Any]:
    """Return the layout of `struct test` of executed.c."""
    order = "<" if TARGETS[target].byte_order == "little" else ">"
    register = f"{order}u{TARGETS[target].bits // 8}"
    names = ("lr", "ctr", "cr", "xer")
    filler = -(32 + 36 * TARGETS[target].bits // 8 + 32 + 1024) % 128
    return np.dtype(
        [
            *(("word", f"{order}u8"), ("signal", f"{order}u4"), ("filler_of_signal", "u4")),
            *(("pc", f"{order}u8"), ("filler_of_pc", "u8")),
            *(("g", register, 32), *((name, register) for name in names)),
            *(("fpscr", f"{order}u8"), ("filler", "u8"), ("vscr", f"{order}u4", 4)),
            *(("vs", f"{order}u8", (64, 2)), ("before", "u1", filler), ("memory", "u1", MEMORY)),
        ]
    )


def state_address() -> int:
    return AT + 32


def memory_address(target: str) -> int:
    offset = case_type(target).fields["memory"][1]  # type: ignore[index]
    return AT + int(offset)


@cache
def program(target: str, directory: Path) -> Path:
    """Compile the program that executes cases."""
    made = directory / f"executed-{target}"
    command = [*TARGETS[target].compiler, "-O1", "-static", "-no-pie", "-w", _CPU[target][0]]
    source = Path(__file__).with_name("executed.c")
    subprocess.run(
        [*command, "-Wl,--no-warn-rwx-segments", str(source), "-o", str(made)], check=True
    )
    return made


def executed(target: str, cases: Array, directory: Path) -> Array:
    """Return the cases as the emulator leaves them."""
    emulator = [TARGETS[target].emulator, "-cpu", _CPU[target][1]]
    done = subprocess.run(
        [*emulator, str(program(target, directory))],
        input=cases.tobytes(), stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    return np.frombuffer(done.stdout, cases.dtype)
