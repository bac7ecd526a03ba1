"""Where instruction sets are found: by their key, or by the word that a trace has for one."""

from __future__ import annotations

import functools
import importlib

from inst.arch.model import Architecture
from inst.errors import InstError

_PACKAGES = {"sparc": "inst.arch.sparc", "powerpc": "inst.arch.powerpc"}
"""Key -> package; each is imported when it is first asked for."""


def register(name: str, package: str) -> None:
    """Add an instruction set that another package defines."""
    _PACKAGES[name] = package


def names() -> tuple[str, ...]:
    """Return the keys of all instruction sets."""
    return tuple(_PACKAGES)


def architecture(name: str) -> Architecture:
    """Return the instruction set of that key; an unknown one is an InstError."""
    if name not in _PACKAGES:
        raise unknown(name)
    return _value(_PACKAGES[name])


@functools.cache
def _value(package: str) -> Architecture:
    value = importlib.import_module(package).ARCHITECTURE
    assert isinstance(value, Architecture)
    return value


def unknown(name: str) -> InstError:
    """Return the error for a key, or a trace's word, that no instruction set has."""
    return InstError(f"unknown instruction set `{name}`", hint=f"known are {', '.join(names())}")


def all_architectures() -> tuple[Architecture, ...]:
    """Return every instruction set."""
    return tuple(architecture(name) for name in names())


def unnamed() -> Architecture:
    """Return the instruction set of traces whose producer names none."""
    return next(one for one in all_architectures() if one.unnamed)


def is_wide(word: str) -> bool:
    """Return whether a producer's word means an instruction set with addresses of 64 bits."""
    found = produced_by(word)
    return found is not None and any(part in word.lower() for part in found.wide)


def local_entry(word: str) -> int:
    """Return how far after its start a function has its second entry point; 0: it has none."""
    found = produced_by(word)
    return dict(found.local_entries).get(word, 0) if found else 0


def produced_by(word: str) -> Architecture | None:
    """Return the instruction set that a producer's word means; None if it means none."""
    lower = word.lower()
    return next((one for one in all_architectures() if lower.startswith(one.producers)), None)
