"""How fast instructions are executed again: `python -m tests.bench.replay`.

A loop of six instructions of PowerPC, a load and a store among them, in batches from Python as
re-execution runs it: loads from memory or from recorded values, with and without columns of what
was accessed and executed. Processor time; the goal is that of each way.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from inst.replay.machine import Machine, Reason
from inst.target.targets import TARGETS

CODE, SOURCE, SINK = 0x1000, 0x20000, 0x200000
WORDS = (0x84A60004, 0x7C632A14, 0x54A71838, 0x90E80000, 0x39080004, 0x4200FFEC, 0x44000002)
"""lwzu 5,4(6); add 3,3,5; rlwinm 7,5,3,0,28; stw 7,0(8); addi 8,8,4; bdnz CODE; sc."""
LOAD, STORE, LOOP = CODE, CODE + 12, 6
ROUNDS, BATCHES = 100_000, 20
GOAL = 5_000_000
WAYS = ("loads from memory", "loads from the feed", "and accesses reported", "and all addresses")


def speed(target: str, way: int) -> float:
    """Return instructions a second of a way, by its number."""
    machine = Machine(TARGETS[target])
    order = TARGETS[target].byte_order
    machine.add_code(CODE, b"".join(word.to_bytes(4, order) for word in WORDS))
    machine.write(SOURCE, bytes(4 * ROUNDS))
    machine.set_sites([LOAD] if way else [])
    machine.set_reported([LOAD, STORE] if way > 1 else [])
    pc, value = np.full(ROUNDS, LOAD, "u8"), np.arange(ROUNDS, dtype="u8")
    columns = [np.zeros(2 * ROUNDS + 32, "u8") for _ in range(3)]
    kinds, executed = np.zeros(2 * ROUNDS + 32, "u4"), np.zeros(LOOP * ROUNDS + 1, "u8")
    start, count = time.process_time(), 0
    for _ in range(BATCHES):
        machine.go_to(CODE)
        machine.state.g[6], machine.state.g[8], machine.state.ctr = SOURCE - 4, SINK, ROUNDS
        machine.set_feed(pc, value)
        machine.set_outputs(*columns, kinds)
        machine.set_executed(executed if way > 2 else None)
        stop = machine.run()
        assert stop.reason == Reason.SYSTEM_CALL, stop
        count += stop.executed
    return count / (time.process_time() - start)


def main() -> int:
    """Print the figures; 1 when the goal is missed."""
    slowest = float("inf")
    for way, name in enumerate(WAYS):
        found = {target: speed(target, way) for target in ("ppc32", "ppc64le")}
        slowest = min(slowest, *found.values())
        figures = ", ".join(f"{target} {value / 1e6:.0f}" for target, value in found.items())
        print(f"{name:24} {figures} million instructions a second")
    print(f"goal: {GOAL / 1e6:.0f} million a second")
    return int(slowest < GOAL)


if __name__ == "__main__":
    sys.exit(main())
