"""`inst replay`: parts of an execution, and windows of it by several processes."""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from inst.cli import main
from inst.formats.stf.full import FullWriter
from inst.replay.executed import Executed
from inst.replay.machine import Machine
from inst.trace.source import open_chunks
from tests.trace.rec.several import SIZE, instructions, recorded, replayed

PARTS = {
    "gz": b"\x1f\x8b\x08\0\0\0\0\0",
    "xz": b"\xfd7zXZ\0",
    "zst": b"\x28\xb5\x2f\xfd",
}
"""How each part of a compressed file begins."""


@pytest.fixture(scope="module")
def recording(commands: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(commands, tmp_path_factory.mktemp("recorded"))


@pytest.fixture
def record(recording: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(recording, tmp_path / "t.rec"))


def test_several_processes_write_the_same(record: Path) -> None:
    whole = replayed(record)
    assert len(instructions(whole)) > 4 * SIZE
    assert replayed(record, "-j", "3", "--window-size", str(SIZE)) == whole
    part = replayed(record, "-s", "100", "-t", "2500", "-m", "--whole")
    options = ("-s", "100", "-t", "2500", "-m", "--whole", "--window-size", "600")
    assert replayed(record, "-j", "2", *options) == part
    assert len(instructions(part)) == 2400


@pytest.mark.parametrize("packing", PARTS)
@pytest.mark.parametrize("has_states", [False, True])
def test_processes_compress_their_windows(record: Path, packing: str, has_states: bool) -> None:
    """Each by itself: the trace is one part after the other, and nothing else."""
    if has_states:
        assert main(["replay", "--states", "--window-size", str(SIZE), str(record)]) == 0
    one, several = (record.with_name(f"{name}.stf.{packing}") for name in ("one", "several"))
    parts = ("-t", "2500", "--window-size", "1000")
    assert main(["replay", "-t", "2500", str(record), "-o", str(one)]) == 0
    assert main(["replay", "-j", "2", *parts, str(record), "-o", str(several)]) == 0
    texts = [b"".join(open_chunks(path)[1]) for path in (one, several)]
    assert texts[0] == texts[1] and len(instructions(texts[0])) == 2500
    assert [path.read_bytes().count(PARTS[packing]) for path in (one, several)] == [1, 3]


def test_windows_alone_are_the_same_instructions(record: Path) -> None:
    whole = instructions(replayed(record))
    for number in random.Random(20).sample(range(len(whole) // SIZE + 1), 3):
        found = replayed(record, "--window", str(number), "--window-size", str(SIZE))
        assert instructions(found) == whole[SIZE * number : SIZE * (number + 1)]


def test_a_window_whose_process_is_killed_is_written_again(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = replayed(record)
    first, once = os.getpid(), record.with_name("killed")
    take = FullWriter.take

    def killed(self: FullWriter, executed: Executed) -> None:
        if os.getpid() != first and self.written == 0 and not once.exists():
            once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        take(self, executed)

    monkeypatch.setattr(FullWriter, "take", killed)
    assert replayed(record, "-j", "2", "--window-size", str(SIZE)) == whole
    assert once.exists()


def test_a_window_has_to_end_where_the_next_one_begins(
    record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, registers = os.getpid(), Machine.registers_and_pc

    def wrong(machine: Machine) -> dict[str, int]:
        found = registers(machine)
        return found if os.getpid() == first else found | {"r9": found["r9"] ^ 1}

    monkeypatch.setattr(Machine, "registers_and_pc", wrong)
    made = str(record.with_name("made.stf"))
    command = ["replay", str(record), "-o", made, "-j", "2", "--window-size", str(SIZE)]
    assert main(command) == 2
    assert f"instructions 0 to {SIZE} end with r9 = 0x" in capsys.readouterr().err


def test_whole_windows_before_damage_are_written(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = replayed(record)
    data = record.read_bytes()
    record.write_bytes(data[: len(data) // 2])
    found = replayed(record, "--partial", status=2)
    assert "error" in capsys.readouterr().err
    options = ("-j", "2", "--window-size", str(SIZE), "--partial")
    assert replayed(record, *options, status=2) == found
    assert whole.startswith(found[: len(found) // 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--window", "x"), "expected A or A..B"),
        (("--window", "1", "-s", "2"), "neither --start nor --stop"),
        (("-s", "0xzz"), "expected a number of instructions or an address"),
        (("-j", "2", "-s", "0x100"), "not by addresses"),
        (("-j", "0"), "1 or more"),
        (("-j", "2", "--thread", "1"), "--thread needs one job"),
        (("-j", "2", "--scheduler", "tcp://127.0.0.1:1"), "leaves to the cluster"),
        (("--scheduler", "tcp://127.0.0.1:1", "--thread", "1"), "--thread needs one job"),
        (("--scheduler", "tcp://127.0.0.1:1", "-s", "0x100"), "not by addresses"),
        (("--scheduler", "tcp://127.0.0.1:1", "--to", "sexp"), "no lines"),
        (("--to", "sexp", "-r"), "no lines for every instruction"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert main(["replay", str(tmp_path / "t.rec"), "-o", str(tmp_path / "t.stf"), *options]) != 0
    assert message in capsys.readouterr().err
