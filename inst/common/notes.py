"""Notes of commands: what is not known, or did not go as it was asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def print_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error, a line each."""
    for note in notes:
        print(f"inst: note: {note}", file=sys.stderr)
