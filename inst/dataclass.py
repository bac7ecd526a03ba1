"""`dataclass`, `field` and `replace` as of `dataclasses`, for what runs once for every file.

Types are checked as those of the standard library; `inst.lazy_dataclass` is what runs.
"""

from inst import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    from inst.lazy_dataclass import dataclass, field, replace

__all__ = ["dataclass", "field", "replace"]
