"""A build within `inst build` makes what it makes without, by processes that a server forks."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Shell

COMPILER = "powerpc-linux-gnu-gcc"
DEFAULT = ("env", "--default-signal")
"""Without what a job in the background ignores."""
FILES = [f"part{n}" for n in range(6)]
MAKEFILE = f"""\
OBJECTS = {" ".join(f"{name}.o" for name in FILES)} main.o
program: $(OBJECTS)
\t$(CC) -o $@ $(OBJECTS)
%.o: %.c
\t$(CC) -O2 -c -o $@ $<
"""
REPORTING = """\
#!/bin/sh
case "$*" in -v) echo gcc version 12; exit ;; *-dump* | *-print*) exit ;; esac
echo "$(tr '\\0' ' ' < /proc/$PPID/cmdline)"
echo "$INST_PYTHON"
if test -t 1 && test -t 2; then echo terminal; fi
"""
"""A compiler that prints its parent, the Python of inst's tools, and if it is at a terminal."""


@pytest.fixture
def alone(shell: Shell) -> Iterator[Shell]:
    """Return a shell without the server of the tests; its temporary files have a short name."""
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:
        shell.environment |= {"INST_SERVER": "", "TMPDIR": temporary}
        yield shell


def _left(shell: Shell) -> list[Path]:
    return list(Path(shell.environment["TMPDIR"]).glob("inst-build-*"))


def _write_sources(directory: Path) -> None:
    directory.mkdir()
    for name in FILES:
        code = f"int {name}(int *at) {{ return at[0] += {len(name)}; }}\n"
        (directory / f"{name}.c").write_text(code)
    calls = "\n".join(f"    {name}(&sum);" for name in FILES)
    declared = "\n".join(f"int {name}(int *);" for name in FILES)
    text = f"{declared}\nint main(void)\n{{\n    int sum = 0;\n{calls}\n    return sum;\n}}\n"
    (directory / "main.c").write_text(text)
    (directory / "Makefile").write_text(MAKEFILE)


def _write_script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_build_makes_the_same(alone: Shell) -> None:
    made = []
    for place, command in (("without", ["make"]), ("within", ["inst", "build", "make", "-j4"])):
        _write_sources(alone.directory / place)
        within = Shell(alone.directory / place, alone.environment)
        within.check(*command, f"CC=inst-cc {COMPILER}")
        within.environment |= {"INST_OUT": "t.rec"}
        assert within.run("inst", "run", "./program").returncode == 5 * len(FILES)
        assert "clean: " in within.check("inst", "check", "t.rec")
        objects = sorted((alone.directory / place).glob("*.o"))
        made.append([(path.name, path.read_bytes()) for path in objects])
    assert made[0] == made[1]
    assert len(made[0]) == len(FILES) + 1
    assert not _left(alone)


def test_tools_are_forked(alone: Shell) -> None:
    _write_script(alone.directory / "report-gcc", REPORTING)
    parent, python = alone.check("inst", "build", "inst-cc", "./report-gcc", "x.c").splitlines()
    assert "inst.wrap.server" in parent
    assert "inst-build-" in python
    _, python = alone.check(
        "inst", "build", shutil.which("inst-cc", path=alone.environment["PATH"]) or "",
        "./report-gcc", "x.c",
    ).splitlines()  # fmt: skip
    assert "inst-build-" in python  # inst-cc was found elsewhere than in PATH
    _, python = alone.check("inst-cc", "./report-gcc", "x.c").splitlines()
    assert "inst-build-" not in python


def test_a_compiler_that_a_build_remembers(alone: Shell) -> None:
    """cmake writes where it has found inst-cc: it has to be there in the next command, too."""
    alone.environment |= {"INST_CACHE": str(alone.directory / "cache")}
    _write_script(alone.directory / "report-gcc", REPORTING)
    found = alone.check("inst", "build", "sh", "-c", "command -v inst-cc").strip()
    parent, _ = alone.check("inst", "build", found, "./report-gcc", "x.c").splitlines()
    assert "inst.wrap.server" in parent
    parent, _ = alone.check(found, "./report-gcc", "x.c").splitlines()
    assert "inst.wrap.server" not in parent
    assert alone.check(found, "--version") == alone.check("inst-cc", "--version")
    Path(found).unlink()
    alone.check("inst", "build", found, "--version")
    Path(found).chmod(0o644)  # as where nothing can be executed
    done = alone.run("inst", "build", "inst-cc", "--version")
    assert done.returncode == 0
    assert "cannot be executed" in done.stderr.decode()


def test_a_directory_with_a_long_name(alone: Shell) -> None:
    """The server's socket is elsewhere then."""
    far = alone.directory / ("far" * 30)
    far.mkdir()
    _write_script(alone.directory / "report-gcc", REPORTING)
    command = ("inst", "build", "inst-cc", "./report-gcc", "x.c")
    parent, python = alone.check(*command, TMPDIR=str(far)).splitlines()
    assert "inst.wrap.server" in parent
    assert python.startswith("/tmp/inst-build-")
    assert not Path(python).exists()


def test_builds_within_builds_share_a_server(alone: Shell) -> None:
    _write_script(alone.directory / "report-gcc", REPORTING)
    count = 'inst build sh -c "ls -d $TMPDIR/inst-build-* | wc -l; inst-cc ./report-gcc x.c"'
    number, parent, _ = alone.check("inst", "build", "sh", "-c", count).splitlines()
    assert number.strip() == "1"
    assert "inst.wrap.server" in parent


def test_ccache_is_seen(alone: Shell) -> None:
    """What inst-cc does depends on the parent, which a forked process has not."""
    _write_script(alone.directory / "report-gcc", REPORTING)
    shutil.copy("/bin/sh", alone.directory / "ccache")
    parent, python = alone.check(
        "inst", "build", "./ccache", "-c", "inst-cc ./report-gcc x.c; :"
    ).splitlines()
    assert parent.startswith("./ccache ")
    assert "inst-build-" in python


@pytest.mark.parametrize(
    "changed",
    [["nice"], ["setarch", "-R"], ["setsid", "-w"], ["env", "LC_ALL=de_DE"],
     ["sh", "-c", 'umask 0123 && "$@"', "sh"], ["sh", "-c", 'ulimit -n 99 && "$@"', "sh"],
     ["sh", "-c", 'trap "" INT && "$@"', "sh"]],
    ids=["priority", "personality", "session", "locale", "umask", "limits", "ignored signal"],
)  # fmt: skip
def test_what_a_fork_would_not_have(changed: list[str], alone: Shell) -> None:
    _write_script(alone.directory / "report-gcc", REPORTING)
    command = ("inst-cc", "./report-gcc", "x.c")
    parent, _ = alone.check(*DEFAULT, "inst", "build", *changed, *command).splitlines()
    assert "inst.wrap.server" not in parent
    parent, _ = alone.check(*DEFAULT, "inst", "build", "env", *command).splitlines()
    assert "inst.wrap.server" in parent


def test_configure_is_served(alone: Shell) -> None:
    """Scripts of autoconf set the locale `C`, in which Python encodes text as UTF-8, too."""
    _write_script(alone.directory / "report-gcc", REPORTING)
    for locale in ("LC_ALL=C", "LC_ALL=C.UTF-8", "LANG=en_US.UTF-8", "LC_ALL="):
        changed = ("env", "-u", "LC_CTYPE", "LANGUAGE=C", locale)
        command = ("inst", "build", *changed, "inst-cc", "./report-gcc", "x.c")
        parent, _ = alone.check(*command).splitlines()
        assert "inst.wrap.server" in parent, locale


def test_the_status_is_that_of_the_build(alone: Shell) -> None:
    assert alone.run("inst", "build", "sh", "-c", "exit 7").returncode == 7
    assert alone.run("inst", "build", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    done = alone.run("inst", "build", "no-such-command")
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "inst: error: command not found: no-such-command\n  hint: is it installed?\n"
    )
    assert not _left(alone)


def test_without_a_compiler_for_this_machine(alone: Shell) -> None:
    few = alone.directory / "few"
    few.mkdir()
    for name in ("inst", "inst-cc", "sh", "make", COMPILER, "dirname", "uname"):
        found = shutil.which(name, path=alone.environment["PATH"])
        assert found
        (few / name).symlink_to(found)
    (alone.directory / "a.c").write_text("int f(int *p) { return *p; }\n")
    alone.environment |= {"INST_CACHE": str(alone.directory / "cache")}
    done = alone.run("inst", "build", "inst-cc", COMPILER, "-c", "a.c", PATH=str(few))
    assert done.returncode == 0
    assert "there is no C compiler for this machine" in done.stderr.decode()
    assert done.stderr.decode().startswith("inst: warning: ")
    assert (alone.directory / "a.o").exists()


def test_at_a_terminal(alone: Shell) -> None:
    """A build that is started from a terminal is served, and its compilers are at the terminal."""
    script = _write_script(alone.directory / "report-gcc", REPORTING)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["inst", "build", "inst-cc", script, "x.c"], cwd=alone.directory,
        env={**os.environ, **alone.environment}, stdin=theirs, stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        text = b""
        try:
            while more := os.read(ours, 4096):
                text += more
        except OSError:  # the other side is closed
            pass
        os.close(ours)
    parent, _, terminal = text.decode().splitlines()
    assert process.returncode == 0
    assert "inst.wrap.server" in parent
    assert terminal == "terminal"


def test_an_interrupt_ends_the_build(alone: Shell) -> None:
    """The terminal sends it to the build, to inst and to the server."""
    begun = alone.directory / "begun"
    slow = [*REPORTING.splitlines()[:2], "echo $$ > begun", "exec sleep 60", ""]
    _write_script(alone.directory / "slow-gcc", "\n".join(slow))
    with subprocess.Popen(
        [*DEFAULT, "inst", "build", "sh", "-c", "inst-cc ./slow-gcc x.c; :"], cwd=alone.directory,
        env={**os.environ, **alone.environment}, start_new_session=True,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        while not (begun.exists() and begun.read_text().endswith("\n")):
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(20) == -signal.SIGINT
        assert process.stderr
        assert process.stderr.read() == b""
    assert not Path(f"/proc/{begun.read_text().strip()}").exists()
    assert not _left(alone)
