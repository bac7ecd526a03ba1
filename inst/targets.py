"""The targets, one value each: everything that depends on the target is read from here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """What a program is built for and how it is run here."""

    name: str
    isa: str
    """Package under inst/isa: "sparc" or "powerpc"."""
    bits: int
    """Width of an address and of an integer register."""
    byte_order: str
    """"big" or "little"."""
    machine: int
    """e_machine of an ELF file (SPARC 2, SPARC32PLUS 18, PPC 20)."""
    compiler: tuple[str, ...]
    """The command of Debian's cross compiler."""
    emulator: str
    """The qemu-user program that runs its executables."""
    sysroot: str
    """Where Debian's cross packages put its shared libraries (qemu's -L)."""
    packages: tuple[str, ...]
    """Debian packages that bring compiler and C library."""


TARGETS = {
    target.name: target
    for target in (
        Target(
            name="sparc-v8",
            isa="sparc",
            bits=32,
            byte_order="big",
            machine=18,
            compiler=("sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"),
            emulator="qemu-sparc32plus",
            sysroot="/usr/sparc64-linux-gnu",
            packages=(
                "gcc-sparc64-linux-gnu",
                "gcc-multilib-sparc64-linux-gnu",
                "libc6-dev-sparc64-cross",
                "libc6-dev-sparc-sparc64-cross",
            ),
        ),
        Target(
            name="ppc32",
            isa="powerpc",
            bits=32,
            byte_order="big",
            machine=20,
            compiler=("powerpc-linux-gnu-gcc",),
            emulator="qemu-ppc",
            sysroot="/usr/powerpc-linux-gnu",
            packages=("gcc-powerpc-linux-gnu", "libc6-dev-powerpc-cross"),
        ),
    )
}
