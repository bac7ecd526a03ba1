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

SLOTS = 1 << 14


class _Recent:
    """Pairs of an address (high half) and its word that agreed, of one context: a table in which
    each address has one place, so that looking a column up needs no sorting."""

    def __init__(self) -> None:
        self._context = 0
        self._pairs = _no_pairs()

    def others(self, pairs: Array, context: int) -> Array:
        """Return the pairs that are not in the table, which is emptied for another context."""
        if context != self._context:
            self._context, self._pairs = context, _no_pairs()
        found: Array = pairs[self._pairs[_slots(pairs)] != pairs]
        return found

    def add(self, pairs: Array) -> None:
        """Put pairs in the table, in place of others."""
        self._pairs[_slots(pairs)] = pairs


def _no_pairs() -> Array:
    """Return a table whose entries all stand where no pair of theirs would."""
    pairs = np.zeros(SLOTS, "u8")
    pairs[0] = ~np.uint64(0)
    return pairs


def _slots(pairs: Array) -> Array:
    slots: Array = (pairs >> np.uint64(34) & np.uint64(SLOTS - 1)).astype("i8")
    return slots


class Words:
    """The words seen so far, by context and address."""

    def __init__(self) -> None:
        self._words: dict[tuple[int, int], int] = {}
        self._contexts: dict[int, int] = {}
        """The instruction context of each cpu."""
        self._recent = _Recent()

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
        self._recent = _Recent()
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
        context = int(contexts[0])
        pairs = self._recent.others(pc << np.uint64(32) | word, context)
        if len(pairs) == 0:
            return True
        pairs = np.unique(pairs)
        places = pairs >> np.uint64(32)
        if (places[1:] == places[:-1]).any():
            return False
        keys = [(context, place) for place in places.tolist()]
        words = (pairs & np.uint64(0xFFFFFFFF)).tolist()
        known = self._words
        if any(known.get(key, found) != found for key, found in zip(keys, words, strict=True)):
            return False
        known.update(zip(keys, words, strict=True))
        self._recent.add(pairs)
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
