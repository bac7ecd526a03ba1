"""RST records of several inputs made one stream."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.errors import InstError
from inst.formats.rst.batch import raw_records
from inst.formats.rst.codes import (
    CPU,
    END_OF_FILE,
    HEADER,
    STATUS,
    STRCONT,
    STRDESC,
    THREAD,
    TRACEINFO,
)
from inst.formats.rst.record import encode
from inst.formats.rst.trace import STRING_LIMIT
from inst.trace.batch import Batch, stack
from inst.trace.merging import Input, Merged
from inst.trace.model import Array


class MergedRst(Merged):
    """What was written so far, as a reader of the output will understand it."""

    def __init__(self) -> None:
        super().__init__()
        self._version: int | None = None
        self._cpu = 0
        self._threads: dict[int, int] = {}

    def passed_on(self, source: Input, batch: Batch) -> Batch:
        if self._version not in (None, batch.version):
            raise InstError(
                f"{batch.source.trace.name}: the traces to merge have different versions of RST",
                hint="bring them to one with the filter `version 2.13`",
            )
        self._version = batch.version
        batch = batch.take(self._unsaid(source, batch.records))
        before = self._settle(source, batch.records)
        if before:
            batch = replace(batch, records=stack([raw_records(before), batch.records]))
        return batch

    def _unsaid(self, source: Input, records: Array) -> Array:
        """Return which records are no repetition; STATUS EOF waits for the end."""
        codes = records["rtype"]
        keep = np.ones(len(records), bool)
        frame = np.isin(codes, (HEADER, TRACEINFO, STRDESC, STRCONT, STATUS))
        text: list[int] = []
        for row in np.flatnonzero(frame).tolist():
            code = int(codes[row])
            data = records[row : row + 1].tobytes()
            if code == STATUS and records["flags"][row] == END_OF_FILE:
                keep[row] = False
                end = records[row : row + 1].copy()
                assert source.view is not None
                self.ending = replace(source.view.batch, records=end, tail=b"")
            elif code in (STRCONT, STRDESC):
                if len(source.strings) < STRING_LIMIT:
                    source.strings += data
                text.append(row)
                if code == STRDESC:
                    keep[text] = self.is_new(source, source.strings)
                    source.strings, text = b"", []
            elif code in (HEADER, TRACEINFO):
                # A trace has one start; a different TRACEINFO does not describe the whole.
                keep[row] = self.is_new(source, bytes([code]))
        return keep

    def _settle(self, source: Input, records: Array) -> bytes:
        """Return CPU and THREAD records that must precede those of another input."""
        before = b""
        codes = records["rtype"]
        switches = codes[(codes == CPU) | (codes == THREAD)]
        naming = len(switches) > 0 and bool(switches[0] == THREAD)
        wrong = [cpu for cpu, tid in source.threads.items() if self._threads.get(cpu) != tid]
        for cpu in wrong:
            before += encode("cpu", cpu=cpu) + encode("thread", tid=source.threads[cpu])
            self._threads[cpu], self._cpu = source.threads[cpu], cpu
        if self._cpu != source.cpu and naming:
            before += encode(
                "cpu", cpu=source.cpu, timestamp=source.time if source.by == "time" else 0
            )
        for row in np.flatnonzero((codes == CPU) | (codes == THREAD)).tolist():
            if codes[row] == CPU:
                source.cpu = int(records["word"][row]) & 0x3FF
            else:
                source.threads[source.cpu] = self._threads[source.cpu] = int(records["first"][row])
        if len(codes):
            self._cpu = source.cpu
        return before
