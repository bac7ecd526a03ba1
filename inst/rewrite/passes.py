"""The passes of an instruction set: what the translation of its assembly consists of."""

from __future__ import annotations

from collections.abc import Callable

from inst.dataclass import dataclass
from inst.rewrite.context import Rewriting


@dataclass(frozen=True, slots=True)
class Passes:
    """The passes in their order; each is passed the part of the file."""

    passes: tuple[Callable[[Rewriting], None], ...]
