"""What is inserted where PowerPC code loads r1 and still reads the stack it leaves.

The loaded value is saved in a frame on the old stack (`inst.rewrite.leaving`), below the red
zone of 64-bit code.  A register that is no operand is saved there as well: it receives what
r1 would, and holds lr around the probe before that.  The program's own load is where hooks look
for the instruction of an event, but never runs.
"""

from __future__ import annotations

from inst.arch.powerpc.rewrite.site import Plan, address_into, flags_of, number, site_of
from inst.asm.operands import split_operands
from inst.dataclass import dataclass
from inst.flow.code import statement_error
from inst.isa.model import Access
from inst.rewrite.context import Rewriting, event_of, is_reported, is_simple
from inst.rewrite.leaving import Leaving


@dataclass(frozen=True, slots=True)
class _Frame:
    """The frame in which values are saved."""

    size: int
    store: str
    load: str
    update: str
    new: int
    """Where the new stack pointer is; the words after it are for registers."""
    width: int

    def place(self, number: int) -> str:
        """Return a word of it as an operand."""
        return f"{self.new + number * self.width}(1)"

    def made(self) -> str:
        """Return the instruction that makes it, with a back chain."""
        return f"{self.update} 1,-{self.size}(1)"


_FRAMES = {
    32: _Frame(48, "stw", "lwz", "stwu", 16, 4),
    64: _Frame(672, "std", "ld", "stdu", 112, 8),
}
_CARRIERS = ("r12", "r11")


def can_stay(work: Rewriting, index: int) -> bool:
    """Return whether hooks can stay on the stack that an instruction leaves.

    It must move a register to r1, or be an ordinary load of all its bytes; and nothing may be
    stored while a reservation is open.
    """
    access = work.code.facts[index].access
    if access is None or index in work.reserved:
        return access is None and index not in work.reserved
    text = work.code.text(index)
    plain = is_reported(access) and is_simple(access) and "@" not in text
    return plain and access.size == work.isa.bits // 8 and work.code.facts[index].length == 4


def begin(work: Rewriting, index: int) -> None:
    """Rewrite an instruction that sets r1 so that r1 does not change."""
    site = site_of(work)
    if work.code.facts[index].access is None:
        _begin_move(work, index)
    elif site.is_free:
        _begin_load(work, index, address_into(work, index, Plan(site, "r13", (), (), "")))
    else:
        _begin_load(work, index, [])


def _begin_move(work: Rewriting, index: int) -> None:
    """Rewrite a move of a register into r1 so that r1 does not change."""
    frame = _FRAMES[work.isa.bits]
    taker = _free(work, index, 1)[0][1:]
    statement = work.code.at(index)
    text = f"{statement.name} {','.join([taker, *split_operands(statement.operands)[1:]])}"
    work.edit(index).instead = "; ".join(
        [
            frame.made(),
            f"{frame.store} {taker},{frame.place(1)}",
            text,
            f"{frame.store} {taker},{frame.place(0)}",
            f"{frame.load} {taker},{frame.place(1)}",
        ]
    )


def _begin_load(work: Rewriting, index: int, address: list[str]) -> None:
    """Rewrite a load of r1, with its probe, so that r1 does not change.

    `address` puts the effective address into r13; without it, this computes it into a carrier.
    """
    frame, fact = _FRAMES[work.isa.bits], work.code.facts[index]
    access = fact.access
    assert access is not None
    taker, *carriers = _free(work, index, 1 if address else 2)
    carrier = carriers[0] if carriers else "r13"
    name = f".a{carrier[1:]}" if carriers else ""
    event = f"{event_of(access)}.{taker}" if work.values else "rare"
    call = f"bl inst.{event}{name}{flags_of(work, work.liveness.after[index])}"
    load = f"{frame.load} {taker[1:]},0({carrier[1:]})"
    original = _unrun(work, index)
    waiting = [(one[1:], frame.place(n)) for n, one in enumerate((taker, *carriers), 2)]
    work.edit(index).instead = "; ".join(
        [
            *address,
            frame.made(),
            *(f"{frame.store} {one},{place}" for one, place in waiting),
            f"mflr {taker[1:]}",
            f"{frame.store} {taker[1:]},{frame.place(1)}",
            *([] if address else [_carried(access, carrier[1:], frame)]),
            *([load, *original, call] if work.values else [call, *original, load]),
            f"{frame.store} {taker[1:]},{frame.place(0)}",
            f"{frame.load} {taker[1:]},{frame.place(1)}",
            f"mtlr {taker[1:]}",
            *(f"{frame.load} {one},{place}" for one, place in waiting),
        ]
    )


def _unrun(work: Rewriting, index: int) -> list[str]:
    """Return the program's own load, which never runs: hooks are passed its address."""
    access = work.code.facts[index].access
    assert access is not None
    label, past = work.mark_site(index, event_of(access), access.size), work.edits.new_label()
    return [f"b {past}", f"{label}: {work.code.text(index)}", f"{past}:"]


def _free(work: Rewriting, index: int, count: int) -> list[str]:
    """Return registers that are no operands; one that is to carry an address comes last."""
    fact, bit = work.code.facts[index], work.isa.registers.bit
    involved = fact.uses | fact.defs
    takers = [name for name in ("r10", "r9", "r8", "r7") if not involved & bit[name]]
    carriers = [name for name in _CARRIERS if not involved & bit[name]]
    if not takers or not carriers:
        raise statement_error(work.code, index, "no register is free for this access's probe")
    return [takers[0], carriers[0]][:count]


def _carried(access: Access, carrier: str, frame: _Frame) -> str:
    """Return the instruction that puts an address into a carrier, after the frame is made."""
    base, index = number(access.base), number(access.index)
    if access.index is None and access.base is None:
        return f"li {carrier},{access.offset or 0}"
    if access.index is None:
        more = f"+{frame.size}" if base == "1" else ""
        return f"addi {carrier},{base},{access.offset or 0}{more}"
    if access.base is None:
        return f"mr {carrier},{index}"
    if base == "1" or index == "1":
        other = index if base == "1" else base
        return f"addi {carrier},1,{frame.size}; add {carrier},{carrier},{other}"
    return f"add {carrier},{base},{index}"


def end(work: Rewriting, region: Leaving, frames: bool) -> None:
    """Load r1 with the saved value; frames are not reported to PowerPC's libraries."""
    frame = _FRAMES[work.isa.bits]
    text = f"{frame.load} 1,{frame.place(0)}"
    if region.at_transfer:
        work.edit(region.end).before.append(text)
    else:
        work.edit(region.end - 1).after.append(text)
