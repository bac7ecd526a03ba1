"""The cache of built libraries, which runs of the tests share.

Its directory is named by a digest of the modules that may build libraries: the name of a cached
library depends on inst's version, which stays while somebody works on these modules.  Whatever else
a library is made from (runtime, hooks, compiler and its options) is in the library's own name.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path

from inst.build.survey import clean
from inst.cache.rooms import room
from inst.errors import InstError

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "test-libraries"
NOT_BUILDERS = frozenset(
    (
        "check",
        "commands",
        "convert",
        "diff",
        "filter",
        "offline",
        "replay",
        "rewrite",
        "simulation",
        "statistics",
        "trace",
    )
)
"""Packages of inst from which nothing is imported to build a library."""
_NEWEST, _DAYS = 4, 3
"""How many directories stay, and how long a library that no run has used."""


def shared_directory() -> Path | None:
    """Return the directory for this state of the builders; None if it would not be safe."""
    directory = KEPT / _digest()
    before = os.environ.get("INST_CACHE")
    os.environ["INST_CACHE"] = str(directory)
    try:
        room("libraries")
    except InstError:
        return None
    finally:
        os.environ.pop("INST_CACHE") if before is None else os.environ.update(INST_CACHE=before)
    return directory


def tidy(directory: Path) -> None:
    """Remove libraries that no run is likely to use again; other runs may be under way."""
    os.utime(directory)
    others = sorted(KEPT.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in others[:-_NEWEST]:
        shutil.rmtree(path, ignore_errors=True)
    clean(directory, _DAYS, time.time())


def _digest() -> str:
    found = hashlib.sha256()
    for path in sorted((ROOT / "inst").rglob("*.py")):
        name = path.relative_to(ROOT / "inst")
        if name.parts[0] not in NOT_BUILDERS:
            found.update(str(name).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:20]
