"""The site ABIs of SPARC: what sites pass to glue and how they save registers, for each ABI.

V8: GCC never uses %g5 and %g6 and a call may change both, so both are free inside one
inserted sequence; %o7 is saved in %g6, where entries leave it for later sites of the same basic
block.  V9: only %g6 is free, for %g5 is an ordinary register there; where %o7 is live and an
address is passed, %o7 is saved in a register that is dead there.  If none is, the site makes a
frame for it, whose first 128 bytes a window spill may use at any moment, and the entry releases
the frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.flow.code import Code
from inst.flow.liveness import dead_registers
from inst.isa.model import Isa, RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.straight import Line


@dataclass(frozen=True, slots=True)
class Site:
    """One site ABI: what sites and the entries they call agree on (`inst.glue`)."""

    address: str
    """Register in which the entry finds the effective address."""
    scratch: tuple[str, ...]
    """Registers that sites and entries change."""
    keep: tuple[str, ...]
    """Instructions that put %o7 where the entry finds it (flag `k`)."""
    makes_frame: bool
    """Whether `keep` makes a frame of `frame` bytes, which the entry releases."""
    keep_alone: tuple[str, ...]
    """The same where the entry gets no address: the address register holds it."""
    kept_value: str
    """The value register's name for an entry when it is %o7, and saved."""
    displaced: tuple[str, ...]
    """Registers that hold something else after `keep` and the call."""
    frame: int
    """Bytes of a frame that a site makes for what has no register."""
    kept_at: int
    """Distance from %sp to the first free bytes in it: after what belongs to the window spill,
    and in 32-bit code to callees."""
    width: int
    """Bytes of an integer register."""
    store: str
    load: str
    """What stores and loads one."""
    spare: tuple[str, ...]
    """Global registers that code may use without asking the assembler."""
    bias: int
    """What is added to %sp to get the stack's address."""
    wide: bool
    """Integer registers have 64 bits: pairs of them, and other spaces, are decoded in C."""
    declaration: str
    """The directive that the assembler requires once in a file that uses `scratch`."""


_BIAS = 2047
_WIDE_FRAME = 192
_WIDE_KEPT = _BIAS + 176

SITES = {
    "v8": Site(
        address="g5",
        scratch=("g5", "g6"),
        keep=("mov %o7,%g6",),
        makes_frame=False,
        keep_alone=("mov %o7,%g6",),
        kept_value="g6",
        displaced=("o7",),
        frame=112,
        kept_at=96,
        width=4,
        store="st",
        load="ld",
        spare=("g1", "g2", "g3", "g4"),
        bias=0,
        wide=False,
        declaration="",
    ),
    "v9": Site(
        address="g6",
        scratch=("g6",),
        keep=(f"add %sp,-{_WIDE_FRAME},%sp", f"stx %o7,[%sp+{_WIDE_KEPT}]"),
        makes_frame=True,
        keep_alone=("mov %o7,%g6",),
        kept_value="o7",
        displaced=("o7", "o6"),
        frame=_WIDE_FRAME,
        kept_at=_WIDE_KEPT,
        width=8,
        store="stx",
        load="ldx",
        spare=("g1", "g4", "g5"),
        bias=_BIAS,
        wide=True,
        declaration=".register %g6,#scratch",
    ),
}
"""Site ABI by `Isa.abi`."""


def site_of(work: Rewriting) -> Site:
    """Return the site ABI of a file."""
    return SITES[work.isa.abi]


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a site saves the registers that are live around its call."""

    keep: tuple[str, ...]
    """Instructions before the call."""
    flags: str
    """What the entry's name ends with."""
    displaced: RegisterSet
    """Registers that an instruction in the call's slot cannot use."""
    link: str = "o7"
    """The value register's name for an entry where the program's is %o7."""
    give_back: tuple[str, ...] = ()
    """Instructions after the call and its slot."""


def keeping(
    work: Rewriting, live: RegisterSet, avoid: RegisterSet | None = None, at: int | None = None
) -> Keeping:
    """Return what a site does where `live` is live around its call.

    With `at` it stands before that instruction, and may share what it saves with others.
    Where the site ABI asks for a frame, %o7 may also be saved in a register that is dead there:
    none of `avoid`, which the site's other instructions use. None: the entry has to know %o7.
    """
    registers, site = work.isa.registers, site_of(work)
    special = bool(live & registers.special)
    flags = ".x" if special else ""
    if not live & registers.link:
        return Keeping((), flags, registers.link)
    if site.makes_frame and avoid is not None:
        dead = dead_registers(work.isa, live, avoid)
        if dead:
            keep, give_back = (f"mov %o7,%{dead[0]}",), (f"mov %{dead[0]},%o7",)
            return Keeping(keep, flags, registers.link, dead[0], give_back)
    flags = ".xk" if special else ".k"
    line, there = work.link_kept, False
    if line is not None and at is not None:
        there = line.reaches(at)
        line.leave(at)
    return Keeping(
        () if there else site.keep, flags, registers.mask(*site.displaced), site.kept_value
    )


def link_kept(code: Code, isa: Isa) -> Line | None:
    """Return where sites find %o7 saved by earlier ones, or None if each has to save it."""
    site = SITES.get(isa.abi)
    if site is None or site.makes_frame:
        return None
    return Line(code, isa.registers.link | isa.registers.mask(*site.scratch))


def call_sequence(
    work: Rewriting,
    index: int,
    entry: str,
    live: RegisterSet,
    slot: str = "nop",
    ahead: bool = False,
) -> list[str]:
    """Return a call of glue for something else than an access, where `live` is live.

    `ahead` says that it stands before instruction `index`, not after it.
    Where the file's own value in a register of the site's would be lost it is saved on the stack,
    as %o7 is then.
    """
    # What stands in the slot uses no register that is dead here, but for the site's own.
    shared = index if ahead and not in_use(work, live) else None
    site, kept = site_of(work), keeping(work, live, None if slot == "nop" else 0, shared)
    if not in_use(work, live) or (slot == "nop" and not kept.keep):
        keep = site.keep_alone if kept.keep and slot == "nop" else kept.keep
        return [*keep, f"call {entry}{kept.flags}", slot, *kept.give_back]
    plain = keeping(work, live & ~work.isa.registers.link)
    places = [f"[%sp+{site.kept_at + site.width * n}]" for n in range(len(site.scratch) + 1)]
    waiting = list(zip((*site.scratch, "o7"), places, strict=True))
    return [
        f"add %sp,-{site.frame},%sp",
        *(f"{site.store} %{name},{place}" for name, place in waiting),
        f"call {entry}{plain.flags}",
        slot,
        *(f"{site.load} {place},%{name}" for name, place in waiting),
        f"add %sp,{site.frame},%sp",
    ]


def in_place_of(work: Rewriting, label: str, original: str, instead: str) -> str:
    """Return an access that runs in the place of the program's own, which is before it.

    The program's own never runs.  It is there for hooks that read the instruction at the address
    that they are passed: the decoder passes that of this one (`runtime/sparc/instead.h`).
    """
    past = work.edits.new_label()
    return f"ba,a {past}; {label}: {original}; {past}: {instead}"


def in_use(work: Rewriting, live: RegisterSet) -> bool:
    """Return whether a register that sites may change is the program's own here."""
    scratch = work.isa.registers.mask(*site_of(work).scratch)
    return bool(live & scratch & work.mentioned) and work.options.check_registers


def declare_registers(work: Rewriting) -> None:
    """Declare the registers used to the assembler, once, on a line that exists already."""
    site = SITES.get(work.isa.abi)
    if site is None or not site.declaration or work.file.declared or not work.edits.by_statement:
        return
    work.file.declared = True
    declared = any(
        statement.name == ".register" and statement.operands.startswith(f"%{name}")
        for statement in work.code.statements
        for name in site.scratch
    )
    if not declared:
        first = min(work.edits.by_statement)  # an instruction, or what describes the one before
        place = max((one for one in work.code.statement if one <= first), default=first)
        work.edits.at(place).before.insert(0, site.declaration)
