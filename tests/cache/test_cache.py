"""The cache: whom it trusts, what is corrupt, one build for all, and what killed builds leave."""

from __future__ import annotations

import json
import multiprocessing
import os
import pty
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from inst import cli
from inst.build import survey
from inst.cache.rooms import room
from inst.errors import InstError
from inst.paths import cache_directory
from inst.target.archives import cached_archive, digest
from inst.target.compilers import family

KEY = "0123456789abcdef" * 4
CONTENT = b"!<arch>\n" + bytes(range(256))
OTHER = 65534


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a cache of the test's own; an umask of 0 shows modes that depend on it."""
    monkeypatch.setenv("INST_CACHE", str(tmp_path / "c"))
    before = os.umask(0)
    yield tmp_path / "c"
    os.umask(before)


def build(directory: Path) -> Path:
    """Build an archive."""
    path = directory / "built.a"
    path.write_bytes(CONTENT)
    return path


def kept() -> Path:
    """Return the archive from the cache, which must be whole."""
    path = cached_archive("rst-ppc32", KEY, build)
    assert path.read_bytes() == CONTENT
    return path


def test_only_the_user_can_write_to_what_is_made(cache: Path) -> None:
    kept()
    family("/usr/bin/gcc")
    made = [cache, *cache.rglob("*")]
    assert len(made) == 5
    assert all(not path.stat().st_mode & 0o022 for path in made)


UNSAFE: dict[str, Callable[[Path], None]] = {
    "c": lambda path: path.chmod(0o777),
    "c/": lambda path: path.chmod(0o775),
    "c/libraries": lambda path: path.chmod(0o757),
    "c/libraries/*.a": lambda path: path.chmod(0o646),
    "c/compilers/*": lambda path: path.chmod(0o646),
    ".": lambda path: path.chmod(0o777),
}
"""What others can write to, and how."""
if os.geteuid() == 0:
    UNSAFE |= {f"{name}//": lambda path: os.chown(path, OTHER, OTHER) for name in UNSAFE}


@pytest.mark.parametrize("which", UNSAFE)
def test_what_others_could_write_is_refused(which: str, cache: Path) -> None:
    """That is so above the cache as well, but not in a directory like /tmp."""
    kept()
    family("/usr/bin/gcc")
    (path,) = cache.parent.glob(which.rstrip("/")) if which[0] == "c" else (cache.parent,)
    UNSAFE[which](path)
    with pytest.raises(InstError, match="the cache is not safe"):
        kept()
        family("/usr/bin/gcc")


def test_the_cache_is_not_in_the_home_of_another_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("INST_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert cache_directory() == tmp_path / ".cache" / "inst"
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    if tmp_path.stat().st_uid == 0:
        os.chown(tmp_path, 54321, -1)
    assert cache_directory() == Path("/tmp/inst-12345")


def test_a_directory_above_may_be_like_tmp(cache: Path) -> None:
    cache.parent.chmod(0o1777)
    assert room("libraries").is_dir()


def cut(path: Path) -> None:
    """Leave half of a file."""
    path.write_bytes(CONTENT[:100])


def turn_into_directory(path: Path) -> None:
    """Put a directory with a file in it in the place of a file."""
    path.unlink()
    path.mkdir()
    (path / "file").write_text("x")


def turn_into_link(path: Path) -> None:
    """Put a link to other content in the place of a file."""
    path.unlink()
    other = path.with_name("other")
    other.write_bytes(b"other")
    path.symlink_to(other)


CORRUPTED: tuple[Callable[[Path], object], ...] = (
    lambda path: path.write_bytes(b""),
    cut,
    lambda path: path.write_bytes(CONTENT[:-1] + b"?"),
    turn_into_directory,
    turn_into_link,
)


def test_what_is_corrupt_is_built_anew(cache: Path) -> None:
    for corrupt in CORRUPTED:
        corrupt(kept())
        first = kept()
        assert kept() == first
    (cache / "libraries").rename(cache / "elsewhere")
    (cache / "libraries").write_text("")
    with pytest.raises(InstError, match=r"cannot make .*/libraries: File exists"):
        kept()


def _start(what: Callable[[], object]) -> BaseProcess:
    process = multiprocessing.get_context("fork").Process(target=what)
    process.start()
    return process


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_one_builds_and_the_others_wait(cache: Path) -> None:
    """Each waiting process reports it once."""
    log, go, notes = (cache.parent / name for name in ("log", "go", "notes"))
    notes.touch()

    def slow(directory: Path) -> Path:
        with log.open("a") as stream:
            stream.write(f"{os.getpid()}\n")
        _until(go.exists)
        return build(directory)

    def want() -> None:
        sys.stderr = notes.open("a")
        assert cached_archive("rst-ppc32", KEY, slow).read_bytes() == CONTENT

    processes = [_start(want)]
    _until(log.exists)
    processes += [_start(want) for _ in range(5)]
    _until(lambda: notes.read_text().count("\n") == 5)
    go.touch()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    note = f"inst: note: waiting for another inst-cc (process {processes[0].pid}), which builds "
    assert notes.read_text() == f"{note}rst-ppc32\n" * 5
    assert log.read_text() == f"{processes[0].pid}\n"
    assert len(list((cache / "libraries").iterdir())) == 1


def test_a_build_is_explained_on_a_terminal(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, by the process that builds; files and pipes get nothing."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, (cache.parent / "file").open("w+") as file:
        for stream, key in ((file, KEY), (terminal, KEY[::-1]), (terminal, KEY[::-1])):
            monkeypatch.setattr(sys, "stderr", stream)
            cached_archive("rst-ppc32", key, build)
        terminal.write("end\n")
        terminal.flush()
        with os.fdopen(ours, newline="") as reader:
            shown = reader.readline() + reader.readline()
        file.seek(0)
        assert file.read() == ""
    note = "inst: note: building rst-ppc32 for this link and later ones, in "
    assert re.sub("\033\\[[0-9;]*[mK]", "", shown) == f"{note}{cache}/libraries\r\nend\r\n"


def test_what_a_killed_build_leaves_is_removed_by_the_next(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next may build another library; what is being built is left alone."""
    ready = [cache.parent / "first", cache.parent / "second"]

    def endless(directory: Path, own: Path) -> Path:
        build(directory)
        own.touch()
        time.sleep(600)
        return directory

    def want(name: str, own: Path) -> None:
        cached_archive(name, KEY, lambda directory: endless(directory, own))

    killed, goes_on = (
        _start(lambda name=name, own=own: want(name, own))
        for name, own in zip(("rst-ppc64", "sexp-ppc64"), ready, strict=True)
    )
    _until(lambda: all(path.exists() for path in ready))
    assert killed.pid
    os.kill(killed.pid, signal.SIGKILL)
    killed.join(60)
    assert {e["library"]: e["state"] for e in _shown(capsys)["entries"]} == {
        f".building-rst-ppc64~{killed.pid}": "leftover", ".lock-rst": "leftover",
        f".building-sexp-ppc64~{goes_on.pid}": "building", ".lock-sexp": "building",
    }  # fmt: skip
    path = kept()
    left = sorted(path.name for path in (cache / "libraries").iterdir())
    assert left == [f".building-sexp-ppc64~{goes_on.pid}", ".lock-sexp-ppc64", path.name]
    goes_on.kill()
    goes_on.join(60)


def _shown(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    capsys.readouterr()
    assert cli.main(["cache", "--json", *words]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_the_command_shows_and_removes(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cache"]) == 0
    assert capsys.readouterr().out == f"{cache}: 0 libraries, 0 bytes\n"
    path = kept()
    for name in ("old-ppc32-0123456789abcdef0123.a", f"count-ppc32-{KEY[:20]}-{KEY}.a"):
        (cache / "libraries" / name).write_bytes(b"12345")
        (cache / "libraries" / name).chmod(0o644)
    (cache / "own file").write_text("x")
    assert cli.main(["cache"]) == 0
    today = time.strftime("%Y-%m-%d")
    assert capsys.readouterr().out == (
        f"{cache}: 1 library, {len(CONTENT)} bytes\n"
        "  library target        size  built       last used\n"
        f"  rst     ppc32    {len(CONTENT)} bytes  {today}  {today}\n"
        "  1 corrupt, 5 bytes: --clean removes them\n"
        "  1 of other versions, 5 bytes: --clean removes them\n"
    )
    assert cli.main(["cache", "--clean"]) == 0
    assert capsys.readouterr().out.startswith("removed 10 bytes\n")
    assert list((cache / "libraries").iterdir()) == [path]
    long_ago = time.time() - 8 * 86400
    os.utime(path, (long_ago, long_ago))
    kept()
    assert len(_shown(capsys, "--clean", "7")["entries"]) == 1  # type: ignore[arg-type]
    os.utime(path, (long_ago, long_ago))
    assert _shown(capsys, "--clean", "7")["entries"] == []
    kept()
    assert _shown(capsys, "--clear")["entries"] == []
    assert [path.name for path in cache.iterdir()] == ["own file"]


def test_a_build_may_go_on_while_the_cache_is_shown(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it removes or renames between two looks at the directory is not shown."""
    path = kept()
    going = path.with_name(f"zero-ppc32-{KEY[:20]}-{KEY}.a")

    def looked_at(first: Path) -> bool:
        going.unlink(missing_ok=True)
        return first == path

    going.write_bytes(CONTENT)
    monkeypatch.setattr(survey, "is_whole", looked_at)
    assert cli.main(["cache"]) == 0
    assert capsys.readouterr().out.startswith(f"{cache}: 1 library, {len(CONTENT)} bytes\n")


def test_a_full_disk_is_called_so(cache: Path) -> None:
    """Whatever the tool says that could not write, and whatever inst writes itself."""
    if not Path("/dev/full").exists():
        pytest.fail("there is no /dev/full", False)

    def fails(directory: Path) -> Path:
        (directory / "room").symlink_to("/dev/full")
        raise InstError("the hook library does not compile")

    with pytest.raises(InstError, match=f"cannot build in {cache}.*: No space left on device"):
        cached_archive("rst-ppc32", KEY, fails)
    assert list((cache / "libraries").iterdir()) == []


def test_a_compiler_is_the_same_by_its_name_and_its_path(tmp_path: Path) -> None:
    """Links name it by its path: nothing is built twice.  Another name means another target."""
    path = shutil.which("gcc")
    assert path
    other = tmp_path / "sparc64-linux-gnu-gcc"
    other.symlink_to(path)
    keys = [digest([name, "-O2"], ("cache",)) for name in ("gcc", path, str(other))]
    assert keys[0] == keys[1] != keys[2]


def test_compiled_modules_are_no_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes write them meanwhile, under names that go away."""
    monkeypatch.setattr("inst.target.archives._PACKAGE", tmp_path)
    (tmp_path / "asm" / "__pycache__").mkdir(parents=True)
    (tmp_path / "asm" / "lexer.py").write_text("x = 1\n")
    before = digest(["gcc"], ("asm",), runtime=False)
    (tmp_path / "asm" / "__pycache__" / "lexer.cpython-311.pyc.140208936804656").write_bytes(b"x")
    assert digest(["gcc"], ("asm",), runtime=False) == before
    (tmp_path / "asm" / "lexer.py").write_text("x = 2\n")
    assert digest(["gcc"], ("asm",), runtime=False) != before
