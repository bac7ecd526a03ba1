"""The interpreter's own behaviour: feed, memory, outputs and why it stops, in few instructions."""

from __future__ import annotations

import numpy as np
import pytest

from inst.errors import InstError
from inst.replay.machine import BETWEEN, CONTINUED, WRITTEN, Machine, Reason
from inst.target.targets import TARGETS

CODE = 0x1000
LWZ, ADD, STW, BDNZ, SC = 0x80A60000, 0x7C632A14, 0x90660004, 0x4200FFF4, 0x44000002
"""lwz 5,0(6); add 3,3,5; stw 3,4(6); bdnz CODE; sc."""
LOOP = (LWZ, ADD, STW, BDNZ, SC)
DATA = 0x20000


@pytest.fixture(params=("ppc32", "ppc64le"))
def machine(request: pytest.FixtureRequest) -> Machine:
    return made(request.param, LOOP)


def made(target: str, words: tuple[int, ...]) -> Machine:
    """Return a machine at the first of these words, which holds nothing but 6: DATA, ctr: 3."""
    found = Machine(TARGETS[target])
    found.add_code(CODE, b"".join(word.to_bytes(4, TARGETS[target].byte_order) for word in words))
    found.state.pc = CODE
    found.state.g[6] = DATA
    found.state.ctr = 3
    return found


def stored(machine: Machine, number: int) -> bytes:
    return number.to_bytes(4, machine.target.byte_order)


def test_an_unknown_load_stops_and_goes_on(machine: Machine) -> None:
    stop = machine.run()
    assert stop[:4] == (Reason.UNKNOWN_MEMORY, CODE, LWZ, 0)
    assert (stop.address, stop.size) == (DATA, 4)
    machine.write(DATA, stored(machine, 5))
    assert machine.run()[:4] == (Reason.SYSTEM_CALL, CODE + 20, 0, 13)
    assert machine.state.g[3] == 15
    assert machine.read(DATA, 8) == stored(machine, 5) + stored(machine, 15)
    assert machine.read(DATA, 9) is None
    machine.forget(DATA + 2, 1)
    assert machine.read_known(DATA, 4)[1] == bytes((1, 1, 0, 1))


def test_values_come_from_the_feed(machine: Machine) -> None:
    machine.set_sites([CODE])
    machine.set_feed(np.array([CODE, CODE]), np.array([7, 1 << 31]))
    stop = machine.run()
    assert stop[:4] == (Reason.FEED_END, CODE, LWZ, 8)
    assert machine.state.g[3] == (1 << 31) + 7
    assert machine.read(DATA, 4) == stored(machine, 1 << 31)
    machine.set_feed(np.array([CODE + 4]), np.array([1]))
    assert machine.run()[:4] == (Reason.DIVERGED, CODE, LWZ, 0)
    machine.set_feed(np.array([CODE]), np.array([1]))
    assert machine.run().reason == Reason.SYSTEM_CALL


def test_words_without_an_address_are_taken_by_whichever_site_comes_next(machine: Machine) -> None:
    none = np.zeros(0, "u8")
    machine.set_sites([CODE])
    machine.set_loose(np.array([CODE]), none, none, none, none)
    machine.set_feed(np.zeros(2, "u8"), np.array([7, 1 << 31]))
    assert machine.run()[:4] == (Reason.FEED_END, CODE, LWZ, 8)
    assert machine.state.g[3] == (1 << 31) + 7
    machine.set_feed(np.array([CODE]), np.array([1]))
    assert machine.run()[:4] == (Reason.DIVERGED, CODE, LWZ, 0)


def test_the_store_of_a_name_takes_a_word_that_has_to_be_the_same(machine: Machine) -> None:
    none = np.zeros(0, "u8")
    machine.set_sites([CODE])
    machine.set_loose(np.array([CODE]), np.array([CODE + 8]), none, none, none)
    machine.set_feed(np.zeros(4, "u8"), np.array([7, 7, 1, 9]))
    assert machine.run()[:4] == (Reason.DIVERGED, CODE + 8, STW, 6)
    machine.set_feed(np.zeros(2, "u8"), np.array([8, 1]))
    assert machine.run()[:4] == (Reason.FEED_END, CODE + 8, STW, 4)


@pytest.mark.parametrize(
    ("target", "word", "words", "value"),
    [
        ("ppc32", 0xC8060000, (1, 2), 1 << 32 | 2),  # lfd 0,0(6)
        ("ppc64", 0xC8060000, (1 << 32 | 2,), 1 << 32 | 2),
        ("ppc64", 0xC0060000, (0x3F800000 << 32,), 0x3F800000),  # lfs
        ("ppc32", 0x7CA0342C, (0x01020304,), 0x04030201),  # lwbrx 5,0,6
    ],
)
def test_a_word_holds_a_value_as_code_stores_it(
    target: str, word: int, words: tuple[int, ...], value: int
) -> None:
    machine = made(target, (word, SC))
    sites, none = np.array([CODE]), np.zeros(0, "u8")
    machine.set_sites(sites)
    high, backwards = word == 0xC0060000, word == 0x7CA0342C
    machine.set_loose(sites, none, sites if high else none, sites if backwards else none, none)
    machine.set_feed(np.zeros(len(words), "u8"), np.array(words))
    assert machine.run().reason == Reason.SYSTEM_CALL
    size = 8 if word == 0xC8060000 else 4
    assert machine.read(DATA, size) == value.to_bytes(size, "big")


def test_the_limit_is_exact(machine: Machine) -> None:
    machine.write(DATA, stored(machine, 1))
    places = []
    for _ in range(6):
        stop = machine.run(1)
        assert (stop.reason, stop.executed) == (Reason.LIMIT, 1)
        places.append(stop.pc - CODE)
    assert places == [4, 8, 12, 0, 4, 8]
    assert machine.run(0)[:2] == (Reason.LIMIT, CODE + 8)
    assert machine.run(7)[:4] == (Reason.SYSTEM_CALL, CODE + 20, 0, 7)


def test_accesses_and_instructions_are_reported(machine: Machine) -> None:
    machine.write(DATA, stored(machine, 9))
    machine.set_reported([CODE, CODE + 8])
    columns = [np.zeros(5, "u8") for _ in range(3)]
    kinds, executed = np.zeros(5, "u4"), np.zeros(20, "u8")
    machine.set_outputs(*columns, kinds)
    machine.set_executed(executed)
    stop = machine.run()
    assert stop[:4] == (Reason.OUTPUT_FULL, CODE + 8, STW, 10)
    assert machine.executed_count == 10
    pc, address, value = (column.tolist() for column in columns)
    assert pc == [CODE, CODE + 8, CODE, CODE + 8, CODE]
    assert address == [DATA, DATA + 4, DATA, DATA + 4, DATA]
    assert value == [9, 9, 9, 18, 9]
    assert kinds.tolist() == [4, WRITTEN | 4, 4, WRITTEN | 4, 4]
    machine.output_count = 0
    assert machine.run()[:4] == (Reason.SYSTEM_CALL, CODE + 20, 0, 3)
    assert (machine.output_count, columns[2][0]) == (1, 27)
    assert (executed[: machine.executed_count] - CODE).tolist() == [*[0, 4, 8, 12] * 3, 16]


def test_changed_registers_are_reported(machine: Machine) -> None:
    machine.write(DATA, stored(machine, 5))
    executed = np.zeros(16, "u8")
    row, unit = np.zeros(2048, "u4"), np.zeros(2048, "u4")
    value = np.zeros(2048, "u8")
    machine.set_executed(executed)
    machine.set_changed(row, unit, value)
    machine.set_register("r3", 7)
    assert machine.run(6).reason == Reason.LIMIT
    found = [
        (place, machine.units[number & (BETWEEN - 1)].register, number & BETWEEN != 0, held)
        for place, number, held in zip(
            *(each[: machine.changed_count].tolist() for each in (row, unit, value)), strict=True
        )
    ]
    assert sorted(found) == [
        (0, "ctr", True, 3),
        (0, "r3", True, 7),
        (0, "r5", False, 5),
        (0, "r6", True, DATA),
        (1, "r3", False, 12),
        (3, "ctr", False, 2),
        (5, "r3", False, 17),
    ]
    with machine.unreported():
        assert machine.run().reason == Reason.SYSTEM_CALL
    machine.executed_count = machine.changed_count = 0
    assert machine.run(1).reason == Reason.LIMIT
    assert machine.changed_count == 0  # the store
    small = np.zeros(4, "u4")
    machine.set_changed(small, small.copy(), np.zeros(4, "u8"))
    assert machine.run(1)[:4] == (Reason.OUTPUT_FULL, CODE + 12, BDNZ, 0)


def test_units_are_parts_of_registers(machine: Machine) -> None:
    machine.set_register("v3", 5 << 64 | 6)
    row, unit = np.zeros(2048, "u4"), np.zeros(2048, "u4")
    value, executed = np.zeros(2048, "u8"), np.zeros(16, "u8")
    machine.set_executed(executed)
    machine.set_changed(row, unit, value)
    machine.run(0)
    numbers = unit[: machine.changed_count] & (BETWEEN - 1)
    parts = dict(zip(map(machine.units.__getitem__, numbers), value.tolist(), strict=False))
    assert parts["v3", 64] == 5
    assert parts["v3", 0] == 6


def test_a_breakpoint_stops_each_time(machine: Machine) -> None:
    machine.write(DATA, stored(machine, 1))
    machine.set_breakpoints([CODE + 4])
    assert [machine.run().executed for _ in range(4)] == [1, 4, 4, 4]
    machine.state.pc, machine.state.ctr = CODE + 4, 1
    assert machine.run()[:4] == (Reason.BREAK, CODE + 4, ADD, 0)


def test_a_breakpoint_at_a_statement_that_is_a_function() -> None:
    machine = made("ppc32", (0xFC21082A, SC))  # fadd 1,1,1
    machine.set_register("f1", 0x3FF0000000000000)
    machine.set_breakpoints([CODE])
    assert machine.run()[:2] == (Reason.BREAK, CODE)
    assert machine.run()[:4] == (Reason.SYSTEM_CALL, CODE + 8, 0, 2)
    assert machine.register("f1") == 0x4000000000000000


def test_control_that_leaves_stops() -> None:
    machine = made("ppc32", (0x48000101, 0x4E800020, 0))  # bl .+0x100; blr
    stop = machine.run()
    assert stop[:4] == (Reason.OUTSIDE, CODE + 0x100, 0, 1)
    assert machine.state.lr == CODE + 4
    machine.state.pc = machine.state.lr
    machine.state.lr = CODE + 8
    assert machine.run()[:4] == (Reason.UNKNOWN_INSTRUCTION, CODE + 8, 0, 1)
    machine.add_code(CODE + 12, bytes.fromhex("60000000"))  # code that follows other code
    machine.state.pc = CODE + 12
    assert machine.run()[:4] == (Reason.OUTSIDE, CODE + 16, 0, 1)
    with pytest.raises(InstError, match="overlaps"):
        machine.add_code(CODE + 8, bytes(8))


def test_code_goes_on_in_the_next_piece() -> None:
    machine = made("ppc32", (ADD,))
    machine.add_code(CODE + 4, SC.to_bytes(4))
    assert machine.run()[:4] == (Reason.SYSTEM_CALL, CODE + 8, 0, 2)


def test_a_trap_stops_if_its_condition_is_true() -> None:
    machine = made("ppc32", (0x0C830005, 0x0C830000))  # twi 4,3,5; twi 4,3,0
    assert machine.run()[:3] == (Reason.TRAP, CODE + 4, 0x0C830000)


def test_registers_have_their_names() -> None:
    machine = made("ppc64le", LOOP)
    values = {"r3": 1 << 63, "f31": 5, "v2": 7 << 64 | 9, "cr0": 8, "cr7": 3, "ca": 1, "lr": 4}
    for name, value in values.items():
        machine.set_register(name, value)
    found = machine.registers()
    assert {name: found[name] for name in values} == values
    assert (machine.state.cr, machine.state.xer) == (0x80000003, 1 << 29)
    assert machine.state.vs[31][0] == 5
    assert machine.state.vs[34][:] == [7, 9]
    assert found["r6"] == DATA


def test_what_is_not_a_function_of_the_state_is_recorded() -> None:
    machine = made("ppc32", (0x7C6C42E6,))  # mftb 3
    assert machine.run().reason == Reason.UNKNOWN_INSTRUCTION
    machine.set_sites([CODE])
    machine.set_feed(np.array([CODE]), np.array([42]))
    assert machine.run().executed == 1
    assert machine.register("r3") == 42


def test_several_values_are_taken_by_ascending_address() -> None:
    machine = made("ppc32", (0xBBA60002, SC))  # lmw 29,2(6)
    machine.set_sites([CODE])
    machine.set_reported([CODE])
    columns = [np.zeros(40, "u8") for _ in range(3)]
    kinds = np.zeros(40, "u4")
    machine.set_outputs(*columns, kinds)
    machine.set_feed(np.array([CODE] * 2), np.array([1, 2]))
    assert machine.run()[:4] == (Reason.FEED_END, CODE, 0xBBA60002, 0)
    assert (machine.feed_place, machine.output_count, machine.state.g[29]) == (0, 0, 0)
    machine.set_feed(np.array([CODE] * 3), np.array([1, 2, 3]))
    assert machine.run().reason == Reason.SYSTEM_CALL
    assert machine.state.g[29:32] == [1, 2, 3]
    assert machine.read(DATA + 2, 12) == bytes((0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3))
    assert columns[1][:3].tolist() == [DATA + 2, DATA + 6, DATA + 10]
    assert kinds[:3].tolist() == [4, 4 | CONTINUED, 4 | CONTINUED]


@pytest.mark.parametrize("target", ["ppc64", "ppc64le"])
def test_sixteen_bytes_are_two_values(target: str) -> None:
    machine = made(target, (0x7C003698, 0x7C003798, SC))  # lxvd2x 0,0,6; stxvd2x 0,0,6
    machine.set_sites([CODE])
    machine.set_feed(np.array([CODE, CODE]), np.array([1, 2]))
    assert machine.run().executed == 3
    assert machine.state.vs[0][:] == [1, 2]
    order = TARGETS[target].byte_order
    assert machine.read(DATA, 16) == (1).to_bytes(8, order) + (2).to_bytes(8, order)  # type: ignore[arg-type]


@pytest.mark.parametrize("stores", [0, 1])
def test_a_conditional_store_is_told_whether_it_stores(stores: int) -> None:
    machine = made("ppc32", (0x7CA03028, 0x7CC0312D, SC))  # lwarx 5,0,6; stwcx. 6,0,6
    machine.write(DATA, stored(machine, 4))
    assert machine.run()[:2] == (Reason.UNKNOWN_INSTRUCTION, CODE + 4)
    machine.set_sites([CODE + 4])
    machine.set_feed(np.array([CODE + 4]), np.array([stores]))
    assert machine.run().reason == Reason.SYSTEM_CALL
    assert machine.read(DATA, 4) == stored(machine, DATA if stores else 4)
    assert machine.register("cr0") == 2 * stores


PREFIXED = (0x06000000, 0x38600007, 0x04100000, 0xE4800FFC, 0x7C841A14, 0x06000000, 0x90860004, SC)
"""pli 3,7; pld 4,0xffc(0),1; add 4,4,3; pstw 4,4(6); sc."""


@pytest.mark.parametrize("target", ["ppc64", "ppc64le"])
def test_instructions_of_two_words_are_one_step(target: str) -> None:
    machine, executed = made(target, PREFIXED), np.zeros(8, "u8")
    load, place = PREFIXED[2] << 32 | PREFIXED[3], CODE + 8 + 0xFFC
    machine.set_executed(executed)
    machine.set_breakpoints([CODE + 8])
    assert machine.run()[:4] == (Reason.BREAK, CODE + 8, load, 1)
    stop = machine.run(1)
    assert stop[:4] == (Reason.UNKNOWN_MEMORY, CODE + 8, load, 0)
    assert (stop.address, stop.size) == (place, 8)
    machine.write(place, (5).to_bytes(8, machine.target.byte_order))
    assert machine.run()[:4] == (Reason.BREAK, CODE + 8, load, 0)
    assert machine.run(1)[:4] == (Reason.LIMIT, CODE + 16, PREFIXED[4], 1)
    assert machine.run()[:4] == (Reason.SYSTEM_CALL, CODE + 32, 0, 3)
    assert executed[:4].tolist() == [CODE, CODE + 8, CODE + 16, CODE + 20]
    assert machine.read(DATA + 4, 4) == stored(machine, 12)


def test_an_instruction_without_its_second_word_is_unknown() -> None:
    machine = made("ppc64", PREFIXED[:1])
    assert machine.run()[:4] == (Reason.UNKNOWN_INSTRUCTION, CODE, PREFIXED[0] << 32, 0)


def test_calls_that_only_return_stop_once(machine: Machine) -> None:
    """Of a function that is known not to be executed, if the next value names where it returns."""
    call, taken = 0x48001001, 0x80A60000  # bl CODE+0x1000; lwz 5,0(6)
    machine = made(machine.target.name, (call, taken, SC))
    machine.set_sites([CODE + 4])
    machine.set_loose([CODE + 4], [], [], [], [])
    machine.set_returns(np.array([CODE + 4]), {CODE + 4: 7}, 0xFF, "r1")
    machine.set_register("r1", 0x7FF0)
    feed = np.zeros(1, "u8"), np.array([0x107])

    def stop_after(*values: np.ndarray) -> tuple[Reason, int]:
        machine.state.pc = CODE
        machine.set_feed(*values)
        return machine.run()[:2]

    outside = (Reason.OUTSIDE, CODE + 0x1000)
    assert stop_after(*feed) == outside
    machine.add_other(CODE + 0x1000)
    machine.add_other(CODE + 0x1000)
    assert stop_after(*feed) == (Reason.SYSTEM_CALL, CODE + 12)
    assert machine.state.g[5] == 0x107
    assert (machine.take_highest(), machine.take_highest()) == (0x7FF0, 0)
    assert stop_after(feed[0], np.array([0x106])) == outside
    assert stop_after(np.array([CODE + 4]), feed[1]) == outside
    assert stop_after(feed[0][:0], feed[1][:0]) == outside
    machine.stop_at_calls()
    assert stop_after(*feed) == outside
