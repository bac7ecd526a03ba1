"""What probes need to know of the code: found once, when every form has been opened."""

from __future__ import annotations

from inst.flow.liveness import find_liveness
from inst.rewrite import marks, ordering, small_data
from inst.rewrite.context import Rewriting
from inst.rewrite.reservations import leaves_reservation, open_reservations
from inst.rewrite.source_file import NeedsWholeFile, UsesSmallData
from inst.rewrite.writer import Writer


def analyse(work: Rewriting) -> None:
    """Find what is live, what orders threads, and where probes may share what they save.

    Raises NeedsWholeFile or UsesSmallData where the file has to be translated in another way.
    """
    code, isa = work.code, work.isa
    work.file.refuse_crossing_labels(work.whole)
    _find_live(work)
    work.reserved = open_reservations(code)
    if work.file.labels is not None and leaves_reservation(code, work.reserved):
        raise NeedsWholeFile  # its conditional store may stand in another part
    work.orders = ordering.find_orders(code, isa) if work.records_values else {}
    if not work.options.keep_registers:
        isa.part(Writer).share_saved(work)
    _find_small_data(work)


def _find_live(work: Rewriting) -> None:
    """Find what is live; registers that the user wants saved everywhere count as live."""
    registers, options = work.isa.registers, work.options
    work.liveness = found = find_liveness(work.whole, work.isa, registers.mask(*options.dropped))
    always = registers.special if options.keep_conditions else 0
    always |= registers.link if options.keep_registers else 0
    if always:
        found.before = [live | always for live in found.before]
        found.after = [live | always for live in found.after]
    work.marked = marks.find_marks(work.code)
    marks.keep_all(work.marked, found, work.isa)


def _find_small_data(work: Rewriting) -> None:
    wanted = work.options.small_data
    if not wanted and small_data.reads_register(work.whole, work.isa):
        raise UsesSmallData
    work.small_data = wanted and small_data.base(work.isa) != 0
    if work.small_data:
        table = work.file.table
        table.on_small_data |= small_data.counts_on_register(work.whole, work.isa)
