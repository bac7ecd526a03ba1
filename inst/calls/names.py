"""The names of the functions that a table declares, without the rest of its rows.

Every file that is assembled needs the names, and reading all of the rows takes ten times as long.
"""

from __future__ import annotations

import re

_DECLARED = re.compile(r"^(?!#).*?(\w+)\(", re.M)


def declared(rows: str) -> list[str]:
    """Return the name of each function that has a row."""
    return _DECLARED.findall(rows)
