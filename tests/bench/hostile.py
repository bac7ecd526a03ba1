"""Traces without end in which nothing comes twice: what grows with distinct values, grows here.

Addresses, pcs, words, threads, sizes, strings, sources and numbers of texts are all random;
the same seed gives the same trace.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.formats.rst.record import RECORD
from tests.bench.traces import rst_start, stf_start

PART = 20_000
"""Events made at once."""


def rst(seed: int = 1) -> Iterator[bytes]:
    """Yield an RST trace: mostly accesses, of all threads, between strings and texts."""
    yield rst_start()
    chance = np.random.default_rng(seed)
    while True:
        raw = np.zeros(3 * PART, RECORD)
        address = chance.integers(0, 1 << 48, PART, dtype="u8")
        instr, memval, other = raw[0::3], raw[1::3], raw[2::3]
        instr["rtype"], instr["flags"] = 3, chance.choice((0x40, 0x42, 0x44, 0x60), PART)
        instr["half"] = chance.integers(0, 1024, PART) << 6
        instr["word"] = chance.integers(0, 1 << 32, PART)
        instr["first"], instr["second"] = chance.integers(0, 1 << 62, PART) * 4, address
        memval["rtype"], memval["flags"], memval["half"] = 26, 0x40, chance.integers(1, 9, PART)
        memval["first"], memval["second"] = address, chance.integers(0, 1 << 62, PART)
        # CPU, THREAD, STRDESC, TRAP, EVENT_TEXT (a site), and events of our own
        other["rtype"] = chance.choice((11, 6, 14, 7, 43, 40), PART)
        other["flags"] = np.where(other["rtype"] == 43, 0xC0, chance.integers(0, 20, PART))
        other["word"] = chance.integers(1, 1 << 32, PART)
        for half in ("first", "second"):
            other[half] = chance.integers(0, 1 << 62, PART)
        texts = np.isin(other["rtype"], (14, 43))
        letters = chance.integers(0x41, 0x5B, (int(texts.sum()), 16)).astype("u1").view(">u8")
        other["first"][texts], other["second"][texts] = letters.T
        other["flags"][other["rtype"] == 14] = ord("=")
        yield raw.tobytes()


def sexp(seed: int = 1) -> Iterator[bytes]:
    """Yield s-expressions: accesses, regions, hints, locks and strings of the producer."""
    chance = np.random.default_rng(seed)
    first = 1
    shapes = (
        "(mem-read (id %d) (tid %d) (address 0x%x) (value 0x%x) (size 4) (src 0x%x))",
        '(mem-read (id %d) (tid %d) (address 0x%x) (value 0x%x) (size 4) (src "f%x.c:1"))',
        '(mem-write (id %d) (tid %d) (mem-order plain) (address 0x%x) (value 0x%x) (src "a:%x"))',
        "(mem-set (id %d) (tid %d) (address 0x%x) (size 0x%x) (value 0x0) (src 0x%x))",
        '(hint (id %d) (tid %d) (kind k%x) (location 0x%x) (value 0x0) (src "h%x"))',
        '(event (id %d) (tid %d) (what w%x) (value 0x%x) (src "e%x"))',
        '(producer (id %d) (tid %d) (name "n%x") (value "%x %x"))',
        '(lock (id %d) (tid %d) (address 0x%x) (order %x) (src "l%x"))',
        '(image (id %d) (tid %d) (base 0x%x) (path "p%x%x"))',
    )
    weights = np.array([40, 40, 20, 5, 5, 5, 1, 5, 1])
    while True:
        which = chance.choice(len(shapes), PART, p=weights / weights.sum()).tolist()
        numbers = chance.integers(0, 1 << 44, (PART, 4)).tolist()
        rows = enumerate(zip(which, numbers, strict=True), first)
        yield "".join(f"{shapes[s] % (i, *n)}\n" for i, (s, n) in rows).encode()
        first += PART


def stf(seed: int = 1) -> Iterator[bytes]:
    """Yield STF: any word at any address, with any change of a register."""
    yield stf_start()
    chance = np.random.default_rng(seed)
    while True:
        pcs = (chance.integers(0, 1 << 30, PART) * 4).tolist()
        words = chance.integers(0, 1 << 32, PART).tolist()
        registers = chance.integers(0, 32, PART).tolist()
        values = chance.integers(0, 1 << 32, PART).tolist()
        yield "".join(
            f"PCN = {pc:08x} OPC = {word:08x} MNC = m{word:x}\nR{number:02} = {value:08x}\n"
            for pc, word, number, value in zip(pcs, words, registers, values, strict=True)
        ).encode()
