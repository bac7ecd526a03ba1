"""Register windows of other code, and of functions that a jump of it has left."""

from __future__ import annotations

import itertools

from inst.arch.sparc.sites import STACK_BIAS
from inst.replay.model import Processor

_OUT, _IN, _WINDOW = 8, 24, 16
"""In the state's registers: %o0, %i0, and where those of a window begin, %l0."""
_STACK, _FRAME = 14, 30
"""%sp and %fp."""


def stack_bias(bits: int) -> int:
    """Return how far beyond its stack pointer a frame begins (V9's ABI)."""
    return STACK_BIAS if bits == 64 else 0


def leave_windows(machine: Processor, stack: int) -> None:
    """Leave the windows of functions whose frames are below a stack pointer.

    They are left as `restore` leaves them, those that are in memory alone, too, as far as it is
    known. A function whose frame the stack pointer is in stays: it had allocated memory there
    (`alloca`) since it called setjmp.
    """
    state = machine.state
    mask = (1 << machine.target.bits) - 1
    while state.kept + state.stored and state.g[_STACK] & mask < stack:
        frame = state.g[_FRAME] & mask
        if stack < frame:
            return
        window = _below(machine, frame)
        if window is None:
            return
        state.g[_OUT : _OUT + 8] = state.g[_IN : _IN + 8]
        state.g[_WINDOW:] = window


def enter_window(machine: Processor) -> None:
    """Enter the window of other code: it has one at least when it calls back.

    Its locals are those of the code that it was called by, as far as anything reads them.
    """
    state = machine.state
    if state.kept == len(state.windows):
        _store_oldest(machine, state.kept // 2)
    state.windows[state.kept][:] = state.g[_WINDOW:]
    state.kept += 1
    state.g[_IN : _IN + 8] = state.g[_OUT : _OUT + 8]


def _store_oldest(machine: Processor, count: int) -> None:
    """Store windows to their frames, as the system does where the processor has no more."""
    state, width = machine.state, machine.target.bits // 8
    mask = (1 << 8 * width) - 1
    kept = [list(window) for window in state.windows]
    for window, after in itertools.pairwise(kept[: count + 1]):
        place = after[_FRAME - _WINDOW] + stack_bias(machine.target.bits) & mask
        machine.write(place, b"".join((one & mask).to_bytes(width, "big") for one in window))
    for n, window in enumerate(kept[count:]):
        state.windows[n][:] = window
    state.kept -= count
    state.stored += count


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
