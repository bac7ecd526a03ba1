"""How SPARC's sites save registers around their call, by the site ABI of the file."""

from __future__ import annotations

from inst.arch.sparc.sites import SITES, Site
from inst.dataclass import dataclass
from inst.flow.liveness import dead_registers
from inst.isa.model import RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.shared_save import SharedSave

SPILLED = "g1"
"""The register that is saved in a frame where none is dead."""


def site_of(work: Rewriting) -> Site:
    """Return the site ABI of a file."""
    return SITES[work.isa.abi]


@dataclass(frozen=True, slots=True)
class Saving:
    """How a site saves the registers that are live around its call."""

    save: tuple[str, ...]
    """Instructions before the call."""
    flags: str
    """What the entry's name ends with."""
    displaced: RegisterSet
    """Registers that an instruction in the call's slot cannot use."""
    link: str = "o7"
    """The value register's name for an entry where the program's is %o7."""
    restore: tuple[str, ...] = ()
    """Instructions after the call and its slot."""


def saving(
    work: Rewriting, live: RegisterSet, avoid: RegisterSet | None = None, at: int | None = None
) -> Saving:
    """Return what a site does where `live` is live around its call.

    With `at` it stands before that instruction, and may share what it saves with others.
    Where the site ABI asks for a frame, %o7 may also be saved in a register that is dead there:
    none of `avoid`, which the site's other instructions use. None: the entry has to know %o7.
    """
    registers, site = work.isa.registers, site_of(work)
    special = bool(live & registers.special)
    flags = ".x" if special else ""
    if not live & registers.link:
        return Saving((), flags, registers.link)
    if site.makes_frame and avoid is not None:
        dead = dead_registers(work.isa, live, avoid)
        if dead:
            keeper = dead[0]
            around = (f"mov %o7,%{keeper}",), (f"mov %{keeper},%o7",)
            return Saving(around[0], flags, registers.link, keeper, around[1])
    flags = ".xk" if special else ".k"
    shared = work.shared_link is not None and at is not None and work.shared_link.take(at)
    save = () if shared else site.keep
    return Saving(save, flags, registers.mask(*site.displaced), site.kept_value)


def share_link(work: Rewriting) -> None:
    """Let sites find %o7 saved by earlier ones, unless each has to save it.

    Code that records inline changes the register that holds it.
    """
    registers, site = work.isa.registers, SITES.get(work.isa.abi)
    if site is not None and not site.makes_frame and not work.options.record:
        changed = registers.link | registers.mask(*site.scratch)
        work.shared_link = SharedSave(work.code, changed)


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
    site, saved = site_of(work), saving(work, live, None if slot == "nop" else 0, shared)
    if not in_use(work, live) or (slot == "nop" and not saved.save):
        save = site.keep_alone if saved.save and slot == "nop" else saved.save
        return [*save, f"call {entry}{saved.flags}", slot, *saved.restore]
    plain = saving(work, live & ~work.isa.registers.link)
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


def spill(work: Rewriting) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return code that saves `SPILLED` in a frame of its own, and what undoes that."""
    site = site_of(work)
    place = f"[%sp+{site.kept_at}]"
    return (
        (f"add %sp,-{site.frame},%sp", f"{site.store} %{SPILLED},{place}"),
        (f"{site.load} {place},%{SPILLED}", f"add %sp,{site.frame},%sp"),
    )


def in_place_of(work: Rewriting, label: str, original: str, instead: str) -> str:
    """Return an access that runs in the place of the program's own, which is before it.

    The program's own never runs.  It is there for hooks that read the instruction at the address
    that they are passed: the decoder passes that of this one (`runtime/sparc/instead.h`).  `bn,a`
    annuls just the next instruction; compilers write `ba,a`, which may have the same distance.
    """
    past = work.edits.new_label()
    return f"bn,a {past}; {label}: {original}; {past}: {instead}"


def in_use(work: Rewriting, live: RegisterSet) -> bool:
    """Return whether a register that sites may change is the program's own here."""
    scratch = work.isa.registers.mask(*site_of(work).scratch)
    return bool(live & scratch & work.mentioned) and work.options.check_registers


def declare_registers(work: Rewriting) -> None:
    """Declare the registers that the inserted code uses, on a line that exists already.

    A declaration counts from its line on.  Compilers write theirs at the first use of a register,
    which may be later; the same may be said twice.
    """
    names, edits = site_of(work).declared, work.edits.by_statement
    if not names or not edits:
        return
    statements, known = work.code.statements, work.file.declared
    own: dict[str, int] = {}
    for number, statement in enumerate(statements):
        if statement.name == ".register":
            own.setdefault(statement.operands[1:3], number)
    texts = [text for edit in edits.values() for text in edit.texts()]
    used = [name for name in names if any(f"%{name}" in text for text in texts)]
    missing = [name for name in used if name not in known]
    known.update(missing, own)
    if not missing:
        return
    first = min(edits)  # an instruction, or what describes the one before
    place = max((one for one in work.code.statement if one <= first), default=first)
    added = []
    for name in missing:
        at = own.get(name)
        if at is None or at >= place:
            operands = f"%{name},#scratch" if at is None else statements[at].operands
            added.append(f".register {operands}")
    if added:
        work.edits.at(place).before[:0] = added
