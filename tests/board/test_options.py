"""What inst-cc says about programs without an operating system: options, links, memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Shell, require_tools

COMPILER = ("powerpc-linux-gnu-gcc", "-fno-pic", "-no-pie", "-O1", "-ffreestanding")
LINK = ("-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments")
BARE, INLINE = "--inst-runtime=bare", "--inst-record=values"
SOURCE = "int value;\nvoid _start(void) { value++; for (;;) ; }\n"
SCRIPT = """ENTRY(_start)
MEMORY { ram : ORIGIN = 0x10000, LENGTH = 128K }
SECTIONS {
    .text : { *(.text .text.*) } > ram
    .rodata : { *(.rodata .rodata.*) } > ram
    .bss : { *(.sbss .bss COMMON) } > ram
    RING
    /DISCARD/ : { *(.comment) *(inst_entries) *(.gnu.attributes) DISCARDED }
}
"""
PLACED = ".inst_ring (NOLOAD) : { *(.inst_ring) } > ram"


@pytest.fixture
def board_shell(shell: Shell) -> Shell:
    """Return a shell with a program for a board and its linker script."""
    require_tools(COMPILER[0])
    (shell.directory / "a.c").write_text(SOURCE)
    write_script(shell.directory, PLACED)
    return shell


def write_script(directory: Path, ring: str, discarded: str = "") -> None:
    """Write the linker script, with what it does with the ring."""
    text = SCRIPT.replace("RING", ring).replace("DISCARDED", discarded)
    (directory / "a.ld").write_text(text)


def refused(shell: Shell, *words: str) -> str:
    """Compile and link; return the errors of a link that must fail, without a traceback."""
    done = shell.run("inst-cc", *words, "a.c", "-o", "a.elf")
    said = done.stderr.decode()
    assert done.returncode and "Traceback" not in said, said
    return said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((BARE, "--inst-hooks=rst", *COMPILER), "hook library `rst` needs an operating system"),
        (("--inst-hooks=ring", *COMPILER), "`ring` is for programs without an operating system"),
        ((BARE, "--inst-record=loads", *COMPILER), "re-execution needs an operating system"),
        ((BARE, INLINE, "--inst-cpus=2", *COMPILER), "code records inline for one processor only"),
        (
            (BARE, INLINE, "--inst-ring-size=8K", *COMPILER),
            "at least 32K where code records inline",
        ),
        (
            ("--inst-hooks=flight", *COMPILER),
            "`flight` is for programs without an operating system",
        ),
        ((BARE, "--inst-counts", *COMPILER), "--inst-counts needs an operating system"),
        ((BARE, "--inst-ring-size=100", *COMPILER), "INST_RING_SIZE=100 is not a size for a ring"),
        ((BARE, "--inst-ring-size=big", *COMPILER), "INST_RING_SIZE=big is not a size for a ring"),
        ((BARE, "--inst-cpus=17", *COMPILER), "INST_CPUS=17 is not a number of processors"),
        (("--inst-runtime=none", *COMPILER), "INST_RUNTIME=none is not a choice"),
        (
            (BARE, "powerpc64le-linux-gnu-gcc", "-ffreestanding"),
            "there is no runtime without an operating system for ppc64le",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    words: tuple[str, ...], message: str, board_shell: Shell
) -> None:
    assert message in refused(board_shell, *words, *LINK, "-Wl,-T,a.ld")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"INST_RECORD": "loads"}, "re-execution needs an operating system"),
        ({"INST_RECORD": "values", "INST_CPUS": "2"}, "inline for one processor only"),
        ({"INST_FUNCTIONS": "1"}, "--inst-functions needs an operating system"),
    ],
)
def test_compiling_refuses_what_the_link_would(
    variables: dict[str, str], message: str, board_shell: Shell
) -> None:
    """The options may come as variables alone."""
    variables = {"INST_RUNTIME": "bare", **variables}
    done = board_shell.run("inst-cc", *COMPILER, "-c", "a.c", **variables)
    assert done.returncode and message in done.stderr.decode(), done.stderr


def test_a_ring_that_does_not_fit(board_shell: Shell) -> None:
    said = refused(board_shell, BARE, "--inst-ring-size=1M", *COMPILER, *LINK, "-Wl,-T,a.ld")
    assert "the ring of 1M (section .inst_ring) does not fit" in said
    assert "--inst-ring-size=" in said


def test_a_script_that_discards_the_ring(board_shell: Shell) -> None:
    write_script(board_shell.directory, "", "*(.inst_ring)")
    said = refused(board_shell, BARE, *COMPILER, *LINK, "-Wl,-T,a.ld")
    assert "the linker script discards the section .inst_ring" in said


def test_a_script_without_the_section_places_it_behind_the_others(board_shell: Shell) -> None:
    write_script(board_shell.directory, "")
    command = (BARE, *COMPILER, *LINK, "-Wl,-T,a.ld", "a.c", "-o", "a.elf")
    board_shell.check("inst-cc", *command)
    assert "inst_rings" in board_shell.check("powerpc-linux-gnu-nm", "a.elf")


def test_objects_that_call_wrappers(board_shell: Shell) -> None:
    source = "void *memset(void *, int, unsigned long);\nint a[9];\n"
    source += "void _start(void) { memset(a, 0, sizeof a); for (;;) ; }\n"
    (board_shell.directory / "a.c").write_text(source)
    board_shell.check("inst-cc", *COMPILER, "-c", "a.c")
    done = board_shell.run("inst-cc", BARE, *COMPILER, *LINK, "a.o", "-Wl,-T,a.ld", "-o", "a.elf")
    assert done.returncode and b"compile them with --inst-runtime=bare, too" in done.stderr


@pytest.mark.parametrize(("option", "warns"), [((), True), (("--inst-runtime=linux",), False)])
def test_a_link_that_looks_like_one_for_a_board(
    option: tuple[str, ...], warns: bool, board_shell: Shell
) -> None:
    """It is made all the same: a program for Linux may have a script and no C library."""
    write_script(board_shell.directory, "")
    command = (*option, *COMPILER, *LINK, "-Wl,-T,a.ld", "a.c", "-o", "a.elf")
    done = board_shell.run("inst-cc", *command)
    assert (b"--inst-runtime=bare" in done.stderr) == warns, done.stderr


def test_hooks_of_ones_own(board_shell: Shell) -> None:
    hooks = "#include <inst/hooks.h>\nunsigned counted;\nvoid stwhook(void) { counted++; }\n"
    (board_shell.directory / "mine.c").write_text(hooks)
    command = (BARE, "--inst-hooks=./mine.c", *COMPILER, *LINK, "-Wl,-T,a.ld", "a.c", "-o", "a.elf")
    board_shell.check("inst-cc", *command)
    names = board_shell.check("powerpc-linux-gnu-nm", "a.elf")
    assert "counted" in names and "inst_rings" not in names


def test_nothing_of_linux_is_linked(board_shell: Shell) -> None:
    """No system call, no thread-local storage."""
    command = (BARE, *COMPILER, *LINK, "-Wl,-T,a.ld", "a.c", "-o", "a.elf")
    board_shell.check("inst-cc", *command)
    code = board_shell.check("powerpc-linux-gnu-objdump", "-d", "--no-show-raw-insn", "a.elf")
    assert "stwhook" in code
    words = {line.split("\t")[1].split()[0] for line in code.splitlines() if line.count("\t") > 1}
    assert "sc" not in words
    sections = board_shell.check("powerpc-linux-gnu-readelf", "-SW", "a.elf")
    assert ".tdata" not in sections and ".tbss" not in sections


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ("--inst-except=_start", "_start"),
        ("--inst-only=other", "_start"),
        ("--inst-except=src:a.c", "all of it"),
        ("--inst-except=other", ""),
    ],
)
def test_functions_that_stay_as_they_are_are_listed(
    option: str, shown: str, board_shell: Shell
) -> None:
    done = board_shell.run("inst-cc", BARE, option, *COMPILER, "-c", "a.c", "-o", "a.o")
    line = f"inst: a.c: left as it is by --inst-except or --inst-only: {shown}\n"
    assert (done.returncode, done.stderr.decode()) == (0, line if shown else "")
