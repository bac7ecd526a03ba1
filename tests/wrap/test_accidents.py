"""Full disks, directories that are gone, interrupts, kills, and files that name themselves."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import IO

import pytest

from inst.errors import InstError
from inst.wrap.arguments import expand
from tests.conftest import Shell

GCC = "powerpc-linux-gnu-gcc"
SOURCE = "int g = 42;\nint main(void) { return g; }\n"


@pytest.fixture
def own(shell: Shell) -> Shell:
    """Return a shell with a source in its directory, and temporary files of its own."""
    (shell.directory / "a.c").write_text(SOURCE)
    (shell.directory / "temporary").mkdir()
    shell.environment["TMPDIR"] = str(shell.directory / "temporary")
    return shell


def test_a_full_disk_is_no_defect(own: Shell) -> None:
    for words in (("-c", "a.c"), ("a.c",)):
        done = own.run("inst-cc", "--inst-hooks=empty", GCC, *words, "-o", "/dev/full")
        assert done.returncode == 1
        assert b"No space left on device" in done.stderr
        assert b"defect" not in done.stderr and b"Traceback" not in done.stderr
    with Path("/dev/full").open("wb") as full:
        command = [shutil.which("inst-cc", path=own.environment["PATH"]), "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        1,
        b"inst: error: cannot write or read: No space left on device\n",
    )


def test_a_directory_that_is_gone(own: Shell) -> None:
    """What needs no current directory works; else the message says what is missing."""
    compiled = f"{GCC} {own.directory}/a.c -o {own.directory}/p"
    for command, missing in (
        (f"inst-cc --inst-hooks=empty {compiled}", ""),
        (f"inst-cc --inst-keep=kept {compiled}", "kept"),
        (f"inst-cc --inst-cache=own {compiled}", "own"),
        (f"inst run -o t.rst {own.directory}/p", "t.rst"),
    ):
        (own.directory / "gone").mkdir()
        done = own.run("sh", "-c", f"cd gone && rmdir ../gone && exec {command}")
        said = f"inst: error: cannot find {missing}: the current directory was removed\n"
        assert done.returncode == bool(missing)
        assert done.stderr.decode().startswith(said if missing else "")
        assert b"Traceback" not in done.stderr


def test_a_file_that_names_itself_twice(own: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own.directory)
    (own.directory / "twice").write_text("@twice @twice")
    with pytest.raises(InstError, match="too many @-files: @twice"):
        expand(["@twice"])
    done = own.run("inst-cc", GCC, "-Wa,@twice", "-c", "a.c")
    assert done.returncode == 1
    assert b"error: too many @-files: @twice is one more than 2000" in done.stderr


def test_many_files_of_arguments(own: Shell) -> None:
    """Order and depth are as in GNU tools, up to their number."""
    place = own.directory
    for depth in range(100):
        (place / f"a{depth}").write_text(f"before{depth} @{place}/a{depth + 1} after{depth}")
    found = expand([f"@{place}/a0", "last"])
    before = [f"before{depth}" for depth in range(100)]
    after = [f"after{depth}" for depth in reversed(range(100))]
    assert found == [*before, f"@{place}/a100", *after, "last"]


def obey_interrupts() -> None:
    """In a child: a shell lets what it starts in the background ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Blocked:
    """A run of inst-cc that has compiled a file, and whose assembler waits for a pipe."""

    def __init__(self, own: Shell, name: str) -> None:
        self.pipe = own.directory / f"{name}.s"
        os.mkfifo(self.pipe)
        program = shutil.which("inst-cc", path=own.environment["PATH"])
        assert program
        words = [program, "--inst-hooks=empty", GCC, "a.c", str(self.pipe), "-o", name]
        self.process = subprocess.Popen(
            words,
            cwd=own.directory,
            env={**os.environ, **own.environment},
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=obey_interrupts,
        )
        self.stream: IO[bytes] = self.pipe.open("wb")  # waits until the assembler has opened it

    def end_by(self, number: int) -> bytes:
        """Send a signal to all processes of the run; return what they say."""
        os.killpg(self.process.pid, number)
        said = self.process.communicate(timeout=60)[1]
        self.stream.close()
        assert self.process.returncode == -number
        return said


def test_an_interrupt_prints_no_traceback(own: Shell) -> None:
    """The assembler reads, the linker waits for a library that another builds."""
    assert b"Traceback" not in Blocked(own, "p").end_by(signal.SIGINT)
    libraries = own.directory / "cache" / "libraries"
    libraries.mkdir(parents=True)
    with (libraries / ".lock-empty-ppc32").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        program = shutil.which("inst-cc", path=own.environment["PATH"])
        linking = subprocess.Popen(
            [str(program), "--inst-hooks=empty", GCC, "a.c"],
            cwd=own.directory,
            env={**os.environ, **own.environment, "INST_CACHE": str(libraries.parent)},
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=obey_interrupts,
        )
        assert linking.stderr
        assert linking.stderr.readline().startswith(b"inst: note: waiting for another inst-cc")
        os.killpg(linking.pid, signal.SIGINT)
        assert b"Traceback" not in linking.communicate(timeout=60)[1]


def test_what_a_killed_run_leaves_is_removed_by_the_next(own: Shell) -> None:
    """Not what another run still uses, nor what a compiler has written for a report."""
    room = own.directory / "temporary" / f"inst-{os.geteuid()}"
    killed = Blocked(own, "killed")
    killed.end_by(signal.SIGKILL)
    (left,) = room.iterdir()
    assert list(left.glob("cc*.o"))
    running = Blocked(own, "running")
    (used,) = room.iterdir()
    assert left != used
    own.check("inst-cc", "--inst-hooks=empty", GCC, "a.c", "-o", "b")
    assert used in room.iterdir()
    running.stream.write(b"\t.text\n")
    running.stream.close()
    running.process.communicate(timeout=60)
    assert running.process.returncode == 0
    report = room / "crashed"
    report.mkdir()
    (report / "ccx.out").write_text("to report")
    own.check("inst-cc", "--inst-hooks=empty", GCC, "-c", "a.c")
    assert report in room.iterdir()
    assert len(list(room.iterdir())) == 2
    assert [path.name for path in room.parent.iterdir()] == [room.name]


def test_another_users_directory_for_temporary_files_is_left_alone(own: Shell) -> None:
    """Others could read or change what is in it: the compiler's own way is as safe as ever."""
    room = own.directory / "temporary" / f"inst-{os.geteuid()}"
    room.mkdir(0o755)
    own.check("inst-cc", "--inst-hooks=empty", GCC, "a.c", "-o", "b")
    assert list(room.iterdir()) == []
