"""The table of SPARC's memory instructions as C of the runtime."""

from __future__ import annotations

from typing import Any

from inst.arch.sparc.words import accesses
from inst.words.access import WRITE


def tables() -> dict[str, Any]:
    """Return what the template of the C tables is rendered with."""
    return {
        "rows": [
            (code, access.size, int(bool(access.what & WRITE)), int(access.value == "float"))
            for code, access in sorted(accesses.ROWS.items())
        ]
    }
