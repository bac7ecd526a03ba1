"""The targets that are PowerPC."""

from __future__ import annotations

from inst.target.model import Clue, Target, Targets

_LIBRARY_FLAGS_64 = ("-m64", "-mno-altivec", "-mno-vsx", "-mcmodel=medium", "-ffixed-r11")
"""In programs that record, r11 points at what has been recorded. When a signal interrupts a hook,
r11 has to hold what it held in the program."""
_CXX_FLAGS = ("-mlong-double-64",)
"""Headers of C++ for ppc64le name types that gcc does not have without vectors; hooks use none."""


def _assembled(arguments: list[str]) -> str:
    little = bool({"-mlittle", "-mlittle-endian", "-le"} & set(arguments))
    if "-a64" in arguments:
        return "ppc64le" if little else "ppc64"
    return "ppc32" if "-a32" in arguments and not little else ""


PART = Targets(
    targets=(
        Target(
            name="ppc32",
            isa="powerpc",
            abi="svr4",
            runtime="powerpc",
            bits=32,
            may_have_long_time=True,
            byte_order="big",
            machine=20,
            compiler=("powerpc-linux-gnu-gcc",),
            emulator="qemu-ppc",
            sysroot="/usr/powerpc-linux-gnu",
            emulations=("elf32ppclinux", "elf32ppc"),
            library_flags=("-m32", "-mno-altivec", "-mno-vsx"),
            cxx_flags=_CXX_FLAGS,
            bare=True,
            packages=("gcc-powerpc-linux-gnu", "libc6-dev-powerpc-cross"),
            of_suites=True,
            separable="-fpic",  # GCC's -fPIC has a table in .got2, one for all functions of a file
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
            library_flags=_LIBRARY_FLAGS_64,
            cxx_flags=_CXX_FLAGS,
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
            library_flags=_LIBRARY_FLAGS_64,
            cxx_flags=_CXX_FLAGS,
            packages=("gcc-powerpc64le-linux-gnu", "libc6-dev-ppc64el-cross"),
        ),
    ),
    clues=(
        Clue(0, r"^\s*\.(?:abiversion\s+2|localentry)\b", "ppc64le"),
        Clue(
            0,
            r"^\s*\.section\s+\"?\.opd\b|\.TOC\.@tocbase|@toc\b|^\s*stdu\s",
            "ppc64",
        ),
        Clue(
            0,
            r"^\s*\.machine\s+\"?(?:ppc|power|e\d|4\d\d|7\d\d\d?|any|g[345])",
            "ppc32",
        ),
        Clue(2, r"@(?:ha|l|got|plt)\b", "ppc32"),
        Clue(
            2,
            r"^\s*(?:\w+:\s*)?(?:stwu|mflr|mtlr|blr|lwz|bctrl?|lis|addis)\b",
            "ppc32",
        ),
    ),
    compilers={"powerpc": "ppc32", "powerpc64": "ppc64", "powerpc64le": "ppc64le"},
    assembled=_assembled,
    gcc_options=(),
    gcc_record_options={
        "ppc64": ("-ffixed-r11", "-ffixed-r12"),
        "ppc64le": ("-ffixed-r11", "-ffixed-r12"),
    },
    # R_PPC_ADDR32, R_PPC_UADDR32; of 64 bits R_PPC64_ADDR64 and R_PPC64_UADDR64 too.
    absolute={"EM_PPC": {1: 4, 24: 4}, "EM_PPC64": {1: 4, 24: 4, 38: 8, 43: 8}},
    hosts={"ppc": ("EM_PPC",), "ppc64": ("EM_PPC64", "EM_PPC"), "ppc64le": ("EM_PPC64",)},
)
