"""What inst-cc says: coloured as its compiler's messages are, and about misspelt variables."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess

import pytest

from inst.common.colours import painted
from inst.wrap.options import OPTIONS
from inst.wrap.variables import warnings
from tests.conftest import Shell

GCC = "powerpc-linux-gnu-gcc"
BAD = "\tnop\n\tlwz 3,4(5) junk\n"
RED_ERROR = "\033[01;31m\033[Kerror: \033[m\033[K"
PLACE = "\033[01m\033[Ka.s:2:"


def test_each_part_has_its_colour() -> None:
    text = "a b/c.s:1:2: error: no: error: here\n    lwz 3\n      ^\n  hint: do\nx.s: warning: odd"
    bold, red = "\033[01m\033[K", "\033[01;31m\033[K"
    magenta, cyan, plain = "\033[01;35m\033[K", "\033[01;36m\033[K", "\033[m\033[K"
    assert painted(text, {}) == (
        f"{bold}a b/c.s:1:2: {plain}{red}error: {plain}no: error: here\n    lwz 3\n"
        f"      {red}^{plain}\n  {cyan}hint: {plain}do\n"
        f"{bold}x.s: {plain}{magenta}warning: {plain}odd"
    )
    assert painted(text, {"GCC_COLORS": ""}) == text
    assert painted("a: note: b", {"GCC_COLORS": "note=7:locus=4"}) == (
        "\033[4m\033[Ka: \033[m\033[K\033[7m\033[Knote: \033[m\033[Kb"
    )


def _on_terminal(shell: Shell, *command: str, **variables: str) -> str:
    """Return what a command writes to standard error where that is a terminal."""
    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", **shell.environment, **variables}
    program = shutil.which(command[0], path=environment["PATH"]) or command[0]
    subprocess.run([program, *command[1:]], cwd=shell.directory, env=environment, stderr=its)
    os.close(its)
    said = b""
    try:
        while piece := os.read(ours, 1 << 16):
            said += piece
    except OSError:  # so Linux says that nobody has the other end any more
        pass
    os.close(ours)
    return said.decode()


@pytest.fixture
def bad(shell: Shell) -> Shell:
    (shell.directory / "a.s").write_text(BAD)
    return shell


def test_a_terminal_has_colours_unless_it_is_asked_not_to(bad: Shell) -> None:
    command = ("inst-cc", GCC, "-c", "a.s")
    said = _on_terminal(bad, *command)
    assert PLACE in said and RED_ERROR in said, said
    for variables in ({"NO_COLOR": "1"}, {"GCC_COLORS": ""}, {"TERM": "dumb"}):
        said = _on_terminal(bad, *command, **variables)
        assert "a.s:2:" in said and "\033" not in said, variables
    assert "\033" not in _on_terminal(bad, *command, "-fdiagnostics-color=never")


def test_elsewhere_only_if_the_compiler_is_told_so(bad: Shell) -> None:
    command = ("inst-cc", GCC, "-c", "a.s")
    assert b"\033" not in bad.run(*command).stderr
    said = bad.run(*command, "-fdiagnostics-color=always").stderr.decode()
    assert PLACE in said and RED_ERROR in said
    assert b"\033" not in bad.run(*command, "-fdiagnostics-color", "-fno-diagnostics-color").stderr
    said = bad.run("inst-cc", "no-such-gcc", "-fdiagnostics-color=always").stderr.decode()
    assert said.startswith("\033[01m\033[Kinst: \033[m\033[K" + RED_ERROR)


def test_every_variable_is_known_and_nearly_right_ones_are_answered() -> None:
    known = {option.variable: "1" for option in OPTIONS}
    assert list(warnings({**known, "INST_OUT": "t", "INST_WATCH": "x", "PATH": ""})) == []
    assert list(warnings({"INST_QUERY": "a", "INST_SAVED_LIBRARY_PATH": ""})) == []
    for wrong, right in (
        ("INST_HOKS", "INST_HOOKS"),
        ("INST_OUTPUT", "INST_OUT"),
        ("INST_WACTH", "INST_WATCH"),
        ("INST_NOSTACK", "INST_NO_STACK"),
    ):
        (warning,) = warnings({wrong: "x"})
        assert f"unknown variable {wrong}" in warning and f"did you mean {right}?" in warning
    (warning,) = warnings({"INST_PREFIX_OF_MINE": ""})
    assert "INST_IGNORE=INST_PREFIX_OF_MINE" in warning
    for ignored in ("INST_HOKS,INST_B", "INST_B INST_HOKS", "all"):
        assert list(warnings({"INST_HOKS": "", "INST_B": "", "INST_IGNORE": ignored})) == []


def test_a_misspelt_variable_is_reported_once_for_a_command(shell: Shell) -> None:
    (shell.directory / "a.c").write_text("int main(void) { return 0; }\n")
    (shell.directory / "b.c").write_text("int b;\n")
    build = ("inst-cc", "--inst-hooks=empty", GCC, "a.c", "b.c", "-o", "p")
    done = shell.run(*build, INST_HOKS="count")
    wanted = "inst: warning: unknown variable INST_HOKS\n  hint: did you mean INST_HOOKS?\n"
    assert (done.returncode, done.stderr.decode()) == (0, wanted)
    for silent in ({"INST_IGNORE": "INST_HOKS"}, {"INST_DISABLE": "1"}):
        assert shell.run(*build, INST_HOKS="count", **silent).stderr == b""
    done = shell.run("inst", "run", "./p", INST_OTU="t.rst")
    assert done.returncode == 0
    assert re.findall(r"did you mean (\w+)\?", done.stderr.decode()) == ["INST_OUT"]
