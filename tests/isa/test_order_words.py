"""What the runtime says of orders (`runtime/support/order.c`), compiled for the targets: stores are
those of the tables of memory instructions, and which of them are releases."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from inst.arch.powerpc.words import accesses as powerpc
from inst.arch.sparc.words import accesses as sparc
from inst.build.compiled import instruction_tables
from inst.paths import data
from inst.target.model import Target
from inst.target.targets import TARGETS
from inst.words.access import WRITE, Access

SOURCE = Path(__file__).with_name("order_words.c")
PREFIX = 0x04000000
"""Of type 8LS, with which the opcode of the second word has another meaning."""
POWERPC_STACK, SPARC_STACK = 1, (14, 30)


def answers(target: Target, lines: list[tuple[int, ...]], directory: Path) -> list[list[bool]]:
    """Return for the last word of each line whether it is a barrier, a store and a release."""
    runtime = data("runtime")
    header = instruction_tables(target, directory)
    program = directory / "show"
    places = [f"-I{place}" for place in (header, runtime / target.runtime, runtime / "include")]
    sources = [SOURCE, runtime / "support/order.c"]
    command = [*target.compiler, "-O1", "-static", *places, *sources, "-o", program]
    subprocess.run(command, check=True)
    text = "".join(" ".join(f"{word:x}" for word in line) + "\n" for line in lines)
    done = subprocess.run(
        [target.emulator, program], input=text, capture_output=True, text=True, check=True
    )
    return [[word == "1" for word in line.split()] for line in done.stdout.splitlines()]


def powerpc_code(target: Target) -> list[tuple[int, ...]]:
    """Return words, a prefix before some, with registers 3, 4 and 5, and with the stack pointer."""
    fields = 3 << 21 | 4 << 16 | 5 << 11
    code = [(word,) for word in powerpc.samples().values()]
    if target.bits == 64:
        code += [(PREFIX, primary << 26 | fields) for primary in range(64)]
    else:
        code += [(powerpc.SPE_OPCODE << 26 | fields | low,) for low in range(2048)]
    code += [(*before, word & ~(31 << 16) | POWERPC_STACK << 16) for *before, word in code]
    chosen = random.Random("order")
    return code + [(chosen.getrandbits(32),) for _ in range(3000)]


def powerpc_access(line: tuple[int, ...], target: Target) -> Access | None:
    *before, word = line
    index = word >> 26 == powerpc.EXTENDED and powerpc.second(word) == POWERPC_STACK
    if powerpc.base(word) == POWERPC_STACK or index:
        return None
    if before:
        return powerpc.prefixed_access_of(before[0], word)
    access = powerpc.access_of(word, has_spe=target.bits == 32)
    return access if access is not None and access.bits <= target.bits else None


def sparc_code(_target: Target) -> list[tuple[int, ...]]:
    """Return a word of each operation, with registers chosen, and others."""
    chosen = random.Random("order")
    code = [3 << 30 | op3 << 19 | base << 14 | 2 for op3 in range(64) for base in (2, *SPARC_STACK)]
    return [(word,) for word in code + [chosen.getrandbits(32) for _ in range(3000)]]


def sparc_access(line: tuple[int, ...], _target: Target) -> Access | None:
    (word,) = line
    access = sparc.ROWS.get(sparc.op3(word)) if word >> 30 == 3 else None
    return None if sparc.base(word) in SPARC_STACK else access


SETS = {"powerpc": (powerpc_code, powerpc_access), "sparc": (sparc_code, sparc_access)}


@pytest.mark.parametrize("name", TARGETS)
def test_stores_are_those_of_the_table(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    code_of, access_of = SETS[target.isa]
    lines = code_of(target)
    found = answers(target, lines, tmp_path)
    assert len(found) == len(lines)
    wrong, met = [], 0
    for line, (_, stores, _) in zip(lines, found, strict=True):
        access = access_of(line, target)
        met += stores
        if stores != (access is not None and bool(access.what & WRITE)):
            wrong.append(f"{[hex(word) for word in line]}: {access}")
    assert not wrong, "\n".join(wrong)
    assert met > 20


LWSYNC, SYNC, ISYNC, EIEIO = 0x7C2004AC, 0x7C0004AC, 0x4C00012C, 0x7C0006AC
STW, LMW, STVX, STW_STACK, BEQ, BL = (
    0x90640000, 0xB8640000, 0x7C6429CE, 0x90610000, 0x41820010, 0x48000101,
)  # fmt: skip
STBAR, MEMBAR, LDSTUB_STACK, FLUSH = 0x8143C000, 0x8143E008, 0xC26BBFFF, 0x81D88000
ST, ST_STACK, LD, BA, SETHI, PREFETCH = (
    0xC2208000, 0xC2238000, 0xC2008000, 0x10800004, 0x03000001, 0xC3688000,
)  # fmt: skip
CODE = {
    "powerpc": (
        ((LWSYNC, STW), True), ((SYNC, BL, STW), True), ((ISYNC, STW), False),
        ((EIEIO, STW), False), ((STW,), False), ((LWSYNC, STW, STW), False),
        ((LWSYNC, STW_STACK, STW), True), ((LWSYNC, LMW, STW), True),
        ((LWSYNC, STVX, STW), False), ((LWSYNC, BEQ, STW), False),
    ),
    "sparc": (
        ((STBAR, ST), True), ((MEMBAR, SETHI, ST), True), ((LDSTUB_STACK, LD, ST), True),
        ((FLUSH, ST), False), ((ST,), False), ((STBAR, ST, ST), False),
        ((STBAR, ST_STACK, ST), True), ((STBAR, PREFETCH, ST), True), ((STBAR, BA, ST), False),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TARGETS)
def test_a_release_is_the_first_store_after_a_barrier(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    cases = CODE[target.isa]
    found = answers(target, [line for line, _ in cases], tmp_path)
    for (line, expected), (_, stores, release) in zip(cases, found, strict=True):
        assert stores, line
        assert release == expected, [hex(word) for word in line]


BARRIERS = {
    "powerpc": ((LWSYNC, SYNC, ISYNC), (EIEIO, STW, BL)),
    "sparc": ((STBAR, MEMBAR, LDSTUB_STACK), (FLUSH, ST, SETHI)),
}


@pytest.mark.parametrize("name", TARGETS)
def test_barriers(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    barriers, others = BARRIERS[target.isa]
    found = answers(target, [(word,) for word in (*barriers, *others)], tmp_path)
    assert [barrier for barrier, _, _ in found] == [True] * len(barriers) + [False] * len(others)
