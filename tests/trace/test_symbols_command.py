"""`inst symbols`: what it says of addresses, and what it needs to know first."""

from __future__ import annotations

import pytest

from inst.common.elf import Elf
from tests.conftest import Shell

SOURCE = """int number;
int twice(int n) { return 2 * (number = n); }
int main(void) { return twice(0); }
"""


def test_addresses_of_a_position_independent_program(shell: Shell) -> None:
    """A trace, an option or a text says where it was loaded; without any, it is not guessed."""
    (shell.directory / "twice.c").write_text(SOURCE)
    compiler = ("powerpc-linux-gnu-gcc", "-g", "-O0", "-pie", "-fPIE", "twice.c", "-o", "twice")
    shell.check("inst-cc", "--inst-hooks=rst", *compiler)
    shell.check("inst", "run", "-o", "twice.rst", "./twice")
    elf = Elf(shell.directory / "twice")
    linked = next(one.value for one in elf.symbols(".symtab") if one.name == "twice") + 4
    assert (
        shell.check("inst", "symbols", "twice", hex(linked)) == f"{linked:#x} twice+0x4 twice.c:2\n"
    )
    base = 0x40000000 - elf.loads[0][0]
    wanted = f"{base + linked:#x} twice+0x4 twice.c:2\n"
    for option in (("--base", hex(base)), ("--trace", "twice.rst")):
        assert shell.check("inst", "symbols", *option, "twice", hex(base + linked)) == wanted
    text = f"base={base:#x}\ncall at {base + linked:#x}, 0x10 bytes\n".encode() + b"\xff\n"
    shown = shell.run("inst", "symbols", "twice", stdin=text).stdout
    assert shown == f"base={base:#x}\ncall at {wanted[:-1]}, 0x10 bytes\n".encode() + b"\xff\n"
    refused = shell.run("inst", "symbols", "twice", stdin=text.partition(b"\n")[2])
    assert refused.returncode == 2
    assert b"before any base=0x" in refused.stderr
    unknown = shell.run("inst", "symbols", "twice", "0x7fffffff")
    assert (unknown.returncode, unknown.stdout) == (1, b"0x7fffffff ?\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("main.c", "12"), "is not an ELF file"),
        (("main.c", "nowhere"), "is not an address in hexadecimal"),
        (("missing", "12"), "cannot open missing"),
    ],
)
def test_what_it_cannot_read(shell: Shell, words: tuple[str, ...], said: str) -> None:
    (shell.directory / "main.c").write_text(SOURCE)
    done = shell.run("inst", "symbols", *words)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
