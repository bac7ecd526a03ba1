"""A ring as a trace: its events are its records, its records the RST records of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

import numpy as np

from inst.formats.ring.events import Texts, arch_of, events_of
from inst.formats.ring.layout import Ring, read_rings
from inst.formats.rst.trace import RstTrace
from inst.formats.table.trace import Rows, rst_records
from inst.trace.model import Array, Image, Trace


class Unknown:
    """No program: neither texts nor instructions are known."""

    def text(self, address: int) -> str:
        """Return the address, which stands for the text."""
        return f"{address:#x}" if address else ""

    def words(self, addresses: Array) -> tuple[Array, Array]:
        """Return no words."""
        return np.zeros(len(addresses), "u4"), np.zeros(len(addresses), bool)


def open_file(name: str, file: BinaryIO) -> RstTrace:
    """Open rings in a file, which is closed."""
    with file:
        file.seek(0)
        return open_rings(name, file.read())


def open_chunks(name: str, chunks: Iterable[bytes]) -> RstTrace:
    """Open rings that come in pieces."""
    return open_rings(name, b"".join(chunks))


def open_rings(
    name: str, data: bytes, program: Texts | None = None, image: Image | None = None
) -> RstTrace:
    """Open the memory of the rings of all processors, with their program if that is at hand."""
    rows = Rows(name, io.BytesIO(data), _reader(data, program or Unknown(), image))
    trace = RstTrace(name, rst_records(rows))
    for ring in read_rings(data, name):
        for sentence in losses(ring):
            trace.lacks(f"{name}: {sentence}")
    return trace


def _reader(
    data: bytes, program: Texts, image: Image | None
) -> Callable[[Trace, BinaryIO], Iterator[Array]]:
    def read(trace: Trace, file: BinaryIO) -> Iterator[Array]:
        rings = read_rings(data, trace.name)
        trace.facts.arch = arch_of(rings[0].head.machine)
        for text in (f"arch={trace.facts.arch}", "hooks=ring", *map(_counts, rings)):
            trace.facts.add_string(text)
        if image is not None:
            trace.facts.add_image(image)
        return events_of(rings, trace, program)

    return read


def _counts(ring: Ring) -> str:
    head = ring.head
    lost = f"{ring.overwritten} overwritten, {ring.torn} torn, {ring.cut} beyond the end"
    return (
        f"ring=cpu {head.cpu}: {ring.total} records, {lost}, {head.starts} starts, "
        f"{head.unreported} accesses unreported"
    )


def losses(ring: Ring) -> Iterator[str]:
    """Yield sentences about what a ring does not have of its run."""
    where = f"of the {ring.total} records of processor {ring.head.cpu} "
    if ring.overwritten == ring.first > 0:
        yield f"{where}{ring.first} were overwritten: what is here begins with record {ring.first}"
    elif ring.overwritten:
        yield f"{where}{ring.overwritten} are not here: they were overwritten before they were read"
    if ring.torn:
        yield f"{where}{ring.torn} were not complete"
    if ring.cut:
        yield f"{where}{ring.cut} lie beyond the end of the memory that was saved"
    if ring.head.unreported:
        yield (
            f"{ring.head.unreported} accesses between a load with reservation and its conditional "
            "store were not reported"
        )
