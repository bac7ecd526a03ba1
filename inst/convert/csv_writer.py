"""CSV: the columns of `inst.trace.event_table` as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from inst.convert.derived import Derived
from inst.trace.event_table import BOOLEANS, NAMES, NULLABLE, NUMBERS
from inst.trace.model import KIND_NAMES, Array
from inst.trace.writing import Job, Writer


class CsvWriter(Writer):
    """Writes events as lines of comma-separated columns, the names first."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._derived = Derived(job)
        job.output.write((",".join(NAMES) + "\n").encode())

    def events(self, events: Array) -> None:
        """Write a batch, a line for each event."""
        texts = io.StringIO()
        columns = self._columns(events)
        rows = zip(*(columns[name] for name in NAMES), strict=True)
        csv.writer(texts, lineterminator="\n").writerows(rows)
        self._job.output.write(texts.getvalue().encode("utf-8", "surrogateescape"))

    def _columns(self, events: Array) -> dict[str, Iterable[object]]:
        flags, trace = events["flags"], self._job.trace
        columns: dict[str, Iterable[object]] = {
            name: events[name].tolist() for name in (*NUMBERS, "size")
        }
        for name, flag in NULLABLE:
            known = (flags & int(flag) != 0).tolist()
            numbers = zip(events[name].tolist(), known, strict=True)
            columns[name] = [f"0x{number:x}" if there else "" for number, there in numbers]
        for name, flag in BOOLEANS:
            columns[name] = (flags & int(flag) != 0).astype("u1").tolist()
        columns["kind"] = [KIND_NAMES[kind] for kind in events["kind"].tolist()]
        columns["detail"] = [trace.words.texts[number] for number in events["detail"].tolist()]
        columns["site"] = [trace.sites.texts[number] for number in events["site"].tolist()]
        derived = self._derived.of(events)
        for name, (places, texts) in derived.texts.items():
            columns[name] = [texts[place] for place in places.tolist()]
        for name, form in (("physical", "0x{:x}"), ("line", "{}")):
            values, there = derived.numbers[name]
            pairs = zip(values.tolist(), there.tolist(), strict=True)
            columns[name] = [form.format(value) if stated else "" for value, stated in pairs]
        return columns

    def finish(self) -> None:
        """Report what of the trace itself the table has no place for."""
        facts = self._job.trace.facts
        self._job.losses.add("strings of the producer", len(facts.strings))
        self._job.losses.add("names of images", len(facts.images))
