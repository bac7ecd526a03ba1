"""Segments: room for them, chunks and runs, signals, threads, forks and ends of the process."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from segment_code import Recording, read_recording, segment_source

from inst.build.library import build_library
from inst.target.targets import TARGETS, Target

FILES = Path(__file__).parent / "files"
HANDLER, THREAD = 0x40000000, 0x01000000


@dataclass(frozen=True)
class Recorder:
    """A built program whose accesses are segments."""

    command: list[str]

    def run(self, *arguments: str, out: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the program with INST_OUT."""
        return subprocess.run(
            [*self.command, *arguments],
            env={**variables, "INST_OUT": str(out)},
            capture_output=True,
            text=True,
            timeout=200,
        )


def build(directory: Path, target: Target, *options: str) -> Recorder:
    """Build the program of the runtime's tests with a `touch` that records."""
    library = build_library("record", list(target.compiler), target, False)
    path = directory / "program"
    sources = [FILES / "events.c", segment_source(target, directory)]
    command = [*target.compiler, "-O1", "-pthread", *(options or ["-static"])]
    subprocess.run([*command, *sources, library, "-o", path], check=True)
    return Recorder([target.emulator, str(path)])


@pytest.fixture(scope="module", params=TARGETS)
def recorder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    """Return the program for a target."""
    return build(tmp_path_factory.mktemp("recorder"), TARGETS[request.param])


def values(recording: Recording, thread: int = 0) -> list[int]:
    """Return the values of a thread's loads; its other blocks must have the same ones."""
    found = [value for _, value in recording.first[thread]]
    assert recording.second[thread][: len(found)] == found
    return found


def test_every_block_is_there_in_order(recorder: Recorder, tmp_path: Path) -> None:
    done = recorder.run("exit", out=tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    recording = read_recording(tmp_path / "out")
    assert values(recording) == list(range(20000))
    assert len({address for address, _ in recording.first[0]}) == 1
