"""What of a program is not instrumented, as its trace states it: libraries, and functions."""

from __future__ import annotations

from dataclasses import dataclass

from inst.trace.model import Facts

_FUNCTIONS = "left-out-functions"
"""The runtime's word for functions that --inst-only and --inst-except leave as they are."""

_OPENMP = "libgomp"
"""Its word for the library by which OpenMP makes threads and orders them."""
_ORDERED = "ordered"
"""What the runtime says of it if all functions that the program calls have wrappers."""


@dataclass(frozen=True, slots=True)
class Uninstrumented:
    """The parts of a program that record nothing of what they do; false if there are none."""

    names: tuple[str, ...]
    openmp: str = ""
    """"": the order that OpenMP's library makes is recorded, or it is not there. Else what makes an
    order without a record, as the subject of a sentence."""

    @classmethod
    def of(cls, facts: Facts) -> Uninstrumented:
        """Return what the trace's producer names."""
        names = tuple(facts.producer.get("uninstrumented", "").split())
        known = facts.producer.get("openmp", "")
        if known == _ORDERED or (_OPENMP not in names and not known):
            return cls(names)
        return cls(names, known or f"{_OPENMP} in the program is not instrumented: it")

    def __bool__(self) -> bool:
        return bool(self.names)

    @property
    def has_functions(self) -> bool:
        """Whether functions of the program itself are among the parts."""
        return _FUNCTIONS in self.names

    def clause(self, one: str, several: str) -> str:
        """Return the parts as the subject of a clause, with the verb for one or for several."""
        named = ["left-out functions" if name == _FUNCTIONS else name for name in self.names]
        is_plural = len(named) > 1 or self.has_functions
        return f"{' and '.join(named)} {several if is_plural else one}"

    def sentence(self) -> str:
        """Return that the parts are not instrumented."""
        return self.clause(
            "in the program is not instrumented", "in the program are not instrumented"
        )
