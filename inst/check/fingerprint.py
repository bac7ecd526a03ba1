"""A name for a finding that is the same in every run: made of what stays, not of addresses.

A finding is known by its code, by the places it names, and by the words of its message without
their numbers. A place is a file, a function and a line counted from the function's first, so that
code which is added elsewhere moves nothing; without the program it is an offset in its image.
Which of two racing accesses came first is chance, so the order of places and of words does not
count. Findings that are alike in all of this are numbered.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from inst.trace.finding import Finding
from inst.trace.model import Image

if TYPE_CHECKING:
    from inst.program.program import Locator
    from inst.trace.place import Place

NAME = "instFinding/v1"
"""The key in SARIF's partialFingerprints: a versioned hierarchical string (3.27.17, 3.5.4.2)."""

_NUMBER = re.compile(r"\b(0x[0-9a-f]+|\d+)\b")


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return a fingerprint for each finding, all different."""
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        digest = hashlib.sha256(_identity(finding).encode("utf-8", "surrogateescape")).hexdigest()
        seen[digest] += 1
        result.append(f"{digest[:32]}:{seen[digest]}")
    return result


def _identity(finding: Finding) -> str:
    places = {finding.place, *(other.place for other in finding.others)}
    words = sorted(_NUMBER.sub("#", finding.message).split())
    return "\n".join([finding.code, *sorted(places), " ".join(words)])


def place_in_program(pc: int, place: Place, locator: Locator) -> str:
    """Return the name of a place that is found in the program."""
    function, file = place.symbol or place.function, os.path.basename(place.file)
    if not function:
        return f"{file}:{place.line}"
    if not place.line:
        return f"{function}+{place.offset:#x}"
    first = locator(pc - place.offset)
    same = first is not None and first.line and first.file == place.file
    line = f"+{place.line - first.line}" if same and first is not None else str(place.line)
    return f"{file}:{function}:{line}"


def place_in_trace(pc: int | None, site: str, images: Iterable[Image]) -> str:
    """Return the name of a place that is known from the trace only."""
    if site:
        return os.path.basename(site)
    below = [image for image in images if pc is not None and image.base <= pc]
    if pc is None or not below:
        return "" if pc is None else f"{pc:#x}"
    image = max(below, key=lambda image: image.base)
    return f"{os.path.basename(image.path)}+{pc - image.base:#x}"
