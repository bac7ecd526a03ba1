"""Numbers that code which records inline, the C of its library and readers of recordings agree on.

C has them as macros, like what its instruction set's sites agree on.
"""

from __future__ import annotations

MOST_WORDS = 128
"""Words of the largest segment, with its trailer."""
UNCHECKED = 4096
"""Bytes that code may write from one check of the limit to the next."""
UNCHECKED_GLOBALLY = 1024
"""The same where memory is scarce (`inst.rewrite.options.Options.global_cursor`)."""
RUNS = 2048
"""Bytes of a chunk of segments before its blocks."""

MACROS = {
    "MOST_WORDS": MOST_WORDS,
    "UNCHECKED": UNCHECKED,
    "UNCHECKED_GLOBALLY": UNCHECKED_GLOBALLY,
    "RUNS": RUNS,
}
"""By the ends of their names in C: INST_SITE_RUNS ..."""
