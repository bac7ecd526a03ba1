"""How well branch predictors would have done on a program, from its trace.

    python examples/branches.py program.stf [TABLE_BITS]

The trace must hold every instruction (STF, or RST of a full tracer): ours of memory accesses
have no branches. Three predictors: never taken, a table of two-bit counters by address, and
the same table indexed by address and history.
"""

from __future__ import annotations

import argparse

from inst.simulation import instructions


class Counters:
    """Two-bit counters: two wrong guesses in a row change the prediction."""

    def __init__(self, bits: int, history_bits: int = 0) -> None:
        self.table = [1] * (1 << bits)
        self.mask, self.history_mask = (1 << bits) - 1, (1 << history_bits) - 1
        self.history = 0

    def predict(self, address: int, taken: bool) -> bool:
        """Return the prediction for a branch, and update it with the outcome."""
        place = (address >> 2 ^ self.history) & self.mask
        counter = self.table[place]
        self.table[place] = min(counter + 1, 3) if taken else max(counter - 1, 0)
        self.history = (self.history << 1 | taken) & self.history_mask
        return counter >= 2


def main() -> None:
    """Run the trace's conditional branches through the predictors and print the scores."""
    parser = argparse.ArgumentParser(description="Simulate branch predictors on a trace.")
    parser.add_argument("trace")
    parser.add_argument("table_bits", nargs="?", type=int, default=10)
    arguments = parser.parse_args()
    counters = Counters(arguments.table_bits)
    history = Counters(arguments.table_bits, arguments.table_bits)
    right = {"never taken": 0, "counters": 0, "history": 0}
    branches = 0
    for instruction in instructions(arguments.trace):
        if not instruction.conditional:
            continue
        branches += 1
        taken, address = bool(instruction.taken), instruction.address
        right["never taken"] += not taken
        right["counters"] += counters.predict(address, taken) == taken
        right["history"] += history.predict(address, taken) == taken
    print(f"{branches} conditional branches")
    for name, count in right.items():
        print(f"{name:12} {100 * count / branches if branches else 0:6.2f} % right")


if __name__ == "__main__":
    main()
