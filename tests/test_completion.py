"""Completion in real shells: subcommands, options, values, examples, inst-cc's options, files."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from inst.check import registry
from inst.cli import main
from inst.commands.completion import NAMES
from inst.commands.shells import SHELLS
from inst.commands.table import COMMANDS, parser_of
from inst.diff.ignore import IGNORE
from inst.wrap.options import OPTIONS
from tests.conftest import require_tools

CASES = [
    ("inst vie", {"view"}),
    ("inst view --as ", {"rst", "sexp", "stf", "table"}),
    ("inst view --no-de", {"--no-demangle"}),
    ("inst check --only ra", {"races"}),
    ("inst examples bas", {"basket.c"}),
    ("inst completion z", {"zsh"}),
    ("inst view some", {"some.rst"}),
]
"""What stands on the line, and what a Tab offers."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "some.rst").touch()
    for name, make in SHELLS.items():
        (tmp_path / f"completion.{name}").write_text(make())
    return tmp_path


def _bash(place: Path, lines: list[list[str]]) -> list[set[str]]:
    """Return what bash's functions offer for the last word of each line."""
    script = ["shopt -u progcomp_alias; . ./completion.bash"]
    for words in lines:
        script.append("COMP_WORDS=(" + " ".join(f"'{word}'" for word in words) + ")")
        script.append(f"COMP_CWORD={len(words) - 1}; _{words[0].replace('-', '_')}")
        script.append('echo "${COMPREPLY[@]}"')
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(script)], cwd=place, capture_output=True, text=True
    )
    assert done.stderr == ""
    return [set(line.split()) for line in done.stdout.split("\n")[:-1]]


def test_bash(place: Path) -> None:
    lines = [line.split(" ") for line, _ in CASES]
    assert _bash(place, lines) == [wanted for _, wanted in CASES]
    names = [{name for a in parser_of(c)._actions for name in a.option_strings} for c in COMMANDS]
    assert _bash(place, [["inst", command, "-"] for command in COMMANDS]) == names
    subcommands, checks, ignored, own, level = _bash(
        place,
        [["inst", ""], ["inst", "check", "--except", ""], ["inst", "diff", "--ignore", ""],
         ["inst-cc", "--inst-"], ["inst-cc", "--inst-level", "=", "v"]],
    )  # fmt: skip
    assert (subcommands, checks, ignored) == (set(COMMANDS), set(registry.known()), set(IGNORE))
    options = {f"--inst-{option.name}=" for option in OPTIONS}
    assert own == options | {"--inst-help", "--inst-version"}
    assert level == {"values"}
    command, file = _bash(place, [["inst-cc", "bas"], ["inst-cc", "gcc", "some"]])
    assert "bash" in command and file == {"some.rst"}


def test_fish(place: Path) -> None:
    require_tools("fish")
    lines = [*CASES, ("inst-cc --inst-level=v", {"--inst-level=values"})]
    script = ["source completion.fish"]
    script += [f"complete -C '{line}'; echo ==" for line, _ in lines]
    done = subprocess.run(
        ["fish", "--no-config", "-c", "\n".join(script)], cwd=place, capture_output=True, text=True,
        env={**os.environ, "HOME": str(place)},
    )  # fmt: skip
    assert done.stderr == ""
    offered = [
        {line.partition("\t")[0] for line in block.split("\n") if line}
        for block in done.stdout.split("==\n")[:-1]
    ]
    assert offered == [wanted for _, wanted in lines]


def test_zsh(place: Path) -> None:
    """Typed on a terminal, with Tabs; functions in the place of the commands say what was typed."""
    require_tools("zsh")
    (place / "_inst").write_text(SHELLS["zsh"]())
    ours, its = pty.openpty()
    setup = ["PS1='%% '; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D",
             "inst() { print -r -- '<'$*'>' }; inst-cc() { print -r -- '<'$*'>' }"]  # fmt: skip
    typed = [f"{line}\t" for line, wanted in CASES if len(wanted) == 1]
    typed += ["inst-cc --inst-level=v\t"]
    environment = {**os.environ, "TERM": "dumb", "HOME": str(place), "ZDOTDIR": str(place)}
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], cwd=place, stdin=its, stdout=its, stderr=its, env=environment,
        start_new_session=True,
    )  # fmt: skip
    os.close(its)
    os.write(ours, "\n".join([*setup, *typed, "exit", ""]).encode())
    said = b""
    try:
        while piece := os.read(ours, 1 << 16):
            said += piece
    except OSError:  # the shell has ended
        pass
    os.close(ours)
    shell.wait()
    got = re.findall(r"^<(.*?)>", said.decode(), re.M)
    wanted = [f"{line.split(' ', 1)[1].rpartition(' ')[0]} {next(iter(words))}".strip()
              for line, words in CASES if len(words) == 1]  # fmt: skip
    assert [each.strip() for each in got] == [*wanted, "--inst-level=values"], said.decode()


def test_the_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(NAMES) == set(SHELLS)
    assert main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == SHELLS["bash"]()
