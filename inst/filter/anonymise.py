"""Addresses made anonymous: every page becomes another one, by a key.

Within a page everything stays where it is, so that alignment, lines and strides survive.
"""

from __future__ import annotations

from collections.abc import Callable

from inst.filter.arguments import choice, text
from inst.filter.model import Filter, Parameter, Stage
from inst.trace.batch import Batch, Batches
from inst.trace.permutation import Permutation
from inst.trace.registry import codec_of


def _anonymise(key: str, values: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        change: Callable[[Batch], Batch] | None = None
        for batch in batches:
            if change is None:
                codec = codec_of(batch.source.trace)
                change = codec.part("anonymise")(Permutation(key), zero=values == "zero")
            yield change(batch)

    return stage


FILTERS = (
    Filter(
        "anonymise", "change", "Exchange the pages of all addresses by a key: the same key gives "
        "the "
        "same addresses, in every trace and format; offsets in a page stay. Strings but arch, "
        "inst, "
        "hooks and compiler are removed, source files become numbers. Instruction words and, "
        "unless values=zero, values stay: pointers in them can be seen.",
        "anonymise key=secret values=zero", _anonymise,
        (
            Parameter("key", text, "TEXT"),
            Parameter("values", choice("keep", "zero"), "keep|zero", "keep", False),
        ),
        "anonymise",
        "STF has addresses in registers only, where nothing distinguishes them from other values",
    ),
)  # fmt: skip
