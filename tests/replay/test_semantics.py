"""Each instruction of PowerPC does what the emulator does, on registers that show differences.

The emulator deviates from the architecture in what DEVIATES names; there it is not compared.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from pathlib import Path

import pytest

from inst.replay.library import Reason, load, rows_of
from inst.replay.machine import Machine
from inst.replay.model import Row
from inst.target.targets import TARGETS
from tests.replay.cases import ALIGNED_IN_ORDER, differences, interpreted, make
from tests.replay.executed import executed

POWERPC = ("ppc32", "ppc64", "ppc64le")
CLASS, CARRY_CLASS = 0x1F000, 0x10000
DEVIATES = {
    **dict.fromkeys(("fcfidu", "fcfids", "fcfidus", "fcfidu.", "fcfids.", "fcfidus."), CLASS),
    "fcmpo": CARRY_CLASS,
}
"""Row -> bits of FPSCR that the emulator does not set as the architecture has it."""
ELSEWHERE = ("sc", "mfspr", "mftb", "mftbu", "darn", "mtocrf", "mfocrf", "icbi", "dcbf", "dcbst",
             "stwcx.", "stbcx.", "sthcx.", "stdcx.", "mcrxr", "lq", "stq", "scv",
             "mtvscr", "vrldmi", "plq", "pstq", "vdivesw", "vdivesd", "vdiveuw",
             "xxgenpcvbm", "xxgenpcvhm", "xxgenpcvwm", "xxgenpcvdm")  # fmt: skip
"""Rows that few of these cases can be executed of: they stop, are given a value, or need operands
that random ones seldom are."""
QUICK, FULL = 2, 100


def comparable_rows(target: str) -> list[Row]:
    """Return the rows whose words this can execute: branches have tests of their own."""
    left_out = ALIGNED_IN_ORDER if target == "ppc64le" else ()
    return [
        row
        for row in rows_of(TARGETS[target])
        if not row.name.startswith(("b.", "bc", "bl"))
        and row.name not in ("b", "ba", "bla", "sc", "scv")
        if row.name not in left_out
    ]


def compare(target: str, count: int, seed: int, directory: Path) -> dict[str, Counter[str]]:
    """Execute cases of all rows; return for each what came of them."""
    rows = comparable_rows(target)
    cases = make(target, rows, count, seed)
    results = executed(target, cases, directory)
    machine = Machine(TARGETS[target])
    seen: dict[str, Counter[str]] = {row.name: Counter() for row in rows}
    wrong = []
    for place, (case, wanted) in enumerate(zip(cases, results, strict=True)):
        name = rows[place // count].name
        found, reason = interpreted(machine, case, int(wanted["pc"]))
        if wanted["signal"] or reason != Reason.LIMIT:
            seen[name][f"{wanted['signal']} {reason.name}"] += 1
            continue
        seen[name]["same"] += 1
        kept = ~DEVIATES.get(name, 0) & (1 << 64) - 1
        wanted, found = wanted.copy(), found.copy()
        wanted["fpscr"], found["fpscr"] = int(wanted["fpscr"]) & kept, int(found["fpscr"]) & kept
        wrong += [
            f"{name} {int(case['word']):#010x}: {line}" for line in differences(wanted, found)
        ]
    assert not wrong, "\n".join(wrong[:40])
    return seen


@pytest.mark.rotated("ppc64le")
@pytest.mark.parametrize("target", POWERPC)
def test_instructions_do_what_the_emulator_does(target: str, tmp_path: Path) -> None:
    compare(target, QUICK, 1, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("target", POWERPC)
def test_every_instruction_is_compared(target: str, tmp_path: Path) -> None:
    seen = compare(target, FULL, 2, tmp_path)
    if target != "ppc32":  # its emulated processor lacks some that others have
        missing = {name: dict(how) for name, how in seen.items() if how["same"] < 5}
        assert missing.keys() <= {*ELSEWHERE}, missing


@pytest.mark.parametrize("target", POWERPC)
def test_no_word_has_two_rows_unless_the_first_says_more(target: str) -> None:
    rows = [(*row.pattern, row.name) for row in rows_of(TARGETS[target])]
    for place, (mask, value, name) in enumerate(rows):
        for other_mask, other, other_name in rows[place + 1 :]:
            if (value ^ other) & mask & other_mask == 0:
                assert mask & other_mask == other_mask != mask, (name, other_name)


def test_words_without_a_row_are_unknown() -> None:
    library: ctypes.CDLL = load(TARGETS["ppc64"])
    for word in (0, 0x7C0007B9, 0x4C000064, 0x0400000060000000):
        assert library.inst_row(word) == -1
        machine = Machine(TARGETS["ppc64"])
        machine.add_code(0x1000, word.to_bytes(8 if word >> 32 else 4, "big"))
        machine.state.pc = 0x1000
        assert machine.run()[:4] == (Reason.UNKNOWN_INSTRUCTION, 0x1000, word, 0)


@pytest.mark.parametrize("target", POWERPC)
def test_hints_of_streams_do_nothing(target: str) -> None:
    # dst 5,4,0; dstt 5,4,0; dstst 5,4,1; dss 0; dssall
    words = (0x7C0522AC, 0x7E0522AC, 0x7C2522EC, 0x7C00066C, 0x7E00066C)
    order = TARGETS[target].byte_order
    machine = Machine(TARGETS[target])
    machine.add_code(0x1000, b"".join(word.to_bytes(4, order) for word in words))
    machine.state.pc = 0x1000
    assert machine.run(len(words))[:2] == (Reason.LIMIT, 0x1000 + 4 * len(words))
