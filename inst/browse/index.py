"""Where in a trace each row is: marks from which its reader can go on, a page apart.

One thread reads the trace from front to back and adds marks; others wait for them and read
pages of rows. The rows themselves are not held.
"""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inst.browse.store import PlainFile, Store, store_of
from inst.errors import InstError
from inst.trace import open_trace
from inst.trace.model import Array, Trace
from inst.trace.registry import codec_of
from inst.trace.resume import Mark
from inst.trace.rows import Block

PAGE = 24 * 10_922
"""Bytes of a page, about: just under 256 KiB, and whole RST records."""
FURTHER = 24 * 256
"""Bytes after a page that may belong to its last event."""
HELD = 8
"""Pages in memory."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a page begins."""

    mark: Mark
    row: int
    """Number of its first row."""


class Page:
    """Consecutive rows of a trace."""

    def __init__(self, number: int, first: int, blocks: list[Block]) -> None:
        self.number = number
        self.first = first
        """Number of the first row."""
        self.blocks = [block for block in blocks if len(block)]
        self._ends = np.cumsum([len(block) for block in self.blocks]).tolist()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def records(self) -> Array:
        """Ordinals of the rows' records, which do not descend."""
        return _joined([block.records for block in self.blocks], "i8")

    @property
    def threads(self) -> tuple[Array, Array]:
        """The thread of each row, and whether it is known."""
        return (
            _joined([block.thread.values for block in self.blocks], "u8"),
            _joined([block.thread.known for block in self.blocks], "?"),
        )

    def parts(self, rows: Array) -> Iterator[tuple[Block, Array]]:
        """Yield blocks, and which of their rows are among these of the page, which ascend."""
        start = 0
        for block, end in zip(self.blocks, self._ends, strict=True):
            low, high = np.searchsorted(rows, (start, end)).tolist()
            if low < high:
                yield block, rows[low:high] - start
            start = end


def _joined(columns: list[Array], kind: str) -> Array:
    return np.concatenate(columns) if columns else np.zeros(0, kind)


class Index:
    """The rows of a trace by their number, as far as it has been read."""

    def __init__(self, path: str) -> None:
        """Open the trace. Raises InstError if it cannot be, or is none."""
        self.path = Path(path)
        self.trace = open_trace(path)
        """What is read from front to back: its facts and notes are those of the trace."""
        self.trace.tap(PAGE, self._take)
        self.starts: list[Start] = []
        self.rows = 0
        """Rows of pages that can be read."""
        self.done = False
        self.error: InstError | None = None
        """The damage that ended the reading."""
        self._counted = 0
        self._store: Store | None = None
        self._changed = threading.Condition()
        self._pages: OrderedDict[int, Page] = OrderedDict()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def pages(self) -> int:
        """How many pages can be read."""
        return len(self.starts) - (not self.done) if self.starts else 0

    @property
    def bytes_read(self) -> int:
        """How many bytes of records have been read."""
        return self._store.size if self._store else 0

    @property
    def progress(self) -> str:
        """How much has been read: of a compressed file only the size is known."""
        size = self.path.stat().st_size if isinstance(self._store, PlainFile) else 0
        read = self.bytes_read
        return f"{min(100 * read // size, 100)} %" if size else f"{read >> 20} MiB"

    def build(self) -> None:
        """Read the trace to its end, or to its damage, or until the index is closed."""
        try:
            for block in codec_of(self.trace).rows(self.trace, disassembly=False):
                self._counted += len(block)
        except _Closed:
            pass
        except InstError as error:
            self.error = error
        except OSError as error:
            self.error = InstError(
                f"cannot copy the decompressed trace to a temporary file: {error.strerror}",
                hint="TMPDIR names the directory for it",
            )
        finally:
            self.trace.close()
            if self._counted and not self.starts:
                self._counted = 0
                self.error = InstError(
                    "traces of this format cannot be read from their middle",
                    hint="inst view shows them",
                )
            with self._changed:
                self.done, self.rows = True, self._counted
                self._changed.notify_all()
            if self._closed:
                self.close()

    def _take(self, piece: bytes) -> None:
        """Note where the reader is, before it gets the next bytes."""
        if self._closed:
            raise _Closed
        mark = self.trace.mark()
        if mark and (not self.starts or mark.record > self.starts[-1].mark.record):
            with self._changed:
                self.starts.append(Start(mark, self._counted))
                self.rows = self._counted
                self._changed.notify_all()
        if self._store is None:
            self._store = store_of(self.path, bytes(piece))
        self._store.add(piece)

    def wait(self, page: int, cancelled: Callable[[], bool] = bool) -> bool:
        """Wait until a page can be read; return False if there is none, or nobody waits longer."""
        with self._changed:
            while not (self.pages > page or self.done or cancelled()):
                self._changed.wait(0.1)
        return self.pages > page

    def page(self, number: int) -> Page:
        """Return a page that can be read."""
        with self._lock:
            found = self._pages.get(number)
            if found is not None:
                self._pages.move_to_end(number)
                return found
        page = self._read(number)
        with self._lock:
            self._pages[number] = page
            while len(self._pages) > HELD:
                self._pages.popitem(last=False)
        return page

    def _read(self, number: int) -> Page:
        trace, blocks = self._reader(number, 0), list[Block]()
        try:
            blocks.extend(codec_of(trace).rows(trace, disassembly=True))
        except InstError as error:
            if self.error is None:  # the trace was intact when it was indexed
                raise InstError(
                    f"the trace has changed since it was opened: {error.message}"
                ) from None
        return Page(number, self.starts[number].row, blocks)

    def events(self, number: int) -> Iterator[Array]:
        """Yield the events of a page's records.

        A record before the page is not known: what it says of later ones (registers, the names
        of functions) is missing.
        """
        trace = self._reader(number, FURTHER)
        last = number + 1 < len(self.starts)
        end = self.starts[number + 1].mark.record if last else 1 << 63
        try:
            for rows in trace.events():
                own = rows[rows["record"] < end]
                if len(own):
                    yield own
                if len(own) < len(rows):
                    return
        except InstError:
            return  # `_read` reports it; records after the page may be cut

    def _reader(self, number: int, more: int) -> Trace:
        """Return a reader of a page's records, and of bytes after them."""
        assert self._store
        start = self.starts[number]
        last = number + 1 < len(self.starts)
        end = self.starts[number + 1].mark.offset if last else self._store.size
        end = min(end + more, self._store.size)
        try:
            data = self._store.read(start.mark.offset, end)
        except OSError as error:
            raise InstError(f"cannot read {self.path} again: {error.strerror}") from None
        trace = codec_of(self.trace).open(self.trace.name, ())
        trace.resume(start.mark, [data])
        return trace

    def page_of_row(self, row: int) -> int:
        """Return the number of the page that has a row."""
        return bisect.bisect_right(self.starts, row, key=lambda start: start.row) - 1

    def page_of_record(self, record: int) -> int:
        """Return the number of the page that has a record."""
        return bisect.bisect_right(self.starts, record, key=lambda start: start.mark.record) - 1

    def row_of_record(self, record: int) -> int:
        """Return the number of the row that shows a record, or what is nearest before it.

        Raises InstError for a record after the end.
        """
        number = min(self.page_of_record(record), self.pages - 1)
        page = self.page(max(number, 0)) if self.pages else Page(0, 0, [])
        while not len(page) and page.number:
            page = self.page(page.number - 1)
        records = page.records
        last = int(records[-1]) if len(records) else -1
        known = max(getattr(self.trace, "count", 0), last + 1)
        if not len(records) or (self.done and record >= known):
            what = f"its last row is record {last}" if last >= 0 else "it has none to show"
            raise InstError(f"{self.trace.name} has no record {record}: {what}")
        return page.first + max(int(np.searchsorted(records, record, "right")) - 1, 0)

    def close(self) -> None:
        """Let go of the files; `build` ends soon."""
        self._closed = True
        if self.done and self._store:
            self._store.close()


class _Closed(Exception):
    """The index is no longer wanted."""
