"""SPE's loads and stores on an emulated e500v2, whose registers have upper halves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.warm import python

FILES = Path(__file__).parent / "files"
COMPILER = "powerpc-linux-gnu-gcc"
EMULATOR = ("qemu-ppc", "-cpu", "e500v2")
ACCESS = re.compile(
    r"\((mem-\w+) \(id \d+\) \(tid 1\)(?: \(mem-order plain\))? \(address 0x(\w+)\)"
    r" \(value 0x(\w+)\)(?: \(size (\d)\))?"
)
FIRST, LAST = 0x1122334485667788, 0x99AABBCC

# What, offset in `cells`, bytes, value (None: the emulator loads another one).
EXPECTED = [
    ("mem-read", 0, 8, FIRST),
    ("mem-read", 0, 8, FIRST),
    ("mem-read", 2, 2, 0x3344),
    ("mem-read", 4, 2, 0x8566),
    ("mem-read", 8, 2, 0x99AA),
    ("mem-read", 0, 4, 0x11223344),
    ("mem-read", 4, 4, 0x85667788),
    ("mem-read", 8, 4, LAST),
    ("mem-read", 4, 4, 0x85667788),
    ("mem-write", 16, 8, FIRST),
    ("mem-write", 48, 8, FIRST),
    ("mem-write", 24, 8, FIRST),
    ("mem-write", 32, 4, 0x11228566),
    ("mem-write", 36, 4, 0x33447788),
    ("mem-write", 40, 4, 0x11223344),
    ("mem-write", 44, 4, 0x85667788),
    ("mem-read", 64, 8, None),
    ("mem-read", 72, 4, None),
]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Start code for a processor without floating point, which no C library has here."""
    place = tmp_path_factory.mktemp("spe") / "start.o"
    flags = ["-O1", "-msoft-float", "-ffreestanding", "-fno-pie", "-c"]
    subprocess.run([COMPILER, *flags, FILES / "spe_start.c", "-o", place], check=True)
    return place


def run(start: Path, hooks: str) -> tuple[subprocess.CompletedProcess[bytes], Path, Path]:
    """Build with these hooks ("": none) and run; return the outcome, the trace and the program."""
    directory = start.parent / f"run_{hooks}"
    directory.mkdir()
    program = directory / "program"
    wrapper = [python(), "-m", "inst.wrap.cc", f"--inst-hooks={hooks}"] if hooks else []
    command = [*wrapper, COMPILER, "-nostdlib", "-static", "-no-pie", "-Wa,-mspe"]
    subprocess.run([*command, start, FILES / "spe.s", "-o", program], check=True)
    # Without a C library the run-time library sees no environment: the trace has its default name.
    outcome = subprocess.run([*EMULATOR, program], capture_output=True, check=False, cwd=directory)
    return outcome, next(directory.glob("inst.*"), directory), program


def test_the_program_does_what_it_did(start: Path) -> None:
    """Upper halves survive hooks, though entries save words."""
    plain = run(start, "")[0]
    instrumented = run(start, "count")[0]
    assert (instrumented.returncode, instrumented.stdout) == (plain.returncode, plain.stdout)
    assert len(plain.stdout) == 64 and plain.returncode > 0


def test_events(start: Path) -> None:
    outcome, trace, program = run(start, "sexp")
    cells = int(re.findall(r"(\w+) D cells", symbols(program))[0], 16)
    found = []
    for what, address, value, size in ACCESS.findall(trace.read_text()):
        offset = int(address, 16) - cells
        if 0 <= offset < 80:
            found.append((what, offset, int(size or 8), int(value, 16)))
    assert len(found) == len(EXPECTED)
    for one, expected in zip(found, EXPECTED, strict=True):
        assert one[:3] == expected[:3]
        assert expected[3] in (None, one[3])
    written = {offset: (size, value) for what, offset, size, value in found if what == "mem-write"}
    for offset, (size, value) in written.items():
        assert int.from_bytes(outcome.stdout[offset : offset + size], "big") == value


def symbols(program: Path) -> str:
    command = ["powerpc-linux-gnu-nm", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_words_are_read_as_spe(start: Path) -> None:
    """In AltiVec's encoding half of these words are additions and shifts."""
    _, trace, program = run(start, "rst")
    for command in (["view", trace, program], ["check", trace]):
        result = subprocess.run(
            [python(), "-m", "inst", *command], capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stdout
        if command[0] == "view":
            assert "arch=ppcspe" in result.stdout
            assert "evldd r5, 0(r9)" in result.stdout
            assert "evstdwx r5, r9, r19" in result.stdout
