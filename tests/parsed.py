"""Modules of inst as trees, which tests of the whole house share."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    """Return a module's tree; to parse all of inst takes three seconds."""
    return ast.parse(path.read_text(encoding="utf-8"))
