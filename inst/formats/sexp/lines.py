"""What lines of s-expressions are read into: a row of columns a line, and numbers for words.

`columns` and `dialects` fill the rows; `trace` delivers those that are regular.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from inst.formats.sexp.table import WORDS
from inst.trace.model import EVENT, Array

LEAST = 16
"""Lines of a shape, or in a row, that are worth the columns."""

MEMORY_ORDERS = ("", *sorted(WORDS["mem-order"]))
_BARRIERS = ("isb", "dsb")
_DOMAINS = (
    *(domain + kind for domain in ("ish", "nsh", "osh") for kind in ("", "st", "ld")),
    "sy", "st", "ld",
)  # fmt: skip
_INVALIDATIONS = tuple(
    f"{what}{domain}"
    for what in (
        "vmalls12e1", "vmalle1", "alle1", "alle2", "alle3", "aside1", "ipas2e1", "ipas2le1",
        "vae1", "vae2", "vae3", "vaae1", "vale1", "vale2", "vale3", "vaale1", "ripas2e1",
        "ripas2le1", "rvae1", "rvae2", "rvaae1", "rvale1", "rvale2", "rvaale1",
    )
    for domain in ("", "is", "os")
)  # fmt: skip
_REGISTERS = tuple(
    f"{name}_el2" for name in ("vttbr", "ttbr0", "vtcr", "tcr", "hcr", "sctlr", "mair")
)
_HINTS = ("set_root_lock", "set_owner_root", "release_table", "set_pte_thread_owner")

ORDERS = (
    *MEMORY_ORDERS, *_BARRIERS, *(f"dsb {domain}" for domain in _DOMAINS), *_INVALIDATIONS,
    *_REGISTERS, *_HINTS,
)  # fmt: skip
"""What `Lines.orders` counts: the words a line can have and still be regular."""

NUMBERS = {word: number for number, word in enumerate(ORDERS)}
WORD_CHOICES = {
    ("barrier", "barrier"): _BARRIERS,
    ("barrier", "kind"): tuple(f"dsb {domain}" for domain in _DOMAINS),
    ("tlbi", "op"): _INVALIDATIONS,
    ("sysreg-write", "sysreg"): _REGISTERS,
    ("hint", "kind"): _HINTS,
}
"""By kind and field: the words known, by their last part in the line."""


def known_words(choices: tuple[str, ...]) -> dict[bytes, int]:
    """Return the numbers in ORDERS of words, by their last part in the line."""
    return {choice.rpartition(" ")[2].encode(): NUMBERS[choice] for choice in choices}


@dataclass(frozen=True, slots=True)
class Lines:
    """The whole lines of a buffer, as far as they are regular records."""

    starts: Array
    ends: Array
    """Positions of the newlines."""
    bad: Array
    """Indices of the lines that are not regular, ascending."""
    events: Array
    """Rows of EVENT; record, site and detail are filled in on delivery."""
    orders: Array
    source_starts: Array
    """Where the text of `(src "...")` begins; 0 where there is none."""
    source_ends: Array

    @classmethod
    def unread(cls, starts: Array, ends: Array) -> Lines:
        """Return lines without any content yet, to be filled in."""
        count = len(starts)
        return cls(
            starts,
            ends,
            np.arange(count),
            np.zeros(count, EVENT),
            np.zeros(count, "u2"),
            np.zeros(count, "i8"),
            np.zeros(count, "i8"),
        )

    def where(self, good: Array) -> Lines:
        """Return these lines with those for regular that are good."""
        return replace(self, bad=np.flatnonzero(~good))

    def run(self, position: int) -> tuple[int, int]:
        """Return first and last + 1 of the regular lines from a position on."""
        first = int(np.searchsorted(self.starts, position))
        if first == len(self.starts) or self.starts[first] != position:
            return 0, 0
        after = int(np.searchsorted(self.bad, first))
        return first, int(self.bad[after]) if after < len(self.bad) else len(self.starts)


def line_bounds(buffer: bytes, position: int) -> tuple[Array, Array]:
    """Return where the whole lines from a position on begin, and their newlines."""
    octets = np.frombuffer(buffer, "u1", offset=position)
    ends = np.flatnonzero(octets == ord("\n")) + position
    return np.concatenate([[position], ends[:-1] + 1])[: len(ends)], ends
