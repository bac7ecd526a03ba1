"""STF traces as inputs of filters: looked ahead into, and with events where they are asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import cast

import numpy as np

from inst.errors import InstError
from inst.formats.stf.columns import StfColumns
from inst.formats.stf.events import AHEAD
from inst.formats.stf.lost import StfPart
from inst.formats.stf.registers import traced
from inst.formats.stf.trace import StfBatch, StfTrace
from inst.trace.batch import Batches, Source
from inst.trace.model import EVENT, Array

_Pair = tuple[StfBatch, Array | None]


def stf_batches(source: Source, *, accesses: bool) -> Batches:
    """Yield the batches of an STF trace, once it is known which registers it records.

    Damage is raised after what is before it.
    """
    trace = cast(StfTrace, source.trace)
    stream = _with_events(trace) if accesses else ((each, None) for each in trace.batches())
    ahead, seen, damage = list[_Pair](), 0, None
    try:
        while seen < AHEAD and (pair := next(stream, None)) is not None:
            ahead.append(pair)
            seen += len(pair[0])
    except InstError as error:
        damage = error
    parts = [part for batch, _ in ahead for part in batch.parts()]
    banks = "RF"
    if any(isinstance(part, StfColumns) for part in parts):
        banks = "".join(letter for letter, is_traced in zip("RF", traced(parts), strict=True)
                        if is_traced)  # fmt: skip
    for batch, events in ahead:
        yield StfPart(batch.records, source, tail=batch.tail, events=events, banks=banks)
    ahead.clear()
    if damage is not None:
        raise damage
    for batch, events in stream:
        yield StfPart(batch.records, source, tail=batch.tail, events=events, banks=banks)


def _with_events(trace: StfTrace) -> Iterator[_Pair]:
    """Yield each batch with its events: those of its last instruction come late."""
    heard: deque[StfBatch] = deque()
    trace.observe(heard.append)
    held = np.zeros(0, EVENT)
    stream, damage = trace.events(), None
    while True:
        try:
            events = next(stream, None)
        except InstError as error:
            events, damage = None, error
        if events is None:
            break
        held = np.concatenate((held, events))
        while len(heard) and len(held) and (last := _last(heard[0])) <= held["record"][-1]:
            count = int(np.searchsorted(held["record"], last, "right"))
            yield heard.popleft(), held[:count]
            held = held[count:]
    for batch in heard:
        yield batch, held
    if damage is not None:
        raise damage


def _last(batch: StfBatch) -> int:
    """Return the ordinal of the last instruction; -1 for none."""
    if batch.regular:
        return batch.regular.columns.first + len(batch) - 1
    return next((each.ordinal for each in reversed(batch.records) if each.kind == "instr"), -1)
