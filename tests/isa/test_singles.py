"""Numbers of single precision in registers: here, in the runtime's C, and by the processor."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inst.paths import data
from inst.target.targets import TARGETS
from inst.words.singles import double_of, is_defined, single_of

SOURCE = Path(__file__).with_name("singles.c")
EXPONENTS = (0, 1, 873, 874, 875, 895, 896, 897, 898, 1023, 1150, 1151, 2046, 2047)
FRACTIONS = (0, 1, 1 << 28, 1 << 29, 1 << 51, (1 << 52) - 1)


@given(st.integers(0, (1 << 32) - 1))
@example(1)
@example(0x007FFFFF)
def test_a_single_goes_through_a_register_unchanged(single: int) -> None:
    double = double_of(single)
    assert is_defined(double) and single_of(double) == single
    if single & 0x7F800000 != 0x7F800000:
        (number,) = struct.unpack(">f", single.to_bytes(4, "big"))
        assert double.to_bytes(8, "big") == struct.pack(">d", number)


def test_what_is_too_small_is_undefined() -> None:
    assert not is_defined(873 << 52) and not is_defined(1)
    assert is_defined(874 << 52) and is_defined(0) and is_defined(1 << 63)
    assert single_of(1 << 63 | 873 << 52) == 0x80000000


@pytest.mark.parametrize("name", ["ppc32", "ppc64le"])
def test_the_runtime_and_the_processor_agree(name: str, tmp_path: Path) -> None:
    target, chosen = TARGETS[name], random.Random("singles")
    held = [sign << 63 | exponent << 52 | fraction for sign in (0, 1) for exponent in EXPONENTS
            for fraction in FRACTIONS]  # fmt: skip
    held += [chosen.getrandbits(64) for _ in range(100)]
    held += [
        chosen.getrandbits(1) << 63 | chosen.randrange(870, 1160) << 52 | chosen.getrandbits(52)
        for _ in range(1000)
    ]
    command = [*target.compiler, "-O1", "-static", f"-I{data('runtime')}", SOURCE]
    subprocess.run([*command, "-o", tmp_path / "show"], check=True)
    done = subprocess.run(
        [target.emulator, tmp_path / "show"],
        input="\n".join(f"{one:x}" for one in held),
        capture_output=True,
        text=True,
        check=True,
    )
    for one, line in zip(held, done.stdout.splitlines(), strict=True):
        ours, stored, ours_loaded, loaded = (int(word, 16) for word in line.split())
        assert ours == stored == single_of(one), f"{one:#x} {line}"
        assert ours_loaded == loaded == double_of(stored), f"{one:#x} {line}"
