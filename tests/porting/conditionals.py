"""Where C outside the architectures' folders asks for which architecture it is compiled.

A further architecture is a folder of headers: a condition elsewhere may take it for one of those
that there are. `python -m tests.porting.conditionals` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from inst.paths import data
from inst.target.targets import TARGETS

ROOT = data("runtime").parent
FOLDERS = sorted({target.runtime for target in TARGETS.values()})
"""Those of the targets, in `runtime`."""
_PREDEFINED = re.compile(
    r"(?i)\b_*(sparc|powerpc|ppc|arch_ppc|aarch64|arm|mips|riscv|s390|x86_64|i386)"
    r"|\b__arch64__|\b_CALL_|\b__LP64__"
)
"""Macros by which compilers tell architectures and their conventions apart."""
_CONDITION = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|elif)\b((?:(?!/\*).)*)")
_INCLUDED = re.compile(r"\s*#\s*include\s+<([\w.]+)>")


def common_files() -> Iterator[Path]:
    """Yield C and templates of it that are compiled for every target."""
    for path in sorted([*ROOT.glob("runtime/**/*"), *ROOT.glob("hooks/**/*")]):
        if path.suffix in (".c", ".h", ".j2") and path.parent.name not in FOLDERS:
            yield path


def conditionals() -> dict[str, list[str]]:
    """Return the conditions on the architecture in each file that has any."""
    found: dict[str, list[str]] = {}
    for path in common_files():
        for line in path.read_text(encoding="utf-8").splitlines():
            condition = _CONDITION.match(line)
            if condition and _PREDEFINED.search(condition[1]):
                found.setdefault(str(path.relative_to(ROOT)), []).append(line.strip())
    return found


def asked_for() -> set[str]:
    """Return the headers of architectures' folders that other files include."""
    names = {
        found[1]
        for path in common_files()
        for line in path.read_text(encoding="utf-8").splitlines()
        if (found := _INCLUDED.match(line))
    }
    return {
        name for name in names if any((ROOT / "runtime" / one / name).exists() for one in FOLDERS)
    }


if __name__ == "__main__":
    for file, lines in conditionals().items():
        print(f"{file}: {'; '.join(lines)}")
