"""Conversion of traces: events of one format in, records of another out, in constant memory.

Between equal formats records are copied byte for byte. Otherwise the events go across, and
what the target cannot carry is counted by kind: see `inst.trace.writing.Losses`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import PurePath
from typing import Any, cast

from inst.common.usage import nearest
from inst.errors import InstError
from inst.trace.model import Array
from inst.trace.registry import PACKAGES, codec_of, formats, named
from inst.trace.writing import Job, Refused, Writer

PACKINGS = (".gz", ".zst", ".xz")


@dataclass(frozen=True, slots=True)
class Target:
    """A format that traces are converted to."""

    name: str
    ending: str
    what: str
    make: Callable[[Job], Writer]


def _made(maker: str, job: Job) -> Writer:
    """Return the writer of a job that `module:class` makes."""
    module, _, name = maker.partition(":")
    return cast("Callable[[Job], Writer]", getattr(import_module(module), name))(job)


TARGETS = (
    *(Target(each.name, each.ending, each.what, each.writer) for each in formats()),
    Target("parquet", ".parquet", "Parquet, zstd inside",
           partial(_made, "inst.convert.parquet:ParquetWriter")),
    Target("csv", ".csv", "comma-separated columns",
           partial(_made, "inst.convert.csv_writer:CsvWriter")),
    Target("chrome", ".json", "functions and system calls for Perfetto and Chrome",
           partial(_made, "inst.convert.chrome:ChromeWriter")),
)  # fmt: skip
BY_NAME = {each.name: each for each in TARGETS}
_ENDINGS = {each.ending: each for each in TARGETS} | {
    ".log": BY_NAME["sexp"],
    ".rz3": BY_NAME["rst"],
}


def format_of(name: str) -> Target:
    """Return the format that a file's name asks for, by its ending before any packing's."""
    path = PurePath(name)
    ending = path.suffix.lower()
    if ending in PACKINGS:
        ending = PurePath(path.stem).suffix.lower()
    found = _ENDINGS.get(ending)
    if found is None:
        endings = " ".join(_ENDINGS)
        near = nearest(ending, [*_ENDINGS, *PACKINGS])
        meant = f"did you mean {near}? " if near else ""
        raise InstError(
            f"{name}: no format has the extension '{ending}'",
            hint=f"{meant}The extensions are {endings}, alone or with {' '.join(PACKINGS)} "
            "appended; --to names a format whatever the extension",
        )
    return found


def convert(job: Job, target: Target) -> None:
    """Write the job's trace in the target format.

    Damage in the trace is raised after everything before it was written and finished.
    """
    if job.trace.format == target.name:
        _copy(job)
        return
    _watch(job, target)
    writer = target.make(job)
    try:
        damage = _pass_on(job.trace.events(), writer)
        for vocabulary, what in ((job.trace.words, "words"), (job.trace.sites, "sources")):
            name = f"{what} that are too many to be distinguished"
            job.losses.add(name, vocabulary.refused)
        writer.finish()
    except BaseException:
        writer.abandon()
        raise
    if damage:
        raise damage


def _pass_on(events: Iterator[Array], writer: Writer) -> InstError | None:
    """Write all events; return the damage that ended them."""
    while True:
        try:
            batch = next(events, None)
        except Refused:
            raise
        except InstError as error:
            return error
        if batch is None:
            return None
        if len(batch):
            writer.events(batch)


def _watch(job: Job, target: Target) -> None:
    """Let every batch of the trace be counted as it is read."""
    codec, losses = codec_of(job.trace), job.losses
    registers = target.name in PACKAGES and named(target.name).carries_registers
    job.trace.observe(lambda batch: codec.count_losses(batch, losses, registers=registers))


def _copy(job: Job) -> None:
    batches: Any = job.trace.batches()
    for batch in batches:
        job.output.write(batch.tobytes())
