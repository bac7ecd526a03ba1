"""The target that assembly is for, from its directives and instructions."""

from __future__ import annotations

import re

from inst.errors import InstError, Location
from inst.target.targets import TARGETS, Target

_CLUES = (
    (re.compile(r"^\s*\.(?:abiversion\s+2|localentry)\b", re.M), "ppc64le"),
    (re.compile(r"^\s*\.section\s+\"?\.opd\b|\.TOC\.@tocbase|@toc\b|^\s*stdu\s", re.M), "ppc64"),
    (re.compile(r"^\s*\.machine\s+\"?(?:ppc|power|e\d|4\d\d|7\d\d\d?|any|g[345])", re.M), "ppc32"),
    (
        re.compile(
            r"%xcc\b|\[%(?:sp|fp)\+2\d\d\d\]|^\s*(?:ldx|stx|ldsw|lduw|return|s[lr][la]x|casx)\s",
            re.M,
        ),
        "sparc-v9",
    ),
    (re.compile(r"%(?:hi|lo)\s*\(|%[gilo][0-7]\b|%(?:sp|fp)\b"), "sparc-v8"),
    (re.compile(r"@(?:ha|l|got|plt)\b"), "ppc32"),
    (re.compile(r"^\s*(?:\w+:\s*)?(?:stwu|mflr|mtlr|blr|lwz|bctrl?|lis|addis)\b", re.M), "ppc32"),
)
"""What only one of the syntaxes has, the most reliable first."""


def detect_target(source: str, file: str) -> Target:
    """Return the target a text is for; a text without a clue is an error."""
    for pattern, name in _CLUES:
        if pattern.search(source):
            return TARGETS[name]
    raise InstError(
        "nothing in this text says which target it is for",
        location=Location(file),
        hint=f"say --target with one of {', '.join(sorted(TARGETS))}",
    )
