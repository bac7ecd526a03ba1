"""The inputs on which two versions are compared."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from inst.target.targets import TARGETS, Target
from tests.fuzz.c_program import Unsuitable, write_program
from tests.fuzz.machines import generate
from tests.fuzz.manner import Manner, choose

ROOT = Path(__file__).resolve().parents[2]
_LEVELS = (("-O2",), ("-O0", "-g"), ("-Os", "-fPIC"), ("-O3", "-funroll-loops"))
_TRACED = (
    "examples/basket.c",
    "tests/check_memory/programs/two.c",
    "tests/truth/programs/alloca_frames.c",
    "tests/truth/programs/bitfields.c",
)
_GENERATED = 10
"""Files of generated assembly for each target."""


def make_corpus(corpus: Path, tree: Path, programs: int, seed: int) -> None:
    """Write the corpus; the traces are those of the version in `tree`."""
    for target in TARGETS.values():
        directory = corpus / "assembly" / target.name
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in _assembly(target, programs, seed):
            (directory / f"{name}.s").write_bytes(text)
        count = len(list(directory.iterdir()))
        print(f"{target.name}: {count} files of assembly", flush=True)
        _write_traces(corpus / "traces", tree, target)
    (corpus / "complete").touch()


def _assembly(target: Target, programs: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield names and texts."""
    for number in range(seed, seed + programs):
        manner = choose(target.name, number)
        try:
            source = write_program(manner, number).encode()
        except Unsuitable:
            continue
        yield from _compiled(target, f"csmith{number}", source, manner)
    for number in range(seed, seed + _GENERATED):
        yield f"generated{number}", generate(target.name, number).encode()
    for path in sorted([*ROOT.glob("tests/**/*.c"), *ROOT.glob("examples/*.c")]):
        name = "-".join(path.relative_to(ROOT).with_suffix("").parts)
        yield from _compiled(target, name, path.read_bytes(), None, path.parent)
    for path in sorted(ROOT.glob("tests/**/*.s")):
        yield "-".join(path.relative_to(ROOT).with_suffix("").parts), path.read_bytes()


def _compiled(
    target: Target, name: str, source: bytes, manner: Manner | None, folder: Path = ROOT
) -> Iterator[tuple[str, bytes]]:
    """Yield what the compiler makes of C, if it takes it."""
    plus = manner is not None and manner.plus
    flags = _LEVELS[sum(name.encode()) % len(_LEVELS)]
    command = [*target.compiler, "-x", "c++" if plus else "c", "-w", *flags]
    command += ["-I", str(ROOT / "runtime/include"), "-I", str(folder)]
    command += ["-I", "/usr/include/csmith", "-S", "-", "-o", "-"]
    done = subprocess.run(command, input=source, capture_output=True, cwd=folder)
    if done.returncode == 0:
        yield name, done.stdout


def _write_traces(directory: Path, tree: Path, target: Target) -> None:
    """Write a trace of each example in each format that the target has."""
    directory.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    formats = ("rst", "sexp", "stf") if target.isa == "powerpc" else ("rst", "sexp")
    for source in _TRACED:
        for kind in formats:
            program = directory / f"{target.name}-{Path(source).stem}-{kind}"
            build = [sys.executable, "-m", "inst.wrap.cc", f"--inst-hooks={kind}"]
            build += [*target.compiler, "-g", "-O1", str(ROOT / source), "-o", str(program)]
            subprocess.run([*build, "-DROUNDS=9", "-lpthread"], env=environment, check=True)
            run = [sys.executable, "-m", "inst", "run", "-o", f"{program}.{kind}", str(program)]
            subprocess.run(run, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
