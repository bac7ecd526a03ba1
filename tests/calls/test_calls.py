"""System calls are reported as the kernel makes them: number, what is read, what is written."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from inst.targets import Target
from tests.conftest import Shell

HERE = Path(__file__).parent
SHOW = HERE / "hooks" / "show.c"


def numbers(target: Target) -> dict[str, int]:
    """Return the numbers of the system calls, as the target's headers say."""
    text = subprocess.run(
        [*target.compiler, "-dM", "-E", "-include", "asm/unistd.h", "-xc", "/dev/null"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {name: int(n) for name, n in re.findall(r"#define __NR_(\w+) (\d+)$", text, re.M)}


def build(shell: Shell, target: Target, name: str) -> None:
    """Build a program plain and with `show`."""
    flags = ("-O1", "-fno-builtin", "-static", "-w", HERE / "programs" / f"{name}.c")
    shell.check(*target.compiler, *flags, "-o", "plain")
    shell.check("inst-cc", f"--inst-hooks={SHOW}", *target.compiler, *flags, "-o", "told")


def steps(lines: list[str], marker: str) -> list[list[str]]:
    """Return the lines between each two markers."""
    found: list[list[str]] = []
    for line in lines:
        if line == marker:
            found.append([])
        elif found:
            found[-1].append(line)
    return found[::2]


def test_ranges(shell: Shell, target: Target) -> None:
    """Every call's ranges are those of the kernel's manual; its name is the emulator's."""
    build(shell, target, "many")
    by_name = numbers(target)
    told = shell.run(target.emulator, "./told")
    assert told.returncode == 0, told.stderr.decode()
    traced = shell.run(target.emulator, "-strace", "./plain", "x")
    marker = f"call {by_name['getppid']:x} 0"
    reported = steps(told.stderr.decode().splitlines(), marker)
    names = [
        match[1]
        for line in traced.stderr.decode(errors="replace").splitlines()
        if (match := re.match(r"\d+ (\w+)\(", line) or re.match(r"\d+ (Unknown syscall \d+)", line))
    ]
    kernel = steps(names, "getppid")
    expected: dict[int, list[str]] = {n + 1: [] for n in range(len(reported))}
    texts: dict[int, str] = {}
    for line in told.stdout.decode().splitlines():
        number, kind, rest = line.split(" ", 2)
        if kind == "=":
            texts[int(number)] = rest
        else:
            word = {"r": "read", "w": "write"}[kind]
            expected[int(number)].append(f"{word} {rest}")
    assert len(texts) == len(reported) == len(kernel) > 80
    wrong = []
    for n, lines in enumerate(reported):
        calls = [int(line.split()[1], 16) for line in lines if line.startswith("call")]
        ranges = sorted(line for line in lines if not line.startswith("call"))
        if ranges != sorted(expected[n + 1]):
            wrong.append(f"{texts[n + 1]}: {ranges} not {expected[n + 1]}")
        name = kernel[n][0] if kernel[n] else ""
        if not name:  # the emulator does not survive telling of it
            assert "sendto" in texts[n + 1] or "recvfrom" in texts[n + 1]
            continue
        name = "socketcall" if name.isupper() else name
        unknown = re.fullmatch(r"Unknown syscall (\d+)", name)
        if calls[:1] != [int(unknown[1]) if unknown else by_name.get(name)]:
            wrong.append(f"{texts[n + 1]}: {calls}, the emulator says {name}")
    assert not wrong, "\n".join(wrong)
    assert len({line[0] for line in kernel if line}) >= 60
