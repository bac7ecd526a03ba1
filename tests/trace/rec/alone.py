"""Windows of a recording executed alone, from states, and all of it in one go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from inst.cli import main
from inst.formats.rec.states import State
from inst.formats.rec.states_file import ENDING, States
from inst.formats.rec.trace import RecTrace
from inst.replay.executed import Executed, Steps
from inst.replay.parallel import Alone, Over
from inst.trace import open_trace


@dataclass(frozen=True)
class Instructions:
    """Executed instructions of all threads, and the accesses of those that are reported."""

    thread: npt.NDArray[Any]
    pc: npt.NDArray[Any]
    accesses: npt.NDArray[Any]
    """Of each a column: the number of its instruction, address, value and kind; u8."""

    def part(self, start: int, end: int) -> Instructions:
        first, last = np.searchsorted(self.accesses[0], (start, end))
        inside = self.accesses[:, first:last].copy()
        inside[0] -= np.uint64(start)
        return Instructions(self.thread[start:end], self.pc[start:end], inside)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Instructions)
            and np.array_equal(self.thread, other.thread)
            and np.array_equal(self.pc, other.pc)
            and np.array_equal(self.accesses, other.accesses)
        )


def states_of(recording: Path, size: int) -> States:
    """Return states of a recording each so many instructions, which are written beside it."""
    assert main(["replay", "--states", "--window-size", str(size), str(recording)]) == 0
    return States(Path(f"{recording}{ENDING}"))


def in_one_go(recording: Path) -> Instructions:
    return _executed(recording, Steps(), State(0, 0))


def alone(
    recording: Path, states: States, start: int, end: int
) -> tuple[Instructions, dict[str, int]]:
    """Return some instructions, executed from a state on, and the registers after them."""
    state = states.for_window(start, end)
    steps = Alone(start, end, state.executed)
    return _executed(recording, steps, state).part(0, end - start), steps.registers


def _executed(recording: Path, steps: Steps, state: State) -> Instructions:
    parts: list[Executed] = []
    trace = cast(RecTrace, open_trace(recording))
    trace.observe_execution(lambda *_: parts.append, steps)
    trace.begin_at(state)
    try:
        for _ in trace.batches():
            pass
    except Over:
        pass
    finally:
        trace.close()
    accesses, done = [], 0
    for one in parts:
        columns = one.access_row + done, one.address, one.accessed, one.kind
        accesses.append(np.stack([column.astype("u8") for column in columns]))
        done += len(one.pc)
    return Instructions(
        np.concatenate([np.full(len(one.pc), one.thread) for one in parts]),
        np.concatenate([one.pc for one in parts]),
        np.concatenate(accesses, axis=1),
    )
