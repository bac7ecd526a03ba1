"""Recordings opened, and read as the RST traces that the hook library `rst` writes."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, cast

import numpy as np

from inst.arch.registry import produced_by, unknown
from inst.formats.rec import MAGICS, forked
from inst.formats.rec.blocks import Finder
from inst.formats.rec.columns import Decoder
from inst.formats.rec.container import Container
from inst.formats.rec.containers import open_container
from inst.formats.rec.content import index_of
from inst.formats.rec.execution import Pieces
from inst.formats.rec.forked import Fork
from inst.formats.rec.index import Index
from inst.formats.rec.instrumented import Program, target_of
from inst.formats.rec.layout import File
from inst.formats.rec.merge import merged
from inst.formats.rec.states import State
from inst.formats.rec.stream import Shared, Stream
from inst.formats.rec.table_reader import read_tables
from inst.formats.rec.tables import Tables
from inst.formats.rec.tallies import Tallying
from inst.formats.rst.record import RECORD, encode_string
from inst.formats.rst.trace import RstTrace
from inst.replay.executed import Observation, Observer, Steps
from inst.replay.library import Unit, units_of
from inst.trace.model import WHOLE_FROM, Array, TraceError
from inst.trace.source import CHUNK
from inst.trace.tally import Tally, tally_of
from inst.words.decode import longer_only, words_of

WINDOW = 8 << 20
"""Bytes of blocks that are in memory at a time, unless a state says otherwise."""
GATHERED = CHUNK
"""Bytes of records that are passed on at once, at least."""


def open_file(name: str, stream: BinaryIO) -> RecTrace:
    """Return the trace of a file, which is read where it is needed."""
    return RecTrace(name, stream)


def open_chunks(name: str, chunks: Iterable[bytes]) -> RecTrace:
    """Return the trace of bytes that come one after the other: they are put into a file first."""
    spool = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115
    failure: TraceError | None = None
    try:
        for chunk in chunks:
            spool.write(chunk)
    except TraceError as error:
        failure = error
    except BaseException:
        spool.close()
        raise
    return RecTrace(name, spool, failure)


class RecTrace(RstTrace):
    """A recording being read."""

    recording = True

    def __init__(self, name: str, stream: BinaryIO, failure: TraceError | None = None) -> None:
        super().__init__(name, self._records())
        self._stream = stream
        self._failure_of_file = failure
        self._execution: Callable[[tuple[Unit, ...], str], Observer] | None = None
        self._steps = Steps()
        self._state: State | None = None
        self.reading: Shared | None = None
        """What the threads' streams have in common, once the trace is read."""
        self.window = WINDOW
        self.passed = 0
        """How many records have been read."""
        self._by_columns = False
        self._container: Container | None = None
        self.on_close = stream.close
        self._close_at_end = weakref.finalize(self, stream.close)  # if nothing reads it to its end

    def observe_execution(
        self, make: Callable[[tuple[Unit, ...], str], Observer], steps: Steps | None = None
    ) -> None:
        """Let the instructions that are executed again be passed on while the trace is read.

        `make` is called at the start with what numbers of changed units are, and the producer's
        word for the processor, and returns what takes the instructions, thread by thread as
        the threads' records follow each other. Reading fails if none are executed again.
        """
        self._execution, self._steps = make, steps or Steps()

    def begin_at(self, state: State) -> None:
        """Read from a state on, which a `StateTaker` has taken."""
        self._state = state
        self.window = state.window or WINDOW

    def separate(self) -> None:
        """Read by a file of its own from now on, in a fork of a process that goes on reading."""
        assert self._container is not None
        place = f"/proc/self/fd/{self._container.stream.fileno()}"
        self._container.stream = open(place, "rb")  # noqa: SIM115 - until the process ends

    def _records(self) -> Iterator[bytes]:
        """Yield whole records, many at a time."""
        waiting: list[Array] = []
        size = 0
        try:
            for records in self._expanded():
                self.passed += len(records)
                waiting.append(records)
                size += records.nbytes
                if size >= GATHERED:
                    yield _joined(waiting)
                    waiting, size = [], 0
        except TraceError:
            yield _joined(waiting)
            raise
        finally:
            self._stream.close()
        yield _joined(waiting)
        if self._failure_of_file:
            raise self._failure_of_file

    def tallies(self) -> Iterator[Tally]:
        """Yield the events as statistics need them, without making the records of accesses."""
        if self._observers:
            yield from map(tally_of, self.events())
            return
        self._by_columns = True
        try:
            yield from Tallying(self).tallies(self._expanded())
        finally:
            self._stream.close()
        if self._failure_of_file:
            raise self._failure_of_file
        self._end()

    @property
    def called(self) -> int:
        """Return how many of the accesses read so far were recorded by calls of hooks."""
        return self.reading.called if self.reading else 0

    def longer_at(self, pcs: Array) -> Array:
        """Return the instructions of two words at addresses, from the program's code."""
        if self.reading is None:
            return super().longer_at(pcs)
        tables, width = self.reading.tables, self.reading.file.layout.width
        linked = pcs - np.uint64(tables.bias) & np.uint64((1 << 8 * width) - 1)
        return longer_only(tables.code.instructions(linked, words_of(self.facts.arch).prefix)[0])

    def _expanded(self) -> Iterator[Any]:
        """Yield what the chunks have: records, or stretches if columns are asked for."""
        self._container = open_container(self.name, self._stream)
        file = File(self._container)
        try:
            yield from self._of_chunks(file)
        except TraceError as error:
            raise file.container.failure or error from None
        if file.container.failure:
            raise file.container.failure

    def _of_chunks(self, file: File) -> Iterator[Any]:
        index = index_of(file)
        yield index.start
        if place := file.container.whole_from:
            yield np.frombuffer(encode_string(f"{WHOLE_FROM}={place}"), RECORD)
        shared = self.reading = self.shared(file, index)
        if self._state:
            shared.resumed = {one.number: one for one in self._state.threads}
            shared.finished = frozenset(self._state.finished)
        if index.threads:
            yield from merged(shared, sorted(index.threads.values(), key=lambda one: one.order))
        self._take_notes(shared, index)
        for note in file.container.notes:
            self.lacks(note)
        yield from shared.ends

    def opened(self) -> tuple[Shared, Index]:
        """Return what a reader of single threads needs, instead of the records.

        The file stays open as long as that is there.
        """
        file = File(open_container(self.name, self._stream))
        self._close_at_end.detach()
        weakref.finalize(file, self._stream.close)
        index = index_of(file)
        return self.shared(file, index), index

    def shared(self, file: File, index: Index) -> Shared:
        """Return what the threads' streams have in common."""
        tables = self._tables(file, index)
        arch, ending = _stated(index, "arch"), _stated(index, "ending").strip()
        path = _stated(index, "image").rpartition(" base=")[0]
        if tables.is_loose:
            self._refuse_lost(_stated(index, "partial").strip())
        return Shared(
            file,
            tables,
            Finder(tables),
            Decoder(tables, little=file.layout.little),
            words_of(arch).recorded,
            Program(tables, file, arch, path) if len(tables.instrumented) else None,
            self.window // max(len(index.threads), 1),
            killed=ending in ("running", "exec"),
            replaced=ending == "exec",
            by_columns=self._by_columns,
            is_divided=len(index.threads) > 1,
            observation=self._observer(file, tables, arch),
            inherited=self._inherited(index) if len(tables.instrumented) else None,
            first=min(index.threads.values(), key=lambda one: one.order).number
            if index.threads
            else 0,
        )

    def _inherited(self, index: Index) -> Callable[[], Pieces] | None:
        """Return what reads the records of the parent up to the fork, if there is one."""
        fork = Fork.of(_stated(index, forked.FACT))
        if fork is None:
            return None
        own = _stated(index, forked.RUN).partition(":")[0]
        return lambda: self._of_parent(fork, int(own or 0))

    def _of_parent(self, fork: Fork, own: int) -> Pieces:
        """Yield what the thread that forked recorded up to there, and its own parents before it."""
        for path in forked.candidates(self.name, own, fork.process):
            with path.open("rb") as stream:
                if not stream.read(8).startswith(MAGICS):
                    continue
                stream.seek(0)
                shared, index = RecTrace(str(path), stream).opened()
                if _stated(index, forked.RUN).partition(":")[0] != str(fork.process):
                    continue
                for thread in index.threads.values():
                    if all(part.tid != fork.thread for part in thread.parts):
                        continue
                    one = Stream(shared, thread)
                    if found := forked.up_to(fork, one.recorded()):
                        yield from one.inherited()
                        yield from found
                        return
        raise TraceError(
            f"the recording of process {fork.process}, which forked this one, is not beside it",
            self.name,
            hint="the execution of a child begins with its parent's: keep the recordings of a "
            "program and its children in one folder, as they were named",
        )

    def _refuse_lost(self, partial: str) -> None:
        """Refuse a recording that lacks some values: those after them do not say whose they are."""
        lost = {"ring": "chunks were overwritten", "drain": "nothing emptied the ring in time"}
        if partial in lost:
            raise TraceError(
                f"a recording of loads that lacks some cannot be re-executed ({lost[partial]})",
                self.name,
                hint="record values for that (--inst-record=values)",
            )

    def _observer(self, file: File, tables: Tables, arch: str) -> Observation | None:
        """Return what `execution` gave, for this recording."""
        if self._execution is None:
            return None
        if not len(tables.instrumented):
            raise TraceError(
                "the program did not record for re-execution",
                self.name,
                hint="inst-cc --inst-record=loads compiles a program that does; code with -fPIC "
                "needs --inst-program-pic, too",
            )
        observe = self._execution(units_of(target_of(arch, file)), arch)
        return Observation(observe, self._steps)

    def _tables(self, file: File, index: Index) -> Tables:
        arch, image = _stated(index, "arch"), _stated(index, "image")
        if produced_by(arch) is None:
            found = unknown(arch)
            raise TraceError(found.message, self.name, hint=found.hint)
        if index.tables is None:
            chunk = min(
                (each.heads[0].chunk for each in index.threads.values() if each.heads), default=0
            )
            if chunk:
                raise file.damage("blocks that no table explains", chunk)
            return Tables.empty(file.layout.width)
        try:
            base = int(image.rpartition(" base=")[2], 16)
        except ValueError:
            message = "the recording does not state where its program was loaded"
            raise TraceError(message, self.name) from None
        return read_tables(file, index.tables, arch, base)

    def _take_notes(self, shared: Shared, index: Index) -> None:
        if shared.partial:
            threads, they = f"{shared.partial} threads", "they were"
            if shared.partial == 1:
                threads, they = "a thread", "it was"
            self.lacks(
                f"the last block of {threads} is left out: {they} still running when the program "
                "ended or was killed, and may not have filled it"
            )
        if shared.left_out:
            events = "an event is" if shared.left_out == 1 else f"{shared.left_out} events are"
            self.lacks(f"{events} left out, since the chunks that came before were overwritten")
        for number in sorted(shared.broken):
            self.lacks(f"the events of thread {number} break off: space was not written")


def _joined(parts: list[Array]) -> bytes:
    """Return records as bytes; those of one array without a copy."""
    if len(parts) == 1:
        return cast(bytes, np.ascontiguousarray(parts[0]).view("u1").data)
    return b"".join(part.tobytes() for part in parts)


def _stated(index: Index, name: str) -> str:
    """Return what the producer states under a name."""
    found = (text.partition("=") for text in index.strings)
    return next((value for key, _, value in found if key == name), "")
