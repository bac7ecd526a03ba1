"""Where the files that are not Python are: in the package of a wheel, beside it in a checkout."""

from __future__ import annotations

import os
from pathlib import Path

from inst.errors import InstError

_PACKAGE = Path(__file__).resolve().parent


def data(name: str) -> Path:
    """Return the directory (or file) `name`: "hooks", "runtime", "wrappers/tools" ..."""
    inside = _PACKAGE / "data" / name
    return inside if inside.exists() else _PACKAGE.parent / name


def absolute(name: str | Path) -> Path:
    """Return a path from the root; what a `..` in it means is left to the system."""
    try:
        return Path(name).absolute()
    except FileNotFoundError:
        raise InstError(
            f"cannot find {name}: the current directory was removed",
            hint="change to another directory, or give a path from the root",
        ) from None


def cache_directory() -> Path:
    """Return the directory for what is built once and used again.

    INST_CACHE names it; otherwise it is `inst` in the user's cache directory. Where HOME is another
    user's, as for root under `sudo -E` and in containers of CI, it is `inst-UID` in TMPDIR.
    """
    explicit = os.environ.get("INST_CACHE")
    if explicit:
        return absolute(explicit)
    base = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    there = next((path for path in (base, *base.parents) if path.exists()), base)
    if there.exists() and there.stat().st_uid not in (0, os.geteuid()):
        return Path(os.environ.get("TMPDIR") or "/tmp") / f"inst-{os.geteuid()}"
    return base / "inst"
