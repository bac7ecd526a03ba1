"""Where the files that are not Python are: in the package of a wheel, beside it in a checkout.

The functions whose names end in `_name` return text: `pathlib` is imported where a path is wanted,
since it takes as long as a compiler takes to start.
"""

from __future__ import annotations

import os

from inst import TYPE_CHECKING
from inst.errors import InstError

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGE = os.path.dirname(os.path.realpath(__file__))


def data(name: str) -> Path:
    """Return the directory (or file) `name`: "hooks", "runtime", "wrappers/tools" ..."""
    from pathlib import Path

    return Path(data_name(name))


def data_name(name: str) -> str:
    """Return the same as text."""
    inside = os.path.join(_PACKAGE, "data", name)
    return inside if os.path.exists(inside) else os.path.join(os.path.dirname(_PACKAGE), name)


def absolute(name: str | Path) -> Path:
    """Return a path from the root; what a `..` in it means is left to the system."""
    from pathlib import Path

    return Path(absolute_name(name))


def absolute_name(name: str | Path) -> str:
    """Return the same as text."""
    try:
        return os.fspath(name) if os.path.isabs(name) else os.path.join(os.getcwd(), name)
    except FileNotFoundError:
        raise InstError(
            f"cannot find {name}: the current directory was removed",
            hint="change to another directory, or give a path from the root",
        ) from None


def cache_directory() -> Path:
    """Return the directory for what is built once and used again."""
    from pathlib import Path

    return Path(cache_name())


def cache_name() -> str:
    """Return the directory for what is built once and used again.

    INST_CACHE names it; otherwise it is `inst` in the user's cache directory. Where HOME is another
    user's, as for root under `sudo -E` and in containers of CI, it is `inst-UID` in TMPDIR.
    """
    explicit = os.environ.get("INST_CACHE")
    if explicit:
        return absolute_name(explicit)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    there = base
    while not os.path.exists(there) and there != os.path.dirname(there):
        there = os.path.dirname(there)
    if os.path.exists(there) and os.stat(there).st_uid not in (0, os.geteuid()):
        return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"inst-{os.geteuid()}")
    return os.path.join(base, "inst")
