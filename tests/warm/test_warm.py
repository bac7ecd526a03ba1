"""Commands that are forked do what commands that are really started do."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from inst.commands.table import COMMANDS
from tests import warm
from tests.conftest import Shell


def _both(name: str, *words: str, **more: object) -> list[subprocess.CompletedProcess[bytes]]:
    """Run a command really started and forked; return what both said."""
    bare = {key: value for key, value in os.environ.items() if key != warm.SERVER}
    command = [str(warm.commands() / name), *words]
    return [
        subprocess.run(command, env=environment, capture_output=True, timeout=60, **more)  # type: ignore[call-overload]
        for environment in (bare, {**os.environ})
    ]


@pytest.mark.parametrize("words", [(), *((name,) for name in COMMANDS)], ids="-".join)
def test_every_command_starts_both_ways(words: tuple[str, ...]) -> None:
    real, forked = _both("inst", *words, "--help")
    assert (real.stdout, real.stderr, real.returncode) == (
        forked.stdout, forked.stderr, forked.returncode
    )  # fmt: skip
    assert real.stdout


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), ("--inst-include",), ("no-such-gcc",), ("--inst-x",)]
)
def test_the_compiler_wrapper_starts_both_ways(words: tuple[str, ...]) -> None:
    real, forked = _both("inst-cc", *words)
    assert (real.stdout, real.stderr, real.returncode) == (
        forked.stdout, forked.stderr, forked.returncode
    )  # fmt: skip


def test_input_output_and_status(tmp_path: Path) -> None:
    text = b"f:\n\tlwz 3,0(4)\n\tblr\n"
    real, forked = _both("inst", "translate", "--target", "ppc32", input=text, cwd=tmp_path)
    assert real.stdout == forked.stdout != b""
    real, forked = _both("inst", "view", "nothing.rst", cwd=tmp_path)
    assert real.stderr == forked.stderr != b""
    assert real.returncode == forked.returncode == 2


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "en_US.UTF-8", ""])
def test_bytes_that_are_not_utf_8(locale: str, tmp_path: Path) -> None:
    (tmp_path / "a.s").write_bytes(b"f:\tnop\t# \xff \xc3\xa9\n\tnop\n")
    bare = {key: value for key, value in os.environ.items() if key != warm.SERVER}
    done = []
    for around in (bare, {**os.environ}):
        environment = around | {"LC_ALL": locale, "LC_CTYPE": "", "LANG": ""}
        for words in (("view", "/no/\udcff"), ("--target", "ppc32")):
            with (tmp_path / "a.s").open("rb") as stream:
                one = subprocess.run(
                    [str(warm.commands() / "inst"), *words], env=environment, stdin=stream,
                    capture_output=True, timeout=60,
                )  # fmt: skip
            done.append((one.returncode, one.stdout, one.stderr))
    assert done[:2] == done[2:]


def test_they_are_forked(shell: Shell) -> None:
    """The parent of what a served inst-cc becomes is the server, and not the client."""
    script = shell.directory / "parent-gcc"
    script.write_text('#!/bin/sh\ncase "$*" in *-dump*) ;; *) echo $PPID;; esac\n')
    script.chmod(0o755)
    said = shell.check("inst-cc", "./parent-gcc", "-print-prog-name=as")
    with open(f"/proc/{said.strip()}/cmdline") as line:
        assert "tests.warm.server" in line.read()
    started = shell.check(
        warm.commands() / "inst-cc", "./parent-gcc", "-print-prog-name=as", **{warm.SERVER: ""}
    )
    assert started.strip() == str(os.getpid())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_reach_it(number: signal.Signals) -> None:
    """They are passed on, and end the client as they end the command."""
    with subprocess.Popen(
        ["env", "--default-signal", warm.commands() / "inst", "translate", "--target", "ppc32"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin
        process.stdin.write(b"\n" * 100_000)  # more than a pipe holds: it has begun to read
        process.stdin.flush()
        while process.poll() is None:  # one may come between two of Python's reads
            process.send_signal(number)
            time.sleep(0.1)
    assert process.returncode in (-number, 128 + number)
