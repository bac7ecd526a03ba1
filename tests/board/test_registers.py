"""The registers that probes take, where the kernel has its own use for the usual ones."""

from __future__ import annotations

import shutil
from itertools import combinations
from pathlib import Path

import pytest
from truth.emulator import Plugins

from inst.program.program import Program
from tests.board.boards import BOARDS
from tests.board.recorded import accesses_of, accesses_seen, by_function, recorded
from tests.conftest import ROOT, Shell, require_tools

LEON3 = BOARDS["leon3"]
FUNCTIONS = ("task", "sum", "board_tick", "board_interrupt_after")
SOURCE = Path(__file__).parent / "files/registers.c"
BARE = ("inst-cc", "--inst-runtime=bare")
ASSEMBLY = "\t.global f\nf:\tst %g4,[%o0]\n\tretl\n\t mov %g4,%o0\n"


@pytest.fixture
def kernel(shell: Shell) -> Shell:
    """Return a shell in a directory with the kernel and what the board needs."""
    require_tools("make", LEON3.emulator[0], LEON3.compiler[0])
    shutil.copytree(ROOT / "examples/board", shell.directory, dirs_exist_ok=True)
    shutil.copy(SOURCE, shell.directory)
    return shell


def make(kernel: Shell, registers: str, *, inline: bool = False) -> Path:
    """Build the kernel with probes that take two registers."""
    option = f"OPTIONS=--inst-registers={registers}" + (" --inst-record=values" if inline else "")
    kernel.check("make", "-s", "BOARD=leon3", "RING=4M", option, "registers.elf")
    return kernel.directory / "registers.elf"


@pytest.mark.parametrize(
    ("registers", "inline"),
    [("g4,g5", False), ("g3,g2", False), ("%g5,%g3", False), ("g4,g5", True), ("g3,g2", True)],
)
def test_a_kernel_with_a_register_of_its_own(
    registers: str, inline: bool, kernel: Shell, plugins: Plugins
) -> None:
    script = kernel.directory / "leon3.ld"
    script.write_text(script.read_text().replace("LENGTH = 1M", "LENGTH = 4M"))
    program = make(kernel, registers, inline=inline)
    log, events, said = recorded(LEON3, program, plugins, kernel, expected="right\n")
    assert "not complete" not in said
    elf = Program(program)
    ours = by_function(elf, accesses_of(events), FUNCTIONS)
    theirs = by_function(elf, accesses_seen(log), FUNCTIONS)
    assert len(theirs["board_tick"]) == 500, "100 interrupts"
    assert ours == theirs


def test_the_usual_registers_are_refused_to_such_a_kernel(kernel: Shell) -> None:
    done = kernel.run(*BARE, *LEON3.compiler, "-O2", "-ffreestanding", "-c", "registers.c")
    assert done.returncode
    assert "%g5 or %g6 is in use here, and the instrumentation needs it" in done.stderr.decode()


@pytest.mark.parametrize("pair", [*combinations(("g2", "g3", "g4", "g5", "g6"), 2)])
def test_all_choices(pair: tuple[str, str], kernel: Shell) -> None:
    """Code that has a value in one of the registers is refused; other code builds."""
    option = f"--inst-registers={','.join(pair)}"
    (kernel.directory / "a.s").write_text(ASSEMBLY)
    (kernel.directory / "b.c").write_text("int value;\nvoid _start(void) { value++; }\n")
    done = kernel.run(*BARE, option, *LEON3.compiler, "-c", "a.s")
    assert bool(done.returncode) == ("g4" in pair), done.stderr.decode()
    assert ("is in use here" in done.stderr.decode()) == ("g4" in pair)
    flags = ("-O1", "-ffreestanding", "-nostdlib", "-static", "-no-pie")
    kernel.check(*BARE, option, "--inst-hooks=empty", *LEON3.compiler, *flags, "b.c")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*BARE, "--inst-registers=g5", *LEON3.compiler), "INST_REGISTERS=g5 is no choice"),
        ((*BARE, "--inst-registers=g1,g5", *LEON3.compiler), "takes two of g2, g3, g4, g5, g6"),
        (
            (*BARE, "--inst-registers=g4,g5", "powerpc-linux-gnu-gcc"),
            "the registers that probes take are no choice for ppc32",
        ),
        (
            ("inst-cc", "--inst-registers=g4,g5", *LEON3.compiler),
            "a choice without an operating system only",
        ),
    ],
)
def test_what_is_no_choice(words: tuple[str, ...], message: str, kernel: Shell) -> None:
    (kernel.directory / "a.c").write_text("int value;\nint f(void) { return value; }\n")
    done = kernel.run(*words, "-c", "a.c")
    said = done.stderr.decode()
    assert done.returncode and message in said and "Traceback" not in said, said


@pytest.mark.parametrize("linked", ["", "--inst-registers=g3,g4"])
def test_objects_for_other_registers(linked: str, kernel: Shell) -> None:
    kernel.check("make", "-s", "BOARD=leon3", "OPTIONS=--inst-registers=g4,g5", "hello.elf")
    (kernel.directory / "hello.elf").unlink()
    done = kernel.run("make", "-s", "BOARD=leon3", f"OPTIONS={linked}", "hello.elf")
    said = done.stderr.decode()
    assert done.returncode
    assert "some objects were compiled for other registers than the link's" in said
    assert "Traceback" not in said
