"""The library that reads and writes Parquet, which not every installation has."""

from __future__ import annotations

from typing import Any

from inst.errors import InstError


def library() -> Any:
    """Return pyarrow with its module of Parquet; an error names the extra that has it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InstError(
            "Parquet needs the package pyarrow", hint="pip install 'inst[parquet]'"
        ) from None
    return pyarrow
