"""Hooks for blocks of memory, for threads and for results of system calls: a program says itself
what they have to be called with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.conftest import Shell

HERE = Path(__file__).parent
SHOW = HERE.parent / "calls" / "hooks" / "show.c"
OURS = re.compile(r"(alloc|release|keep|thread|end|call|result|error) .*")


def places(shell: Shell, base: str, addresses: list[str]) -> list[dict[str, str | int]]:
    """Return what `inst symbols` says of addresses in the program."""
    lines = shell.check("inst", "symbols", "--json", "--base", base, "./blocks", *addresses)
    return [json.loads(line) for line in lines.splitlines()]


def located(shell: Shell, base: str, lines: list[str]) -> list[str]:
    """Return lines of hooks with `@LINE` and names in the place of addresses of code."""
    words = [line.split() for line in lines]
    coded = [one for one in words if one[0] in ("alloc", "release", "keep", "thread")]
    found = places(shell, base, [one[-1] for one in coded])
    for one, place in zip(coded, found, strict=True):
        name = str(place["function"]).removesuffix("(void*)")
        one[-1] = name if one[0] == "thread" else f"@{place['line']}"
    return [" ".join(one[:2] if one[0] in ("end", "call") else one) for one in words]


CASES = [*((name, "-pie -fPIE") for name in TARGETS), ("ppc64", "-static"), ("sparc-v8", "-static")]


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize(("name", "flags"), CASES)
def test_hooks_are_called_as_the_program_says(shell: Shell, name: str, flags: str) -> None:
    """Each block, thread and result, with its size and the line of the call; no other."""
    target = TARGETS[name]
    compiler = target.compiler[0].replace("gcc", "g++")
    options = [*target.compiler[1:], *flags.split(), "-g", "-w", "-O2", "-fno-builtin"]
    command = [compiler, *options, "-pthread", "-std=gnu++17", HERE / "blocks.cc", "-o", "blocks"]
    shell.check("inst-cc", f"--inst-hooks={SHOW}", *command)
    done = shell.run("inst", "run", "./blocks")
    assert done.returncode == 0, done.stderr.decode()
    base, *said = done.stdout.decode().splitlines()
    told = [line for line in done.stderr.decode().splitlines() if OURS.fullmatch(line)]
    assert located(shell, base.removeprefix("base="), told) == said
