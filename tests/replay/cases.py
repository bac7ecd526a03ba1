"""Cases for single instructions of PowerPC: words of each row, with states that are likely to
show a difference, and what the interpreter makes of them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from inst.arch.powerpc.words.accesses import access_of, prefixed_access_of
from inst.replay.library import Reason
from inst.replay.machine import Machine
from inst.replay.model import Row
from inst.target.targets import TARGETS
from inst.words.access import Access
from tests.replay.executed import (
    MEMORY,
    UNTOUCHED,
    case_type,
    memory_address,
    state_address,
)

Array = npt.NDArray[Any]
INTEGERS = (
    0, 1, 2, 31, 32, 63, 64, 127, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000,
    0xFFFFFFFF, 0xFFFFFFFF80000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF,
    0x100000000, 0xFFFFFFFFFFFFFFFE,
)  # fmt: skip
DOUBLES = (
    0, 1 << 63, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000,
    0x7FF8000000000000, 0xFFF8000012345678, 0x7FF0000000000001, 0xFFF4000000000000,
    0x0000000000000001, 0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF,
    0x36A0000000000000, 0x380FFFFFC0000000, 0x3810000000000000, 0x47EFFFFFE0000000,
    0x47F0000000000000, 0x41DFFFFFFFC00000, 0xC1E0000000000000, 0x43E0000000000000,
    0xC3E0000000000000, 0x41EFFFFFFFE00000, 0x3FE0000000000000, 0x3FF8000000000000,
    0x4004000000000000, 0x3FB99999A0000000, 0x4008000000000000, 0x400921FB54442D18,
)  # fmt: skip
SINGLES = (
    0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001,
    0xFFA00000, 0x00000001, 0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0x3F000000, 0x3FC00000,
    0x40200000, 0x4B000001, 0x4F000000, 0xCF000000, 0x4F800000, 0x3DCCCCCD, 0x33800000, 0x7E800000,
)  # fmt: skip


ALIGNED_IN_ORDER = ("lmw", "stmw", "lswi", "stswi", "lswx", "stswx")
"""Rows that are interrupted where the least significant byte comes first."""


SEVERAL = ("lmw", "stmw", "lswi", "stswi", "lswx", "stswx")
"""Rows with several registers, from one on that is chosen so that r1, r2 and r13 are not."""
LMW = 46
LENGTHS = ("lxvl", "lxvll", "stxvl", "stxvll")
PAIRS = ("lq", "stq", "plq", "pstq")


def make(target: str, rows: list[Row], count: int, seed: int) -> Array:
    """Return `count` cases of each row, as far as its words have operands that can be tested."""
    generator = np.random.default_rng(seed)
    cases = np.zeros(len(rows) * count, case_type(target))
    for place, case in enumerate(cases):
        case["word"] = _word(rows[place // count], generator)
    _fill(cases, target, generator)
    for case in cases:
        if _access_of(int(case["word"])) is not None:
            _aim(case, target, generator)
    return cases


RELATIVE, ADDED = 1 << 52, 2
"""The bit of a prefix that makes an address relative; the type that only lengthens a number."""


def _access_of(word: int) -> Access | None:
    """Return the access of an instruction that may have a prefix."""
    if not word >> 32:
        return access_of(word)
    kind, suffix = word >> 56 & 3, word & 0xFFFFFFFF
    return prefixed_access_of(word >> 32, suffix) if kind in (0, ADDED) else None


def _word(row: Row, generator: np.random.Generator) -> int:
    """Return a word of a row that leaves alone the registers that the program needs."""
    for _ in range(1000):
        free = int(generator.integers(0, 1 << 8 * row.size, dtype="u8")) & ~row.mask
        word = row.value | free
        registers = [
            word >> shift & 31 for shift in (21, 16, 11, 6) if row.mask >> shift & 31 != 31
        ]
        if row.name in SEVERAL and not 14 <= registers[0] < 22:
            continue
        if row.name in LENGTHS and registers[1] in (0, registers[2]):
            continue
        if row.name in PAIRS:
            registers.append(registers[0] + 1)
        if not any(n in UNTOUCHED for n in registers):
            return word
    return row.value | 3 << 21 & ~row.mask | 4 << 16 & ~row.mask | 5 << 11 & ~row.mask


def _fill(cases: Array, target: str, generator: np.random.Generator) -> None:
    """Give cases registers and memory."""
    bits, count = TARGETS[target].bits, len(cases)
    mask = np.uint64((1 << bits) - 1)
    cases["g"] = _integers((count, 32), generator) & mask
    cases["g"][:, 31] = state_address()
    cases["lr"], cases["ctr"] = (_integers((2, count), generator) & mask)[:]
    cases["cr"] = generator.integers(0, 1 << 32, count)
    cases["xer"] = generator.integers(0, 8, count) << 29
    if bits == 64:
        cases["xer"] |= (generator.integers(0, 4, count) << 18).astype("u8")
    cases["fpscr"] = generator.integers(0, 4, count)
    cases["vs"] = _floats((count, 64, 2), generator)
    of_singles = generator.integers(0, 2, (count, 64, 2)).astype(bool)
    cases["vs"] = np.where(of_singles, _pairs_of_singles((count, 64, 2), generator), cases["vs"])
    of_quadruples = generator.integers(0, 8, (count, 64)) == 0
    cases["vs"][of_quadruples] = _quadruples(int(of_quadruples.sum()), generator)
    if target == "ppc32":
        cases["vs"][:, :32, 1] = 0
    last = 3 if TARGETS[target].byte_order == "big" else 0
    cases["vscr"][:, last] = generator.choice(np.array([0, 0, 1, 0x10000, 0x10001]), count)
    cases["memory"] = generator.integers(0, 256, (count, MEMORY))


def _aim(case: Any, target: str, generator: np.random.Generator) -> None:
    """Let the access of a case lie in its memory."""
    word, mask = int(case["word"]), (1 << TARGETS[target].bits) - 1
    base, index = word >> 16 & 31, word >> 11 & 31
    if word >> 32:
        case["word"] = word = word & ~RELATIVE
    address = memory_address(target) + 192 + int(generator.integers(0, 4)) * 16
    access = _access_of(word)
    is_aligned = access is not None and (access.reserve or access.size == 16)
    if not is_aligned:
        address += int(generator.integers(0, 16))
    if word >> 32:
        displacement = (((word >> 32 & 0x3FFFF) << 16 | word & 0xFFFF) ^ 1 << 33) - (1 << 33)
        case["g"][base] = address - displacement & mask
    elif word >> 26 == 31:
        offset = int(generator.integers(-40, 40))
        if base and base != index:
            case["g"][index] = offset & mask
            case["g"][base] = address - offset
        elif not base:
            case["g"][index] = address
        else:
            case["g"][base] = address // 2
    else:
        displacement = (word & 0xFFF0 ^ 0x8000) - 0x8000
        case["g"][base] = address - displacement & mask
    if access is not None and access.form == "length":
        case["g"][index], case["g"][base] = int(generator.integers(0, 20)) << 56, address
    if word >> 26 == LMW:
        last = address + (word & 15) + 4 * (31 - (word >> 21 & 31)) - memory_address(target)
        case["memory"][last : last + 4] = list(state_address().to_bytes(4, "big"))
    if word >> 26 == 31:
        case["xer"] = int(case["xer"]) | int(generator.integers(0, 33))


def _integers(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Return numbers, of which a third each are special, small and any."""
    random = generator.integers(0, 1 << 64, shape, "u8")
    special = generator.choice(np.array(INTEGERS, "u8"), shape)
    kinds = generator.integers(0, 3, shape)
    return np.choose(kinds, (random, special, random & np.uint64(0x7F)))


def _floats(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Return numbers of double precision, of which half are special and a quarter are singles."""
    random = generator.integers(0, 1 << 64, shape, "u8")
    singles = generator.normal(0, 1000, shape).astype("f4").astype("f8").view("u8")
    special = generator.choice(np.array(DOUBLES, "u8"), shape)
    return np.choose(generator.integers(0, 4, shape), (random, singles, special, special))


def _pairs_of_singles(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Return numbers of single precision, two in each doubleword, of which half are special."""
    both = (*shape, 2)
    random = generator.integers(0, 1 << 32, both, "u4")
    near = generator.normal(0, 1000, both).astype("f4").view("u4")
    special = generator.choice(np.array(SINGLES, "u4"), both)
    singles = np.choose(generator.integers(0, 4, both), (random, near, special, special))
    return (singles[..., 0].astype("u8") << np.uint64(32)) | singles[..., 1]


def _quadruples(count: int, generator: np.random.Generator) -> Array:
    """Return numbers of quadruple precision, most of which are near integers of 128 bits."""
    exponents = generator.integers(0x3FFE, 0x4082, count, "u8")
    special = generator.choice(np.array((0, 1, 0x7FFE, 0x7FFF), "u8"), count)
    exponents = np.where(generator.integers(0, 8, count) == 0, special, exponents)
    signs = generator.integers(0, 2, count, "u8") << np.uint64(15)
    both = generator.integers(0, 1 << 64, (count, 2), "u8")
    both &= generator.choice(np.array((0, 0xFFFF << 32, (1 << 64) - 1), "u8"), (count, 2))
    both[:, 0] = (both[:, 0] & np.uint64((1 << 48) - 1)) | (signs | exponents) << np.uint64(48)
    return both


def _code(instruction: int, order: Literal["little", "big"]) -> bytes:
    """Return an instruction as it is in memory, after its prefix if it has one."""
    prefix = (instruction >> 32).to_bytes(4, order) if instruction >> 32 else b""
    return prefix + (instruction & 0xFFFFFFFF).to_bytes(4, order)


SCALARS = ("lr", "ctr", "cr", "xer", "fpscr")


def interpreted(machine: Machine, case: Any, pc: int) -> tuple[Any, Reason]:
    """Return a case as the interpreter leaves it, and why it stopped."""
    target, state = machine.target, machine.state
    after = case.copy()
    machine.add_code(pc, _code(int(case["word"]), target.byte_order))
    machine.write(memory_address(target.name), case["memory"].tobytes())
    state.pc = pc
    general, vectors = np.ctypeslib.as_array(state.g), np.ctypeslib.as_array(state.vs)
    general[:], vectors[:] = case["g"], case["vs"]
    for name in SCALARS:
        setattr(state, name, int(case[name]))
    last = 3 if target.byte_order == "big" else 0
    state.vscr = int(case["vscr"][last])
    stop = machine.run(1)
    after["g"], after["vs"] = general, vectors
    for name in SCALARS:
        after[name] = getattr(state, name)
    after["vscr"][last] = state.vscr
    data = machine.read(memory_address(target.name), MEMORY)
    assert data is not None
    after["memory"] = np.frombuffer(data, "u1")
    return after, stop.reason


def differences(wanted: Any, found: Any) -> list[str]:
    """Return what differs between two states."""
    lines = []
    for name in ("g", *SCALARS, "vscr", "vs", "memory"):
        one, two = np.atleast_1d(wanted[name]), np.atleast_1d(found[name])
        lines += [
            f"{name}{list(where)}: {int(one[where]):#x}, not {int(two[where]):#x}"
            for where in map(tuple, np.argwhere(one != two).tolist())
        ]
    return lines
