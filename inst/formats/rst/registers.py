"""The register numbers of RST's REGVAL records, by inst's names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inst.arch.registry import producer
from inst.formats.rst.regvals import Regvals


def named_registers(fields: Mapping[str, int | str], arch: str) -> dict[str, int]:
    """Return the registers of a REGVAL record that `inst.isa` has names for."""
    name = producer(arch).part(Regvals).register
    found: dict[str, int] = {}
    for slot in "01":
        kind, number, value = (int(fields[key + slot]) for key in ("regtype", "regid", "reg64_"))
        found |= name(kind, number, value)
    return found


@cache
def fully_recorded(words: str, arch: str) -> frozenset[str]:
    """Return the registers in the string `registers=WORDS`: without a record they are unchanged."""
    known = producer(arch).part(Regvals).recorded
    return frozenset(name for word, names in known.items() if word in words for name in names)
