"""Count what code does, where a test is about how its work grows: time depends on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python a function runs, those of what it calls among them.

    Calls, returns and exceptions count as one line each; a call of NumPy is one line.
    """
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
