"""The truth test of a real program: Debian's gzip, configured and made through inst-cc.

    python tests/truth/gzip_truth.py [ppc32|sparc-v8|sparc-v9 ...]

fetches the source package, builds gzip plain and instrumented for each target, compresses and
decompresses 1 MB with both, and holds every access of the instrumented program against the
emulator's log.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from inst.errors import InstError
from inst.target.targets import TARGETS, Target
from tests.warm import python
from truth.binary import Binary, read_binary
from truth.emulator import Plugins, build_plugins, run
from truth.harness import ROOT, Verdict, check_pair, python_environment

HOSTS = {
    "sparc-v8": "sparc-linux-gnu",
    "sparc-v9": "sparc64-linux-gnu",
    "ppc32": "powerpc-linux-gnu",
    "ppc64": "powerpc64-linux-gnu",
    "ppc64le": "powerpc64le-linux-gnu",
}
# dpkg's patches leave the timestamps in an order that makes automake run itself again.
NO_REMAKE = ("ACLOCAL=:", "AUTOCONF=:", "AUTOHEADER=:", "AUTOMAKE=:", "MAKEINFO=:")
_FLAGS = "-g -O2"
SIZE = 1 << 20


def fetch_source(package: str, directory: Path) -> Path:
    """Return the unpacked Debian source of a package, fetching it once into a directory."""
    found = sorted(path for path in directory.glob(f"{package}-*") if path.is_dir())
    if found:
        return found[0]
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory) as temporary:
        for version in ("", *_versions(package)):
            command = ["apt-get", "source", "-qq", package + version]
            done = subprocess.run(command, cwd=temporary, capture_output=True, text=True)
            made = [path for path in Path(temporary).glob(f"{package}-*") if path.is_dir()]
            if made and not done.returncode:
                break
        else:
            raise InstError(
                f"cannot fetch the source of {package}: {done.stderr.strip()}",
                hint="add deb-src lines to /etc/apt/sources.list, then: sudo apt-get update"
                " && sudo apt-get install dpkg-dev; ./bootstrap test does it",
            )
        kept = directory / made[0].name
        try:
            made[0].rename(kept)
        except OSError:  # another test was faster
            if not kept.is_dir():
                raise
    return kept


def _versions(package: str) -> list[str]:
    """Return the versions that apt knows of: the newest may be gone from a mirror already."""
    command = ["apt-cache", "showsrc", "--only-source", package]
    done = subprocess.run(command, capture_output=True, text=True)
    return [f"={line[9:]}" for line in done.stdout.splitlines() if line.startswith("Version: ")]


def configure(source: Path, directory: Path, target: Target, compiler: str, flags: str) -> None:
    """Run gzip's configure script, once for each directory."""
    if (directory / "Makefile").exists():
        return
    directory.mkdir(parents=True, exist_ok=True)
    command = [str(source / "configure"), f"--host={HOSTS[target.name]}", f"CC={compiler}"]
    command += [f"CFLAGS={flags}", "--disable-dependency-tracking"]
    _execute(command, directory)


def make(directory: Path, *variables: str) -> Path:
    """Make gzip in a configured directory and return the program."""
    _execute(["make", "LDFLAGS=-Wl,-Map=gzip.map", *NO_REMAKE, *variables], directory)
    return directory / "gzip"


def _execute(command: list[str], directory: Path) -> None:
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, env=python_environment()
    )
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise RuntimeError(f"{' '.join(command)} gave {done.returncode}:\n{tail}")


def compiler_of(target: Target, hooks: str = "") -> str:
    """Return the compiler's command, plain or with inst-cc before it."""
    own = [python(), "-m", "inst.wrap.cc", f"--inst-hooks={hooks}"] if hooks else []
    return " ".join([*own, *target.compiler])


def build(
    source: Path, directory: Path, target: Target, by_itself: bool = True
) -> tuple[Binary, Binary]:
    """Configure and make gzip, plain and through inst-cc.

    The instrumented one is configured through inst-cc `by_itself`, as a user does it; otherwise it
    is made with the Makefiles of the plain one, which takes a third of the time.
    """
    plain, traced = _plain(source, target), directory / f"traced-{target.name}"
    shutil.rmtree(traced, ignore_errors=True)
    compiler = compiler_of(target, "rst")
    if by_itself:
        configure(source, traced, target, compiler, _FLAGS)
    else:
        shutil.copytree(plain, traced, symlinks=True)
        _execute(["make", "clean", *NO_REMAKE], traced)
    program = make(traced, f"CC={compiler}")
    return read_gzip(plain / program.name, target), read_gzip(program, target)


def _plain(source: Path, target: Target) -> Path:
    """Return the directory of the plain build, which is made once for each compiler."""
    compiler = shutil.which(target.compiler[0])
    status = os.stat(compiler or target.compiler[0])
    identity = f"{source}\0{target.compiler}\0{status.st_size}\0{status.st_mtime_ns}\0{_FLAGS}"
    key = hashlib.sha256(identity.encode()).hexdigest()[:16]
    kept = ROOT / "build" / "gzip" / f"plain-{target.name}-{key}"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as temporary:
            made = Path(temporary, "plain")
            configure(source, made, target, compiler_of(target), _FLAGS)
            make(made)
            with suppress(OSError):  # another run was faster
                made.rename(kept)
    return kept


def read_gzip(program: Path, target: Target) -> Binary:
    """Read a gzip that was made here: its own objects and its library's are the user's."""
    link_map = program.with_name("gzip.map")
    objects = {
        line.split()[-1]
        for line in link_map.read_text().splitlines()
        if line.startswith("LOAD ") and line.endswith(".o") and "/" not in line
    }
    members = program.parent.glob("lib/*.o")
    objects |= {f"lib/libgzip.a({path.name})" for path in members}
    return read_binary(program, link_map, target.isa, objects, program.parent)


def make_data(path: Path, size: int = SIZE) -> Path:
    """Write deterministic data: text that compresses, noise, runs, all mixed."""
    chance = random.Random(1994)
    words = [bytes(chance.choices(b"etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(600)]
    made = bytearray()
    while len(made) < size:
        kind = chance.random()
        if kind < 0.7:
            made += b" ".join(chance.choices(words, k=60)) + b".\n"
        elif kind < 0.85:
            made += chance.randbytes(300)
        else:
            made += bytes([chance.randrange(256)]) * chance.randint(50, 900)
    path.write_bytes(made[:size])
    return path


def check_runs(
    plugins: Plugins, plain: Binary, traced: Binary, data: Path, packed: Path
) -> dict[str, Verdict]:
    """Compress and decompress data and compare; the verdicts by what was done."""
    packed.write_bytes(run(plain.path, ["-c", str(data)]).output)
    assert run(plain.path, ["-dc", str(packed)]).output == data.read_bytes()
    verdicts = {}
    for what, arguments in (("compress", ["-c", str(data)]), ("decompress", ["-dc", str(packed)])):
        with tempfile.TemporaryDirectory(dir=data.parent) as temporary:
            verdicts[what] = check_pair(plugins, plain, traced, Path(temporary), arguments)
    return verdicts


def check_gzip(
    plugins: Plugins, target: Target, directory: Path, size: int = SIZE, by_itself: bool = True
) -> dict[str, Verdict]:
    """Build, compress, decompress and compare; the verdicts by what was done."""
    source = fetch_source("gzip", ROOT / "build" / "sources")
    plain, traced = build(source, directory, target, by_itself)
    data = make_data(directory / f"data-{target.name}", size)
    return check_runs(plugins, plain, traced, data, data.with_suffix(".gz"))


def main(names: list[str]) -> int:
    """Check the targets named, or all."""
    directory = ROOT / "build" / "gzip"
    directory.mkdir(parents=True, exist_ok=True)
    plugins = build_plugins(directory)
    failed = False
    for name in names or sorted(TARGETS):
        start = time.monotonic()
        for what, verdict in check_gzip(plugins, TARGETS[name], directory).items():
            print(
                f"{name} {what}: {verdict.accesses} accesses agree, {verdict.bytes_checked} of"
                f" {verdict.bytes_loaded} loaded bytes checked: {verdict.summary()}"
            )
            failed = failed or bool(verdict.problems)
        print(f"{name}: {time.monotonic() - start:.0f} s")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
