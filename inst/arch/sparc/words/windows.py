"""SPARC's words by which register windows are changed and saved.

A window's 16 registers, %l0 to %i7, are at its %sp; in the words of the window after it that is
%fp. The System V ABI's SPARC supplement (3-12) and SPARC V9's (3-13) have the areas.
"""

from __future__ import annotations

import numpy as np

from inst.arch.registry import is_wide
from inst.arch.sparc.sites import STACK_BIAS
from inst.arch.sparc.words import accesses
from inst.words.access import Array
from inst.words.model import SaveArea, Windows

_AREA, _WIDE_AREA = SaveArea(64, 56, 0), SaveArea(128, 112, STACK_BIAS)
_STACK, _FRAME, _LINK = 14, 30, 15
_ST, _STD = 0x04, 0x07
"""op3 of the stores of whole registers."""


def _in_own_place(words: Array) -> Array:
    register = accesses.target(words)
    whole = np.isin(accesses.op3(words), (_ST, _STD))
    immediate = words & 0x2000 != 0
    place: Array = (words & 0x1FFF) == (register - 16) * 4
    by_stack = accesses.base(words) == _STACK
    found: Array = place & whole & immediate & by_stack & (register >= 16)
    return found


def _offset(words: Array) -> Array:
    """Return what accesses add to %sp or %fp; others have an offset that no area has."""
    base = accesses.base(words)
    by_stack = ((base == _STACK) | (base == _FRAME)) & (words & 0x2000 != 0)
    found: Array = np.where(by_stack, words & 0x1FFF, 0x1FFF)
    return found


def _by_base(words: Array, area: SaveArea) -> Array:
    offset = _offset(words)
    found: Array = (offset >= area.bias) & (offset < area.bias + area.size)
    return found


def _loads_frame(words: Array, area: SaveArea) -> Array:
    found: Array = _offset(words) == area.bias + area.frame
    return found


def hand_on(words: Array) -> Array:
    """Return which words of a call's slot restore the window, or the return address."""
    plain = words >> 30 & 3 == 2
    restores = accesses.changes_window(words) & (accesses.op3(words) != accesses.SAVE)
    found: Array = restores | plain & (accesses.target(words) == _LINK)
    return found


WINDOWS = Windows(
    stack=_STACK,
    frame=_FRAME,
    area=lambda arch: _WIDE_AREA if is_wide(arch) else _AREA,
    flushes=accesses.FLUSHES,
    changes=accesses.changes_window,
    makes=lambda word: accesses.op3(word) == accesses.SAVE,
    target=accesses.target,
    base=accesses.base,
    immediate=accesses.immediate,
    in_own_place=_in_own_place,
    passed={f"o{n}": f"i{n}" for n in range(8)},
    own=tuple(f"l{n}" for n in range(8)),
    by_base=_by_base,
    loads_frame=_loads_frame,
)
