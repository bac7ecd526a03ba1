"""Code cut into basic blocks: runs of instructions with the one that transfers control.

What is in a block before its terminator is folded into one gen and one kill set, so that a
data-flow analysis costs two operations a block and visit.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping

from inst.dataclass import dataclass
from inst.flow.code import ENDS_BLOCK, Code
from inst.flow.hidden import Demand, Way
from inst.isa.model import Facts, RegisterSet, Transfer

NOWHERE = -1


@dataclass(slots=True)
class Leads:
    """What is live where a block's terminator goes: some of what is live in a block, and more."""

    block: int = NOWHERE
    preserved: RegisterSet = 0
    live: RegisterSet = 0
    falls: bool = False
    """It may also fall through."""


@dataclass(slots=True)
class Block:
    """A basic block: its instructions, what they read and write, and where it leads."""

    first: int
    end: int
    """Index after what is folded: of the terminator, if there is one."""
    terminator: int = NOWHERE
    slot: int = NOWHERE
    gen: RegisterSet = 0
    kill: RegisterSet = 0
    taken: int = NOWHERE
    """Block of the direct target; `NOWHERE` if that is unknown."""
    jumps: tuple[int, ...] = ()
    """Blocks to which its computed jump goes; empty: that is unknown, or it has none."""
    falls: int = NOWHERE
    ways: tuple[tuple[int, RegisterSet], ...] = ()
    """Blocks it may lead to unseen from anywhere, and the registers that arrive unchanged."""
    demand: RegisterSet = 0
    """What is live at each instruction whatever follows."""
    leads: Leads | None = None
    """Found by the analysis once it is here."""


def find_blocks(code: Code, ways: list[Way], demands: list[Demand]) -> list[Block]:
    """Cut the code into blocks and connect them."""
    facts = code.facts
    targets = [
        code.target(i) if _stays_in_function(fact) else NOWHERE for i, fact in enumerate(facts)
    ]
    tables = code.jump_tables()
    leaders = set(targets).union(*(table.targets for table in tables.values()))
    leaders.update(index for way in ways for index in (way.first, way.end, way.target))
    leaders.update(index for demand in demands for index in (demand.first, demand.end))
    blocks: list[Block] = []
    start = 0
    for end in code.section_end:
        _cut_section(facts, start, end, leaders, blocks)
        start = end
    block_at = {block.first: number for number, block in enumerate(blocks)}
    ends = set(code.section_end)
    for block in blocks:
        _connect(block, targets, block_at, ends, facts)
        if block.terminator in tables:
            block.jumps = tuple(block_at[at] for at in tables[block.terminator].targets)
    _connect_unseen(blocks, ways, demands)
    return blocks


def settle(
    blocks: list[Block],
    live: list[RegisterSet],
    before: Callable[[Block], RegisterSet],
    elsewhere: Iterable[int] = (),
    further: Mapping[int, Iterable[int]] | None = None,
) -> None:
    """Solve a backward analysis: change `live`, by block, until it is what is live before each.

    `before` computes that of a block from what `live` has for the blocks after it, which are those
    that the block names and, where it does not know where it jumps, `elsewhere`; and those that
    `further` has for the number of the block.
    """
    predecessors: list[list[int]] = [[] for _ in blocks]
    for number, block in enumerate(blocks):
        unseen = {target for target, _ in block.ways}
        others = further.get(number, ()) if further else ()
        followers = {block.taken, block.falls, *block.jumps, *unseen, *elsewhere, *others}
        for follower in followers - {NOWHERE}:
            predecessors[follower].append(number)
    pending = list(range(len(blocks)))
    queued = [True] * len(pending)
    while pending:
        number = pending.pop()
        queued[number] = False
        found = before(blocks[number])
        if found != live[number]:
            live[number] = found
            for predecessor in predecessors[number]:
                if not queued[predecessor]:
                    queued[predecessor] = True
                    pending.append(predecessor)


def _connect_unseen(blocks: list[Block], ways: list[Way], demands: list[Demand]) -> None:
    """Add to the blocks the ways that no branch shows."""
    if not ways and not demands:
        return
    firsts = [block.first for block in blocks]
    for way in ways:
        target = bisect_right(firsts, way.target) - 1
        for block in _within(blocks, firsts, way.first, way.end):
            block.ways = (*block.ways, (target, way.preserved))
    for demand in demands:
        for block in _within(blocks, firsts, demand.first, demand.end):
            block.demand |= demand.live


def _within(blocks: list[Block], firsts: list[int], first: int, end: int) -> list[Block]:
    """Return the blocks that have some of the instructions from `first` up to `end`."""
    return blocks[max(bisect_right(firsts, first) - 1, 0) : bisect_left(firsts, end)]


def _stays_in_function(fact: Facts) -> bool:
    """Return whether the target is in the same function: branches, and calls that read the PC.

    Compilers give functions names of their own and call `.L` labels only to learn where
    they are.
    """
    if fact.transfer == Transfer.CALL:
        return fact.target.startswith(".L")
    return fact.transfer == Transfer.BRANCH


def _cut_section(
    facts: list[Facts], start: int, end: int, leaders: set[int], blocks: list[Block]
) -> None:
    index = start
    while index < end:
        block = Block(first=index, end=end)
        gen = kill = 0
        while index < end:
            fact = facts[index]
            if fact.transfer in ENDS_BLOCK or fact.window:
                break
            if index != block.first and index in leaders:
                break
            gen |= fact.uses & ~kill
            kill |= fact.defs
            index += 1
        block.end, block.gen, block.kill = index, gen, kill
        cut_by_label = index != block.first and index in leaders
        if index < end and not cut_by_label:
            index = _take_terminator(block, facts, index, end)
        blocks.append(block)


def _take_terminator(block: Block, facts: list[Facts], index: int, end: int) -> int:
    """Make instruction `index` the block's last; return where the next block starts."""
    fact = facts[index]
    block.terminator = index
    if not fact.runs_slot or index + 1 >= end:
        return index + 1
    block.slot = index + 1
    return index + 2


def _connect(
    block: Block, targets: list[int], block_at: dict[int, int], ends: set[int], facts: list[Facts]
) -> None:
    last = block.terminator if block.terminator >= 0 else block.end - 1
    following = (block.slot if block.slot >= 0 else last) + 1
    if following not in ends:
        block.falls = block_at.get(following, NOWHERE)
    if block.terminator >= 0 and _stays_in_function(facts[block.terminator]):
        block.taken = block_at.get(targets[block.terminator], NOWHERE)
