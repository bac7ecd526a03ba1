"""Scripts where a program is wanted: libtool's are understood, of others it is said what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import Shell, require_tools

COMPILER = "inst-cc powerpc-linux-gnu-gcc"
BUILD = """\
set -e
./libtool --tag=CC --mode=compile $CC -g -c seven.c
./libtool --tag=CC --mode=link $CC -o libseven.la seven.lo -rpath /usr/local/lib
./libtool --tag=CC --mode=compile $CC -g -c main.c
./libtool --tag=CC --mode=link $CC -o main main.lo libseven.la
"""


def _with_libtool(shell: Shell) -> None:
    """Build a program and its library with libtool as configure makes it for a compiler."""
    require_tools("libtool", "powerpc-linux-gnu-gcc", "qemu-ppc")
    script = Path(shutil.which("libtool") or "").read_text().splitlines()
    settings = {"CC": COMPILER, "LTCC": COMPILER, "LD": "powerpc-linux-gnu-ld"}
    for number, line in enumerate(script):
        name = line.partition("=")[0]
        if name in settings:
            script[number] = f'{name}="{settings[name]}"'
    own = shell.directory / "libtool"
    own.write_text("\n".join(script) + "\n")
    own.chmod(0o755)
    (shell.directory / "seven.c").write_text("int seven(void) { return 7; }\n")
    (shell.directory / "main.c").write_text(
        "int seven(void);\nint main(int count, char **words)\n"
        "{ return words ? seven() + count : 0; }\n"
    )
    shell.check("sh", "-c", BUILD, CC=COMPILER)


def test_the_program_behind_a_script_of_libtool_runs(shell: Shell) -> None:
    _with_libtool(shell)
    assert (shell.directory / "main").read_bytes().startswith(b"#!")
    trace, main = str(shell.directory / "t.rst"), str(shell.directory / "main")
    done = shell.run("sh", "-c", f"cd / && inst run -o {trace} {main} word")
    assert done.returncode == 9 and b"error" not in done.stderr, done.stderr
    shell.check("inst", "check", trace, str(shell.directory / ".libs/main"))
    done = shell.run("inst", "view", "-n", "1", "t.rst", "main")
    assert done.returncode == 2 and b"script of libtool: the program is .libs/main" in done.stderr
    done = shell.run("inst", "check", "t.rst", "./main")
    assert done.returncode == 2 and b"script of libtool: the program is .libs/main" in done.stderr
    (shell.directory / ".libs/main").unlink()
    done = shell.run("inst", "run", "./main")
    assert done.returncode == 1 and b"libtool --mode=execute" in done.stderr


def test_another_script_is_called_one(shell: Shell) -> None:
    script = shell.directory / "go"
    script.write_text("#!/bin/sh -e\nexec ./p\n")
    done = shell.run("inst", "run", "./go")
    assert done.returncode == 1
    assert b"go is a script for /bin/sh -e, not a program" in done.stderr
    assert b"hint: name the program that it starts" in done.stderr
