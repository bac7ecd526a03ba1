"""A whole program executed again writes what it writes under the emulator."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from inst.replay.machine import Machine, Reason
from inst.target.targets import TARGETS

FLAGS = ("-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie", "-w",
         "-fno-stack-protector", "-fno-tree-loop-distribute-patterns")  # fmt: skip
STACK, STACK_SIZE = 0x70000000, 0x10000
EXECUTABLE = 1
WAYS = (
    ("ppc32", "-O2"),
    ("ppc32", "-O0"),
    ("ppc64", "-O2"),
    ("ppc64le", "-O3 -mcpu=power8"),
    ("ppc64le", "-O3 -mcpu=power9"),
    ("sparc-v8", "-O2"),
    ("sparc-v8", "-O0"),
    ("sparc-v8", "-O3 -mcpu=v9"),
    ("sparc-v8", "-O2 -mcpu=leon3"),
    ("sparc-v9", "-O2"),
    ("sparc-v9", "-O3"),
)
REGISTERS = {"powerpc": ("r1", "r4", "r5"), "sparc": ("o6", "o1", "o2")}
"""The stack pointer, and a system call's second and third operand."""
BIAS = {"sparc-v9": 2047}
"""By how much the stack lies above its pointer."""


def built(target: str, options: str, directory: Path) -> Path:
    """Compile the program."""
    made = directory / "program"
    source = Path(__file__).with_name("program.c")
    command = [*TARGETS[target].compiler, *options.split(), *FLAGS, str(source), "-o", str(made)]
    subprocess.run([*command, "-lgcc"], check=True)
    return made


def started(target: str, program: Path) -> Machine:
    """Return a machine as the kernel starts a program, with a stack that holds zeros."""
    machine = Machine(TARGETS[target])
    machine.write(STACK, bytes(STACK_SIZE))
    with program.open("rb") as stream:
        elf = ELFFile(stream)
        entry = int(elf["e_entry"])
        for segment in elf.iter_segments("PT_LOAD"):
            data = segment.data() + bytes(segment["p_memsz"] - segment["p_filesz"])
            machine.write(segment["p_vaddr"], data)
            if segment["p_flags"] & EXECUTABLE:
                machine.add_code(segment["p_vaddr"], segment.data())
    pointer, *_ = REGISTERS[TARGETS[target].isa]
    machine.set_register(pointer, STACK + STACK_SIZE - 512 - BIAS.get(target, 0))
    if TARGETS[target].isa == "powerpc":
        machine.set_register("r12", entry)
    if target == "ppc64":  # the entry is a function's descriptor
        descriptor = machine.read(entry, 16)
        assert descriptor is not None
        entry, machine.state.g[2] = (int.from_bytes(descriptor[n : n + 8], "big") for n in (0, 8))
    machine.go_to(entry)
    return machine


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize(("target", "options"), WAYS)
def test_a_program_writes_the_same(target: str, options: str, tmp_path: Path) -> None:
    program = built(target, options, tmp_path)
    wanted = subprocess.run(
        [TARGETS[target].emulator, str(program)], stdout=subprocess.PIPE, check=True
    ).stdout
    machine = started(target, program)
    stop = machine.run()
    assert stop.reason == Reason.SYSTEM_CALL, f"{stop.reason.name} at {stop.pc:#x}: {stop.word:#x}"
    _, text, size = (machine.register(name) for name in REGISTERS[TARGETS[target].isa])
    assert size == len(wanted) > 4000
    found = machine.read(text, len(wanted))
    assert found is not None
    different = np.flatnonzero(np.frombuffer(found, "u1") != np.frombuffer(wanted, "u1"))
    assert not len(different), f"bytes {different[:20]} differ"
