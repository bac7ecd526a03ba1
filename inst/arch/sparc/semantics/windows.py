"""Register windows of functions that a jump of other code has left."""

from __future__ import annotations

from inst.replay.model import Processor

_OUT, _IN, _WINDOW = 8, 24, 16
"""In the state's registers: %o0, %i0, and where those of a window begin, %l0."""
_STACK, _FRAME = 14, 30
"""%sp and %fp."""


def stack_bias(bits: int) -> int:
    """Return how far beyond its stack pointer a frame begins (V9's ABI)."""
    return 2047 if bits == 64 else 0


def leave_windows(machine: Processor, stack: int) -> None:
    """Leave the windows of functions whose frames are below a stack pointer.

    They are left as `restore` leaves them, those that are in memory alone, too, as far as it is
    known.
    """
    state = machine.state
    mask = (1 << machine.target.bits) - 1
    while state.kept + state.stored and state.g[_STACK] & mask < stack:
        window = _below(machine, state.g[_FRAME] & mask)
        if window is None:
            return
        state.g[_OUT : _OUT + 8] = state.g[_IN : _IN + 8]
        state.g[_WINDOW:] = window


def _below(machine: Processor, frame: int) -> list[int] | None:
    """Take the window below the current one, whose stack pointer is `frame`."""
    state = machine.state
    if state.kept:
        state.kept -= 1
        return list(state.windows[state.kept])
    width = machine.target.bits // 8
    place = frame + stack_bias(machine.target.bits)
    found = machine.read(place & (1 << 8 * width) - 1, 16 * width)
    if found is None:
        return None
    state.stored -= 1
    return [int.from_bytes(found[n : n + width], "big") for n in range(0, 16 * width, width)]
