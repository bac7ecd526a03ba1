"""A static program, the C library's code in it, executed again as a whole."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.replay.kernel import Process

EXIT_CALLS = (1, 188)
WAYS = (
    ("sparc-v8", "-O2"),
    ("sparc-v8", "-O2 -mcpu=v9"),
    ("sparc-v9", "-O2 -DNO_LONGJMP"),
    ("sparc-v9", "-O0 -DNO_LONGJMP"),
)
"""64-bit longjmp is the kernel's."""


@pytest.mark.campaign
@pytest.mark.parametrize(("target", "options"), WAYS)
def test_a_program_with_the_c_library_writes_the_same(
    target: str, options: str, tmp_path: Path
) -> None:
    program, source = tmp_path / "program", Path(__file__).with_name("c_library.c")
    command = [*TARGETS[target].compiler, *options.split(), "-static", "-o", str(program)]
    subprocess.run([*command, str(source), "-lm"], check=True)
    done = subprocess.run([TARGETS[target].emulator, str(program)], check=True, capture_output=True)
    process = Process(TARGETS[target], program)
    stop = process.run()
    assert process.machine.register("g1") in EXIT_CALLS, stop
    assert process.output.decode().splitlines() == done.stdout.decode().splitlines()
    assert len(done.stdout) > 6000
