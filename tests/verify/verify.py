"""All rules over one file."""

from __future__ import annotations

from dataclasses import replace

from inst.target.targets import Target
from inst.translate import Options, translate

from .blocks import check_blocks
from .objects import assembles
from .opened import opened
from .rules import check_text
from .turns import verify_turns
from .walk import walk_file


def verify_rewriting(
    source: str,
    target: Target,
    options: Options,
    name: str = "<stdin>",
    assembled_with: tuple[str, ...] | None = None,
) -> list[str]:
    """Return what is wrong with what the rewriter makes of a file.

    Raises InstError where it refuses the file.
    """
    problems = []
    if options.functions:
        source, problems = opened(source, target)
    without = translate(source, target, replace(options, restores=False), name)
    problems += verify(
        source, without, target, options.level, assembled_with, options.dropped, options.record
    )
    if options.restores:
        reported = translate(source, target, options, name)
        if reported != without:
            problems += verify_turns(source, without, reported, target, options.dropped)
    return problems


def verify(
    source: str,
    rewritten: str,
    target: Target,
    level: str = "values",
    assembled_with: tuple[str, ...] | None = None,
    dropped: tuple[str, ...] = (),
    records: bool = False,
) -> list[str]:
    """Return what is wrong with an output that reports no restores, each with the line.

    With flags (or none, but a tuple) both sides are assembled, too.
    """
    walk = walk_file(source, rewritten, target, level, dropped, records)
    if walk.rows:
        check_blocks(walk, walk.rows)
    check_text(walk, source, rewritten, target)
    if assembled_with is not None and not walk.problems:
        walk.problems += assembles(source, rewritten, target, assembled_with)
    return walk.problems
