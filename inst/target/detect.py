"""The target that assembly is for, from its directives and instructions."""

from __future__ import annotations

import re

from inst.arch.registry import all_architectures
from inst.errors import InstError, Location
from inst.target.model import Target, Targets
from inst.target.targets import TARGETS


def detect_target(source: str, file: str) -> Target:
    """Return the target that a text is for; raise InstError if it cannot be detected."""
    clues = [clue for one in all_architectures() for clue in one.part(Targets).clues]
    for clue in sorted(clues, key=lambda clue: clue.rank):
        if re.search(clue.pattern, source, re.MULTILINE):
            return TARGETS[clue.target]
    raise InstError(
        "the target of this text cannot be detected",
        location=Location(file),
        hint=f"use --target with one of {', '.join(sorted(TARGETS))}",
    )
