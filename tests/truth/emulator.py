"""Run foreign programs under the emulator with a plugin that watches them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile

from inst.target.emulator import command_for

SOURCES = Path(__file__).resolve().parent / "plugins"
ACCESS = np.dtype(
    [("pc", "u8"), ("address", "u8"), ("thread", "u4"), ("size", "u2"), ("store", "u2")]
)
"""A record of memlog.c. Size 0 is no access: see there."""
UNREPORTED_WORDS = {
    "powerpc": (
        "fc000000:b8000000",  # lmw
        "fc000000:bc000000",  # stmw
        "fc0007fe:7c00042a",  # lswx
        "fc0007fe:7c0004aa",  # lswi
        "fc0007fe:7c00052a",  # stswx
        "fc0007fe:7c0005aa",  # stswi
        "fc0007fe:7c0007ec",  # dcbz
        "fc0007fe:7c00000e",  # lvebx
        "fc0007fe:7c00004e",  # lvehx
        "fc0007fe:7c00008e",  # lvewx
        "fc0007fe:7c00010e",  # stvebx
        "fc0007fe:7c00014e",  # stvehx
        "fc0007fe:7c00018e",  # stvewx
        "fc0007be:7c00021a",  # lxvl, lxvll
        "fc0007be:7c00031a",  # stxvl, stxvll
        "fc000000:e0000000",  # lq
        "fc000003:f8000002",  # stq
        "fc0007ff:7c00012d",  # stwcx.
        "fc0007ff:7c0001ad",  # stdcx.
    ),
    "sparc": (
        "c1f80000:c1e00000",  # casa
        "c1f80000:c1f00000",  # casxa
        "c1f80000:c0680000",  # ldstub
        "c1f80000:c0e80000",  # ldstuba
        "c1f80000:c0780000",  # swap
        "c1f80000:c0f80000",  # swapa
    ),
}
"""mask:value of the instructions whose accesses QEMU 7.2 keeps to itself: what its helpers do,
and atomic accesses too once the program has a second thread or a shared mapping."""
FORGETTING_WORDS = {"powerpc": 17, "sparc": 2}
"""How many of these, from the first, may change the user's memory when a library runs them;
libraries use the others for locks of their own."""
THIRD_ARGUMENTS = {"powerpc": ("ad:20", "ae:8"), "sparc": ("66:20", "67:8")}
"""rt_sigaction and rt_sigprocmask: number:size of what they write where their third argument
points, and write nowhere else (Linux's tables of system calls; at most, in bytes)."""
CHUNK = 1 << 21

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Plugins:
    """The plugins' shared objects."""

    memlog: Path
    insncount: Path
    blocks: Path


@dataclass(frozen=True, slots=True)
class Result:
    """What a run of a program gave back."""

    output: bytes
    errors: bytes
    status: int


@dataclass(frozen=True, slots=True)
class Watch:
    """What memlog is to log: link-time address ranges, and all that is outside the program."""

    ranges: Sequence[tuple[int, int]] | None = None
    """None: every instruction."""
    outside: bool = False
    words: tuple[str, ...] = ()
    thirds: tuple[str, ...] = ()
    """As `THIRD_ARGUMENTS`."""
    environment: dict[str, str] = field(default_factory=dict)


def build_plugins(directory: Path) -> Plugins:
    """Compile the plugins with this machine's compiler."""
    for name in ("memlog", "insncount", "blocks"):
        command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        made = directory / f"{name}.so"
        subprocess.run([*command, "-o", str(made), str(SOURCES / f"{name}.c")], check=True)
    return Plugins(*(directory / f"{name}.so" for name in ("memlog", "insncount", "blocks")))


def code_extent(program: Path) -> tuple[int, int]:
    """Return the link-time addresses of the first executable segment and of the image's end."""
    with program.open("rb") as stream:
        segments = [s.header for s in ELFFile(stream).iter_segments() if s["p_type"] == "PT_LOAD"]
    start = min(s["p_vaddr"] for s in segments if s["p_flags"] & 1)
    return start, max(s["p_vaddr"] + s["p_memsz"] for s in segments)


def run(
    program: Path,
    arguments: Iterable[str] = (),
    plugin: str = "",
    environment: dict[str, str] | None = None,
    stdin: Path | None = None,
    timeout: int = 600,
) -> Result:
    """Run a program to its end, whatever its target."""
    options = ("-plugin", plugin) if plugin else ()
    # The program's own name would be a difference between two runs.
    command = command_for(program, list(arguments), ("-0", "program", *options))
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run(
            command,
            stdin=source,
            capture_output=True,
            timeout=timeout,
            env={**os.environ, **(environment or {})},
        )
    return Result(done.stdout, done.stderr, done.returncode)


def unreported_words(isa: str, little: bool) -> tuple[str, ...]:
    """Return `UNREPORTED_WORDS` as the bytes of words lie in memory."""
    if not little:
        return UNREPORTED_WORDS[isa]
    pairs = (word.split(":") for word in UNREPORTED_WORDS[isa])
    return tuple(f"{_turned(mask)}:{_turned(value)}" for mask, value in pairs)


def _turned(word: str) -> str:
    return bytes.fromhex(word)[::-1].hex()


def memlog_option(plugins: Plugins, program: Path, log: Path, watch: Watch) -> str:
    """Return the value of the emulator's -plugin option that makes memlog watch a program."""
    start, end = code_extent(program)
    options = [str(plugins.memlog), f"out={log}", f"linked={start:x}"]
    if watch.ranges is not None:
        options.append(f"only={write_ranges(log, watch.ranges)}")
    if watch.outside:
        options.append(f"beyond={end:x}")
    options += [f"word={word}" for word in watch.words]
    options += [f"third={call}" for call in watch.thirds]
    return ",".join(options)


def write_ranges(log: Path, ranges: Iterable[tuple[int, int]]) -> Path:
    """Write address ranges as the plugins read them, beside a log."""
    path = log.with_name(log.name + ".only")
    path.write_text("".join(f"{low:x} {high:x}\n" for low, high in ranges))
    return path


def count_instructions(
    plugins: Plugins,
    program: Path,
    arguments: Iterable[str],
    log: Path,
    environment: dict[str, str] | None = None,
    stdin: Path | None = None,
) -> tuple[int, Result]:
    """Run a program and return how many instructions it executed."""
    option = f"{plugins.insncount},out={log}"
    result = run(program, arguments, option, environment, stdin)
    return int(log.read_text().split()[1]), result


def read_log(log: Path, program: Path) -> Iterator[Array]:
    """Yield the records of a memlog file in batches, with program counters as linked."""
    start, end = code_extent(program)
    with log.open("rb") as stream:
        first = np.fromfile(stream, ACCESS, 1)
        bias = int(first["pc"][0]) - start
        while len(batch := np.fromfile(stream, ACCESS, CHUNK)):
            inside = (batch["pc"] >= start + bias) & (batch["pc"] < end + bias)
            batch["pc"][inside] -= np.uint64(bias)
            yield batch


def load_bias(log: Path, program: Path) -> int:
    """Return by how much the program was moved when it was loaded for the run of a log."""
    with log.open("rb") as stream:
        return int(np.fromfile(stream, ACCESS, 1)["pc"][0]) - code_extent(program)[0]
