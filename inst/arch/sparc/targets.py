"""The targets that are SPARC."""

from __future__ import annotations

from inst.errors import InstError
from inst.target.model import Clue, Target, Targets

_WIDE = ("-Av9", "-Av8plus", "-xarch=v9", "-xarch=v8plus")


def _assembled(arguments: list[str]) -> str:
    """Return the target; the first -A is the compiler's own.

    One that a user adds by -Wa only widens what hand-written instructions may be used.
    """
    machine = next((a for a in arguments if a.startswith(("-A", "-xarch="))), "")
    if not machine and not ("-32" in arguments and "-relax" in arguments):
        return ""
    if "-64" in arguments:
        return "sparc-v9"
    if not machine.startswith(_WIDE):
        return "sparc-v8"
    raise InstError(
        f"code for {machine} with 32-bit addresses cannot be instrumented",
        hint="compile for -m32 -mcpu=v8, or for -m64",
    )


PART = Targets(
    targets=(
        Target(
            name="sparc-v8",
            isa="sparc",
            abi="v8",
            runtime="sparc",
            bits=32,
            may_have_long_time=True,
            byte_order="big",
            machine=18,
            machines=(2,),
            quadruple=True,
            compiler=("sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"),
            emulator="qemu-sparc32plus",
            sysroot="/usr/sparc64-linux-gnu",
            emulations=("elf32_sparc",),
            library_flags=("-m32", "-mcpu=v8", "-mno-app-regs", "-mno-fpu"),
            bare=True,
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
            quadruple=True,
            compiler=("sparc64-linux-gnu-gcc", "-m64"),
            emulator="qemu-sparc64",
            sysroot="/usr/sparc64-linux-gnu",
            emulations=("elf64_sparc",),
            library_flags=("-m64", "-mcpu=v9", "-mno-app-regs", "-mno-fpu"),
            packages=("gcc-sparc64-linux-gnu", "libc6-dev-sparc64-cross"),
        ),
    ),
    clues=(
        Clue(
            1,
            r"%xcc\b|\[%(?:sp|fp)\+2\d\d\d\]"
            r"|^\s*(?:ldx|stx|ldsw|lduw|return|s[lr][la]x|casx)\s",
            "sparc-v9",
        ),
        Clue(1, r"%(?:hi|lo)\s*\(|%[gilo][0-7]\b|%(?:sp|fp)\b", "sparc-v8"),
    ),
    compilers={"sparc": "sparc-v8", "sparc64": "sparc-v9", "sparcv9": "sparc-v9"},
    assembled=_assembled,
    # For TSO GCC leaves the barriers of acquire and release out, and nothing in the assembly says
    # which loads and stores order threads. A model that the user names comes later and counts.
    gcc_options=("-mmemory-model=rmo",),
    gcc_record_options={},
    hosts={"sparc64": ("EM_SPARCV9", "EM_SPARC32PLUS", "EM_SPARC")},
    # R_SPARC_32, R_SPARC_UA32; of 64 bits R_SPARC_64 and R_SPARC_UA64 too.
    absolute={
        "EM_SPARC": {3: 4, 23: 4},
        "EM_SPARC32PLUS": {3: 4, 23: 4},
        "EM_SPARCV9": {3: 4, 23: 4, 32: 8, 54: 8},
    },
)
