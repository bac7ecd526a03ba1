"""Windows of an execution, each passed on by a process of its own.

One process executes all instructions without passing any on, which is fast, and has a process
begin each window when it gets there: a fork, which has all registers and what memory is known, or
one of a cluster (`inst.replay.cluster`). That passes on the instructions up to the start of the
next window, where its registers must be those that the first process has there.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol, cast

from inst.errors import InstError, Location
from inst.replay.executed import Executed, Steps
from inst.replay.machine import WHOLE_LIMIT, Machine

_COPIED = 1 << 20


class Window(Protocol):
    """What takes the instructions of a window."""

    def take(self, executed: Executed) -> None:
        """Take instructions of it, and the one that follows the last."""

    def finish(self) -> None:
        """Write what is left."""


Begin = Callable[[int, int, BinaryIO], Window]
"""From the number of a window's first instruction, that of the one after its last, and where its
text goes, to what writes that; in the process of the window."""


Stated = tuple[str, tuple[str, int, int] | None, str]
"""An error: its message, its location, and its hint."""
Result = tuple[Stated | None, dict[str, int]]
"""What a window's process leaves beside the text: what has ended it before its end, and the
registers at its end."""


@dataclass(slots=True)
class Piece(ABC):
    """A window that is being executed, or was."""

    start: int
    end: int
    text: BinaryIO
    registers: dict[str, int] = field(default_factory=dict)
    """At its end, by the first process."""

    @property
    @abstractmethod
    def is_running(self) -> bool:
        """Return whether nobody has waited for its process."""

    @abstractmethod
    def wait(self) -> bool:
        """Wait for its process; return whether that has come to its end."""

    @abstractmethod
    def result(self) -> Result:
        """Return what its process has left, which has come to its end."""

    def failure(self) -> InstError | None:
        """Return why the window is not whole, but for its process."""
        failed, registers = self.result()
        if failed:
            message, place, hint = failed
            return InstError(
                f"{message}; instructions {self.start} to {self.end} are not whole",
                location=Location(*place) if place else None,
                hint=hint,
            )
        for name, value in self.registers.items():
            if registers.get(name, value) != value:
                return InstError(
                    f"instructions {self.start} to {self.end} end with {name} = "
                    f"{registers[name]:#x}, and the next ones begin with {value:#x}"
                )
        return None

    def copy_to(self, output: Callable[[bytes], object]) -> None:
        """Append its text to an output."""
        self.text.seek(0)
        while data := self.text.read(_COPIED):
            output(data)
        self.close()

    def close(self) -> None:
        """Give up its text."""
        self.text.close()


@dataclass(slots=True, kw_only=True)
class _Fork(Piece):
    """A window of a forked process."""

    left: BinaryIO
    """Its result."""
    process: int = 0
    status: int | None = None
    """As wait gives it; None: it is being executed."""

    @property
    def is_running(self) -> bool:
        return self.status is None

    def wait(self) -> bool:
        if self.status is None:
            self.status = os.waitpid(self.process, 0)[1]
        return self.status == 0

    def result(self) -> Result:
        self.left.seek(0)
        found: Result = pickle.load(self.left)
        return found

    def close(self) -> None:
        self.text.close()
        self.left.close()

    @classmethod
    def begun(cls, start: int, end: int, pieces: list[Piece]) -> _Fork | None:
        """Fork, and add the window to the pieces; return it in its own process."""
        piece = cls(start, end, temporary(), left=temporary())
        piece.process = os.fork()
        if not piece.process:
            return piece
        pieces.append(piece)
        return None

    def leave(self, result: Result) -> None:
        """Leave the result and the text, in the window's own process."""
        self.text.flush()
        pickle.dump(result, self.left)
        self.left.flush()


class Windows(Steps, ABC):
    """Has each window begun where it starts; `windows` are (start, end), ascending."""

    def __init__(
        self, windows: Iterator[tuple[int, int]], jobs: Callable[[], int], pieces: list[Piece]
    ) -> None:
        super().__init__()
        self.observing = False
        self.pieces = pieces
        self._windows, self._jobs = windows, jobs
        self._next = next(windows, None)
        self.at = self._next[0] if self._next else 0
        self.separate: Callable[[], None] = lambda: None
        """Called in the process of a window, whose files are also those of the first process."""
        self.progress: Callable[[int, int], None] = lambda _windows, _instructions: None
        self.on_wait: Callable[[], None] = lambda: None
        """Called where a window cannot begin before another one's process has ended."""

    @abstractmethod
    def _start(self, start: int, end: int) -> None:
        """Have a window begun, and add it to the pieces."""

    def take(self, executed: Executed) -> None:
        """Pass on instructions of the window."""

    def is_child(self) -> bool:
        """Return whether this is the process of a window."""
        return False

    def end_child(self, error: BaseException | None) -> None:
        """End the process of a window, if this is one."""

    def begin_all(self, registers: Callable[[int], dict[str, int]]) -> None:
        """Have all windows begun, without executing what comes before them.

        `registers` gives those before an instruction, if they are known.
        """
        while self._next is not None:
            self._begin_next()
            self.pieces[-1].registers = registers(self.pieces[-1].end)

    def reached(self, machine: Machine) -> None:
        """Begin a window, or end it; `Over` is raised after the last one."""
        if self.pieces and self.pieces[-1].end == self.done:
            self.pieces[-1].registers = machine.registers_and_pc()
        if self._next is None or self._next[0] > self.done:
            if self._next is None:
                raise Over
            self.at = self._next[0]
            return
        self.at = self._next[1]
        self._begin_next()

    def _begin_next(self) -> None:
        assert self._next is not None
        start, end = self._next
        self._next = next(self._windows, None)
        self.progress(len(self.pieces), start)
        running = [piece for piece in self.pieces if piece.is_running]
        if len(running) >= self._jobs():
            self.on_wait()
            running[0].wait()
        self._start(start, end)


class _Forks(Windows):
    """Forks at the start of each window."""

    def __init__(
        self, windows: Iterator[tuple[int, int]], jobs: int, begin: Begin, pieces: list[Piece]
    ) -> None:
        super().__init__(windows, lambda: jobs, pieces)
        self._begin = begin
        self._child: _Fork | None = None
        self._window: Window | None = None
        self._registers: dict[str, int] = {}

    def take(self, executed: Executed) -> None:
        if self._window:
            self._window.take(executed)

    def reached(self, machine: Machine) -> None:
        if self._child:
            self._go_on_in_child(machine)
        else:
            super().reached(machine)

    def _start(self, start: int, end: int) -> None:
        piece = _Fork.begun(start, end, self.pieces)
        if piece is None:
            return
        try:
            self._child = piece
            self.separate()
            self._window = self._begin(start, end, piece.text)
            self.observing = True
        except BaseException:  # nothing of the first process may go on in this one
            os._exit(1)

    def _go_on_in_child(self, machine: Machine) -> None:
        assert self._child
        if self.done == self._child.end:
            self._registers = machine.registers_and_pc()
            self.at = self.done + 1
        else:
            self.end_child(None)

    def is_child(self) -> bool:
        return self._child is not None

    def end_child(self, error: BaseException | None) -> None:
        if self._child is None:
            return
        status = 1
        try:
            assert self._window
            if error is None or isinstance(error, InstError):
                self._window.finish()
                self._child.leave((stated(error) if error else None, self._registers))
                status = 0
        finally:
            os._exit(status)


class _Processes(Windows):
    """Has each window executed by a process that needs nothing of this one."""

    def __init__(
        self,
        windows: Iterator[tuple[int, int]],
        jobs: int,
        pieces: list[Piece],
        write: Callable[[int, int, BinaryIO], Result],
    ) -> None:
        super().__init__(windows, lambda: jobs, pieces)
        self._write = write

    def _start(self, start: int, end: int) -> None:
        piece = _Fork.begun(start, end, self.pieces)
        if piece is None:
            return
        status = 1
        try:
            piece.leave(self._written(start, end, piece.text))
            status = 0
        finally:
            os._exit(status)

    def _written(self, start: int, end: int, text: BinaryIO) -> Result:
        try:
            return self._write(start, end, text)
        except InstError as error:
            return stated(error), {}


def stated(error: InstError) -> Stated:
    """Return what another process has to know of an error."""
    place = error.location
    stated = (place.file, place.line, place.column) if place else None
    return error.message, stated, error.hint


def temporary() -> BinaryIO:
    """Return where text waits for that of earlier windows."""
    return cast(BinaryIO, tempfile.TemporaryFile())


class Alone(Steps):
    """Passes on the instructions of one window in this process; raises `Over` after it."""

    def __init__(self, start: int, end: int | None, done: int = 0) -> None:
        """Begin with the instruction of a number, of which so many are done."""
        super().__init__()
        self.done = done
        self._end = WHOLE_LIMIT - 1 if end is None else max(end, start)
        self.observing = start == done
        self.at = self._end if self.observing else start
        self.registers: dict[str, int] = {}
        """At its end."""

    def reached(self, machine: Machine) -> None:
        """Begin, or end after the instruction that follows the window."""
        if not self.observing:
            self.observing, self.at = True, self._end
        elif self.done == self._end:
            self.registers, self.at = machine.registers_and_pc(), self._end + 1
        else:
            raise Over


class Over(Exception):
    """All windows have begun, and the last one's end has been reached."""


Crew = Callable[[Iterator[tuple[int, int]], list[Piece]], Windows]
"""From windows, and the list to which they are added, to what has them begun."""


def forks(jobs: int, begin: Begin) -> Crew:
    """Return what has windows executed by forks of this process, so many at a time."""
    return lambda windows, pieces: _Forks(windows, jobs, begin, pieces)


def processes(jobs: int, write: Callable[[int, int, BinaryIO], Result]) -> Crew:
    """Return what has windows written by processes that need nothing of this one."""
    return lambda windows, pieces: _Processes(windows, jobs, pieces, write)


def execute(
    windows: list[tuple[int, int]] | Iterator[tuple[int, int]],
    crew: Crew,
    read: Callable[[Windows], None],
    output: Callable[[bytes], object],
) -> bool:
    """Execute windows, several at a time, and write their texts in order.

    `read` reads the recording from its start. A window whose process is killed is executed once
    more. Damage is raised after all before it was written. Returns whether there was any window.
    """
    pieces: list[Piece] = []
    written = 0

    def write_ended() -> None:
        """Write the texts of windows that have ended well, up to the first other one."""
        nonlocal written
        for piece in pieces[written:]:
            if piece.is_running or not piece.wait() or piece.failure():
                break
            piece.copy_to(output)
            written += 1

    try:
        error = _executed(iter(windows), crew, read, pieces, write_ended)
        for piece in pieces[written:]:
            piece.wait()
            write_ended()
        _redo(pieces, crew, read)
        for piece in pieces[written:]:
            failure = piece.failure()
            piece.copy_to(output)
            if failure:
                raise error or failure
        if error:
            raise error
    finally:
        for piece in pieces:
            piece.close()
    return bool(pieces)


def _redo(pieces: list[Piece], crew: Crew, read: Callable[[Windows], None]) -> None:
    """Execute windows again whose processes were killed."""
    lost = [piece for piece in pieces if not piece.wait()]
    again: list[Piece] = []
    if lost:
        _executed(iter([(one.start, one.end) for one in lost]), crew, read, again)
    by_start = {piece.start: piece for piece in again}
    for piece in lost:
        found = by_start.pop(piece.start, None)
        if found is None or not found.wait():
            raise InstError(
                f"the process of instructions {piece.start} to {piece.end} was killed, twice",
                hint="fewer jobs (-j) need less memory",
            )
        piece.close()
        pieces[pieces.index(piece)] = found


def _executed(
    windows: Iterator[tuple[int, int]],
    crew: Crew,
    read: Callable[[Windows], None],
    pieces: list[Piece],
    on_wait: Callable[[], None] = lambda: None,
) -> InstError | None:
    """Add the windows to the pieces; return what has ended the reading."""
    steps = crew(windows, pieces)
    steps.on_wait = on_wait
    error: InstError | None = None
    try:
        read(steps)
    except Over:
        pass
    except BaseException as found:
        steps.end_child(found)
        if not isinstance(found, InstError):
            raise
        error = found
    steps.end_child(None)
    return error


def divided(start: int, end: int | None, size: int) -> Iterator[tuple[int, int]]:
    """Yield windows of so many instructions."""
    last = WHOLE_LIMIT if end is None else end
    while start < last:
        yield start, min(start + size, last)
        start += size
