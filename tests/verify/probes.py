"""What may stand between the input's instructions: probes, and what they may do.

A probe computes the effective address with the access's own operands, may save the link
register meanwhile, and calls glue once for each access, by the name of what the access does.
It writes to no memory but a frame of its own, past what the program may keep below its
stack pointer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from inst.asm.operands import split_operands
from inst.isa.model import Access, Form, Transfer

from .knowledge import LEAST_WIDE_FRAME, STACK_BIAS, Address, Report, report_of
from .listing import Instruction, Listing
from .recording import Buffer

if TYPE_CHECKING:
    from .walk import Walk

_LETTER = {1: "b", 2: "h", 4: "w", 8: "d", 16: "q"}
_NO_ACCESS = re.compile(
    r"inst\.((window|room|save|move|unreported)(\.a1[12])?|(enter|leave)(\.f|\.i6)?)(\.[xk]+)?"
)
"""Calls of glue that report no access, and leave everything but the link register as it was."""
_NEUTRAL_SLOT = re.compile(r"nop|mov %fp,%(g[56])|mov -\d+,%g[56]|or %(g[56]),%pc10\([^()]+\),%\2")


def is_neutral_slot(text: str) -> bool:
    """Return whether an instruction is what fills the slot of such a call."""
    return _NEUTRAL_SLOT.fullmatch(text) is not None


_DISTANCE = re.compile(
    r"(li %r12,|(lis |addi %r12,)%r12,\()\.Linst\d+-\.Linst\d+(\)@(ha|l))?"
    r"|sethi %pc22\(\.Linst\d+-4\),%g[56]"
)
"""What puts a function's distance into the register of a call where it is entered or left."""
_WINDOWED = re.compile(r"%(?:[oil][0-7]|sp|fp)\b")
"""Registers that are others after a `restore`."""
LINK_HOME = 16
"""Where above the stack pointer 64-bit PowerPC has a doubleword for a return address."""
_LOWERED = "the lowered stack pointer"


@dataclass(frozen=True, slots=True)
class Probe:
    """How far a probe has got."""

    address: Address | None = None
    """What the address register holds."""
    carried: tuple[tuple[str, Address], ...] = ()
    """What other registers hold that an entry's name may say have the address."""
    announced: tuple[Report, Address | None] | None = None
    """A report whose access has not run yet."""
    waiting: int = -1
    """An access that has run and is not reported yet."""
    moved: Access | None = None
    """What it reads like where it ran, if that is another register window."""
    frame: int = 0
    """Bytes by which the stack pointer has been lowered."""
    saved: tuple[int, ...] = ()
    """Offsets in that frame where registers are saved."""
    link: str = ""
    """Register that the link register is saved in."""
    copies: tuple[tuple[str, str], ...] = ()
    """Registers that hold what others do: a jump reads one instead of what a moved load
    overwrites, and the link register waits in one."""
    restored: bool = False
    """Whether the register window of a `return` has been restored before it."""
    buffer: Buffer = field(default_factory=Buffer)
    """How far code that records has got."""

    @property
    def open(self) -> str:
        """What is not finished; "" if a path may end here."""
        if self.announced:
            return "a report without its access"
        if self.waiting >= 0:
            return "an access without its report"
        if self.restored:
            return "a register window restored without its return"
        return "a frame is left on the stack" if self.frame else ""


NO_PROBE = Probe()


def at_core(walk: Walk, index: int, probe: Probe, ours: Instruction) -> Probe:
    """Go on over one of the input's own instructions, which is `ours` in the output."""
    theirs = walk.old.instructions[index]
    facts = ours.facts if is_in_old_window(theirs, ours) else theirs.facts
    access = facts.access
    may_be_lowered = walk.known.carriers or walk.known.link_frame
    if probe.frame and (not may_be_lowered or (walk.recording and access is None)):
        walk.complain(index, "it runs while a probe has lowered the stack pointer")
    if probe.waiting >= 0:
        walk.complain(probe.waiting, "its report does not follow it")
    if facts.system_call and walk.known.system_calls:
        return _system_call(walk, index, probe)
    if access is None or index in walk.unreported:
        return _past(walk, index, probe)
    if probe.announced:
        _check(walk, index, access, *probe.announced)
        return NO_PROBE
    if is_taken_away(walk, index, access):
        return NO_PROBE
    return Probe(
        address=probe.address,
        carried=probe.carried,
        waiting=index,
        moved=None if facts is theirs.facts else access,
        link=probe.link,
        frame=probe.frame,
        saved=probe.saved,
        restored=probe.restored,
        copies=probe.copies,
    )


def at_recorded(walk: Walk, index: int, probe: Probe, ours: Instruction) -> Probe:
    """Go on over an access of the input that is in a block, or follows from what is."""
    if probe.frame:
        walk.complain(index, "it runs while a probe has lowered the stack pointer")
    return _past(walk, index, probe)


def is_taken_away(walk: Walk, index: int, access: Access) -> bool:
    """Return whether the linker may make a nop of an access: part of a call through the PLT."""
    operands = walk.old.instructions[index].operands
    return access.linker_rewrites and walk.known.may_store and not re.search("@(tls|got)", operands)


def from_table(walk: Walk, access: Access) -> bool:
    """Return whether an access is a load that the linker may make an addition of."""
    if not access.load:
        return False
    name, _, suffix = access.offset.partition("@")
    if walk.known.may_store and access.index is not None:
        return False  # @tls: it stays an access
    if walk.known.carriers and suffix.startswith("got"):
        return True
    return access.linker_rewrites or (suffix in ("toc", "toc@l") and name in walk.table)


def _system_call(walk: Walk, index: int, probe: Probe) -> Probe:
    """Go on over a system call: the decoder is called before and after, without an address."""
    before = walk.old.instructions[index - 1].facts if index else None
    if before is not None and before.delay_slot:
        return probe  # not reported: see runtime/README.md
    if not probe.announced or probe.announced[0].event != "rare":
        walk.complain(index, "no report before this system call")
    return replace(NO_PROBE, waiting=index)


def is_in_old_window(theirs: Instruction, ours: Instruction) -> bool:
    """Return whether `ours` is what `theirs`, after a `restore`, reads like before it."""
    if theirs.facts.access is None:
        return False
    if theirs.text() == ours.text():
        return _WINDOWED.search(ours.text()) is None
    named = re.sub(r"%o([0-7])", r"%i\1", theirs.text()).replace("%sp", "%fp")
    return named.replace("%i6", "%fp") == ours.text() or named == ours.text()


def _past(walk: Walk, index: int, probe: Probe) -> Probe:
    """Go on over an instruction that touches no memory."""
    facts = walk.old.instructions[index].facts
    if facts.window < 0 and facts.transfer == Transfer.RETURN:
        probe = replace(probe, restored=False)
    if probe.announced:
        used = probe.announced[1] or ()
        changed = walk.known.names(facts.defs)
        if facts.transfer == Transfer.NONE or any(register in changed for register in used):
            walk.complain(index, "it stands between a report and its access")
        return probe
    if facts.transfer in (Transfer.NONE, Transfer.TRAP):
        saved = probe.address is not None and probe.address[0] == _link(walk)
        return replace(NO_PROBE, address=probe.address if saved else None)
    return replace(NO_PROBE, address=probe.address, link=probe.link)


def at_inserted(walk: Walk, index: int, ours: Instruction, probe: Probe) -> Probe | None:
    """Go on over an instruction that is not the input's; None if it must not be there."""
    if reports_no_access(ours):
        return _without_access(walk, index, ours, probe)
    report = report_of(ours, walk.values)
    if report is not None:
        return _reported(walk, index, report, probe)
    if ours.facts.access is not None:
        return _stack_access(walk, index, ours, probe)
    if ours.facts.window < 0 and not ours.operands and not probe.restored:
        return replace(probe, restored=True)
    if not ours.facts.defs and ours.facts.transfer == Transfer.NONE:
        return probe
    if _DISTANCE.fullmatch(ours.text()):
        return probe
    moved = _link_moved(walk, ours, probe)
    if moved is not None:
        return moved
    computed = walk.known.computed(ours)
    if computed is None:
        walk.complain(index, f"inserted and not understood: {ours.text()}")
        return None
    register, value = computed
    if register == walk.known.stack:
        if walk.known.link_frame and not probe.frame:
            if value != (register, str(-walk.known.link_frame)):
                walk.complain(index, f"inserted, and no lawful frame: {ours.text()}")
            return replace(probe, frame=walk.known.link_frame)
        if not probe.frame or value != (register, str(probe.frame)):
            walk.complain(index, f"inserted, and changes the stack pointer: {ours.text()}")
        return replace(probe, frame=0, saved=())
    if walk.known.carriers:
        return _carried(walk, probe, register, value)
    if register == walk.known.address_register:
        if probe.frame and walk.known.link_frame and walk.known.stack in value:
            walk.complain(index, f"inserted, and sees the lowered stack pointer: {ours.text()}")
        if probe.frame and walk.known.may_store and walk.known.stack in value:
            value = (value[0], _without(value[1], probe.frame))
        return replace(probe, address=_joined(probe.address, value))
    if register in walk.known.scratch:
        return probe
    copies = dict(probe.copies)
    if register == _link(walk) and copies.get(value[0]) == register:
        del copies[value[0]]
    else:
        copies[register] = value[0]
    return replace(probe, copies=tuple(copies.items()))


def _carried(walk: Walk, probe: Probe, register: str, value: Address) -> Probe:
    """Take an address into one of several registers; the frame's back chain may be part of it."""
    chain = (walk.known.stack, "0")
    known = dict(probe.carried)
    held = known.get(value[0], ("", ""))
    if probe.frame and walk.known.stack in value:
        value = _exchanged(value, walk.known.stack, _LOWERED)
    elif _LOWERED in held and value[1] == str(probe.frame):
        value = _exchanged(held, _LOWERED, walk.known.stack)
    value = _before_update(walk, probe, value)
    value = (
        walk.known.stack if known.get(value[0]) == chain else value[0],
        walk.known.stack if known.get(value[1]) == chain else value[1],
    )
    return replace(probe, carried=tuple({**known, register: value}.items()))


def _exchanged(value: Address, old: str, new: str) -> Address:
    """Return an address with one part for another."""
    first, second = value
    return (new if first == old else first), (new if second == old else second)


def _before_update(walk: Walk, probe: Probe, value: Address) -> Address:
    """Return an updated base as the address that it is, by the registers before the update."""
    if probe.waiting >= 0:
        access = walk.old.instructions[probe.waiting].facts.access
        if access is not None and access.update and value == (access.base, "0"):
            return value[0], access.index or access.offset
    return value


def reports_no_access(ours: Instruction) -> bool:
    """Return whether an instruction is the call of glue for a count or a turn of the window."""
    return _NO_ACCESS.fullmatch(ours.facts.target) is not None


def passed_number(listing: Listing, place: int) -> int | None:
    """Return how many accesses a call of glue counts; None for any other instruction."""
    if not listing.instructions[place].facts.target.startswith("inst.unreported"):
        return None
    before = listing.instructions[place - 1]
    return int(split_operands(before.operands)[1]) if before.name == "li" else None


def takes_link_in_register(ours: Instruction) -> bool:
    """Return whether glue without an address has the link register in that one's place."""
    return re.match(r"inst\.(window|room|restore)\b", ours.facts.target) is not None


def _without_access(walk: Walk, index: int, ours: Instruction, probe: Probe) -> Probe:
    """Take a call of glue that releases the frame of its own site, where there is one."""
    if not walk.known.link_frame:
        return probe
    flags = ours.facts.target.removeprefix("inst.").partition(".")[2]
    if takes_link_in_register(ours):
        saved = probe.address is not None and probe.address[0] == "o7"
        if "k" in flags and not saved:
            walk.complain(index, "an entry that restores a link register that was not saved")
        return replace(probe, address=None)
    if ("k" in flags) != bool(probe.frame) or ("k" in flags) != bool(probe.saved):
        walk.complain(index, "a frame for the link register, and an entry that knows of none")
    return replace(probe, frame=0, saved=())


def _joined(before: Address | None, value: Address) -> Address:
    """Put the two halves of a constant together."""
    if value[0] == "or" and before and before[0] == "sethi":
        return ("constant", before[1] + "|" + value[1])
    if value == ("sra", "0") and before and before[0] == "constant":
        return ("extended", before[1])
    return value


def _link_moved(walk: Walk, ours: Instruction, probe: Probe) -> Probe | None:
    """Follow the link register into a register and back."""
    link = walk.known.link
    if ours.facts.uses == link and walk.known.may_store:
        return replace(probe, link="".join(walk.known.names(ours.facts.defs)))
    if ours.facts.defs == link and probe.link in walk.known.names(ours.facts.uses):
        return replace(probe, link="")
    return None


def _stack_access(walk: Walk, index: int, ours: Instruction, probe: Probe) -> Probe | None:
    """Judge an inserted load or store: it may only use a frame of its own."""
    access, known = ours.facts.access, walk.known
    assert access is not None
    number = int(access.offset) if re.fullmatch(r"-?\d+", access.offset) else None
    if known.link_frame and access.store and access.base == known.stack and probe.frame:
        room = range(STACK_BIAS + LEAST_WIDE_FRAME, STACK_BIAS + probe.frame - 7)
        is_link = ours.facts.uses == known.link | known.mask(known.stack)
        if not (is_link or walk.recording) or number not in room:  # a name may be in another
            walk.complain(index, f"inserted, and no keeping of the link: {ours.text()}")
        return replace(probe, saved=(*probe.saved, number or 0))
    if walk.recording and access.load and access.base == known.stack and number in probe.saved:
        return probe
    lawful = known.may_store and access.base == known.stack and number is not None
    if not lawful or number is None:
        walk.complain(index, f"inserted, and accesses memory: {ours.text()}")
        return None
    if access.update and access.store:
        if probe.frame or number % 16 or -number < known.red_zone + known.linkage:
            walk.complain(index, f"inserted, and no lawful frame: {ours.text()}")
        return replace(probe, frame=-number)
    if number == LINK_HOME and not probe.frame and walk.agreed.compiled and known.carriers:
        return _link_home(walk, index, ours, probe)
    high = probe.frame - known.red_zone
    if access.store and not known.linkage <= number <= high - access.size:
        walk.complain(index, f"inserted, and writes what is not its own: {ours.text()}")
    if known.carriers and access.load and probe.frame and number == 0:
        chain = _before_update(walk, probe, (known.stack, "0"))
        carried = {**dict(probe.carried), access.value or "": chain}
        return replace(probe, carried=tuple(carried.items()))
    if access.load and number not in probe.saved:
        walk.complain(index, f"inserted, and loads what it has not saved: {ours.text()}")
    return replace(probe, saved=(*probe.saved, number))


def _link_home(walk: Walk, index: int, ours: Instruction, probe: Probe) -> Probe:
    """Follow lr into the caller's doubleword for it, or back: `contents` sees to the rest."""
    access = ours.facts.access
    assert access is not None
    if access.size != 8 or (access.store and probe.link != access.value):
        walk.complain(index, f"inserted, and no keeping of the link: {ours.text()}")
    return replace(probe, link=access.value or "")


def _reported(walk: Walk, index: int, report: Report, probe: Probe) -> Probe:
    """Take a call of glue."""
    if walk.known.carriers:
        carrier = walk.known.carriers.get(report.carrier, walk.known.address_register)
        probe = replace(probe, address=dict(probe.carried).get(carrier), carried=())
    if walk.known.link_frame:
        if report.saves_link != bool(probe.frame) or report.saves_link != bool(probe.saved):
            walk.complain(index, "a frame for the link register, and an entry that knows of none")
        probe = replace(probe, frame=0, saved=())
    if report.value == "ahead":
        return probe  # of an atomic access: where it stands among those of all threads
    if report.after:
        if probe.waiting < 0:
            walk.complain(index, f"reported without an access before: {report.event}")
        else:
            access = probe.moved or walk.old.instructions[probe.waiting].facts.access
            if access is not None:
                _check(walk, probe.waiting, access, report, probe.address)
            elif report.event != "rare":
                walk.complain(probe.waiting, f"reported as {report.event}")
        return replace(probe, waiting=-1, moved=None, address=None)
    if probe.announced:
        walk.complain(index, "two reports before one access")
    if dict(probe.copies).get(report.value) == _link(walk):
        report = replace(report, value=_link(walk))
    return replace(probe, announced=(report, probe.address), address=None)


def _link(walk: Walk) -> str:
    return "".join(walk.known.names(walk.known.link))


def _without(offset: str, frame: int) -> str:
    """Take the lowered stack pointer out of an offset; one that ignores it stands out."""
    tail = f"+{frame}"
    return offset[: -len(tail)] if offset.endswith(tail) else f"{offset} without {tail}"


def _check(walk: Walk, index: int, access: Access, report: Report, address: Address | None) -> None:
    """Hold a report against the access: what, and where."""
    if (report.event == "table") != from_table(walk, access):
        walk.complain(index, f"reported as {report.event}, which the linker may make wrong")
    if report.event == "table":
        has_base = not access.offset.endswith("@pcrel")
        if walk.known.may_store and has_base and address != (access.base or "0", "0"):
            walk.complain(index, f"reported with {address} as its base, which is {access.base}")
        return
    if report.event != "rare":
        event = ("st" if access.store else "ld") + _LETTER.get(access.size, "?")
        simple = access.form == Form.SIMPLE and not (access.load and access.store)
        values = ("", access.value, walk.known.stand_ins.get(access.value or "", ""))
        if report.event != event or not simple or report.value not in values:
            walk.complain(index, f"reported as {report.event} {report.value}")
        if walk.values and not report.value:
            walk.complain(index, "reported without its value")
    elif report.after and not walk.known.may_store:
        return  # the decoder reads the address from the instruction and what glue has saved
    expected = expected_address(walk, index, access)
    if not _is_address(walk, index, address, expected):
        walk.complain(index, f"reported at {address}, and lies at {expected}")


def _is_address(walk: Walk, index: int, address: Address | None, expected: Address) -> bool:
    """Return whether an address is the expected one, from the same place or as it stays."""
    if address is None or address == expected:
        return address == expected
    theirs = walk.old.instructions[index]
    return all(
        now == before or walk.measures.same(theirs, before, now)
        for before, now in zip(expected, address, strict=True)
    )


def expected_address(walk: Walk, index: int, access: Access) -> Address:
    """Return the two operands whose sum is the address, as the access writes them."""
    found = walk.old.instructions[index]
    if "@tls" in found.operands:
        return access.base or "0", split_operands(found.operands)[-1]
    offset = "".join(access.offset.split()) or "0"
    if access.base is None:
        return access.index or offset, "0"
    return access.base, access.index or offset
