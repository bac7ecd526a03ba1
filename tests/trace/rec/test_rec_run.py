"""`inst run` converts a recording to the format that the name of its output asks for."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

from inst.trace import open_trace
from tests.trace.rec.test_rec_damage import BLOCKS, DAMAGED, WHOLE


def run_copy(folder: Path, data: bytes, output: str, *options: str) -> tuple[int, str]:
    """Run a program that writes a recording: cp."""
    (folder / "given").write_bytes(data)
    command = [sys.executable, "-m", "inst", "run", *options, "-o", output, "sh", "-c",
               'cp given "$INST_OUT"']  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_a_recording_becomes_what_its_name_says(tmp_path: Path) -> None:
    for output, format_ in (("t.rst", "rst"), ("t.sexp.gz", "sexp")):
        assert run_copy(tmp_path, WHOLE, output) == (0, "")
        trace = open_trace(tmp_path / output)
        assert trace.format == format_
        assert sum(event.size in (1, 4) for event in trace.objects()) == 2 * BLOCKS
    assert not (tmp_path / "t.rst").read_bytes().startswith(b"INST-REC")
    assert (tmp_path / "t.sexp.gz").read_bytes().startswith(b"\x1f\x8b")
    assert run_copy(tmp_path, WHOLE, "t.rec") == (0, "")
    assert (tmp_path / "t.rec").read_bytes() == WHOLE
    assert {path.name for path in tmp_path.iterdir()} == {"given", "t.rst", "t.sexp.gz", "t.rec"}


def test_a_damaged_recording_remains(tmp_path: Path) -> None:
    damaged = DAMAGED["an unknown name"][0]
    status, text = run_copy(tmp_path, damaged, "t.rst", "--strict")
    assert status == 125
    assert "a block of an unknown segment in chunk 2" in text
    assert "the recording of the run is" in text
    assert (tmp_path / "t.rst.rec").read_bytes() == damaged
    assert (tmp_path / "t.rst").stat().st_size > 0


def test_a_recording_that_is_being_written_is_left(tmp_path: Path) -> None:
    (tmp_path / "t.rst").write_bytes(b"")
    with (tmp_path / "t.rst").open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        status, text = run_copy(tmp_path, WHOLE, "t.rst")
    assert status == 0 and "t.rst remains a recording: a process still writes it" in text
    assert (tmp_path / "t.rst").read_bytes() == WHOLE
