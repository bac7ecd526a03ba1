"""Windows of `inst replay`, which other processes write: forks, or workers of a cluster."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from inst import __version__
from inst.common.progress import Progress
from inst.errors import InstError

if TYPE_CHECKING:
    from inst.filter.output import Output, Part
    from inst.formats.rec.states_file import States
    from inst.formats.rec.trace import RecTrace
    from inst.formats.stf.full import FullWriter, Selection
    from inst.replay.executed import Executed, Observer
    from inst.replay.library import Unit
    from inst.replay.parallel import Crew, Result, Windows

WINDOW = 500_000
"""Instructions of a window, if nothing else is asked for."""
FORMAT = "stf"
"""What has every instruction; in other formats there are the events."""


@dataclass(frozen=True, slots=True)
class Task:
    """A window that a worker writes, which may be on another machine."""

    recording: str
    """An absolute path."""
    name: str
    """What the trace calls it."""
    selection: Selection
    start: int
    end: int
    continues: bool
    state: bytes
    """From which it is executed; empty: from the beginning."""
    path: str
    """Of the trace that is written: by its name the text is compressed."""
    version: str
    """Of who asks: the text is the same only if the worker has the same."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A window that is written as a part of the trace."""

    writer: FullWriter
    part: Part

    def take(self, executed: Executed) -> None:
        """Take instructions of it, and the one that follows the last."""
        self.writer.take(executed)

    def finish(self) -> None:
        """Write what is left."""
        self.writer.finish()
        self.part.finish()


def opened(name: str, *, is_shown: bool = False) -> RecTrace:
    """Return a recording; `is_shown` if what is made of it goes to where progress is shown."""
    from inst.formats.rec.trace import RecTrace
    from inst.trace import open_trace

    trace = open_trace(name, progress=Progress.PRINTS if is_shown else Progress.READS)
    if not isinstance(trace, RecTrace):
        trace.close()
        raise InstError(
            f"{trace.name} is not a recording",
            hint="compile with inst-cc --inst-record=loads, and run with inst run -o NAME.rec",
        )
    return trace


def states_of(recording: str) -> States | None:
    """Return the states beside a recording, if they are its own."""
    from inst.formats.rec.states_file import States

    states = States.beside(recording)
    if states is None or states.is_of(recording):
        return states
    print(
        f"inst: {states.path} is of another recording, or of this one before it was changed: "
        "all is executed from the beginning",
        file=sys.stderr,
    )
    return None


def require_registers(arch: str) -> None:
    """Refuse a processor of which the format has no registers."""
    from inst.arch.registry import producer

    if FORMAT not in producer(arch).formats:
        raise InstError(
            f"{FORMAT} has no registers of '{arch}'",
            hint="--to rst or --to sexp writes the events",
        )


def write_windows(
    trace: RecTrace, output: Output, selection: Selection, arguments: argparse.Namespace
) -> None:
    """Write every instruction, windows by processes of their own."""
    from inst.replay.parallel import processes

    states = states_of(arguments.recording)
    path, first = os.path.abspath(arguments.recording), selection.start.number or 0

    def task(start: int, end: int) -> Task:
        state = states.for_window(start, end).packed() if states else b""
        continues, to = start != first, output.path
        return Task(path, trace.name, selection, start, end, continues, state, to, __version__)

    if arguments.scheduler is not None:
        from inst.replay.cluster import Cluster

        if trace.name == "-":
            raise InstError("the workers of a cluster open a recording by its name, not '-'")
        with Cluster(arguments.scheduler) as cluster:
            crew = cluster.crew(write_alone, task)
            _write(trace, output, selection, arguments, task, states, crew)
    elif states:

        def write(start: int, end: int, text: BinaryIO) -> Result:
            return write_alone(task(start, end), text)

        crew = processes(arguments.jobs, write)
        _load(task, first)
        _write(trace, output, selection, arguments, task, states, crew)
    else:
        _write(trace, output, selection, arguments, task)


def _load(task: Callable[[int, int], Task], first: int) -> None:
    """Execute nothing, so that forks of this process have all modules and the engine."""
    with suppress(InstError):  # the window that begins there reports it
        write_alone(task(first, first), io.BytesIO())


def _write(
    trace: RecTrace,
    output: Output,
    selection: Selection,
    arguments: argparse.Namespace,
    task: Callable[[int, int], Task],
    states: States | None = None,
    crew: Crew | None = None,
) -> None:
    """Write windows by a crew, or by forks of this process.

    With states nothing has to be executed to get to a window.
    """
    from inst.replay.parallel import divided, execute, forks

    made: list[tuple[tuple[Unit, ...], str]] = []
    first, stop = selection.start.number or 0, selection.stop.number

    def begin(start: int, end: int, text: BinaryIO) -> _Written:
        return _begun(task(start, end), text, *made[0])

    def read(steps: Windows) -> None:
        steps.progress = _progress
        if states:
            steps.begin_all(states.registers_at)
            return

        def observer(units: tuple[Unit, ...], arch: str) -> Observer:
            require_registers(arch)
            made.append((units, arch))
            return steps.take

        again = opened(arguments.recording) if made else trace
        steps.separate = again.separate
        again.observe_execution(observer, steps)
        try:
            for _ in again.batches():
                pass
        finally:
            if again is not trace and not steps.is_child():
                again.close()

    try:
        if states:
            stop = states.executed if stop is None else min(stop, states.executed)
        windows = divided(first, stop, arguments.window_size or WINDOW)
        any_window = execute(windows, crew or forks(arguments.jobs, begin), read, output.append)
    finally:
        _progress(0, 0)
    if not any_window:
        _write_nothing(trace, output, selection, made)


def _write_nothing(
    trace: RecTrace,
    output: Output,
    selection: Selection,
    made: list[tuple[tuple[Unit, ...], str]],
) -> None:
    """Write a trace without instructions."""
    from inst.formats.stf.full import FullWriter

    if not made:

        def observer(units: tuple[Unit, ...], arch: str) -> Observer:
            made.append((units, arch))
            return lambda _executed: None

        trace.observe_execution(observer)
        for _ in trace.batches():
            if made:
                break
    if made:
        FullWriter(output, trace.name, selection, *made[0]).finish()


def write_states(arguments: argparse.Namespace) -> int:
    """Execute all, and write what each window needs to be executed alone."""
    from inst.common.notes import print_notes
    from inst.common.wholefile import refuse_input, whole_file
    from inst.formats.rec.states_file import ENDING, StatesWriter, identity
    from inst.formats.rec.taking import StateTaker

    path = Path(arguments.recording + ENDING if arguments.output == "-" else arguments.output)
    if arguments.recording == "-":
        raise InstError("states are of a recording that has a name, not of '-'")
    refuse_input(path, (arguments.recording,))
    trace = opened(arguments.recording)
    try:
        with whole_file(path) as output, open(arguments.recording, "rb") as stream:
            writer = StatesWriter(output)
            taker = StateTaker(trace, arguments.window_size, writer.add)
            trace.observe_execution(lambda *_: taker.take, taker)
            damage = None
            try:
                for _ in trace.batches():
                    pass
            except InstError as error:
                damage = error
                if not arguments.partial:
                    raise
            taker.finish()
            writer.finish(identity(stream), taker.done, trace.passed)
    except OSError as error:
        raise InstError(f"cannot write {path}: {error.strerror}") from error
    finally:
        trace.close()
    if damage:
        print(damage.render(), file=sys.stderr)
    print_notes(trace.notes)
    return 2 if damage else 0


def _begun(task: Task, text: BinaryIO, units: tuple[Unit, ...], arch: str) -> _Written:
    """Return what writes the window of a task to a text."""
    from inst.filter.output import Part
    from inst.formats.stf.full import Bound, FullWriter

    chosen = replace(task.selection, start=Bound(task.start), stop=Bound(task.end))
    part = Part(text, task.path)
    writer = FullWriter(part, task.name, chosen, units, arch, task.start, continues=task.continues)
    return _Written(writer, part)


def write_alone(task: Task, text: BinaryIO) -> Result:
    """Write the text of a window, on a worker; return what else its process leaves."""
    from inst.formats.rec.states import State
    from inst.replay.parallel import Alone, Over, stated

    if task.version != __version__:
        failure = f"a worker has inst {__version__}, and {task.version} asks it", None, ""
        return failure, {}
    state = State.unpacked(task.state) if task.state else State(0, 0)
    steps = Alone(task.start, task.end, state.executed)
    windows: list[_Written] = []

    def observer(units: tuple[Unit, ...], arch: str) -> Observer:
        windows.append(_begun(task, text, units, arch))
        return windows[-1].take

    failed = None
    try:
        trace = opened(task.recording, is_shown=True)
        trace.observe_execution(observer, steps)
        trace.begin_at(state)
        try:
            for _ in trace.batches():
                pass
        finally:
            trace.close()
    except Over:
        pass
    except InstError as error:
        failed = stated(error)
    for window in windows:
        window.finish()
    return failed, steps.registers


def _progress(windows: int, instructions: int) -> None:
    """Show on a terminal how far the execution is; nothing for 0 windows."""
    if sys.stderr.isatty():
        text = f"window {windows}: {instructions:,} instructions\r" if windows else ""
        sys.stderr.write(f"\033[K{text}")
        sys.stderr.flush()
