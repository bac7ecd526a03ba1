"""What a suite is: a program, how it is built, and how its own tests are run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inst.target.targets import TARGETS, Target

CLANG = {
    "ppc32": "--target=powerpc-linux-gnu",
    "ppc64": "--target=powerpc64-linux-gnu",
    "ppc64le": "--target=powerpc64le-linux-gnu",
    "sparc-v8": "--target=sparc64-linux-gnu -m32 -mcpu=v8",
    "sparc-v9": "--target=sparc64-linux-gnu",
}
"""How clang compiles for a target and finds the libraries of Debian's cross packages."""
COMPILERS = ("gcc", "clang")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a suite is built with."""

    target: Target
    prefix: str
    """Words before the compiler's name: inst-cc with its options, or nothing."""
    compiler: str
    """"gcc" or "clang"."""
    suffix: str
    """More words for the compiler."""
    environment: dict[str, str]
    emulator: Path
    """A script that runs a program of the target."""
    hooks: str = ""
    """The hook library; empty: plain."""
    big: bool = False
    """Whether tests run that take an hour under the emulator, or make most of a suite's time."""

    def command(self, language: str = "c") -> str:
        """Return the command that compiles C ("c") or C++ ("c++")."""
        if self.compiler == "clang":
            driver = "clang++" if language == "c++" else "clang"
            words = [driver, CLANG[self.target.name], "-fno-integrated-as"]
        else:
            driver = self.target.compiler[0].removesuffix("gcc")
            words = [driver + ("g++" if language == "c++" else "gcc"), *self.target.compiler[1:]]
        return " ".join(filter(None, [self.prefix, *words, self.suffix]))


@dataclass(frozen=True, slots=True)
class Suite:
    """A program and how its tests are run."""

    name: str
    """Of the Debian source package."""
    configure: Callable[[Path, Setting], None]
    """Called with directory and setting, before `make`."""
    make: Callable[[Path, Setting], None]
    """Builds what is under test."""
    test: Callable[[Path, Setting], list[str]]
    """Returns the command that runs the tests."""
    result: re.Pattern[str]
    """One test's line: groups `verdict` and `name`."""
    programs: tuple[str, ...] = ()
    """Executables that the tests start themselves, and that a script has to stand in for."""
    log: str = ""
    """The name of the file with the results, if the tests do not print them."""
    assembly: str = ""
    """Its hand-written assembly: what the instrumented build makes anew in a copy of the plain
    one.  Empty: everything is made from the start."""
    compilers: tuple[str, ...] = COMPILERS
    targets: frozenset[str] = frozenset(TARGETS)


AUTOMAKE = re.compile(r"^(?P<verdict>X?PASS|X?FAIL|SKIP|ERROR): (?P<name>\S+)$", re.M)
"""One test's line, as automake's test driver prints it."""
