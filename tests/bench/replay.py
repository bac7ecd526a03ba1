"""How fast instructions are executed again: `python -m tests.bench.replay`.

A loop of six instructions, a load and a store among them, in batches from Python as re-execution
runs it: loads from memory or from recorded values, with and without columns of what
was accessed and executed. Processor time; the goal is that of each way.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from inst.replay.machine import Machine, Reason
from inst.target.targets import TARGETS

CODE, SOURCE, SINK = 0x1000, 0x20000, 0x200000
WORDS = {
    "powerpc": (0x84A60004, 0x7C632A14, 0x54A71838, 0x90E80000, 0x39080004, 0x4200FFEC, 0x44000002),
    "sparc": (0xC202000A, 0x9600400B, 0xD622400A, 0x94A2A004, 0x12BFFFFC, 0x85286003, 0x91D02010),
}
"""lwzu 5,4(6); add 3,3,5; rlwinm 7,5,3,0,28; stw 7,0(8); addi 8,8,4; bdnz CODE; sc.

ld [%o0+%o2],%g1; add %g1,%o3,%o3; st %o3,[%o1+%o2]; subcc %o2,4,%o2; bne CODE; sll %g1,3,%g2;
ta 16.
"""
ACCESSES = {"powerpc": (CODE, CODE + 12), "sparc": (CODE, CODE + 8)}
"""The load and the store."""
LOOP, ROUNDS, BATCHES = 6, 100_000, 20
STARTS = {
    "powerpc": {"r6": SOURCE - 4, "r8": SINK, "ctr": ROUNDS},
    "sparc": {"o0": SOURCE - 4, "o1": SINK - 4, "o2": 4 * ROUNDS},
}
"""Registers when the loop begins."""
TARGETS_SHOWN = ("ppc32", "ppc64le", "sparc-v8", "sparc-v9")
GOAL = 5_000_000
WAYS = (
    "loads from memory",
    "loads from the feed",
    "and accesses reported",
    "and all addresses",
    "and changed registers",
)


def speed(target: str, way: int) -> float:
    """Return instructions a second of a way, by its number."""
    machine = Machine(TARGETS[target])
    order, isa = TARGETS[target].byte_order, TARGETS[target].isa
    load, store = ACCESSES[isa]
    machine.add_code(CODE, b"".join(word.to_bytes(4, order) for word in WORDS[isa]))
    machine.write(SOURCE, bytes(4 * ROUNDS))
    machine.set_sites([load] if way else [])
    machine.set_reported([load, store] if way > 1 else [])
    pc, value = np.full(ROUNDS, load, "u8"), np.arange(ROUNDS, dtype="u8")
    columns = [np.zeros(2 * ROUNDS + 32, "u8") for _ in range(3)]
    kinds, executed = np.zeros(2 * ROUNDS + 32, "u4"), np.zeros(LOOP * ROUNDS + 1, "u8")
    changed = [np.zeros(2 * LOOP * ROUNDS + 1024, kind) for kind in ("u4", "u4", "u8")]
    start, count = time.process_time(), 0
    for _ in range(BATCHES):
        machine.go_to(CODE)
        for name, number in STARTS[isa].items():
            machine.set_register(name, number)
        machine.set_feed(pc, value)
        machine.set_outputs(*columns, kinds)
        machine.set_executed(executed if way > 2 else None)
        if way > 3:
            machine.set_changed(*changed)
        stop = machine.run()
        assert stop.reason == Reason.SYSTEM_CALL, stop
        count += stop.executed
    return count / (time.process_time() - start)


def main() -> int:
    """Print the figures; 1 when the goal is missed."""
    slowest = float("inf")
    for way, name in enumerate(WAYS):
        found = {target: speed(target, way) for target in TARGETS_SHOWN}
        slowest = min(slowest, *found.values())
        figures = ", ".join(f"{target} {value / 1e6:.0f}" for target, value in found.items())
        print(f"{name:24} {figures} million instructions a second")
    print(f"goal: {GOAL / 1e6:.0f} million a second")
    return int(slowest < GOAL)


if __name__ == "__main__":
    sys.exit(main())
