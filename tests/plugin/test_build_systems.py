"""The page-table example under CTest and `meson test`, as its files say: clean, and not clean."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.conftest import ROOT, Shell, require_tools

EXAMPLE = ROOT / "examples" / "pagetable"


@pytest.fixture
def example(shell: Shell) -> Shell:
    """Return a shell in a copy of the example, where the test's Python has its tools in PATH."""
    for name in ("ppc32", "sparc-v8"):
        require_tools(TARGETS[name].compiler[0], TARGETS[name].emulator)
    tools = Path(sys.executable).parent
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    wanted = ("cmake", "ctest", "meson", "ninja")
    missing = [name for name in wanted if shutil.which(name, path=path) is None]
    if missing:
        pytest.fail(f"{', '.join(missing)} not found: pip install 'inst[test]'", pytrace=False)
    shell.environment["PATH"] += f"{os.pathsep}{tools}"
    directory = shell.directory / "example"
    shutil.copytree(EXAMPLE, directory)
    return Shell(directory, shell.environment)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_ctest(example: Shell) -> None:
    """All pass; with a bug in the suite that should be clean, the finding is in the output."""
    example.check("cmake", "-B", "build", "-G", "Ninja", "-DCMAKE_SYSTEM_NAME=Linux",
                  "-DCMAKE_C_COMPILER=powerpc-linux-gnu-gcc")  # fmt: skip
    example.check("cmake", "--build", "build")
    tests = ("ctest", "--test-dir", "build", "--output-on-failure")
    assert re.search("100% tests passed.* out of 4", example.check(*tests))
    replace(example.directory / "CMakeLists.txt", "(suite SOURCES pagetable.c suite.c",
            "(suite SOURCES pagetable.c suite.c ARGUMENTS missing-tlbi")  # fmt: skip
    example.check("cmake", "build")
    failed = example.run(*tests)
    said = failed.stdout.decode()
    assert failed.returncode != 0 and re.search("75% tests passed.* out of 4", said)
    assert "[unclean-to-valid]" in said and "pagetable.c:" in said


def counts(said: str) -> dict[str, int]:
    """Return what Meson counted, by its words."""
    found = re.findall(r"^(Ok|Expected Fail|Fail): +(\d+)", said, re.M)
    return {name: int(number) for name, number in found}


def test_meson(example: Shell) -> None:
    """The same from Meson, for the other processor."""
    example.check("meson", "setup", "build", "--cross-file", "inst-sparc-v8.ini")
    tests = ("meson", "test", "-C", "build", "--print-errorlogs")
    passed = example.check(*tests)
    assert counts(passed) == {"Ok": 1, "Expected Fail": 1, "Fail": 0}
    replace(example.directory / "meson.build", "[check, suite], depends",
            "[check, suite, 'missing-tlbi'], depends")  # fmt: skip
    failed = example.run(*tests)
    said = failed.stdout.decode()
    assert failed.returncode != 0 and counts(said) == {"Ok": 0, "Expected Fail": 1, "Fail": 1}
    assert "[unclean-to-valid]" in said and "pagetable.c:" in said
