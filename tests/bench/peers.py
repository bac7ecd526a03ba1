"""How each variant of a program is compiled: plain, through inst-cc, and by the peers.

The peers are gcc's thread sanitizer and clang's load and store coverage, both linked with
empty callbacks: what they would cost if their callbacks did as little as ours.  Neither reports
accesses to variables that it takes to be private, and neither tells values.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from inst.target.targets import Target

_TSAN = "read1 read2 read4 read8 read16 write1 write2 write4 write8 write16"
_TSAN_PLAIN = "init func_entry func_exit read_range write_range"
_CLANG_TARGETS = {
    "sparc-v8": "sparc-linux-gnu",
    "sparc-v9": "sparc64-linux-gnu",
    "ppc32": "powerpc-linux-gnu",
    "ppc64": "powerpc64-linux-gnu",
    "ppc64le": "powerpc64le-linux-gnu",
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to build a program."""

    name: str
    hooks: str = ""
    level: str = ""
    peer: str = ""
    """"gcc" or "clang": built through a script that add_peer wrote."""
    flags: str = ""
    """What makes the peer instrument; empty for its plain build."""
    against: str = "plain"
    """The variant that its ratios are taken over."""


VARIANTS = (
    Variant("plain"),
    Variant("empty, addresses", "empty", "addresses"),
    Variant("empty, values", "empty", "values"),
    Variant("count, addresses", "count", "addresses"),
    Variant("count, values", "count", "values"),
    Variant("rst, values", "rst", "values"),
    Variant("sexp, values", "sexp", "values"),
    Variant("gcc -fsanitize=thread, empty callbacks", peer="gcc", flags="-fsanitize=thread"),
    Variant("clang, plain", peer="clang", against=""),
    Variant(
        "clang -fsanitize-coverage=trace-loads,trace-stores, empty callbacks",
        peer="clang",
        flags="-fsanitize-coverage=func,trace-loads,trace-stores",
        against="clang, plain",
    ),
)


def compiler_of(variant: Variant, target: Target, directory: Path) -> str:
    """Return the command that compiles and links a variant, as CC= takes it."""
    if variant.peer:
        return str(_peer_script(variant, target, directory))
    own = [sys.executable, "-m", "inst.wrap.cc", f"--inst-hooks={variant.hooks}"]
    own.append(f"--inst-level={variant.level}")
    return " ".join([*(own if variant.hooks else []), *target.compiler])


def _peer_script(variant: Variant, target: Target, directory: Path) -> Path:
    """Write the script that compiles with the peer and links its objects with the callbacks."""
    directory.mkdir(parents=True, exist_ok=True)
    callbacks = directory / f"callbacks-{target.name}.o"
    if not callbacks.exists():
        source = directory / "callbacks.c"
        source.write_text(_callbacks())
        command = [*target.compiler, "-O2", "-fPIE", "-c", "-o", str(callbacks), str(source)]
        subprocess.run(command, check=True)
    driver = " ".join(target.compiler)
    compile_with = driver
    if variant.peer == "clang":
        compile_with = f"clang --target={_CLANG_TARGETS[target.name]} -fPIE"
        if target.isa == "sparc":  # clang looks for an assembler of another name
            compile_with += f" -fno-integrated-as -B{_assembler_directory(target, directory)}"
    name = f"{variant.peer}-{'traced' if variant.flags else 'plain'}-{target.name}"
    script = directory / name
    script.write_text(
        "#!/bin/sh\n"
        f'for word; do [ "$word" = -c ] && exec {compile_with} {variant.flags} "$@"; done\n'
        f'exec {driver} "$@" {callbacks}\n'
    )
    script.chmod(0o755)
    return script


def _assembler_directory(target: Target, directory: Path) -> Path:
    made = directory / f"as-{target.name}"
    made.mkdir(exist_ok=True)
    real = shutil.which(target.compiler[0].removesuffix("gcc") + "as")
    if real and not (made / "as").exists():
        (made / "as").symlink_to(real)
    return made


def _callbacks() -> str:
    names = [f"__tsan_{name}" for name in (*_TSAN.split(), *_TSAN_PLAIN.split())]
    names += [f"__tsan_unaligned_{name}" for name in _TSAN.split()]
    for access in ("load", "store"):
        names += [f"__sanitizer_cov_{access}{size}" for size in (1, 2, 4, 8, 16)]
    return "".join(f"void {name}(void *at);\nvoid {name}(void *at) {{}}\n" for name in names)
