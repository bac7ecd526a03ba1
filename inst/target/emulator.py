"""How a program is run here: directly, or under the emulator of its target."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from inst.arch.registry import all_architectures
from inst.cache.notes import WRITING
from inst.cache.rooms import room
from inst.common.elf import Elf
from inst.errors import InstError
from inst.target.model import Target, Targets
from inst.target.targets import TARGETS, target_of_elf

_NATIVE_MACHINES: dict[str, tuple[str, ...]] = {
    "x86_64": ("EM_X86_64", "EM_386"),
    "aarch64": ("EM_AARCH64", "EM_ARM"),
    **{
        host: machines
        for one in all_architectures()
        for host, machines in one.part(Targets).hosts.items()
    },
}


@dataclass(frozen=True, slots=True)
class Program:
    """The part of an ELF header that decides how to run a program."""

    path: Path
    machine: str
    number: int
    """e_machine."""
    byte_order: str
    """"big" or "little"."""
    interpreter: str
    """The dynamic loader it requests, or nothing."""


def read_program(path: Path) -> Program:
    """Read the header of an executable; anything else is an error."""
    elf = Elf(path)
    byte_order = "little" if elf.is_little else "big"
    return Program(path, elf.machine, elf.machine_number, byte_order, elf.interpreter())


def target_of(program: Program) -> Target | None:
    """Return the target that a program was built for; None if inst does not have it."""
    return target_of_elf(program.number, program.byte_order)


def command_for(path: Path, arguments: list[str], options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a program here; `options` go to its emulator, if any."""
    program = read_program(path)
    if program.machine in _NATIVE_MACHINES.get(platform.machine(), ()):
        return [str(path), *arguments]
    target = target_of(program)
    if target is None:
        known = ", ".join(TARGETS)
        raise InstError(f"no emulator known for {path} ({program.machine})", hint=f"known: {known}")
    emulator = shutil.which(target.emulator)
    if emulator is None:
        raise InstError(
            f"{path} is for {target.name}, and its emulator {target.emulator} is not installed",
            hint="on Debian: sudo apt-get install qemu-user",
        )
    root = ("-L", str(find_root(program, target))) if program.interpreter else ()
    return [emulator, *root, *options, str(path), *arguments]


def find_root(program: Program, target: Target) -> Path:
    """Return the directory under which the emulator finds the program's loader.

    Debian puts the libraries of a compiler's second width into lib32, which their loader does
    not search; inst makes a directory in which they are in lib.
    """
    root = Path(target.sysroot)
    if (root / program.interpreter.lstrip("/")).exists():
        return root
    name = os.path.basename(program.interpreter)
    for directory in ("lib32", "lib64", "lib"):
        if (root / directory / name).exists():
            return _shown_as_lib(root / directory, target)
    raise InstError(
        f"the shared libraries for {target.name} are not installed ({program.interpreter})",
        hint=f"on Debian: sudo apt-get install {' '.join(target.packages)}; or link with -static",
    )


def _shown_as_lib(libraries: Path, target: Target) -> Path:
    root = room("roots", target.name)
    link = root / "lib"
    if not link.is_symlink() or os.readlink(link) != str(libraries):
        temporary = root / f"{WRITING}{os.getpid()}"
        try:
            temporary.unlink(missing_ok=True)
            temporary.symlink_to(libraries)
            temporary.replace(link)
        except OSError as error:
            raise InstError(
                f"cannot write {link}: {error.strerror}",
                hint="set INST_CACHE to a directory that can be written",
            ) from error
    return root
