"""A recording opened for a debugger: its threads, and what its program's file adds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.arch.registry import architecture
from inst.common.elf import Elf
from inst.debugging.knowledge import Thread, Unknown
from inst.debugging.places import places_of
from inst.errors import InstError
from inst.formats.rec.index import Thread as Recorded
from inst.formats.rec.instrumented import Program
from inst.formats.rec.reexecution import Reexecution
from inst.formats.rec.stream import Stream
from inst.formats.rec.trace import RecTrace
from inst.program.line_table import read_lines
from inst.replay.model import Debugger
from inst.trace import open_trace

_WRITABLE, _IN_MEMORY = 1, 2
"""Flags of sections, and the type of those without bytes (ELF, "Sections")."""
_NO_BITS = 8
_HINT = "compile with --inst-record=loads, and run with inst run -o RECORD"


class Recording:
    """A recording for re-execution, and the program that was recorded, if it is given."""

    def __init__(self, path: str, program: str | None) -> None:
        trace = open_trace(path)
        if not isinstance(trace, RecTrace):
            raise InstError(
                f"{path}: not a recording: only recordings can be executed again", hint=_HINT
            )
        self._shared, index = trace.opened()
        if self._shared.program is None:
            raise InstError(f"{path}: this recording cannot be executed again", hint=_HINT)
        self.program: Program = self._shared.program
        target = self.program.target
        try:
            architecture(target.isa).part(Debugger)
        except InstError as error:
            raise InstError(f"{path}: programs of {target.name} cannot be debugged yet") from error
        self._threads = {
            one.tid(one.order): one for one in sorted(index.threads.values(), key=_order)
        }
        self._constants: list[tuple[int, bytes]] = []
        lines: list[int] = []
        if program is not None:
            elf = Elf(program)
            self._check(elf, program)
            self._constants = list(_constants(elf))
            lines = [address for address, _, line in read_lines(elf) if line]
        starts = self.program.loaded(np.array(lines, "u8")).tolist()
        self._places = places_of(self.program, starts)
        self._unknown = Unknown(self.program)

    @property
    def bias(self) -> int:
        """Return how far the program was moved when it was loaded."""
        return int(self.program.loaded(np.zeros(1, "u8"))[0])

    def numbers(self) -> list[int]:
        """Return the kernel's numbers of the threads, in the order in which they began."""
        return list(self._threads)

    def thread(self, number: int) -> Thread:
        """Return a thread at its beginning."""
        stream = Stream(self._shared, self._threads[number])
        run = Reexecution(self.program, self._threads[number].number)
        run.inherit(stream.inherited())
        damage = run.take_all(stream.recorded())
        thread = Thread(run, self._places, self.program, self._unknown, self.constant)
        thread.history.damage = damage
        return thread

    def constant(self, address: int, size: int) -> list[int | None]:
        """Return bytes of code, and of what the program cannot write; None for others."""
        found: list[int | None] = [None] * size
        first = int(self.program.linked(np.array([address], "u8"))[0])
        for start, content in self._constants:
            for at in range(max(first, start), min(first + size, start + len(content))):
                found[at - first] = content[at - start]
        places = np.arange(first & -4, first + size, 4, dtype="u8")
        words, known = self.program.tables.code.at(places)
        data = words.astype(f"{self._shared.file.layout.order}u4").tobytes()
        for n in range(size):
            at = first % 4 + n
            if known[at // 4]:
                found[n] = data[at]
        return found

    def _check(self, elf: Elf, program: str) -> None:
        """Refuse another program than the one that was recorded: the recording has its code."""
        for start, end in self.program.tables.instrumented.tolist():
            places = np.arange(start, end, 4, dtype="u8")
            words, known = self.program.tables.code.at(places)
            data = words.astype(f"{self._shared.file.layout.order}u4").tobytes()
            found = _at(elf, start, len(data))
            if known.all() and found != data:
                raise InstError(
                    f"{program}: this is not the program that was recorded: its code differs "
                    f"between {start:#x} and {end:#x}",
                    hint="name the program that was recorded, as it was linked then",
                )


def _constants(elf: Elf) -> Iterator[tuple[int, bytes]]:
    """Yield the link addresses and contents of the sections that the program cannot write."""
    for header in elf.headers():
        if header.flags & (_WRITABLE | _IN_MEMORY) == _IN_MEMORY and header.kind != _NO_BITS:
            found = elf.section(header.name)
            if found is not None:
                content, address = found
                yield address, content


def _at(elf: Elf, address: int, size: int) -> bytes:
    """Return what a file has for a link address."""
    for start, content in elf.contents():
        if start <= address < start + len(content):
            return content[address - start : address - start + size]
    return b""


def _order(thread: Recorded) -> int:
    return thread.order
