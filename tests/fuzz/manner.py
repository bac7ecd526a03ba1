"""How a random C program is made, compiled, linked and instrumented: all of it from its seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tests.fuzz.powerpc_power10 import PROCESSOR, is_chosen

HERE = Path(__file__).resolve().parent
HOSTILE = {
    "values": str(HERE.parent / "runtime" / "files" / "hostile.c"),
    "addresses": str(HERE / "files" / "hostile_addresses.c"),
}
"""By level: hooks that change every register which a function may change."""
OPTIMISATIONS = ("-O0", "-O1", "-O2", "-Os", "-O3")
PLACES = {
    "static": (),
    "static-pic": ("-fPIC",),
    "pie": ("-fPIE",),
    "pie-pic": ("-fPIC",),
    "fixed": ("-fno-pie",),
}
"""How code is placed, with the compiler's option: programs alone, or with shared libraries."""
_LINKED = {"static": "-static", "static-pic": "-static", "fixed": "-no-pie"}
RECORD = "record"
"""The library of code that records inline."""
LOADS = "loads"
"""The level of such code whose recording is executed again."""
_HOOKS = ("hostile", "hostile", "empty", "rst")
_SIZE = ("--max-funcs", "5", "--max-block-size", "3")
"""Programs of some hundred lines; the smallest that come out of it are refused later."""
_CONTENTS = (
    (),
    (),
    ("--float",),
    ("--inline-function",),
    ("--builtins",),
    ("--no-packed-struct", "--max-struct-fields", "20"),
    ("--max-pointer-depth", "4", "--max-array-dim", "4"),
    ("--no-volatiles", "--no-safe-math", "--no-math64"),
)
"""What csmith writes besides or instead; nothing leaves its checksum out."""
_FLAGS = (
    (),
    (),
    (),
    ("-fno-omit-frame-pointer",),
    ("-ffunction-sections", "-fdata-sections"),
    ("-fno-toplevel-reorder",),
    ("-funroll-loops",),
    ("-fno-plt",),
    ("-fno-strict-aliasing", "-fwrapv"),
)
WIDTHS: dict[str, tuple[tuple[str, ...], ...]] = {
    "sparc-v8": ((), ("-mtune=leon3", "-mno-app-regs")),
    "sparc-v9": ((), ("-mcpu=ultrasparc3",), ("-mcpu=ultrasparc", "-mvis")),
    "ppc32": ((), ("-maltivec", "-mcpu=7400"), ("-mlongcall",)),
    "ppc64": ((), ("-mcpu=power7",), ("-mcpu=970",)),
    "ppc64le": ((), ("-mcpu=power8",), ("-mcpu=power9",), ("-mlongcall",)),
}
"""Options of a target that change which instructions gcc chooses."""


@dataclass(frozen=True, slots=True)
class Manner:
    """One way to make a program and its instrumented form."""

    csmith: tuple[str, ...]
    compiler: str
    """"gcc", "g++", "clang" or "clang++"."""
    flags: tuple[str, ...]
    """For the compiler, besides what `place` asks for."""
    place: str
    """A key of PLACES."""
    hooks: str
    """Name of a hook library; "hostile" means the one of the level."""
    level: str
    counter: bool
    driver: bool
    """Whether `inst-cc` itself makes it, and not its parts in this process."""
    functions: bool = False
    """Whether hooks are called where functions are entered and left."""
    events: bool = False
    """Whether no two runs need do the same: threads run and signals come at any time."""

    @property
    def library(self) -> str:
        """Return what inst-cc calls the hook library."""
        return HOSTILE[self.level] if self.hooks == "hostile" else self.hooks

    @property
    def plus(self) -> bool:
        """Return whether it is a C++ program."""
        return self.compiler.endswith("++")

    @property
    def compiled(self) -> tuple[str, ...]:
        """Return all the options for compiling."""
        return (*self.flags, *PLACES[self.place])

    @property
    def linked(self) -> str:
        """Return the option for linking."""
        return _LINKED.get(self.place, "-pie")

    def text(self) -> str:
        """Return the manner on one line, as `parse` reads it."""
        counter = "counter" if self.counter else "no-counter"
        how = "inst-cc" if self.driver else "parts"
        last = f"{self.place} {self.hooks} {self.level} {counter} {how}"
        last += " functions" if self.functions else ""
        last += " events" if self.events else ""
        return f"{' '.join(self.csmith)} | {self.compiler} {' '.join(self.flags)} | {last}"


def parse(text: str) -> Manner:
    """Return what `Manner.text` wrote."""
    csmith, compile_, last = (part.split() for part in text.split("|"))
    place, hooks, level, counter, how, *more = last
    return Manner(
        tuple(csmith),
        compile_[0],
        tuple(compile_[1:]),
        place,
        hooks,
        level,
        counter == "counter",
        how == "inst-cc",
        "functions" in more,
        "events" in more,
    )


def choose(target: str, seed: int) -> Manner:
    """Return the manner that a seed means; the same seed means another for another target."""
    random = Random(f"manner {target} {seed}")
    compiler = random.choice(("gcc", "gcc", "gcc", "gcc", "clang", "g++"))
    csmith: tuple[str, ...] = (*_SIZE, *random.choice(_CONTENTS))
    if compiler == "g++":  # what csmith writes for floating point is no C++
        csmith = (*_SIZE, "--lang-cpp", *random.choice(((), ("--cpp11",))))
    flags = [random.choice(OPTIMISATIONS)]
    flags += widths(target, random) if compiler != "clang" else ()
    flags += random.choice(_FLAGS) if compiler != "clang" else ()
    flags += ["-g"] if random.random() < 0.3 else []
    flags += ["-fstack-protector-all"] if random.random() < 0.2 else []
    level = random.choice(("values", "values", "values", "addresses"))
    hooks = random.choice(_HOOKS if level == "values" else ("hostile", "empty"))
    counter, driver = random.random() < 0.7, random.random() < 0.05
    place = random.choice(tuple(PLACES))
    functions = random.random() < 0.3
    if random.random() < 0.3:
        hooks, counter, driver, functions = RECORD, False, False, False
    return Manner(csmith, compiler, tuple(flags), place, hooks, level, counter, driver, functions)


def widths(target: str, random: Random) -> tuple[str, ...]:
    """Return options that change which instructions gcc chooses."""
    chosen = random.choice(WIDTHS[target])
    return (f"-mcpu={PROCESSOR}",) if is_chosen(target) else chosen


def without_failing(manner: Manner) -> Manner:
    """Return a manner for POWER10 without the option with which plain programs fail.

    GNU ld 2.40 makes direct calls of those by -fno-plt: to where functions have set up a TOC
    pointer, which code without one does not have.
    """
    return replace(manner, flags=tuple(flag for flag in manner.flags if flag != "-fno-plt"))


def recorded(manner: Manner) -> Manner:
    """Return a manner for a program that is recorded for re-execution."""
    return replace(
        manner,
        hooks=RECORD,
        level=LOADS,
        counter=False,
        driver=False,
        functions=False,
    )
