"""The layout of RST records: other versions, bytes no field covers, empty records."""

from __future__ import annotations

from inst.filter.arguments import choice, version
from inst.filter.model import Filter, Parameter, Stage
from inst.formats.rst.codes import NULLREC
from inst.formats.rst.layout import converted, strip
from inst.trace.batch import Batches


def _version(number: int, wide: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        count = 0
        for batch in batches:
            count = max(batch.first, count)
            yield converted(batch, number, wide == "cut", count)
            count += len(batch)

    return stage


def _strip_stale() -> Stage:
    return lambda batches: (strip(batch) for batch in batches)


def _drop_null() -> Stage:
    return lambda batches: (batch.take(batch.records["rtype"] != NULLREC) for batch in batches)


FILTERS = (
    Filter(
        "version", "change", "Convert to another version of RST: the header, and where cpu numbers "
        "lie (10 bits from 2.12 on, 6 to 8 before). A number that does not fit is an error, unless "
        "wide=cut keeps its low bits.", "version 2.11", _version,
        (
            Parameter("number", version, "MAJOR.MINOR"),
            Parameter("wide", choice("refuse", "cut"), "refuse|cut", "refuse", False),
        ),
        "rst",
    ),
    Filter(
        "strip-stale", "change", "Zero the bytes that no field covers and what is after the "
        "end of a text. Unknown record types stay as they are.", "strip-stale", _strip_stale, (),
        "rst",
    ),
    Filter(
        "drop-null", "change", "Remove NULLREC records.", "drop-null", _drop_null, (), "rst",
    ),
)  # fmt: skip
