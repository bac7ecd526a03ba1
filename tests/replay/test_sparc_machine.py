"""What the interpreter does for SPARC besides instructions: windows, delay slots, what is fed."""

from __future__ import annotations

import numpy as np
import pytest

from inst.arch.sparc.words.accesses import ROWS, access_of
from inst.arch.sparc.words.recorded import RECORDED
from inst.replay.machine import CONTINUED, WRITTEN, Machine, Reason
from inst.target.targets import TARGETS
from inst.words.access import READ, WRITE

CODE, DATA, STACK = 0x1000, 0x20000, 0x80000
SAVE, RESTORE, TA_3, NOP = 0x9DE3BFA0, 0x81E80000, 0x91D02003, 0x01000000
"""save %sp,-96,%sp; restore; ta 3; nop."""


def made(*words: int, target: str = "sparc-v8") -> Machine:
    machine = Machine(TARGETS[target])
    machine.add_code(CODE, b"".join(word.to_bytes(4) for word in words))
    machine.go_to(CODE)
    machine.set_register("o6", STACK)
    return machine


def window(first: int) -> bytes:
    return b"".join(n.to_bytes(4) for n in range(first, first + 16))


def test_a_window_below_the_first_is_asked_for() -> None:
    machine = made(RESTORE)
    machine.set_register("i6", DATA)
    machine.set_register("o0", 1)
    stop = machine.run()
    assert stop[:4] == (Reason.WINDOW_UNDERFLOW, CODE, RESTORE, 0)
    assert (stop.address, stop.size) == (DATA, 64)
    assert machine.register("o0") == 1
    machine.write(DATA, window(100))
    assert machine.run().executed == 1
    assert (machine.register("o6"), machine.register("l0")) == (DATA, 100)
    assert machine.register("i7") == 115


def test_a_window_below_the_first_is_recorded() -> None:
    machine = made(RESTORE, RESTORE)
    machine.set_sites([CODE, CODE + 4])
    machine.set_feed(np.full(16, CODE), np.arange(16))
    assert machine.run()[:4] == (Reason.FEED_END, CODE + 4, RESTORE, 1)
    assert [machine.register(f"l{n}") for n in range(8)] == [*range(8)]
    assert [machine.register(f"i{n}") for n in range(8)] == [*range(8, 16)]


@pytest.mark.parametrize("target", ["sparc-v8", "sparc-v9"])
@pytest.mark.parametrize("depth", [1, 63, 64, 200])
def test_a_jump_leaves_the_windows_of_other_code_that_calls_back(depth: int, target: str) -> None:
    """Code calls other code, that calls it back, and so on; the last jumps back to one of them.

    There are 64 windows that are not in memory.
    """
    machine = made(NOP, target=target)
    for n in range(depth):
        machine.set_register("l0", n)
        machine.set_register("i6", STACK - 400 * n + 400)
        machine.enter_window()
        assert machine.register("i6") == STACK - 400 * n, "what is called begins below its caller"
        machine.set_register("o6", STACK - 400 * n - 400)
    for n in (depth // 2, 0):
        machine.leave_windows(STACK - 400 * n)
        assert (machine.register("o6"), machine.register("l0")) == (STACK - 400 * n, n)


def test_a_new_window_is_unwritten() -> None:
    machine = made(SAVE)
    machine.run()
    unwritten = [f"l{n}" for n in range(8)] + [f"o{n}" for n in range(8) if n != 6]
    assert all(machine.is_unwritten(name) for name in unwritten)
    assert not any(machine.is_unwritten(name) for name in ("g1", "i0", "o6", "i6"))
    assert machine.register("l3") != 0
    assert (machine.register("i6"), machine.register("o6")) == (STACK, STACK - 96)


@pytest.mark.parametrize("depth", (5, 200))
def test_windows_are_stored_where_the_stack_has_them(depth: int) -> None:
    machine = made(*[SAVE] * depth, TA_3, *[RESTORE] * depth)
    for n in range(8):
        machine.set_register(f"l{n}", 50 + n)
    stop = machine.run(depth + 1)
    assert stop.reason == Reason.LIMIT
    assert (machine.state.kept, machine.state.stored) == (0, depth)
    assert machine.read(STACK, 32) == b"".join((50 + n).to_bytes(4) for n in range(8))
    assert machine.read(STACK - 96 * depth, 4) is None
    machine.write(STACK + 4, (7).to_bytes(4))
    assert machine.run()[:3] == (Reason.OUTSIDE, CODE + 4 * (2 * depth + 1), 0)
    assert [machine.register(f"l{n}") for n in range(3)] == [50, 7, 52]
    assert (machine.register("o6"), machine.state.stored) == (STACK, 0)


def test_an_exchange_takes_its_value_from_the_feed() -> None:
    casa = 0xC5E2500A  # casa [%o1]128, %o2, %g2, with the space below
    machine = made(casa & ~(0xFF << 5) | 0x80 << 5)
    machine.set_sites([CODE])
    machine.set_reported([CODE])
    columns = [np.zeros(2, "u8") for _ in range(3)]
    kinds = np.zeros(2, "u4")
    for held, rows in ((5, 2), (6, 1)):
        machine.go_to(CODE)
        machine.set_register("o1", DATA)
        machine.set_register("o2", 5)
        machine.set_register("g2", 9)
        machine.set_feed(np.array([CODE]), np.array([held]))
        machine.set_outputs(*columns, kinds)
        assert machine.run().executed == 1
        assert machine.register("g2") == held
        assert machine.output_count == rows
        assert machine.read(DATA, 4) == (9 if rows == 2 else held).to_bytes(4)
    assert columns[2].tolist() == [6, 9]
    assert kinds.tolist() == [4, WRITTEN | CONTINUED | 4]


def test_a_delay_slot_may_be_outside() -> None:
    ba, bn_annulled = 0x10800040, 0x20800000  # ba .+0x100; bn,a .
    machine = made(ba)
    stop = machine.run()
    assert (stop.reason, stop.pc, machine.state.npc) == (Reason.OUTSIDE, CODE + 4, CODE + 0x100)
    machine.add_code(CODE + 4, NOP.to_bytes(4))
    stop = machine.run()
    assert (stop.reason, stop.pc, stop.executed) == (Reason.OUTSIDE, CODE + 0x100, 1)
    machine = made(bn_annulled)
    stop = machine.run()
    assert (stop.reason, stop.pc, machine.state.npc) == (Reason.OUTSIDE, CODE + 8, CODE + 12)


def test_code_goes_on_in_the_next_piece() -> None:
    ba_annulled = 0x30800003  # ba,a .+12
    machine = made(NOP, ba_annulled)
    machine.add_code(CODE + 16, NOP.to_bytes(4))
    machine.add_code(CODE + 20, NOP.to_bytes(4) * 2)
    assert machine.run()[:4] == (Reason.OUTSIDE, CODE + 28, 0, 5)


def test_blocks_are_of_eight_numbers() -> None:
    stda, ldda = 0xC1BA2000, 0xE19A2000  # stda %f0, [%o0] %asi; ldda [%o0] %asi, %f16
    machine = made(stda, ldda, stda | 8 << 25)
    machine.state.asi = 0xF0
    machine.set_register("o0", DATA)
    machine.state.f[:16] = [*range(100, 116)]
    stop = machine.run()
    assert stop[:4] == (Reason.UNKNOWN_INSTRUCTION, CODE + 8, stda | 8 << 25, 2)
    assert machine.read(DATA, 64) == window(100)
    assert [machine.register(f"f{n}") for n in range(16, 32)] == [*range(100, 116)]
    machine.set_register("o0", DATA + 8)
    machine.go_to(CODE)
    assert machine.run().reason == Reason.TRAP


def test_traps_have_reasons() -> None:
    found = [made(0x91D02000 | n).run().reason for n in (0x10, 0x6D, 1)]
    assert found == [Reason.SYSTEM_CALL, Reason.SYSTEM_CALL, Reason.TRAP]
    assert made(0x81D02010).run().executed == 1  # tn 0x10
    assert made(0x80704000).run().reason == Reason.TRAP  # udiv %g1, %g0, %g0
    assert made(0xC0086001).run().reason == Reason.UNKNOWN_MEMORY  # ldub [%g1 + 1], %g0
    assert made(0xC0006001).run().reason == Reason.TRAP  # ld [%g1 + 1], %g0
    divided = made(0x89A0C9A5)  # fdivs %f3, %f5, %f4
    divided.state.fsr = 1 << 24 | 1 << 23  # of divisions by zero and inexact results
    divided.state.f[3] = 0x3F800000
    assert divided.run().reason == Reason.TRAP
    assert made(0x81A00000).run().reason == Reason.UNKNOWN_INSTRUCTION


def test_what_is_not_a_function_of_the_state_is_recorded() -> None:
    machine = made(0x83410000, target="sparc-v9")  # rd %tick, %g1
    assert machine.run().reason == Reason.UNKNOWN_INSTRUCTION
    machine.set_sites([CODE])
    machine.set_feed(np.array([CODE]), np.array([42]))
    assert machine.run().executed == 1
    assert machine.register("g1") == 42


def test_stores_have_loads_that_restore() -> None:
    restores, thread_word = RECORDED.restores, RECORDED.thread_word
    assert restores
    stores = {
        code: row for code, row in ROWS.items() if row.what == WRITE and row.mnemonic != "stm"
    }
    words = 3 << 30 | 5 << 25 | np.array([*stores]) << 19 | 9 << 14 | 1 << 13 | 8
    for store, word in zip(stores.values(), restores(words).tolist(), strict=True):
        load = access_of(word)
        assert load and (load.what, load.algebraic) == (READ, False)
        assert load.mnemonic.replace("ld", "st", 1).replace("u", "") == store.mnemonic
        assert word & ~(0x3F << 19) == 3 << 30 | 5 << 25 | 9 << 14 | 1 << 13 | 8
    ld, ldx = 0xC201FFF0, 0xC259E010  # ld [%g7 - 16], %g1; ldx [%g7 + 16], %g1
    assert [thread_word(word, 32) for word in (ld, ldx, ld ^ 1 << 14)] == [-16, None, None]
    assert [thread_word(word, 64) for word in (ld, ldx, ldx ^ 1 << 13)] == [None, 16, None]
