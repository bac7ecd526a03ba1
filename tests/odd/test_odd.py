"""Programs that are unusual, or unusually built: instrumented, they do the same."""

from __future__ import annotations

import ast
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from inst.program.sitetable import read_sites
from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from tests.conftest import ROOT, Shell, require_tools

PROGRAMS = Path(__file__).resolve().parent / "programs"
TABLE = {
    "O3": ("many.c", "-O3 -g"),
    "Og": ("many.c", "-Og -g"),
    "no pie": ("many.c", "-O1 -no-pie -fno-pic"),
    "profile": ("many.c", "-O1 -pg -static -no-pie"),
    "stack protector": ("many.c", "-O2 -fstack-protector-all"),
    "sections": ("many.c", "-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections"),
    "lto slim": ("many.c", "-O2 -flto -fno-fat-lto-objects"),
    "lto fat": ("many.c", "-O2 -flto -ffat-lto-objects"),
    "tls global dynamic": ("many.c", "-O2 -fPIC -ftls-model=global-dynamic"),
    "tls local dynamic": ("many.c", "-O2 -fPIC -ftls-model=local-dynamic"),
    "tls initial exec": ("many.c", "-O2 -ftls-model=initial-exec"),
    "tls local exec": ("many.c", "-O2 -static -ftls-model=local-exec"),
    "C++": ("throwing.cpp", "-O2 -static"),
    "ifunc": ("ifunc.c", "-O1 -static"),
}
CASES = [
    (target, name)
    for turn, target in enumerate(("ppc32", "sparc-v8", "ppc64", "ppc64le", "sparc-v9"))
    for place, name in enumerate(TABLE)
    if place % 2 == turn or place % 3 == turn - 2 or name in ("C++", "ifunc")
]
"""The two 32-bit targets share everything, and so do the 64-bit ones, as they share their pass."""


def _compiler(target: Target, source: str) -> list[str]:
    """Return the compiler for a file, g++ in place of gcc for C++."""
    first, *rest = target.compiler
    return [first.replace("gcc", "g++") if source.endswith("cpp") else first, *rest]


def run(program: Path, *arguments: str) -> tuple[bytes, int]:
    environment = {"INST_OUT": "/dev/null", "PATH": "/usr/bin:/bin"}
    command = command_for(program, list(arguments), ("-0", "program"))
    done = subprocess.run(
        command, capture_output=True, timeout=60, env=environment, cwd=program.parent
    )
    return done.stdout, done.returncode


ON_THE_OTHERS_A_THIRD = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)


@pytest.mark.parametrize(("target", "name"), CASES)
def test_does_the_same(shell: Shell, target: str, name: str) -> None:
    source, flags = TABLE[name]
    compiler = _compiler(TARGETS[target], source)
    require_tools(compiler[0], TARGETS[target].emulator)
    for made, prefix in (("plain", []), ("traced", ["inst-cc", "--inst-hooks=rst"])):
        command = [*prefix, *compiler, "-w", *flags.split(), str(PROGRAMS / source)]
        shell.check(*command, "-o", made)
    expected = run(shell.directory / "plain")
    assert expected[0]
    assert run(shell.directory / "traced") == expected


@ON_THE_OTHERS_A_THIRD
def test_symbol_versions(shell: Shell, target: Target) -> None:
    """A shared library's two versions of a function, both called by one program."""
    script = shell.directory / "versions.map"
    script.write_text("ONE { global: answer; local: *; };\nTWO { global: answer; } ONE;\n")
    for made, prefix in (("plain", []), ("traced", ["inst-cc", "--inst-hooks=rst"])):
        compiler = [*prefix, *target.compiler, "-O1"]
        library = shell.directory / f"lib{made}.so"
        linked = ["-shared", "-fPIC", f"-Wl,--version-script={script}", f"-Wl,-soname,{library}"]
        shell.check(*compiler, *linked, str(PROGRAMS / "versions.c"), "-o", str(library))
        shell.check(*compiler, str(PROGRAMS / "asks.c"), str(library), "-o", made)
    assert run(shell.directory / "plain") == (b"301 22 304\n", 0)
    assert run(shell.directory / "traced") == (b"301 22 304\n", 0)


def test_return_may_read_the_frame_it_frees(shell: Shell) -> None:
    """On 64-bit SPARC GCC fills the slot of `return` with loads of local arrays."""
    compiler = [*TARGETS["sparc-v9"].compiler, "-O2", "-static"]
    for made, prefix in (("plain", []), ("traced", ["inst-cc", "--inst-hooks=rst"])):
        shell.check(*prefix, *compiler, str(PROGRAMS / "freed.c"), "-o", made)
    assert run(shell.directory / "plain") == (b"217 518\n", 0)
    assert run(shell.directory / "traced") == (b"217 518\n", 0)


@ON_THE_OTHERS_A_THIRD
def test_opened_module_has_probes(shell: Shell, target: Target) -> None:
    for made, prefix in (("plain", []), ("traced", ["inst-cc", "--inst-hooks=empty"])):
        compiler = [*prefix, *target.compiler, "-O2", "-w"]
        shell.check(*compiler, "-shared", "-fPIC", str(PROGRAMS / "module.c"), "-o", f"{made}.so")
        shell.check(*compiler, str(PROGRAMS / "opens.c"), "-o", made)
    results = [run(shell.directory / made, f"./{made}.so") for made in ("plain", "traced")]
    assert results[0][0].strip() == b"26 38"
    assert results[1] == results[0]


@ON_THE_OTHERS_A_THIRD
def test_long_function(shell: Shell, target: Target) -> None:
    """40,000 instructions and a branch over all of them."""
    body = "".join(f"    s += p[{n % 64}] ^ {n}; p[{n % 61}] = s;\n" for n in range(6000))
    text = f"#include <stdio.h>\nint p[64];\nint f(int s) {{ if (s > 9) goto out;\n{body}out:"
    text += ' return s; }\nint main(void) { printf("%d %d\\n", f(1), f(10)); return 0; }\n'
    source = shell.directory / "long.c"
    source.write_text(text)
    for made, prefix in (("plain", []), ("traced", ["inst-cc", "--inst-hooks=empty"])):
        shell.check(*prefix, *target.compiler, "-O0", "-static", str(source), "-o", made)
    expected = run(shell.directory / "plain")
    assert expected[0].strip()
    assert run(shell.directory / "traced") == expected


def under_debugger(shell: Shell, target: Target, program: str, *orders: str) -> str:
    """Run a program in the emulator under gdb, and return what that says."""
    require_tools("gdb-multiarch")
    emulator = shutil.which(target.emulator)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    running = subprocess.Popen([str(emulator), "-g", port, str(shell.directory / program)])
    try:
        all_orders = [f"target remote :{port}", *orders, "kill"]
        words = [word for order in all_orders for word in ("-ex", order)]
        return shell.check("gdb-multiarch", "-nx", "-batch", *words, program)
    finally:
        running.kill()
        running.wait()


def test_debugger_stops_and_prints(shell: Shell, target: Target) -> None:
    """gdb stops at a line of an instrumented program and prints a variable."""
    source = shell.directory / "seen.c"
    source.write_text(
        "int g;\nint f(int n)\n{\n    int k = n * 3;\n    g = k;\n    return k;\n}\n"
        "int main(void)\n{\n    return f(14) - 42;\n}\n"
    )
    command = ["inst-cc", "--inst-hooks=empty", *target.compiler, "-g", "-O0", "-static"]
    shell.check(*command, str(source), "-o", "seen")
    orders = ("break seen.c:6", "continue", "print k", "bt")
    said = under_debugger(shell, target, "seen", *orders)
    assert "$1 = 42" in said
    assert "main () at" in said


CALLERS = """
import gdb
found = set()
gdb.execute("break leaf")
gdb.execute("continue")
for _ in range(600):
    frame = gdb.newest_frame()
    if frame.name() == "leaf" and frame.pc() in SITES:
        found.add((frame.pc(), frame.older().name()))
    gdb.execute("stepi", to_string=True)
print("callers", sorted(found))
"""


@pytest.mark.parametrize("name", ["ppc64", "ppc64le"])
def test_accesses_are_unwound_where_the_return_address_waits(shell: Shell, name: str) -> None:
    """A fault there is reported with its callers: lr is on the stack, as the tables describe."""
    target = TARGETS[name]
    source = ROOT / "tests" / "truth" / "programs" / "full_leaf.c"
    command = ["inst-cc", "--inst-hooks=empty", "--inst-keep=kept", *target.compiler]
    shell.check(*command, "-g", "-O2", "-static", str(source), "-o", "full")
    assert ".cfi_escape" in (shell.directory / "kept" / "full_leaf.s").read_text()
    sites = {site.address for site in read_sites(shell.directory / "full")}
    (shell.directory / "callers.py").write_text(f"SITES = {sites}{CALLERS}")
    said = under_debugger(shell, target, "full", "source callers.py")
    callers = re.search(r"^callers (.*)$", said, re.MULTILINE)
    assert callers is not None
    found = ast.literal_eval(callers[1])
    assert len(found) > 15
    assert {caller for _, caller in found} == {"main"}
