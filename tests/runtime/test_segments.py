"""Segments: room for them, chunks and runs, signals, threads, forks and ends of the process."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from segment_code import Recording, read_recording, segment_source, signal_places

from inst.build.library import build_library
from inst.build.wraplibrary import build_wrappers
from inst.target.targets import TARGETS, Target
from inst.target.tools import compiler_tool

FILES = Path(__file__).parent / "files"
ONE_BY_ONE = {"QEMU_SINGLESTEP": "1", "QEMU_ONE_INSN_PER_TB": "1"}
WRAPPED = ("sigaction", "pthread_create", "pthread_join", "vfork")
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
    """Build the program of the runtime's tests with a `touch` that records.

    It calls wrappers as translated code does.
    """
    library = build_library("record", list(target.compiler), target, False)
    wrappers = build_wrappers(list(target.compiler), target)
    path, events = directory / "program", directory / "events.o"
    command = [*target.compiler, "-O1", "-pthread"]
    subprocess.run([*command, "-c", FILES / "events.c", "-o", events], check=True)
    names = [f"--redefine-sym={name}=inst.wrap.{name}" for name in WRAPPED]
    subprocess.run([compiler_tool(list(target.compiler), "objcopy"), *names, events], check=True)
    inputs = [events, segment_source(target, directory), wrappers, library]
    command += options or ["-static"]
    subprocess.run([*command, *inputs, "-e", "inst.start", "-o", path], check=True)
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


@pytest.mark.parametrize("how", ["signals", "alternate"])
@pytest.mark.parametrize("step", ["blocks", "instructions"])
def test_handlers_tear_and_lose_nothing(
    recorder: Recorder, tmp_path: Path, how: str, step: str
) -> None:
    """The emulator takes signals at the start of what it translates at once: also one by one."""
    done = recorder.run(how, out=tmp_path / "out", **(ONE_BY_ONE if step == "instructions" else {}))
    assert done.stderr == ""
    counted, handled = map(int, done.stdout.split())
    recording = read_recording(tmp_path / "out")
    for found in ([value for _, value in recording.first[0]], recording.second[0]):
        assert [v for v in found if v < HANDLER] == list(range(counted))
        assert [v for v in found if v >= HANDLER] == list(range(HANDLER, HANDLER + handled))
    assert len(signal_places(recording)) == handled // 3
