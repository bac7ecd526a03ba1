"""What an STF trace shows must be possible: an emulator's own run is, and a changed one is not."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from emulated import Step, run, stf

from inst.check import check_trace
from inst.formats.stf.record import make_instruction
from inst.formats.stf.trace import StfTrace

HEADER = "||OPTIONS: 0 | TRACE: t | VERSION: {}|\n"
STATE = (
    " ".join(f"R{n:02d} = {n * 0x1000:08x}" for n in range(32)) + "\n"
    + " ".join(f"F{n:02d} = {0:016x}" for n in range(32)) + "\n"
)  # fmt: skip
NOP, SC, BLR, BCTR = 0x60000000, 0x44000002, 0x4E800020, 0x4E800420
ADD, ADDI, LIS, ORI, NEG = 0x7C642A14, 0x38640010, 0x3C608000, 0x6083FFFF, 0x7C6400D0
SUBF, RLWINM, SRAWI, CNTLZW, MULLW = 0x7C642850, 0x5483103A, 0x7C832670, 0x7C830034, 0x7C6429D6
LBZ, LHA, STWU, LWZUX, MFLR, MTCTR = (
    0x88640000, 0xA8640000, 0x9421FFF0, 0x7C64286E, 0x7C6802A6, 0x7C8903A6,
)  # fmt: skip
PADDI, PLBZ, PLD = 0x06000001_38640010, 0x06000001_88640000, 0x04100000_E4640010
B, BL, BDNZ, BEQ = 0x48000010, 0x48000011, 0x4200FFF8, 0x41820010

Row = tuple[int, int, dict[str, int], dict[str, int]]
"""Address, word, status registers before, registers after."""


def findings(
    rows: list[Row], version: str = "SNOOP 2", chunk: int = 1 << 20
) -> list[tuple[str, int, str]]:
    """Return code, instruction and severity of what is found."""
    texts = [
        make_instruction(pc, word, "x", status=status, registers=after).text.decode()
        for pc, word, status, after in rows
    ]
    data = (HEADER.format(version) + STATE + "".join(texts)).encode()
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    report = check_trace(StfTrace("t", chunks), ("well-formed",))
    assert report.error is None
    return [(f.code, f.record - 2, f.severity) for f in report.findings]


def status(lr: int = 0x900, ctr: int = 2, codes: int = 0x20000000) -> dict[str, int]:
    return {"XER": 0, "MSR": 0, "CTR": ctr, "LNK": lr, "CCR": codes, "MQ": 0, "FPSCR": 0}


def one(word: int, after: dict[str, int], following: int = 0x404, **then: int) -> list[Row]:
    """Return an instruction between two others, and what the status is after it."""
    first: Row = (0x3FC, NOP, status(), {"R00": 0})
    return [first, (0x400, word, status(), after), (following, NOP, status(**then), {})]


CASES = [
    # right and wrong: the word, registers after it, where the next one is, the status then
    (one(ADD, {"R03": 0x9000}), one(ADD, {"R03": 0x9001})),
    (one(ADD, {"R03": 0x9000}), one(ADD, {})),
    (one(ADDI, {"R03": 0x4010}), one(ADDI, {"R03": 0x4011})),
    (one(LIS, {"R03": 0x80000000}), one(LIS, {"R03": 0x8000})),
    (one(ORI, {"R03": 0x4FFF | 0xF000}), one(ORI, {"R03": 0xFFFE})),
    (one(NEG, {"R03": 0xFFFFC000}), one(NEG, {"R03": 0x4000})),
    (one(SUBF, {"R03": 0x1000}), one(SUBF, {"R03": 0xFFFFF000})),
    (one(RLWINM, {"R03": 0x10000}), one(RLWINM, {"R03": 0x10004})),
    (one(SRAWI, {"R03": 0x400}), one(SRAWI, {"R03": 0x4000})),
    (one(CNTLZW, {"R03": 17}), one(CNTLZW, {"R03": 18})),
    (one(MULLW, {"R03": 0x1400_0000}), one(MULLW, {"R03": 0x1400})),
    (one(LBZ, {"R03": 0xFF}), one(LBZ, {"R03": 0x100})),
    (one(PLBZ, {"R03": 0xFF}, 0x408), one(PLBZ, {"R03": 0x100}, 0x408)),
    (one(LHA, {"R03": 0xFFFF8000}), one(LHA, {"R03": 0x8000})),
    (one(STWU, {"R01": 0xFF0}), one(STWU, {"R01": 0x1010})),
    (one(LWZUX, {"R03": 7, "R04": 0x9000}), one(LWZUX, {"R03": 7, "R04": 0x4000})),
    (one(MFLR, {"R03": 0x900}), one(MFLR, {"R03": 0x904})),
    (one(MTCTR, {}, ctr=0x4000), one(MTCTR, {}, ctr=3)),
]
WAYS = [
    (one(NOP, {}), one(NOP, {}, 0x408)),
    (one(PADDI, {"R03": 0x14010}, 0x408), one(PADDI, {"R03": 0x14010})),
    (one(PLD, {"R03": 5}, 0x408), one(PLD, {"R03": 5}, 0x40C)),
    (one(B, {}, 0x410), one(B, {})),
    (one(BL, {}, 0x410, lr=0x404), one(BL, {}, 0x414, lr=0x404)),
    (one(BEQ, {}, 0x410), one(BEQ, {}, 0x414)),
    (one(BEQ, {}, 0x410), one(BEQ, {})),
    (one(BEQ ^ 1 << 24, {}), one(BEQ ^ 1 << 24, {}, 0x410)),
    (one(BDNZ, {}, 0x3F8, ctr=1), one(BDNZ, {}, ctr=1)),
    (one(BLR, {}, 0x900), one(BLR, {}, 0x904)),
    (one(BCTR, {}, 0), one(BCTR, {}, 4)),
]


@pytest.mark.parametrize("chunk", [50, 1 << 20])
@pytest.mark.parametrize(
    ("code", "right", "wrong"),
    [("stf-result", *case) for case in CASES] + [("stf-flow", *case) for case in WAYS],
)
def test_each_rule(code: str, right: list[Row], wrong: list[Row], chunk: int) -> None:
    assert findings(right, chunk=chunk) == []
    assert findings(wrong, chunk=chunk) == [(code, 1, "error")]


def test_what_branches_leave_in_lr_and_ctr() -> None:
    assert findings(one(BL, {}, 0x410, lr=0x408)) == [("stf-result", 1, "error")]
    assert findings(one(BDNZ, {}, 0x3F8, ctr=2)) == [("stf-result", 1, "error")]


def test_system_calls_may_return_anywhere() -> None:
    assert findings(one(SC, {}, 0x9000)) == []


def test_a_handler_begins_where_the_stack_pointer_moves_by_itself() -> None:
    handler = {"R01": 0x500, "R03": 10}
    assert findings(one(ADD, handler, 0x9000, lr=0x100)) == []
    for word, after in ((STWU, handler), (ADD, {"R01": 0x500, "R03": 0x100})):
        found = [code for code, _, _ in findings(one(word, after, 0x9000))]
        assert found == ["stf-flow", "stf-result"]


def test_what_is_not_recorded_is_not_judged() -> None:
    assert findings([(0x400, ADD, {}, {}), (0x404, NOP, {}, {})]) == []
    zeros = dict.fromkeys(status(), 0)
    for word, following in ((BEQ, 0x410), (BEQ, 0x404), (BLR, 0x9000), (BCTR, 0x9000)):
        assert findings([(0x400, word, zeros, {"R00": 0}), (following, NOP, zeros, {})]) == []
    elsewhere = [(0x400, NOP, {}, {}), (0x900, NOP, {}, {})]
    assert findings(elsewhere) == [("stf-flow", 0, "warning")]


def test_traces_of_accesses_only_are_not_judged() -> None:
    assert findings(one(ADD, {"R03": 1}, 0x900), version="inst 1.0") == []


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory, require: Callable[..., None]) -> list[Step]:
    require("qemu-ppc", "powerpc-linux-gnu-gcc")
    return run("ppc32", tmp_path_factory.mktemp("execution"))


@pytest.mark.parametrize("everything", [False, True])
def test_an_emulated_run_is_possible(steps: list[Step], everything: bool) -> None:
    assert judged(steps, everything) == []


def judged(steps: list[Step], everything: bool = False) -> list[tuple[str, int]]:
    report = check_trace(StfTrace("t", [stf(steps, everything=everything)]), ("well-formed",))
    assert report.error is None
    return [(f.code, f.record - 2) for f in report.findings if f.code != "stf-state"]


def test_a_changed_sum_and_a_left_out_step_are_found(steps: list[Step]) -> None:
    """Where an addition's result is changed, or a step is missing, that step is reported."""
    chance = random.Random(1)
    sums = [n for n, step in enumerate(steps[:-2]) if step.word >> 26 == 14]
    for place in chance.sample(sums, 8):
        target, following = f"r{steps[place].word >> 21 & 31}", steps[place + 1]
        changed = following.registers | {target: following.registers[target] ^ 0x40}
        wrong = Step(following.pc, following.word, changed)
        assert ("stf-result", place) in judged([*steps[: place + 1], wrong, *steps[place + 2 :]])
    plain = [n for n, step in enumerate(steps[1:-2], 1) if steps[n + 1].pc == step.pc + 4]
    for place in chance.sample(plain, 8):
        assert ("stf-flow", place - 1) in judged([*steps[:place], *steps[place + 1 :]])
