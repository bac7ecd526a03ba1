"""RST batches as filters, statistics and tables see them."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from inst.formats.rst import table as rst_table
from inst.formats.rst.codes import (
    EVENT_PC,
    WITH_PC,
    WITH_WORD,
)
from inst.formats.rst.record_view import RecordView
from inst.formats.rst.view_columns import COLUMNS, mark
from inst.trace.model import Array
from inst.trace.view import CLASSES, Column


class RstView(RecordView):
    """One batch of RST records."""

    def is_type(self, word: str) -> Array:
        if word in CLASSES:
            return self.mark(word)
        if word.startswith("rtype="):
            return np.asarray(self.codes == int(word[6:]), bool)
        kind = rst_table.BY_NAME[word]
        same = self.codes == kind.code
        if kind.variant is not None:
            same &= (self.raw["flags"] >> 7) == kind.variant
        return np.asarray(same, bool)

    def columns(self, name: str) -> list[Column]:
        return COLUMNS[name](self)

    def mark(self, name: str) -> Array:
        return mark(self, name)

    def mnemonics(self) -> tuple[Array, list[str]]:
        rows = np.flatnonzero(WITH_WORD[self.codes])
        words, where = np.unique(self.raw["word"][rows].astype("u4"), return_inverse=True)
        numbers = np.zeros(len(self), "i8")
        numbers[rows] = where + 1
        arch = self.batch.source.arch
        return numbers, ["", *(_mnemonic(arch, word) for word in words.tolist())]

    def places(self) -> tuple[Array, list[tuple[str, int, str]]]:
        own = (self.codes == EVENT_PC) & (self.raw["first"] != 0)
        rows = np.flatnonzero(WITH_PC[self.codes] | own)
        return self.located(rows, self.raw["first"][rows].astype("u8"))


@functools.lru_cache(maxsize=8)
def disassembler(arch: str) -> Callable[[int, int], str]:
    """Return the disassembler of an instruction set, made once."""
    from inst.words import disassemble

    return disassemble.disassembler(arch)


@functools.lru_cache(maxsize=1 << 16)
def _mnemonic(arch: str, word: int) -> str:
    return disassembler(arch)(word, 0).split(" ")[0].lower()
