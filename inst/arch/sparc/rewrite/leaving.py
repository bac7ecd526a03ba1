"""What is inserted where SPARC code loads the stack pointer and still reads the stack it leaves.

The loaded value is saved in a frame on the old stack (`inst.rewrite.leaving`).
"""

from __future__ import annotations

from inst.arch.sparc.rewrite.site import call_sequence, in_place_of, in_use, saving, site_of
from inst.asm.operands import split_operands
from inst.flow.code import statement_error
from inst.isa.model import Access, Transfer
from inst.rewrite.context import Rewriting, event_of, is_simple
from inst.rewrite.leaving import Leaving

_WINDOWED = tuple(f"{bank}{n}" for bank in "lo" for n in range(0, 6, 2))
_MOVE, _DECODED = "inst.move", "inst.rare.after"


def can_stay(work: Rewriting, index: int) -> bool:
    """Return whether hooks can stay on the stack that an instruction leaves."""
    access = work.code.facts[index].access
    live = work.liveness.before[index] | work.liveness.after[index]
    return not in_use(work, live) and (access is None or _is_whole(work, access))


def begin(work: Rewriting, index: int, address: str) -> None:
    """Rewrite an instruction that sets the stack pointer so that it does not change.

    `address` puts the effective address of a load into the site's register.
    """
    fact, site = work.code.facts[index], site_of(work)
    edit = work.edit(index)
    if fact.access is not None:
        edit.instead = "; ".join(_loaded(work, index, address))
        return
    statement = work.code.at(index)
    operands = [*split_operands(statement.operands)[:-1], f"%{site.address}"]
    edit.instead = "; ".join(
        [
            f"{statement.name} {','.join(operands)}",
            f"add %sp,-{site.frame},%sp",
            f"{site.store} %{site.address},{_place(work, 0)}",
        ]
    )


def _is_whole(work: Rewriting, access: Access) -> bool:
    """Return whether an access loads the stack pointer, or it and %o7, and nothing else."""
    site = site_of(work)
    sizes = (site.width,) if site.wide else (4, 8)
    return is_simple(access) and not access.asi and access.size in sizes


def _place(work: Rewriting, number: int) -> str:
    """Return a word of the frame: the new stack pointer, or a saved register."""
    site = site_of(work)
    return f"[%sp+{site.kept_at + number * site.width}]"


def _loaded(work: Rewriting, index: int, address: str) -> list[str]:
    """Return the load with its probe: into another register, and from there into the frame."""
    fact, site = work.code.facts[index], site_of(work)
    registers, access = work.isa.registers, fact.access
    assert access is not None
    pair = access.size > site.width
    involved = fact.uses | fact.defs
    name = next((one for one in _WINDOWED if not registers.bit[one] & involved), "")
    if not name:
        raise statement_error(work.code, index, "no register is free for this access's probe")
    other = f"{name[0]}{int(name[1]) + 1}"
    used = [name, other] if pair else [name]
    live = work.liveness.after[index]
    saved = saving(work, live, involved | registers.mask(*used), index)
    label = work.mark_site(index, event_of(access), access.size)
    mnemonic = work.code.at(index).name
    load = f"{mnemonic} [%{site.address}],%{name}"
    in_frame = [(one, _place(work, n)) for n, one in enumerate(used, 1)]
    return [
        address,
        f"add %sp,-{site.frame},%sp",
        *(f"{site.store} %{one},{place}" for one, place in in_frame),
        in_place_of(work, label, work.code.text(index), load),
        *saved.save,
        f"call {_DECODED}{saved.flags}",
        "nop",
        *saved.restore,
        f"{site.store} %{name},{_place(work, 0)}",
        *([f"mov %{other},%o7"] if pair else []),
        *(f"{site.load} {place},%{one}" for one, place in in_frame),
    ]


def end(work: Rewriting, region: Leaving, frames: bool) -> None:
    """Load the stack pointer with the saved value; report it to the library with `frames`."""
    site, position = site_of(work), work.code.statement[region.end]
    sequence = [f"{site.load} {_place(work, 0)},%sp"]
    fact = work.code.facts[region.end]
    slot = work.code.facts[region.end + 1 : region.end + 2] if fact.delay_slot else []
    in_slot = any(one.access is not None for one in slot)
    if frames and not (region.at_transfer and in_slot):
        live = work.liveness.before[region.end]
        sequence += call_sequence(work, region.end, _MOVE, live, f"mov %fp,%{site.address}")
    if region.at_transfer and fact.transfer != Transfer.NONE:
        work.edits.at(position).before += sequence
    else:
        work.edit(region.end - 1).after += sequence
