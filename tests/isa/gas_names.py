"""Every mnemonic that the installed GNU as knows, found by asking it.

Opcode tables lie in the assembler's own library as strings, of which the linker may have merged
one into the end of another: every end of every string is a candidate, and the assembler says
which of them it knows.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

STRING = re.compile(rb"[a-z0-9_.+-]{1,24}(?=\0)")


@dataclass(frozen=True, slots=True)
class Assembler:
    """How to ask an assembler what it knows."""

    command: str
    width: str
    everything: str
    """The option that selects all processors; SPARC's names do not depend on one."""
    unknown: re.Pattern[str]
    """Its message for a mnemonic that it does not know."""


POWERPC = Assembler(
    "powerpc-linux-gnu-as",
    "-a32",
    "-many",
    re.compile(r":(\d+): Error: unrecognized opcode"),
)
SPARC = Assembler(
    "sparc64-linux-gnu-as",
    "-32",
    "-Av9m8",
    re.compile(r":(\d+): Error: Unknown opcode"),
)


def taken(assembler: Assembler, option: str, names: Iterable[str], scratch: Path) -> set[str]:
    """Return the names that are mnemonics with this option, whatever operands they want."""
    listed = sorted(names)
    source = scratch / "names.s"
    source.write_text("".join(f"{name}\n" for name in listed))
    command = [assembler.command, assembler.width, option, str(source), "-o", "/dev/null"]
    messages = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    unknown = {listed[int(line) - 1] for line in assembler.unknown.findall(messages)}
    return set(listed) - unknown


def all_names(assembler: Assembler, scratch: Path) -> set[str]:
    """Return every mnemonic that the assembler knows with any option."""
    candidates = {
        text[start:]
        for file in _files(assembler)
        for text in map(bytes.decode, STRING.findall(file.read_bytes()))
        for start in range(len(text))
        if text[start].isalpha()
    }
    return taken(assembler, assembler.everything, candidates, scratch)


def _files(assembler: Assembler) -> list[Path]:
    """Return the assembler's program and the library of opcodes that it is linked to."""
    program = shutil.which(assembler.command)
    assert program, f"{assembler.command} is not installed"
    needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"=> (\S*libopcodes\S*)", needed)
    return [Path(program), *map(Path, libraries)]
