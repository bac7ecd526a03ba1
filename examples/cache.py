"""How a cache would have served a program: hits and misses from its trace.

    python examples/cache.py program.rst [KILOBYTES [WAYS [LINE]]]

Any trace with instructions will do (RST, STF). A set-associative cache with write-allocate
that replaces the least recently used line.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict

from inst.simulation import instructions


class Cache:
    """Sets of lines; each set keeps its lines in the order of their last use."""

    def __init__(self, size: int, ways: int, line: int) -> None:
        self.ways, self.line = ways, line
        self.sets = [OrderedDict[int, None]() for _ in range(max(1, size // (ways * line)))]
        self.hits = self.misses = 0

    def access(self, address: int, size: int) -> None:
        """Touch every line that the bytes lie in."""
        for line in range(address // self.line, (address + max(size, 1) - 1) // self.line + 1):
            self.touch(line)

    def touch(self, line: int) -> None:
        """Count a hit, or a miss that brings the line in."""
        lines = self.sets[line % len(self.sets)]
        if line in lines:
            self.hits += 1
            lines.move_to_end(line)
            return
        self.misses += 1
        lines[line] = None
        if len(lines) > self.ways:
            lines.popitem(last=False)


def main() -> None:
    """Run the trace through the cache and print what came of it."""
    parser = argparse.ArgumentParser(description="Simulate a data cache on a trace.")
    parser.add_argument("trace")
    for name, usual in (("kilobytes", 16), ("ways", 4), ("line", 32)):
        parser.add_argument(name, nargs="?", type=int, default=usual)
    arguments = parser.parse_args()
    cache = Cache(arguments.kilobytes * 1024, arguments.ways, arguments.line)
    for instruction in instructions(arguments.trace):
        for place in (*instruction.reads, *instruction.writes):
            cache.access(place.address, place.size)
    total = cache.hits + cache.misses
    print(f"{total} accesses, {cache.hits} hits, {cache.misses} misses", end="")
    print(f", {100 * cache.hits / total:.2f} % hits" if total else "")


if __name__ == "__main__":
    main()
