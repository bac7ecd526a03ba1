"""What every test can use: tools that must be there, and inst's commands as a user has them."""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inst.target.targets import TARGETS, Target
from tests import warm
from tests.emulator_limits import described
from tests.library_cache import shared_directory, tidy
from tests.rotation import mark_the_others
from tests.sizes import register_profiles

ROOT = Path(__file__).resolve().parent.parent

PACKAGES = {
    "apt-get": "apt",
    "ccache": "ccache",
    "clang": "clang",
    "csmith": "csmith libcsmith-dev",
    "cvise": "cvise",
    "dpkg-source": "dpkg-dev",
    "gcc": "gcc libc6-dev",
    "libtool": "libtool-bin",
    "fish": "fish",
    "man": "man-db",
    "make": "make",
    "zsh": "zsh",
    "qemu-ppc": "qemu-user",
    "qemu-sparc32plus": "qemu-user",
    "qemu-sparc64": "qemu-user",
    "qemu-system-ppc": "qemu-system-ppc",
    "qemu-system-sparc": "qemu-system-sparc",
    **{target.compiler[0]: " ".join(target.packages) for target in TARGETS.values()},
}
"""The Debian packages of each command that tests run."""


register_profiles()

LONG_RUN = 120
"""Seconds of tests from which on it is said which files took them."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Do not look for garbage in what is collected, half a million objects that stay: it takes a
    quarter of the time to collect the tests, and some of that to run them."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def require_tools(*commands: str) -> None:
    """Fail with the command that installs what is missing: a test is never skipped."""
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        packages = " ".join(PACKAGES.get(command, command) for command in missing)
        pytest.fail(f"{', '.join(missing)} not found: sudo apt-get install {packages}", False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which files took the time of a long run (seconds of one process) and what it lacks."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if seconds.total() > LONG_RUN:
        terminalreporter.section("slowest ten files")
        for name, duration in seconds.most_common(10):
            terminalreporter.line(f"{duration:6.0f} s  {name}")
        lines = [*described()]
        terminalreporter.section(f"programs that the emulator cannot run: {len(lines)}")
        for line in lines:
            terminalreporter.line(line)


@pytest.fixture(scope="session")
def require() -> Callable[..., None]:
    """Return the function that fails a test when a command is missing."""
    return require_tools


@pytest.fixture(params=sorted(TARGETS))
def target(request: pytest.FixtureRequest) -> Target:
    """Run the test once for each target, with its compiler and emulator there."""
    found = TARGETS[request.param]
    require_tools(found.compiler[0], found.emulator)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is left to a campaign before pytest chooses by markers."""
    mark_the_others(items)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Remove what earlier runs have left in the cache of libraries; workers leave that alone."""
    if not hasattr(session.config, "workerinput") and (kept := shared_directory()):
        tidy(kept)


@pytest.fixture(scope="session", autouse=True)
def inst_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what inst builds out of the user's cache; all workers and later runs share it.

    Where the checkout belongs to another user, each run has a cache of its own.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    cache = shared_directory() or base / "inst-cache"
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("INST_")]:
            patch.delenv(name)
        patch.setenv("INST_CACHE", str(cache))
        keep_byte_code(patch)
        yield cache


def keep_byte_code(patch: pytest.MonkeyPatch) -> None:
    """Let the commands that tests run compile each module once, also where that is turned off."""
    if "PYTHONDONTWRITEBYTECODE" in os.environ:
        patch.delenv("PYTHONDONTWRITEBYTECODE")
        patch.setenv("PYTHONPYCACHEPREFIX", str(ROOT / "build" / "byte-code"))


_WAITED = re.compile(rb"inst: note: waiting for another inst-cc.*\n")


@dataclass
class Shell:
    """A place to run commands in, with inst and inst-cc first in PATH."""

    directory: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(
        self, *command: str | Path, stdin: bytes = b"", **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end and return what it said; nothing is checked.

        That it has waited for another test's build is left out.
        """
        done = self.run_among_others(*command, stdin=stdin, **variables)
        done.stderr = _WAITED.sub(b"", done.stderr)
        return done

    def run_among_others(
        self, *command: str | Path, stdin: bytes = b"", **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end and return all that it said."""
        environment = {**os.environ, **self.environment, **variables}
        program = shutil.which(str(command[0]), path=environment["PATH"]) or str(command[0])
        return subprocess.run(
            [program, *map(str, command[1:])],
            cwd=self.directory,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=300,
        )

    def check(self, *command: str | Path, stdin: bytes = b"", **variables: str) -> str:
        """Run a command that must succeed and return its standard output."""
        result = self.run(*command, stdin=stdin, **variables)
        said = result.stderr.decode(errors="replace")
        assert result.returncode == 0, f"{command} gave {result.returncode}:\n{said}"
        return result.stdout.decode(errors="replace")


@pytest.fixture(scope="session", autouse=True)
def started(tmp_path_factory: pytest.TempPathFactory, inst_cache: Path) -> Iterator[None]:
    """Let commands be forked by a process that has imported inst."""
    with warm.allowed(tmp_path_factory.mktemp("warm")):
        yield


@pytest.fixture(scope="session")
def commands(started: None) -> Path:
    """Return a directory with inst and inst-cc, which start like an installation's."""
    return warm.commands()


@pytest.fixture
def shell(commands: Path, tmp_path: Path) -> Shell:
    """Return a shell in a directory of the test's own."""
    return Shell(tmp_path, {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"})
