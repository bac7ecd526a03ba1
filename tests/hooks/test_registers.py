"""The registers that windowhook and inithook are passed, held against the emulator's own record."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from tests.truth.harness import python_environment
from tests.warm import python

HERE = Path(__file__).parent
SOURCES = ("registers.c", "registers.S", "registers_own.S", "registers_dead.S")
ALL = 0xFFFFFFFF
PC, CONDITION, LINK, COUNT, EXCEPTION, Y = (1 << n for n in range(6))
SPECIAL = {
    "powerpc": ((CONDITION, "CR"), (LINK, "LR"), (COUNT, "CTR"), (EXCEPTION, "XER")),
    "sparc": ((CONDITION, "ccr"), (Y, "y")),
}
"""Registers after the general ones, in order: their bit, and the emulator's name."""
STACK = {"powerpc": 1, "sparc": 14}
SCRATCH = {"sparc-v8": 0x60, "sparc-v9": 0x40}
"""Registers that SPARC sites use: %g5 and %g6, or %g6 alone."""
LINK_REGISTER = 1 << 15
KNOWN = {
    "powerpc": (0x12345678, 0x31323334, 0x21222324, 0x20000015),
    "sparc": (9, 0x12345678),
}
"""What registers.S puts into the special registers: codes, then the others in order."""
_STATE = re.compile(r"^(?=NIP |pc: )", re.M)
_WORDS = re.compile(r"\b([A-Za-z]+):? ([0-9a-f]{2,16})\b")
_GENERAL = re.compile(r"^(?:GPR\d+|%[goli]\d-\d:)((?: [0-9a-f]{16})+)", re.M)


@dataclass(frozen=True)
class Registers:
    """What a hook was passed."""

    valid_general: int
    valid_special: int
    pc: int
    general: tuple[int, ...]
    special: tuple[int, ...]


@dataclass(frozen=True)
class Run:
    """A program's record of its hooks, the first of inithook, and what the emulator has logged."""

    target: Target
    records: list[Registers]
    states: dict[int, list[str]]
    output: str


def records(path: Path, target: Target) -> Iterator[Registers]:
    count = len(SPECIAL[target.isa])
    order, word = (">" if target.byte_order == "big" else "<"), "Q" if target.bits == 64 else "I"
    for one in struct.iter_unpack(f"{order}II{33 + count}{word}", path.read_bytes()):
        yield Registers(*one[:3], one[3:35], one[35:])


def run(target: Target, program: Path, directory: Path) -> Run:
    """Run the program to see which places its hooks name, then have the emulator log these."""
    path, log = directory / "registers", directory / "log"
    environment = {**os.environ, "REGISTERS": str(path)}
    options: tuple[str, ...] = ()
    for _ in range(2):
        path.write_bytes(b"")
        command = command_for(program, [], options)
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        found = list(records(path, target))
        places = ",".join(f"{pc:#x}+4" for pc in sorted({one.pc for one in found}))
        options = ("-singlestep", "-d", "cpu", "-dfilter", places, "-D", str(log))
    states = defaultdict(list)
    for text in _STATE.split(log.read_text())[1:]:
        states[int(re.split(r":? +", text, maxsplit=2)[1], 16)].append(text)
    return Run(target, found, states, done.stdout)


def differences(target: Target, one: Registers, state: str) -> list[str]:
    """Return which valid registers differ from the emulator's state."""
    bits = (1 << target.bits) - 1
    general = [int(word, 16) & bits for row in _GENERAL.findall(state) for word in row.split()]
    assert len(general) == 32
    named = {name: int(word, 16) & bits for name, word in _WORDS.findall(state)}
    if target.name == "sparc-v8":
        named["ccr"] &= 15
    wrong = [
        f"{n}: {one.general[n]:x}, not {general[n]:x}"
        for n in range(32)
        if one.general[n] != (general[n] if one.valid_general >> n & 1 else 0)
    ]
    for (bit, name), value in zip(SPECIAL[target.isa], one.special, strict=True):
        if value != (named[name] if one.valid_special & bit else 0):
            wrong.append(f"{name}: {value:x}, not {named[name]:x}")
    return wrong


@pytest.fixture(scope="module", params=[*TARGETS, "ppc32 small data"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return the run of one program, built with a window for each count."""
    name, _, options = request.param.partition(" ")
    target, directory = TARGETS[name], tmp_path_factory.mktemp("registers")
    wrapper = [python(), "-m", "inst.wrap.cc", *(["--inst-small-data"] if options else [])]
    hooks = f"--inst-hooks={HERE / 'registers_hooks.c'}"
    sources = [str(HERE / name) for name in SOURCES]
    program = directory / "program"
    command = [*wrapper, hooks, *target.compiler, "-O2", "-static", *sources, "-o", str(program)]
    subprocess.run(command, check=True, env=python_environment())
    return run(target, program, directory)


def test_every_valid_register_is_the_emulators(ran: Run) -> None:
    """At each window all that is valid is what the emulator has where the program goes on."""
    seen: dict[int, int] = defaultdict(int)
    assert ran.output == "2741698256 2090751503 585344646 18378837148290270260\n"
    assert len(ran.records) > 100
    for one in ran.records:
        assert one.valid_special & PC
        state = ran.states[one.pc][seen[one.pc]]
        assert differences(ran.target, one, state) == [], state
        seen[one.pc] += 1
    assert seen == {pc: len(states) for pc, states in ran.states.items()}


def test_what_is_not_valid_is_what_a_site_has_used(ran: Run) -> None:
    """Few registers are lost, never the stack pointer; the return address in some places only."""
    windows = ran.records[1:]
    lost = [ALL & ~one.valid_general for one in windows]
    assert all(mask.bit_count() <= 3 and not mask >> STACK[ran.target.isa] & 1 for mask in lost)
    if ran.target.isa == "sparc":
        scratch = SCRATCH[ran.target.name]
        assert set(lost) == {0, LINK_REGISTER, scratch, scratch | LINK_REGISTER}
        assert all(one.valid_special == PC | CONDITION | Y for one in windows)
        return
    assert all(one.valid_special | LINK == PC | CONDITION | LINK | COUNT | EXCEPTION
               for one in windows)  # fmt: skip
    linked = {mask for mask, one in zip(lost, windows, strict=True) if one.valid_special & LINK}
    own = (1 << 13) * (r13_is_lost(ran))
    assert own in linked and any(mask & ~own for mask in linked), "a frame; another register"
    assert own in lost and any(not one.valid_special & LINK for one in windows)


def r13_is_lost(ran: Run) -> bool:
    """Return whether sites of the program use r13."""
    return all(not one.valid_general >> 13 & 1 for one in ran.records[1:])


def test_small_data_keeps_its_register(ran: Run, request: pytest.FixtureRequest) -> None:
    is_plain = request.node.callspec.params["ran"] == "ppc32"
    assert r13_is_lost(ran) == is_plain


def test_known_registers_are_passed(ran: Run) -> None:
    """Assembly puts a number into each: its windows hold them all."""
    isa = ran.target.isa
    numbers = tuple(n * 0x01010101 for n in range(8, 13))
    found = [one for one in ran.records if one.general[8:13] == numbers]
    assert len(found) == 3
    fixed = {"powerpc": {1, 2, 13}, "sparc": {0, 7, 14, 30, 31}}[isa]
    for one in found:
        codes, link, *others = one.special
        if isa == "powerpc" and not one.valid_special & LINK:
            assert (link, one is found[1]) == (0, False)
            link = KNOWN[isa][1]
        assert (codes & 15 if isa == "sparc" else codes, link, *others) == KNOWN[isa]
        for n in {*range(32)} - fixed:
            assert one.general[n] == n * 0x01010101 * (one.valid_general >> n & 1)
    if isa == "sparc":
        scratch = SCRATCH[ran.target.name]
        assert [ALL & ~one.valid_general for one in found] == [scratch, 0, LINK_REGISTER]
    else:
        own = (1 << 13) * r13_is_lost(ran)
        assert [ALL & ~one.valid_general for one in found] == [own] * 3


def test_inithook_has_the_registers_of_the_beginning(ran: Run) -> None:
    """All are valid, as the kernel has set them; V8's condition codes cannot be read."""
    first = ran.records[0]
    special = sum(bit for bit, _ in SPECIAL[ran.target.isa])
    is_v8 = ran.target.name == "sparc-v8"
    assert first.valid_general == ALL
    assert first.valid_special == PC | special & ~(CONDITION if is_v8 else 0)
