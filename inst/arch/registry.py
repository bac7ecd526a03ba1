"""Where instruction sets are found: by their key, or by the word that a trace has for one."""

from __future__ import annotations

import functools
import importlib

from inst import TYPE_CHECKING
from inst.arch.model import Architecture
from inst.errors import InstError

if TYPE_CHECKING:
    from typing import Literal

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


def produced_by(word: str) -> Architecture | None:
    """Return the instruction set that a producer's word means; None if it means none."""
    lower = word.lower()
    return next((one for one in all_architectures() if lower.startswith(one.producers)), None)


def producer(word: str) -> Architecture:
    """Return the instruction set that a producer's word means; an unknown word is an error.

    An RST trace whose producer names no architecture is SPARC's: the format was made for it.
    """
    return _read(word)[0]


def is_wide(word: str) -> bool:
    """Return whether a producer's word means processors with addresses of 64 bits."""
    found, lower = _read(word)
    return any(part in lower for part in found.wide)


def is_little(word: str) -> bool:
    """Return whether a producer's word means processors that are little-endian."""
    found, lower = _read(word)
    return lower.endswith(found.little)


def byte_order(word: str) -> Literal["big", "little"]:
    """Return the byte order of the processors that a producer's word means."""
    return "little" if is_little(word) else "big"


def local_entry(word: str) -> int:
    """Return how far after its start a function has its second entry point; 0: it has none."""
    found, lower = _read(word)
    return next((size for end, size in found.local_entries if lower.endswith(end)), 0)


def _read(word: str) -> tuple[Architecture, str]:
    """Return the instruction set that a word means, and the word in lower case."""
    if not word:
        return next((one, one.unnamed) for one in all_architectures() if one.unnamed)
    found = produced_by(word)
    if found is None:
        raise unknown(word)
    return found, word.lower()
