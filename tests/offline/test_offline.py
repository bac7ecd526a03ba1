"""Hooks say over a trace what they say in the program."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import zip_longest
from pathlib import Path

import pytest

from inst.target.targets import Target
from tests.conftest import ROOT, Shell

HERE = Path(__file__).parent
EXAMPLES = ROOT / "examples" / "hooks"
SHOW = HERE / "show.c"
FLAGS = ("-O1", "-w", "-static", "-pthread", "-fno-tree-vectorize")
FREE = dict.fromkeys(("ppc64", "ppc64le"), ("-ffixed-r11", "-ffixed-r12"))
"""Registers that recording code leaves alone, so that code with hooks is the same."""
LIBRARIES = {"sparc-v8": ("-latomic",)}
RECORDED = ("values", "loads")
SMALL = 0x10000
"""Numbers from here on may be addresses, which are others in each build."""


SEEN = {
    *("inithook", "exithook", "enterhook", "leavehook", "signalhook", "ldsyshook"),
    *("lockhook", "trylockhook", "unlockhook", "meminithook", "memsethook", "memfreehook"),
    *("barrierhook", "tlbihook", "sysreghook", "hinthook", "systemhook"),
    *("ldhhook", "ldwhook", "lddhook", "stbhook", "sthhook", "stwhook", "stdhook"),
}
"""Hooks that kinds.c calls on every target."""


def build(shell: Shell, target: Target, source: str, *options: str) -> None:
    """Build a program, under the same name each time: its length is on the program's stack."""
    command = (*target.compiler, *FLAGS, *FREE.get(target.name, ()), HERE / source)
    shell.check("inst-cc", *options, *command, *LIBRARIES.get(target.name, ()), "-o", "program")


def live(shell: Shell, target: Target, source: str, hooks: str, *options: str) -> list[str]:
    """Return what hooks write in a program."""
    build(shell, target, source, f"--inst-hooks={hooks}", *options)
    run = shell.run("inst", "run", "./program", ANOTHER_=str(shell.directory / "x.rec"))
    assert run.returncode == 0
    return run.stderr.decode().splitlines()


def recorded(shell: Shell, target: Target, source: str, how: str, *options: str) -> str:
    """Return the name of a trace of a program: with the library rst, or recorded.

    The program's environment is as large as in `live`, so that its stack is at the same place.
    """
    name = f"{how[0]}.{'rst' if how == 'rst' else 'rec'}"
    way = "--inst-hooks=rst" if how == "rst" else f"--inst-record={how}"
    build(shell, target, source, way, *options)
    shell.check("inst", "run", "./program", INST_OUT=str(shell.directory / name))
    return name


def over(shell: Shell, trace: str, hooks: str, *more: str) -> list[str]:
    """Return what hooks write over a trace."""
    run = shell.run("inst", "replay", trace, *more, f"--hooks={hooks}", INST_OUT="")
    assert run.returncode == 0, run.stderr.decode()
    lines = run.stderr.decode().splitlines()
    return [line for line in lines if not line.startswith("inst: note: not called")]


def told(lines: list[str]) -> list[list[str]]:
    """Return what `show` writes, thread by thread, with numbers in the place of addresses.

    The same address has the same number: where it was first.
    """
    threads: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        thread, rest = line.split(" ", 1)
        threads[thread].append(rest)
    return [_numbered(rest) for rest in threads.values()]


def _numbered(lines: list[str]) -> list[str]:
    seen: dict[str, int] = {}

    def plain(found: re.Match[str]) -> str:
        if int(found[0], 16) < SMALL:
            return found[0]
        return f"#{seen.setdefault(found[0], len(seen))}"

    return [re.sub(r"(?<= )[0-9a-f]+(?= |$)", plain, line) for line in lines]


def first_difference(found: list[list[str]], expected: list[list[str]]) -> str:
    """Return where threads' lines differ first, with those before; nothing if they do not."""
    for one, other in zip(found, expected, strict=True):
        for row, (is_, should) in enumerate(zip_longest(one, other)):
            if is_ != should:
                return "\n".join([*one[max(row - 5, 0) : row], f"{is_} instead of {should}"])
    return ""


@pytest.mark.rotated("ppc32", "sparc-v9", turns=True)
@pytest.mark.parametrize("how", ["rst", *RECORDED])
def test_every_kind_of_event(shell: Shell, target: Target, how: str) -> None:
    expected = told(live(shell, target, "kinds.c", str(SHOW), "--inst-functions"))
    trace = recorded(shell, target, "kinds.c", how, "--inst-functions")
    found = told(over(shell, trace, str(SHOW)))
    assert len(expected[0]) > 90
    assert {line.split()[1] for line in expected[0]} >= SEEN
    assert not first_difference(found, expected)


@pytest.mark.rotated("ppc32", "sparc-v9", turns=True)
@pytest.mark.parametrize("how", ["rst", *RECORDED])
def test_threads_have_variables_of_their_own(shell: Shell, target: Target, how: str) -> None:
    """Which addresses of threads come again, one after the other, is another in each run."""
    expected = told(live(shell, target, "threads.c", str(SHOW)))
    found = told(over(shell, recorded(shell, target, "threads.c", how), str(SHOW)))
    assert len(found) == len(expected) == 6
    for threads in (found, expected):
        threads[0] = [re.sub(r"#\d+", "#", line) for line in threads[0]]
    assert not first_difference(sorted(found), sorted(expected))


EXACT = {
    "count": r"(window|save|restore) .*",
    str(EXAMPLES / "cache.c"): r"(base=| at )0x\w+",
    str(EXAMPLES / "reuse.cc"): "",
}
"""Libraries, and what in their lines is another in each build."""


@pytest.mark.rotated("ppc64le", "sparc-v8", turns=True)
def test_the_examples_find_the_same(shell: Shell, target: Target) -> None:
    traces = [recorded(shell, target, "walk.c", how) for how in RECORDED]
    for hooks, differs in EXACT.items():
        expected = [re.sub(differs, "", line) for line in live(shell, target, "walk.c", hooks)]
        for trace in traces:
            found = [re.sub(differs, "", line) for line in over(shell, trace, hooks)]
            assert found == expected, (hooks, trace)
