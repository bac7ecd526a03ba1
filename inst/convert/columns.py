"""Events as a table: the columns that Parquet and CSV have, and CSV itself.

| column | type | meaning |
|---|---|---|
| record | u64 | ordinal of the record in the source, from 0 |
| id | u64 | sequence id; the record's ordinal where the source has none |
| thread | u64 | thread id; the cpu where the source names no thread |
| cpu | u16 | cpu number; 0 where the source has none |
| kind | text | read, write, instruction, trap, ... (`inst.trace.model.Kind`) |
| pc | u64, may be null | run-time address of the instruction |
| address | u64, may be null | effective address, start of the region, target, or trap type |
| size | u64 | bytes accessed; 0 when unknown |
| value | u64, may be null | low 64 bits of what was read or written; the system call of a trap |
| value_high | u64, may be null | bits 64 to 127 of a 16-byte access |
| word | u32, may be null | instruction word |
| detail | text | memory order, barrier, register, hint; "" for none |
| site | text | file:line; "" for none |
| atomic, privileged, taken, annulled, trapped | boolean | `inst.trace.model.Flag` |

In CSV addresses, values and words are hexadecimal with 0x, null is empty, and booleans are
0 and 1.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from inst.trace.model import KIND_NAMES, Array, Flag
from inst.trace.writing import Job, Writer

NUMBERS = ("record", "id", "thread", "cpu")
NULLABLE = (("pc", Flag.HAS_PC), ("address", Flag.HAS_ADDRESS), ("value", Flag.HAS_VALUE),
            ("value_high", Flag.HAS_VALUE), ("word", Flag.HAS_WORD))  # fmt: skip
BOOLEANS = (("atomic", Flag.ATOMIC), ("privileged", Flag.PRIVILEGED), ("taken", Flag.TAKEN),
            ("annulled", Flag.ANNULLED), ("trapped", Flag.TRAPPED))  # fmt: skip

NAMES = ("record", "id", "thread", "cpu", "kind", "pc", "address", "size", "value", "value_high",
         "word", "detail", "site", *(name for name, _ in BOOLEANS))  # fmt: skip


class CsvWriter(Writer):
    """Writes events as lines of comma-separated columns, the names first."""

    def __init__(self, job: Job) -> None:
        self._job = job
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
        return columns

    def finish(self) -> None:
        """Report what of the trace itself the table has no place for."""
        facts = self._job.trace.facts
        self._job.losses.add("strings of the producer", len(facts.strings))
        self._job.losses.add("names of images", len(facts.images))
