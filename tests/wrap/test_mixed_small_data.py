"""Objects of one 32-bit PowerPC program that change r13, and that read small data by it."""

from __future__ import annotations

import pytest

from inst.target.targets import TARGETS
from inst.wrap.options import translator_options
from tests.conftest import Shell, require_tools

READER = """
#include <stdio.h>
int cell = 7, touch(int *), pair[2] = { 1, 2 };
int main(void) { cell += touch(pair); printf("%d\\n", cell); return 0; }
"""
TOUCH = "int touch(int *p) { return *p + p[1]; }\n"
COMPILER = TARGETS["ppc32"].compiler[0]
FLAGS = ("-O1", "-fno-pie", "-no-pie")
SMALL = ("-meabi", "-msdata=eabi")


def build(shell: Shell, *inst_cc: str) -> None:
    """Compile the reader of small data, and each form of the function that it calls."""
    require_tools(COMPILER, "qemu-ppc")
    (shell.directory / "reader.c").write_text(READER)
    (shell.directory / "touch.c").write_text(TOUCH)
    for name, command in {
        "reader.o": (*inst_cc, COMPILER, *FLAGS, *SMALL, "reader.c"),
        "plain-reader.o": (COMPILER, *FLAGS, *SMALL, "reader.c"),
        "touch.o": (*inst_cc, COMPILER, *FLAGS, "touch.c"),
        "sysv-touch.o": (*inst_cc, COMPILER, *FLAGS, "-msdata=sysv", "touch.c"),
        "kept-touch.o": (*inst_cc, "--inst-small-data", COMPILER, *FLAGS, "touch.c"),
    }.items():
        shell.check(*command, "-c", "-o", name)
    archiver = COMPILER.replace("gcc", "ar")
    shell.check(archiver, "rcs", "touch.a", "touch.o")
    for name, options in {"libtouch.so": (), "libkept.so": ("--inst-small-data",)}.items():
        shell.check(*inst_cc, *options, COMPILER, "-fPIC", "-shared", "touch.c", "-o", name)


@pytest.mark.parametrize("way", ["--inst-hooks=empty", "--inst-record=values"])
def test_a_mixture_is_refused_and_nothing_else(way: str, shell: Shell) -> None:
    inst_cc = ("inst-cc", way)
    build(shell, *inst_cc)
    link = (*inst_cc, COMPILER, *FLAGS, "-o", "program")
    for reader in ("reader.o", "plain-reader.o"):
        for other, named in (
            ("touch.o", "touch.o"),
            ("touch.a", "(touch.a)touch.o"),
            ("libtouch.so", "libtouch.so"),
        ):
            done = shell.run(*link, reader, other)
            assert done.returncode == 1
            wanted = (
                f"inst: error: {reader} reads small data by r13, which probes in {named} change"
            )
            assert wanted.encode() in done.stderr
            assert b"--inst-small-data" in done.stderr
            assert not (shell.directory / "program").exists()
    for objects in (
        ("reader.o", "sysv-touch.o"),
        ("reader.o", "kept-touch.o"),
        ("plain-reader.o", "kept-touch.o"),
        ("reader.o", "libkept.so"),
    ):
        assert shell.check(*link, *objects) == ""
        ran = shell.check("qemu-ppc", "-L", TARGETS["ppc32"].sysroot, "-E", "LD_LIBRARY_PATH=.",
                          "./program")  # fmt: skip
        assert ran == "10\n"


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("'-O1' '-msdata=eabi'", True),
        ("'-msdata=sysv'", True),
        ("'-msdata' '-msdata=none'", False),
        ("'-msdata=data'", False),
        ("'-ffixed-r13'", True),
        ("'-meabi'", False),
    ],
)
def test_the_compilers_options_say_whose_r13_is(
    words: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLLECT_GCC_OPTIONS", words)
    assert translator_options().small_data == kept


NEAR = """
double sum;
int main(void)
{
    asm volatile("stfd %0,sum@sdarel(13)" : : "f"(sum));
    return 0;
}
"""


@pytest.mark.parametrize("hooks", ["rst", "sexp", "stf", "record"])
def test_the_library_leaves_small_data_near_its_base(hooks: str, shell: Shell) -> None:
    """With GOT and PLT in between, the base is before all data: 32 KiB reach to small data."""
    (shell.directory / "near.c").write_text(NEAR)
    words = ("powerpc-linux-gnu-gcc", "-O3", "-fPIC", "-pie", "near.c", "-o", "near")
    shell.check("inst-cc", *words, INST_HOOKS="" if hooks == "record" else hooks)
