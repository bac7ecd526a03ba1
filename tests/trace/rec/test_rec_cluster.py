"""`inst replay --scheduler`: windows written by the workers of a Dask cluster."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inst.cli import main
from inst.replay import cluster
from tests.trace.rec.alone import states_of
from tests.trace.rec.several import SIZE, instructions, recorded, replayed


@pytest.fixture(scope="module")
def recording(commands: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(commands, tmp_path_factory.mktemp("recorded"))


@pytest.fixture
def record(recording: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(recording, tmp_path / "t.rec"))


@dataclass(frozen=True)
class Workers:
    address: str
    kill: Path
    """While it exists, the first worker is killed that writes a window, and removes it."""

    @property
    def options(self) -> tuple[str, ...]:
        return "--scheduler", self.address, "--window-size", str(SIZE)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    directory = tmp_path_factory.mktemp("workers")
    kill = directory / "kill"
    command = [sys.executable, str(Path(__file__).with_name("cluster.py")), str(kill)]
    with (
        (directory / "log").open("wb") as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdout
        yield Workers(process.stdout.readline().strip(), kill)
        process.communicate(timeout=60)


def test_workers_write_the_same(workers: Workers, record: Path) -> None:
    whole = replayed(record)
    assert len(instructions(whole)) > 4 * SIZE
    assert replayed(record, *workers.options) == whole
    part = ("-s", "100", "-t", "2500", "-m", "--whole")
    assert replayed(record, *workers.options, *part) == replayed(record, *part)


def test_workers_execute_from_states(workers: Workers, record: Path) -> None:
    whole = replayed(record, "-m")
    states_of(record, SIZE)
    assert replayed(record, *workers.options, "-m") == whole


def test_what_a_killed_worker_had_is_written_by_another(workers: Workers, record: Path) -> None:
    workers.kill.touch()
    assert replayed(record, *workers.options) == replayed(record)
    assert not workers.kill.exists()


def test_damage_is_told_as_by_one_process(
    workers: Workers, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = record.read_bytes()
    record.write_bytes(data[: len(data) // 2])
    found = replayed(record, "--partial", status=2)
    error = capsys.readouterr().err
    assert replayed(record, *workers.options, "--partial", status=2) == found
    assert capsys.readouterr().err.splitlines()[0] == error.splitlines()[0]


def test_a_worker_of_another_version_writes_nothing(
    workers: Workers,
    record: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inst.commands.replay_windows.__version__", "0")
    made = str(record.with_name("made.stf"))
    assert main(["replay", str(record), "-o", made, *workers.options]) == 2
    assert "a worker has inst " in capsys.readouterr().err


def test_a_scheduler_that_is_not_there(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT", 0.2)
    made = record.with_name("made.stf")
    for address in ("tcp://127.0.0.1:1", "no address"):
        assert main(["replay", str(record), "-o", str(made), "--scheduler", address]) == 2
        assert f"there is no scheduler at {address}" in capsys.readouterr().err
    assert not made.exists()


def test_a_library_that_is_missing(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    made = str(record.with_name("made.stf"))
    assert main(["replay", str(record), "-o", made, "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "hint: pip install 'inst[cluster]'" in capsys.readouterr().err
