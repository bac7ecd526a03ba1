"""Results of a campaign as lines of JSON, which a campaign that was stopped goes on with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, if it is there; a row that was cut is left out."""
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def append_row(path: Path, row: dict[str, Any]) -> None:
    """Write one row more."""
    with path.open("a") as stream:
        stream.write(json.dumps(row) + "\n")
