"""Code that sets its stack pointer and still reads the stack it has left, under real hooks.

GCC's __builtin_longjmp does so on SPARC, and assembly by hand anywhere.  The hooks' own frames
must not come to lie where the program still reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.binary import Binary
from truth.emulator import run
from truth.harness import Build, compile_object, link_program
from truth.machine import shape
from truth.rst import read_events

HERE = Path(__file__).resolve().parent
HOSTILE = str(HERE.parent / "runtime" / "files" / "hostile.c")


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_what_is_left_is_still_read(tmp_path: Path, target: str) -> None:
    plain = Build(TARGETS[target], ("-O2", "-static"))
    expected, binary = _run(plain, tmp_path, "plain")
    assert expected.startswith(b"0: 2000 3e8 ") and expected.endswith(b" 18\n")
    for hooks in ("rst", "count", HOSTILE):
        traced = Build(TARGETS[target], plain.flags, hooks=hooks)
        output, _ = _run(traced, tmp_path, Path(hooks).stem)
        assert output.startswith(expected), hooks
    batches = read_events(tmp_path / "rst.out")
    recorded = {word for batch in batches for word in batch["word"].tolist()}
    own = {binary.shape(address) for address in binary.code}
    assert {shape(binary.isa, word) for word in recorded} <= own


def _run(build: Build, directory: Path, name: str) -> tuple[bytes, Binary]:
    """Build and run the program; hooks of one level take the same objects."""
    room = directory / ("traced" if build.hooks else "plain")
    objects = [room.with_suffix(f".{part}.o") for part in ("c", "S")]
    for made in objects:
        if not made.exists():
            compile_object(build, HERE / "assembly" / f"leaving{made.suffixes[-2]}", made)
    binary = link_program(build, objects, directory / name)
    done = run(binary.path, (), "", {"INST_OUT": str(directory / name) + ".out"})
    assert done.status == 0, done
    return done.output, binary
