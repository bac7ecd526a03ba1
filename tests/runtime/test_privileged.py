"""Programs that another user runs, and files and directories that another user has put there."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from inst.target.emulator import command_for
from inst.target.targets import Target
from inst.trace import open_trace
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32")

FILES = Path(__file__).parent / "files"
OTHER = 65534
"""Another user, and another group."""
PROGRAM = """
#include <stdio.h>
int table[4] = { 40, 2 };
int main(void) { table[2] = table[0] + table[1]; return printf("%d\\n", table[2]) - 3; }
"""
SAID = b"inst: no trace: the process has privileges of another user; the program goes on untraced\n"
CAN_CHANGE = os.geteuid() == 0
"""Whether ids and owners can be changed here, for cases that need it."""


def unchanged() -> None:
    """Leave the ids as they are."""


def other_group() -> None:
    """Make the real group another than the effective one."""
    os.setresgid(OTHER, 0, 0)


def other_user() -> None:
    """Make the real user another than the effective one, as in a set-user-ID program."""
    os.setresuid(OTHER, 0, 0)


WAYS: dict[str, Callable[[], None]] = {"1": unchanged}
"""What is written over AT_SECURE, and what is done with the ids."""
if CAN_CHANGE:
    WAYS["0"] = other_group


_BUILT: dict[tuple[str, ...], bytes] = {}
"""Programs by target, hooks and flags: each is built once."""


def build(shell: Shell, target: Target, hooks: str, *flags: str) -> list[str]:
    """Build the program in the shell's directory; return the command that runs it."""
    path, key = shell.directory / "p", (target.name, hooks, *flags)
    if key not in _BUILT:
        (shell.directory / "p.c").write_text(PROGRAM)
        shell.check(*target.compiler, "-c", FILES / "secure.c", "-o", "secure.o")
        command = ("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-O1", *flags)
        shell.check(*command, "p.c", "secure.o", "-o", "p")
        _BUILT[key] = path.read_bytes()
        for name in ("p.c", "secure.o"):
            (shell.directory / name).unlink()
    path.write_bytes(_BUILT[key])
    path.chmod(0o755)
    return command_for(shell.directory / "p", [])


def names(shell: Shell) -> list[str]:
    """Return what is in the directory besides the program."""
    return sorted(path.name for path in shell.directory.iterdir() if path.name != "p")


def test_a_privileged_process_obeys_no_variable_and_writes_no_trace(
    shell: Shell, target: Target
) -> None:
    """The vector says so, or the ids differ; or, in a static program, both."""
    command = build(shell, target, "rst")
    victim = shell.directory / "victim"
    victim.write_text("precious")
    variables = ({"INST_OUT": str(victim), "INST_WATCH": "?"}, {})
    runs = [([*command, digit], one, change) for digit, change in WAYS.items() for one in variables]
    for run in runs:
        done = _run(shell, *run)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"42\n", SAID), run
        assert (names(shell), victim.read_text()) == (["victim"], "precious"), run
    if CAN_CHANGE:
        done = _run(shell, build(shell, target, "rst", "-static"), variables[0], other_user)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"42\n", SAID)
        assert (names(shell), victim.read_text()) == (["victim"], "precious")


def test_a_privileged_process_writes_no_counts(shell: Shell, target: Target) -> None:
    command = build(shell, target, "count")
    for environment in ({"INST_OUT": "out"}, {}):
        done = _run(shell, [*command, "1"], environment)
        assert (done.stdout, done.stderr, names(shell)) == (b"42\n", b"", [])
    assert _run(shell, [*command, "0"], {}).stderr.startswith(b"ld")


def test_only_the_user_may_read_a_trace(shell: Shell, target: Target) -> None:
    """A file that is there keeps its permissions: whoever made it has chosen them."""
    command = build(shell, target, "rst")
    for environment in ({"INST_OUT": "out"}, {}):
        done = _run(shell, [*command, "0"], environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"42\n", b"")
    for name in names(shell):
        path = shell.directory / name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert any(event.value == 42 for event in open_trace(path).objects())
    path = shell.directory / "out"
    path.chmod(0o640)
    _run(shell, command, {"INST_OUT": "out"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


PLANTED = {
    "ln -s victim $NAME": "is a symbolic link",
    "ln victim $NAME": "is a file with several names",
    "mkfifo $NAME": "is not a regular file",
}
if CAN_CHANGE:
    PLANTED |= {
        f"touch $NAME; chmod 666 $NAME; chown {OTHER} $NAME": "is another user's file",
        f"chown {OTHER} .": "the directory is another user's (INST_OUT=NAME names a file)",
    }


def test_what_others_have_put_in_the_place_of_a_trace(shell: Shell, target: Target) -> None:
    """Nobody has chosen the usual name: what is found there is not the user's."""
    command = shlex.join(build(shell, target, "rst"))
    victim = shell.directory / "victim"
    victim.write_text("precious")
    for planted, text in PLANTED.items():
        script = f"NAME=inst.$$.rst; {planted}; exec {command}"
        done = _run(shell, ["sh", "-c", script], {})
        assert (done.returncode, done.stdout) == (0, b"42\n"), planted
        assert text in done.stderr.decode()
        assert victim.read_text() == "precious", planted
        for path in shell.directory.glob("inst.*"):
            assert path.is_fifo() or path.read_text() in ("precious", "")
            path.unlink()


def test_a_name_that_is_given(shell: Shell, target: Target) -> None:
    """The user's own links lead to the trace; a file of another user does not become one."""
    command = [*build(shell, target, "rst"), "0"]
    (shell.directory / "link").symlink_to("real")
    assert _run(shell, command, {"INST_OUT": "link"}).stderr == b""
    assert any(event.value == 42 for event in open_trace(shell.directory / "real").objects())
    if not CAN_CHANGE:
        return
    other = shell.directory / "other"
    other.write_text("")
    other.chmod(0o666)
    os.chown(other, OTHER, OTHER)
    said = _run(shell, command, {"INST_OUT": "other"}).stderr.decode()
    assert said.startswith("inst: cannot write the trace to ") and "is another user's file" in said
    assert other.stat().st_size == 0


def _run(
    shell: Shell,
    command: list[str],
    environment: dict[str, str],
    change: Callable[[], None] = unchanged,
) -> subprocess.CompletedProcess[bytes]:
    variables = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run(
        command, cwd=shell.directory, env=variables, capture_output=True, timeout=60,
        preexec_fn=change,
    )  # fmt: skip
