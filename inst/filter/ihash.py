"""Shade's number of each instruction, as the filter `ihash` of Sun's rstFilter fills it in.

Before version 1.10 bytes 2 and 3 of an INSTR record have an optional number by which an analyzer
distinguishes instructions without decoding words: Shade V5's hash of the instruction. Its numbers
were in a header of Shade that was never published, so they come from a file: a line for each
instruction, its name as `inst view` shows it and its number, as in `ldx 37`. A # begins a comment.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from inst.errors import InstError, Location
from inst.filter.model import Filter, Parameter, Stage
from inst.formats.rst.codes import INSTR
from inst.formats.rst.groups import rst_views
from inst.trace.batch import Batches

FIRST_WITH_CPUS = 1010
"""The first version that has the cpu in those bytes."""
_LARGEST = 0xFFFF


def table(path: str) -> dict[str, int]:
    """Read the numbers of instructions by their names; raises InstError for a bad file."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "") or "it is no text"
        raise InstError(f"cannot be read: {reason}", location=Location(path)) from None
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        value = _number(words[1]) if len(words) == 2 else -1
        if not 0 <= value <= _LARGEST or words[0] in found:
            again = "it is there twice" if words[0] in found else "no name and 16-bit number"
            raise InstError(
                again, location=Location(path, number, 1), source=line, hint="`ldx 37` is a line"
            )
        found[words[0]] = value
    return found


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        return -1


def _ihash(path: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        numbers = table(path)
        for view in rst_views(batches):
            if view.batch.version >= FIRST_WITH_CPUS and (view.codes == INSTR).any():
                version = f"{view.batch.version // 1000}.{view.batch.version % 1000}"
                raise InstError(
                    f"ihash: version {version} has the cpu where the number would be",
                    hint="`version 1.9 | ihash FILE` writes a version that has the number",
                )
            places, names = view.mnemonics()
            known = np.array([numbers.get(name.partition(",")[0], 0) for name in names], "u2")
            rows = np.flatnonzero(view.codes == INSTR)
            records = view.raw.copy()
            records["half"][rows] = known[places[rows]]
            yield replace(view.batch, records=records)

    return stage


FILTERS = (
    Filter(
        "ihash", "change", "Number the instructions as Shade did, in traces before version 1.10: "
        "FILE has a line `NAME NUMBER` for each; others get 0. Shade's own numbers were never "
        "published.", "ihash shade.txt", _ihash, (Parameter("table", str, "FILE"),), "rst",
    ),
)  # fmt: skip
