"""The targets, one value each: everything that depends on the target comes from here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """What a program is built for and how it is run here."""

    name: str
    isa: str
    """Package under inst/isa: "sparc" or "powerpc"."""
    abi: str
    """Which of the instruction set's calling conventions: "v8", "svr4" ... (`inst.isa.get`)."""
    runtime: str
    """Folder under runtime/ with this target's C and templates, and module of inst/glue."""
    bits: int
    """Width of an address and of an integer register."""
    byte_order: str
    """"big" or "little"."""
    machine: int
    """e_machine of an ELF file (SPARC 2, SPARC32PLUS 18, SPARCV9 43, PPC 20, PPC64 21)."""
    compiler: tuple[str, ...]
    """The command of Debian's cross compiler."""
    emulator: str
    """The qemu-user program that runs its executables."""
    sysroot: str
    """Where Debian's cross packages put its shared libraries (qemu's -L)."""
    emulations: tuple[str, ...]
    """The linker's names (-m) for such programs."""
    library_flags: tuple[str, ...]
    """Options that compile hook libraries: the width, and no floating point or vectors in hooks."""
    packages: tuple[str, ...]
    """Debian packages that contain compiler and C library."""


TARGETS = {
    target.name: target
    for target in (
        Target(
            name="sparc-v8",
            isa="sparc",
            abi="v8",
            runtime="sparc",
            bits=32,
            byte_order="big",
            machine=18,
            compiler=("sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"),
            emulator="qemu-sparc32plus",
            sysroot="/usr/sparc64-linux-gnu",
            emulations=("elf32_sparc",),
            library_flags=("-m32", "-mcpu=v8", "-mno-app-regs", "-mno-fpu"),
            packages=(
                "gcc-sparc64-linux-gnu",
                "gcc-multilib-sparc64-linux-gnu",
                "libc6-dev-sparc64-cross",
                "libc6-dev-sparc-sparc64-cross",
            ),
        ),
        Target(
            name="sparc-v9",
            isa="sparc",
            abi="v9",
            runtime="sparc64",
            bits=64,
            byte_order="big",
            machine=43,
            compiler=("sparc64-linux-gnu-gcc", "-m64"),
            emulator="qemu-sparc64",
            sysroot="/usr/sparc64-linux-gnu",
            emulations=("elf64_sparc",),
            library_flags=("-m64", "-mcpu=v9", "-mno-app-regs", "-mno-fpu"),
            packages=("gcc-sparc64-linux-gnu", "libc6-dev-sparc64-cross"),
        ),
        Target(
            name="ppc32",
            isa="powerpc",
            abi="svr4",
            runtime="powerpc",
            bits=32,
            byte_order="big",
            machine=20,
            compiler=("powerpc-linux-gnu-gcc",),
            emulator="qemu-ppc",
            sysroot="/usr/powerpc-linux-gnu",
            emulations=("elf32ppclinux", "elf32ppc"),
            library_flags=("-m32", "-mno-altivec", "-mno-vsx"),
            packages=("gcc-powerpc-linux-gnu", "libc6-dev-powerpc-cross"),
        ),
        Target(
            name="ppc64",
            isa="powerpc",
            abi="elfv1",
            runtime="powerpc64",
            bits=64,
            byte_order="big",
            machine=21,
            compiler=("powerpc64-linux-gnu-gcc",),
            emulator="qemu-ppc64",
            sysroot="/usr/powerpc64-linux-gnu",
            emulations=("elf64ppc",),
            library_flags=("-m64", "-mno-altivec", "-mno-vsx", "-mcmodel=medium"),
            packages=("gcc-powerpc64-linux-gnu", "libc6-dev-ppc64-cross"),
        ),
        Target(
            name="ppc64le",
            isa="powerpc",
            abi="elfv2",
            runtime="powerpc64",
            bits=64,
            byte_order="little",
            machine=21,
            compiler=("powerpc64le-linux-gnu-gcc",),
            emulator="qemu-ppc64le",
            sysroot="/usr/powerpc64le-linux-gnu",
            emulations=("elf64lppc",),
            library_flags=("-m64", "-mno-altivec", "-mno-vsx", "-mcmodel=medium"),
            packages=("gcc-powerpc64le-linux-gnu", "libc6-dev-ppc64el-cross"),
        ),
    )
}
SAME_MACHINE = {2: 18}
"""e_machine of an ELF file -> the equivalent number of a target: SPARC is SPARC32PLUS."""
