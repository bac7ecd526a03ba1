"""Traces whose names ask for compression: the program writes them plain, `inst run` compresses.

Only so a trace is whole whatever ends the program, and each child of fork and each program started
by exec has its own. The plain traces are in a directory beside the output until the program has
ended. A thread compresses those of the program's own process while they grow; a disk that is slow
or a program that is fast only makes that directory larger.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from inst.commands.growing_file import CHUNK, GrowingFile
from inst.common.notes import print_notes
from inst.errors import InstError, Location

PERIOD = 0.1
"""Seconds between two looks at the traces that grow."""
_START = 8


def _zstd() -> Callable[[bytes], bytes]:
    import zstandard

    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress


def _gzip() -> Callable[[bytes], bytes]:
    import gzip

    return lambda data: gzip.compress(data, 1, mtime=0)


def _xz() -> Callable[[bytes], bytes]:
    import lzma

    return lambda data: lzma.compress(data, preset=0)


PACKERS = {".zst": _zstd, ".gz": _gzip, ".xz": _xz}
"""Ending of a name -> what makes the function that compresses: the fast levels."""


def asks_for_packing(name: str) -> bool:
    """Return whether a trace of this name is compressed. Pipes and devices get their records."""
    path = Path(name)
    return path.suffix in PACKERS and not (path.exists() and not path.is_file())


class PackedRun:
    """The traces of one run, whose output has a name that asks for compression."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._ending = output.suffix
        self._compress = PACKERS[self._ending]()
        self._files: dict[str, GrowingFile] = {}
        self._over = Event()
        self._thread: Thread | None = None
        try:
            self._folder = Path(tempfile.mkdtemp(prefix=".inst-", dir=output.parent))
        except OSError as error:
            message = f"cannot write: {error.strerror}"
            raise InstError(message, location=Location(str(output))) from error

    @property
    def plain(self) -> str:
        """The name for INST_OUT: of the trace that is not compressed."""
        return str(self._folder / self._output.stem)

    def final(self, path: Path) -> Path:
        """Return where a trace of the run comes to be: `t.rst.12.zst` for `t.rst.12`."""
        if path.parent != self._folder:
            return path
        return self._output.with_name(path.name + self._ending)

    def follow(self, process: int) -> None:
        """Begin to compress what the process writes."""
        self._thread = Thread(target=self._follow, args=(process,), daemon=True)
        self._thread.start()

    def _follow(self, process: int) -> None:
        with contextlib.suppress(OSError):  # all is done at the end then
            while not self._over.wait(PERIOD):
                self.look(process)

    def look(self, process: int) -> None:
        """Compress what the process has finished since the last look but one."""
        sizes = {each.name: each.stat().st_size for each in os.scandir(self._folder)}
        mapped = self._mapped(process)
        for name in mapped.keys() & sizes.keys():
            if name not in self._files and sizes[name] > 2 * CHUNK:
                self._open(name)
            if name in self._files:
                self._files[name].take(sizes[name], mapped[name])

    def _open(self, name: str) -> None:
        from inst.formats.rec import MAGICS

        path = self._folder / name
        with path.open("rb") as stream:
            start = stream.read(_START)
        if start[:1] != b"\0" and start not in MAGICS:
            self._files[name] = GrowingFile(path, self._compress)

    def _mapped(self, process: int) -> dict[str, set[int]]:
        """Return the chunks of each trace that are mapped by a process, which maps its first."""
        found: dict[str, set[int]] = {}
        folder = f"/{self._folder.name}/"
        try:
            lines = Path(f"/proc/{process}/maps").read_text(errors="surrogateescape")
        except OSError:  # it has ended
            return found
        for line in lines.splitlines():
            if folder not in line:
                continue
            addresses, _, offset, _, _, path = line.split(maxsplit=5)
            first, last = (int(each, 16) for each in addresses.split("-"))
            begin = int(offset, 16)
            chunks = range(begin // CHUNK, -(-(begin + last - first) // CHUNK))
            found.setdefault(os.path.basename(path), set()).update(chunks)
        return {name: chunks for name, chunks in found.items() if 0 in chunks}

    def finish(self, written: list[Path], is_in_use: Callable[[Path], bool]) -> bool:
        """Give each trace its name, compressed; return whether that could be done for all."""
        done = True
        for path in written:
            if path.parent != self._folder or not path.exists():
                continue
            if is_in_use(path):
                print_notes([f"{path} remains as it is: a process still writes it"])
                done = False
            else:
                done = self._pack(path) and done
        for file in self._files.values():
            file.close()
        self._files.clear()
        with contextlib.suppress(OSError):  # it holds what a message has named
            self._folder.rmdir()
        return done

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Remove the directory of a run that did not begin."""
        self._stop()
        if kind:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _stop(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def _pack(self, path: Path) -> bool:
        final, new = self.final(path), path.with_name(f"{path.name}{self._ending}")
        file = None
        try:
            file = self._files.get(path.name) or GrowingFile(path, self._compress)
            self._files[path.name] = file
            mode = stat.S_IMODE(path.stat().st_mode)
            with new.open("xb") as stream:
                os.fchmod(stream.fileno(), mode)
                file.write_to(stream)
            new.replace(final)
            path.unlink()
        except (OSError, KeyboardInterrupt) as error:
            self._keep(path, new, file, getattr(error, "strerror", "") or "interrupted")
            return False
        return True

    def _keep(self, path: Path, new: Path, file: GrowingFile | None, reason: str) -> None:
        """Keep the plain trace if it is whole, else the compressed part."""
        final = self.final(path)
        kept = path
        if file and file.has_holes:
            kept = new
            path.unlink(missing_ok=True)
        else:
            new.unlink(missing_ok=True)
        what = "its first part" if kept is new else "the trace, not compressed,"
        print_notes([f"cannot write {final}: {reason}; {what} is {kept}"])
