"""A stream that compresses the RST records written to it as rstzip version 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from inst.formats.rst.record import RECORD
from inst.formats.rst.rstzip.encode import Encoder
from inst.formats.rst.rstzip.layout import HEADER, MAGIC, MINOR, SECTION_RECORDS
from inst.formats.rst.table import SIZE

SECTION_BYTES = SECTION_RECORDS * SIZE


class Compressor:
    """Takes records as bytes; whole sections go on, the last one when it is closed."""

    def __init__(self, output: Any, *, own: bool) -> None:
        """Write to `output`, which is closed, too, if it is `own`."""
        self._output, self._own = output, own
        self._encoder = Encoder()
        self._waiting = bytearray()
        output.write(HEADER.pack(MAGIC, 3, MINOR))

    def write(self, data: bytes) -> None:
        """Take the bytes of records, cut anywhere."""
        self._waiting += data
        while len(self._waiting) >= SECTION_BYTES:
            self._section(SECTION_BYTES)

    def close(self) -> None:
        """Write what waits, and close the stream that it goes to if that is its own."""
        whole = len(self._waiting) - len(self._waiting) % SIZE
        if whole:
            self._section(whole)
        if self._own:
            self._output.close()

    def _section(self, size: int) -> None:
        records = np.frombuffer(bytes(self._waiting[:size]), RECORD)
        del self._waiting[:size]
        self._output.write(self._encoder.section(records))
