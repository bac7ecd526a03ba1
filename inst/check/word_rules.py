"""Whether each address has one instruction word, within an address space.

The space is the instruction context of the last PAVADIFF of the processor: two processes have
different words at one virtual address.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.formats.rst.codes import ANNULLED, PAVADIFF
from inst.formats.rst.record import RstBatch
from inst.trace.model import Array


class Words:
    """The words seen so far, by context and address."""

    def __init__(self) -> None:
        self._words: dict[tuple[int, int], int] = {}
        self._contexts: dict[int, int] = {}
        """The instruction context of each cpu."""

    def contradictions(
        self, batch: RstBatch, rows: Array, raw: Array, cpus: Array
    ) -> Iterator[tuple[int, int, str]]:
        """Yield record, address and message of each INSTR row that has another word than before."""
        contexts = self._column(batch, rows, cpus)
        known = (raw["word"] != 0) | (raw["flags"] & ANNULLED == 0)  # no word after a TLB miss
        if not known.all():
            rows, raw, contexts = rows[known], raw[known], contexts[known]
        pc, word = raw["first"].astype("u8"), raw["word"].astype("u4")
        if self._agree(pc, word, contexts):
            return
        order = np.lexsort((pc, contexts))
        fresh = np.ones(len(order), bool)
        for column in (pc[order], word[order], contexts[order]):
            fresh[1:] &= column[1:] == column[:-1]
        fresh[1:] = ~fresh[1:]
        for place in np.sort(order[fresh]).tolist():
            at, found = int(pc[place]), int(word[place])
            key = int(contexts[place]), at
            earlier = self._words.setdefault(key, found)
            if earlier != found:
                self._words[key] = found
                message = f"the word at {at:#x} is {found:#010x}; before it was {earlier:#010x}"
                yield batch.first + int(rows[place]), at, message

    def _agree(self, pc: Array, word: Array, contexts: Array) -> bool:
        """Return whether each address has one word, the one that it had before, and remember it.

        What most batches show, and without sorting them: all are one context and one program.
        """
        if len(pc) == 0 or (contexts != contexts[0]).any() or int(pc.max()) >> 32:
            return False
        pairs = np.unique(pc << np.uint64(32) | word)
        places = pairs >> np.uint64(32)
        if (places[1:] == places[:-1]).any():
            return False
        context = int(contexts[0])
        keys = [(context, place) for place in places.tolist()]
        words = (pairs & np.uint64(0xFFFFFFFF)).tolist()
        known = self._words
        if any(known.get(key, found) != found for key, found in zip(keys, words, strict=True)):
            return False
        known.update(zip(keys, words, strict=True))
        return True

    def _column(self, batch: RstBatch, rows: Array, cpus: Array) -> Array:
        """Return the context of each row."""
        maps = np.flatnonzero(batch.raw["rtype"] == PAVADIFF)
        owners = batch.column("pavadiff", "cpuid", maps)
        stated = batch.column("pavadiff", "icontext", maps)
        result = np.zeros(len(rows), "u8")
        if not len(maps) and not any(self._contexts.values()):
            return result
        for cpu in {*np.unique(owners).tolist(), *np.unique(cpus).tolist()}:
            own, here = owners == cpu, cpus == cpu
            values = np.array([self._contexts.get(cpu, 0), *stated[own].tolist()], "u8")
            result[here] = values[np.searchsorted(maps[own], rows[here])]
            self._contexts[cpu] = int(values[-1])
        return result
