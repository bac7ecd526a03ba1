"""`inst run -o t.rst.zst`: traces that are compressed while the program writes them."""

from __future__ import annotations

import gzip
import lzma
import mmap
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from inst.commands import growing_file
from inst.commands.growing_file import CHUNK, GrowingFile
from inst.commands.run_packed import PACKERS, PackedRun
from inst.target.emulator import command_for
from inst.target.targets import Target
from inst.trace import open_trace
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)


def _unzstd(data: bytes) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
        return stream.read()


UNPACK: dict[str, Callable[[bytes], bytes]] = {
    ".zst": _unzstd,
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
}
CHUNKS = b"".join(bytes([65 + number]) * CHUNK for number in range(6))


def _run(folder: Path, output: str, script: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a shell under `inst run`: what it writes to INST_OUT stands for a trace."""
    command = [sys.executable, "-m", "inst", "run", *options, "-o", output, "sh", "-c", script]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("ending", PACKERS)
def test_what_a_run_wrote(tmp_path: Path, ending: str) -> None:
    """Every trace of the run is compressed, what was there is replaced, the rest remains."""
    (tmp_path / "given").write_bytes(CHUNKS)
    (tmp_path / "t.rst").write_bytes(b"another one")
    (tmp_path / f"t.rst{ending}").write_bytes(b"from before")
    script = 'cp given "$INST_OUT"; echo child >"$INST_OUT.7"; chmod 600 "$INST_OUT"; exit 3'
    done = _run(tmp_path, f"t.rst{ending}", script)
    assert (done.returncode, done.stderr) == (3, "")
    packed = tmp_path / f"t.rst{ending}"
    assert packed.stat().st_mode & 0o777 == 0o600
    assert packed.stat().st_size < len(CHUNKS) // 50
    assert UNPACK[ending](packed.read_bytes()) == CHUNKS
    assert UNPACK[ending]((tmp_path / f"t.rst.7{ending}").read_bytes()) == b"child\n"
    assert (tmp_path / "t.rst").read_bytes() == b"another one"
    assert {path.name for path in tmp_path.iterdir()} == {
        "given", "t.rst", packed.name, f"t.rst.7{ending}"}  # fmt: skip


def test_a_name_in_the_environment_and_none_written(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inst", "run", "--strict", "sh", "-c", "true"]
    environment = {**os.environ, "INST_OUT": "t.stf.gz"}
    (tmp_path / "t.stf.gz").write_bytes(b"from before")
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 125
    assert f"no trace was written to {tmp_path}/t.stf.gz (the file there is from" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["t.stf.gz"]
    done = _run(tmp_path, "none/t.stf.gz", "true")
    assert done.returncode == 1
    assert "none/t.stf.gz: error: cannot write: No such file or directory" in done.stderr


def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o644)
    command = [sys.executable, "-m", "inst", "run", "-o", "t.rst.gz", "./program"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode and "error" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["program"]


def test_a_trace_in_use_and_one_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "t.rst.gz").mkdir()
    done = _run(tmp_path, "t.rst.7.gz", 'echo a >"$INST_OUT"; mkdir "$INST_OUT.d"')
    assert done.returncode == 0
    run = PackedRun(tmp_path / "t.rst.gz")
    plain = Path(run.plain)
    plain.write_bytes(b"a")
    assert not run.finish([plain], lambda _: True) and plain.read_bytes() == b"a"
    run = PackedRun(tmp_path / "t.rst.gz")
    plain = Path(run.plain)
    plain.write_bytes(b"a")
    assert not run.finish([plain], lambda _: False) and plain.read_bytes() == b"a"
    assert [path.name for path in plain.parent.iterdir()] == ["t.rst"]


def test_chunks_are_taken_when_no_process_maps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first, the last, what is mapped and what is not filled stay in the trace."""
    monkeypatch.setattr(growing_file, "KEPT", 1)
    run = PackedRun(tmp_path / "t.rst.zst")
    plain = Path(run.plain)
    plain.write_bytes(CHUNKS[: 4 * CHUNK] + bytes(CHUNK) + CHUNKS[5 * CHUNK :])
    before = plain.stat().st_blocks
    with plain.open("r+b") as stream:
        first = mmap.mmap(stream.fileno(), 8192)
        third = mmap.mmap(stream.fileno(), CHUNK, offset=2 * CHUNK)
        run.look(os.getpid())
        assert plain.stat().st_blocks == before
        run.look(os.getpid())
        file = run._files["t.rst"]
        assert [bool(each) for each in file._sizes] == [False, True, False, True]
        assert file.has_holes and plain.stat().st_blocks < before
        first[8], third[0] = 33, 34
        first.close()
        third.close()
    whole = bytearray(CHUNKS[: 4 * CHUNK] + bytes(CHUNK) + CHUNKS[5 * CHUNK :])
    whole[8], whole[2 * CHUNK] = 33, 34
    assert run.finish([plain], lambda _: False)
    assert _unzstd((tmp_path / "t.rst.zst").read_bytes()) == whole
    assert [path.name for path in tmp_path.iterdir()] == ["t.rst.zst"]


def test_a_recording_is_not_taken(tmp_path: Path) -> None:
    run = PackedRun(tmp_path / "t.rst.zst")
    plain = Path(run.plain)
    plain.write_bytes(b"INST-RNG" + CHUNKS[8:])
    with plain.open("r+b") as stream, mmap.mmap(stream.fileno(), 8192):
        run.look(os.getpid())
        assert not run._files
    run.__exit__(ValueError)
    assert not [*tmp_path.iterdir()]


def test_a_chunk_that_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 4 GB (here: everywhere) programs write chunks that they do not map."""
    monkeypatch.setattr(growing_file, "KEPT", 0)
    monkeypatch.setattr(growing_file, "_FAR", 0)
    (tmp_path / "t.rst").write_bytes(CHUNKS)
    file = GrowingFile(tmp_path / "t.rst", zstandard.ZstdCompressor().compress)
    for _ in range(2):
        file.take(len(CHUNKS), {0})
    with (tmp_path / "t.rst").open("r+b") as stream:
        stream.seek(3 * CHUNK)
        stream.write(b"z" * CHUNK)
    with (tmp_path / "packed").open("wb") as stream:
        file.write_to(stream)
    file.close()
    expected = CHUNKS[: 3 * CHUNK] + b"z" * CHUNK + CHUNKS[4 * CHUNK :]
    assert _unzstd((tmp_path / "packed").read_bytes()) == expected


def test_holes_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them the trace is compressed at the end, and an error leaves it as it was."""

    def refuse(*_: object) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(growing_file, "KEPT", 0)
    monkeypatch.setattr(growing_file, "_make_hole", refuse)
    (tmp_path / "t.rst").write_bytes(CHUNKS)
    file = GrowingFile(tmp_path / "t.rst", zstandard.ZstdCompressor().compress)
    for _ in range(3):
        file.take(len(CHUNKS), {0})
    assert not file.has_holes
    with (tmp_path / "packed").open("wb") as stream:
        file.write_to(stream)
    file.close()
    assert _unzstd((tmp_path / "packed").read_bytes()) == CHUNKS


PROGRAM = """
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned cells[512];
static void *work(void *step)
{
    for (unsigned n = 0; n < 4000; n++)
        cells[n & 511] += (long)step;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)1);
    work((void *)2);
    pthread_join(thread, 0);
    if (fork() == 0) {
        for (int each = 3; each < 1024; each++)
            close(each);
        cells[3] = 5;
        _exit(0);
    }
    wait(0);
    cells[1] = 77;
    raise(SIGKILL);
}
"""
HOOKS = {"sparc-v8": "sexp", "sparc-v9": "sexp", "ppc64le": "stf"}


def test_a_program_with_threads_that_forks_and_is_killed(shell: Shell, target: Target) -> None:
    """Nothing is missing in the compressed traces: they hold the same events as plain ones."""
    hooks = HOOKS.get(target.name, "rst")
    (shell.directory / "a.c").write_text(PROGRAM)
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-O2", "a.c", "-pthread",
                "-o", "a")  # fmt: skip
    for output in (f"t.{hooks}.zst", f"u.{hooks}"):
        done = shell.run("inst", "run", "-o", output, "./a")
        assert done.returncode == -signal.SIGKILL
        assert b"note" not in done.stderr
    names = sorted(path.name for path in shell.directory.iterdir() if path.name[0] in "tu.")
    assert not [name for name in names if name.startswith(".")]
    packed, plain = (_traces(shell.directory, letter) for letter in "tu")
    assert len(packed) == len(plain) == 2
    assert all(path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd" for path in packed)
    for one, other in zip(packed, plain, strict=True):
        assert _count(one) == _count(other)
    assert _count(packed[0]) > 16000


def _traces(folder: Path, letter: str) -> list[Path]:
    """Return the trace of the program, and that of its child."""
    return sorted((path for path in folder.glob(f"{letter}.*")), key=lambda path: len(path.name))


def _count(path: Path) -> int:
    trace = open_trace(path)
    return sum(bool(event.size) for event in trace.objects())


def test_a_program_alone_writes_a_plain_trace(shell: Shell, target: Target) -> None:
    """It says so, and neither writes a name that promises more nor replaces another trace."""
    (shell.directory / "a.c").write_text("int cell; int main(void) { return cell; }\n")
    hooks = HOOKS.get(target.name, "rst")
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "a.c", "-o", "a")
    for name in (f"t.{hooks}", f"t.{hooks}.2"):
        done = shell.run(*command_for(shell.directory / "a", []), INST_OUT=f"t.{hooks}.xz")
        assert done.returncode == 0
        text = f"only `inst run -o` compresses a trace; it goes to {shell.directory}/{name}\n"
        assert done.stderr.decode().endswith(text)
        assert open_trace(shell.directory / name).format == hooks
    assert not (shell.directory / f"t.{hooks}.xz").exists()
