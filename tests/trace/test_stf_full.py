"""The text of executed instructions, read line by line, has the registers that there were."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from inst.formats.stf import full
from inst.formats.stf.full import Bound, FullWriter, Selection
from inst.formats.stf.record import STATUS
from inst.replay.executed import Executed
from inst.replay.library import Unit
from inst.replay.machine import BETWEEN, WRITTEN

GENERAL, FLOATING = ([f"{bank}{n:02d}" for n in range(32)] for bank in "RF")
OURS = {"XER": "xer", "CTR": "ctr", "LNK": "lr", "CCR": "cr", "FPSCR": "fpscr"}
NAMES = [*GENERAL, *FLOATING, *OURS, "other"]
UNITS = (
    *(Unit(f"{bank}{n}", 0) for bank in "rf" for n in range(32)),
    *(Unit(name, 0) for name in OURS.values()),
    Unit("v3", 64),
)
WORDS = (0x7C632214, 0x80640004, 0x48000010)
"""add, lwz, b"""


@dataclass
class Step:
    """An instruction: what changed before it in other code, what it changed itself."""

    thread: int
    pc: int
    word: int
    before: list[tuple[int, int]]
    own: list[tuple[int, int]]
    accesses: list[tuple[int, int, int]]
    state: dict[str, int] = field(default_factory=dict)
    """The registers of its thread when it is executed."""


def _changes(chance: random.Random, most: int, often: float) -> list[tuple[int, int]]:
    if chance.random() > often:
        return []
    few = [0, 1, 2, 31, 32, 33, 63, *range(64, len(UNITS))]
    return [
        (chance.choice(few), chance.choice((0, 1, 0x80000000, chance.getrandbits(64))))
        for _ in range(chance.randint(1, most))
    ]


def _steps(chance: random.Random, count: int) -> list[Step]:
    steps, thread = [], 0
    often = chance.choice((0.0, 0.05, 0.5))
    for _ in range(count):
        if chance.random() < 0.02:
            thread = 1 - thread
        pc = 0x1000 + 4 * chance.randrange(50)
        accesses = [
            (chance.getrandbits(32), chance.getrandbits(16), 2 | chance.choice((0, WRITTEN)))
            for _ in range(chance.choice((0, 0, 1, 2)))
        ]
        before, own = _changes(chance, 3, often), sorted(dict(_changes(chance, 3, 0.8)).items())
        steps.append(Step(thread, pc, WORDS[pc // 4 % 3], before, own, accesses))
    return steps


def _execute(steps: list[Step], bits: int) -> None:
    """Let each instruction have the registers before it."""
    held = [dict.fromkeys([*GENERAL, *FLOATING, *STATUS], 0) for _ in range(2)]
    for step in steps:
        mine = held[step.thread]
        for changes, keeps in ((step.before, True), (step.own, False)):
            for number, value in changes:
                wide = NAMES[number][0] == "F" and NAMES[number] != "FPSCR"
                if NAMES[number] in mine:
                    mine[NAMES[number]] = value & (1 << (64 if wide else bits)) - 1
            if keeps:
                step.state = dict(mine)


def _batches(chance: random.Random, steps: list[Step]) -> Iterator[Executed]:
    """Yield the instructions in pieces, each of one thread."""
    at = 0
    while at < len(steps):
        end = at + chance.choice((1, 2, 7, 100))
        piece = steps[at:end]
        same = next((n for n, step in enumerate(piece) if step.thread != piece[0].thread), None)
        piece = piece[:same]
        at += len(piece)
        changes = [
            (row, number | between, value)
            for row, step in enumerate(piece)
            for listed, between in ((step.before, BETWEEN), (step.own, 0))
            for number, value in listed
        ]
        # what comes before the next instruction may be known already
        rest = steps[at] if at < len(steps) and steps[at].thread == piece[0].thread else None
        if rest and rest.before and chance.random() < 0.5:
            changes += [(len(piece), number | BETWEEN, value) for number, value in rest.before]
            rest.before = []
        accesses = [(row, *one) for row, step in enumerate(piece) for one in step.accesses]
        yield Executed(
            piece[0].thread,
            np.array([step.pc for step in piece], "u8"),
            np.array([step.word for step in piece], "u4"),
            *(_column(changes, n, kind) for n, kind in enumerate(("u4", "u4", "u8"))),
            *(_column(accesses, n, kind) for n, kind in enumerate(("i8", "u8", "u8", "u4"))),
        )


def _column(rows: list[tuple[int, ...]], number: int, kind: str) -> np.ndarray:
    return np.array([row[number] for row in rows], kind)


def _written(seed: int, selection: Selection, arch: str, pieces: int) -> tuple[str, list[Step]]:
    chance = random.Random(seed)
    steps = _steps(chance, chance.choice((1, 20, 300)))
    _execute(steps, 64 if arch == "ppc64" else 32)
    output = io.BytesIO()
    writer = FullWriter(output, "a", selection, UNITS, arch)
    for executed in _batches(random.Random(f"{seed} {pieces}"), steps):
        writer.take(executed)
    writer.finish()
    return output.getvalue().decode(), steps


SELECTIONS = {
    "all": Selection(),
    "part": Selection(start=Bound(5), stop=Bound(150)),
    "general": Selection(floating=False, status=False),
    "floating": Selection(general=False, status=False),
    "memory": Selection(memory=True),
    "whole": Selection(whole=True, memory=True),
    "thread": Selection(thread=1),
}


@pytest.mark.parametrize("name", SELECTIONS)
@pytest.mark.parametrize("arch", ["ppc", "ppc64"])
@pytest.mark.parametrize("seed", range(6))
def test_registers_before_each_instruction(seed: int, arch: str, name: str) -> None:
    """Reading the lines in order gives what its thread's registers were."""
    selection = SELECTIONS[name]
    text, steps = _written(seed, selection, arch, 0)
    assert text.partition("\n")[0].endswith(f" | arch: {arch}|")
    first, last = selection.start.number or 0, selection.stop.number
    wanted = [
        step
        for step in steps[first:last]
        if selection.thread is None or step.thread == selection.thread
    ]
    lines = text.splitlines()
    assert lines[0].startswith("||OPTIONS: 0 | TRACE: a")
    held: dict[str, int] = {}
    accesses: list[tuple[int, int, int]] = []
    reached = iter(wanted)
    step = None
    for line in lines[1:]:
        pairs = re.findall(r"([A-Z0-9]+) = ([0-9a-z]+)", line)
        assert line == " ".join(f"{key} = {value}" for key, value in pairs)
        if pairs[0][0] == "PCN":
            if step and selection.memory:
                assert accesses == step.accesses
            step, accesses = next(reached), []
            values = dict(pairs)
            assert (int(values["PCN"], 16), int(values["OPC"], 16)) == (step.pc, step.word)
            known = {key: value for key, value in held.items() if _is_selected(key, selection)}
            assert known == {key: step.state[key] for key in known}
            assert (
                len(known) == 32 * (selection.general + selection.floating) + 7 * selection.status
            )
        elif pairs[0][0] in ("LDA", "STA"):
            (kind, address), (_, value) = pairs
            size = len(value) // 2 | (WRITTEN if kind == "STA" else 0)
            accesses.append((int(address, 16), int(value, 16), size))
        else:
            held |= {key: int(value, 16) for key, value in pairs}
    assert next(reached, None) is None


def _is_selected(key: str, selection: Selection) -> bool:
    if key in STATUS:
        return selection.status
    return selection.general if key[0] == "R" else selection.floating


@pytest.mark.parametrize("name", SELECTIONS)
@pytest.mark.parametrize("seed", range(20, 24))
def test_pieces_make_no_difference(seed: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is the same however many instructions come, or are written, at a time."""
    texts = {_written(seed, SELECTIONS[name], "ppc", pieces)[0] for pieces in range(4)}
    assert len(texts) == 1
    monkeypatch.setattr(full, "_PER_WRITE", 5)
    assert {_written(seed, SELECTIONS[name], "ppc", 0)[0]} == texts
