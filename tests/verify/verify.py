"""All rules over one file."""

from __future__ import annotations

from inst.targets import Target

from .objects import assembles
from .rules import check_text
from .walk import walk_file


def verify(
    source: str,
    rewritten: str,
    target: Target,
    level: str = "values",
    assembled_with: tuple[str, ...] | None = None,
) -> list[str]:
    """Return what is wrong with an output, each with the line; nothing if it is sound.

    With flags (or none, but a tuple) both sides are assembled, too.
    """
    walk = walk_file(source, rewritten, target, level)
    check_text(walk, source, rewritten, target)
    if assembled_with is not None and not walk.problems:
        walk.problems += assembles(source, rewritten, target, assembled_with)
    return walk.problems
