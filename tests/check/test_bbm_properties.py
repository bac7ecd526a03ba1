"""What must not change the verdict on page tables, and what must not break the check."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.check import Options, Report, check_trace
from inst.check.break_before_make import start
from inst.check.pagetable.memory import Memory
from inst.formats.sexp.trace import SexpTrace
from tests.check.short import NAME, findings, split, text_of
from tests.sizes import examples
from tests.steps import lines_run

CHOSEN = Options(chosen=frozenset({NAME}))
UNRELATED = (
    "r 999000 5", "r 8000000000000000 5", "2: r 998 1", "isb", "odd 5",
    "7: lock 5500; 7: unlock 5500",
    "3: dsb ish", "4: tlbi alle2is", "reg mair_el2 ff", "w 700000 55", "5: p 700ff8 3",
    "set 700010 20 77", "init 990000 1000; free 990000 1000", "6: tlbi vae1is 5",
)  # fmt: skip


def correct(chance: random.Random, base: int, stage: int) -> list[str]:
    """Return a correct use of a tree of levels 2 and 3: map, unmap, remap, unlink a table."""
    root, leaves, lock = base, base + 0x1000, base + 0x9000
    thread = chance.choice(("", "1: "))
    flush = "tlbi alle2is" if stage == 1 else "tlbi alle1is"
    clean = [f"{thread}dsb ish", f"{thread}{flush}", f"{thread}dsb ish", f"{thread}isb"]
    identifier = 0 if stage == 1 else base >> 16 & 0xFF
    control, table = ("tcr_el2", "ttbr0_el2") if stage == 1 else ("vtcr_el2", "vttbr_el2")
    lines = [
        f"init {base:x} 2000",
        f"p {root:x} {leaves | 3:x}",
        f"set_root_lock {root:x} {lock:x}",
        f"{thread}reg {control} 22",
        f"{thread}reg {table} {identifier << 48 | root:x}",
        f"{thread}lock {lock:x}",
    ]
    used: dict[int, int] = {}
    for _ in range(chance.randint(1, 6)):
        slot = chance.randrange(4)
        value = 0x7000_0000_0000 + (chance.randrange(1, 99) << 12) | 3
        entry = leaves + 8 * slot
        if slot in used:
            lines += [f"{thread}r {entry:x} {used[slot]:x}", f"{thread}w {entry:x} 0", *clean]
        lines += [f"{thread}w {entry:x} {value:x}", f"{thread}r {entry:x} {value:x}"]
        used[slot] = value
    if chance.random() < 0.5:
        lines += [f"{thread}w {root:x} 0", *clean]
        lines += [f"p {leaves:x} 0", f"p {leaves + 8:x} 0", f"{thread}w {root:x} {leaves | 3:x}"]
    lines.append(f"{thread}unlock {lock:x}")
    return lines


def spread(chance: random.Random, lines: list[str]) -> list[str]:
    """Return the lines with unrelated records among them."""
    result = ["init 700000 1000"]
    for line in lines:
        for _ in range(chance.choice((0, 0, 1, 3, 30))):
            result += split(chance.choice(UNRELATED))
        result.append(line)
    return result


def verdicts(lines: list[str]) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in findings(lines)]


SEEDS = st.integers(0, 1 << 32)


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, st.sampled_from([1, 2]))
def test_correct_use_is_clean_with_unrelated_records_among_it(seed: int, stage: int) -> None:
    chance = random.Random(seed)
    lines = correct(chance, 0x10000, stage)
    assert verdicts(lines) == []
    assert verdicts(spread(chance, lines)) == []


@settings(max_examples=examples(40), deadline=None)
@given(SEEDS, st.lists(st.integers(2, 60), min_size=1, max_size=4, unique=True))
def test_independent_trees_may_be_interleaved(seed: int, places: list[int]) -> None:
    chance = random.Random(seed)
    trees = []
    for number, place in enumerate(places):
        # One thread has one root of a stage: each tree gets threads of its own.
        lines = correct(chance, place << 16, 2)
        trees.append([re.sub(r"^(1: )?", f"{number + 10}: ", line) for line in lines])
    mixed = []
    while any(trees):
        tree = chance.choice([tree for tree in trees if tree])
        mixed.append(tree.pop(0))
    assert verdicts(mixed) == []


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, st.integers(1, 1 << 20))
def test_a_broken_use_is_found_wherever_it_is(seed: int, pages: int) -> None:
    """A record left out gives the same verdict with addresses renamed and records inserted."""
    lines, renamed = (
        correct(random.Random(seed), base, 2) for base in (0x10000, 0x10000 + (pages << 12))
    )
    chance = random.Random(seed)
    left_out = chance.randrange(len(lines))
    del lines[left_out], renamed[left_out]
    expected = verdicts(lines)
    assert verdicts(renamed) == expected
    assert verdicts(spread(chance, lines)) == expected


@settings(max_examples=examples(30), deadline=None)
@given(SEEDS, st.sampled_from(["", "ppc"]))
def test_writes_of_all_sizes_leave_the_memory_they_should(seed: int, arch: str) -> None:
    """Put off and stored at once, or stepped one by one: the bytes are the same."""
    chance = random.Random(seed)
    expected = bytearray(0x3000)
    lines = [f'(producer (id 0) (tid 0) (name "arch") (value "{arch}"))'] if arch else []
    # The last page gets its place in memory before the others.
    lines.append("(mem-init (id 1) (tid 0) (address 12000) (size 8))")
    lines.append("(mem-init (id 1) (tid 0) (address 10000) (size 3000))")
    for _ in range(chance.choice((5, 40, 300))):
        size = chance.choice((1, 2, 4, 8, 8, 8))
        start = chance.randrange(0x3000 - size)
        if chance.random() < 0.2:
            start = chance.choice((0x1000, 0x2000)) - chance.randrange(size)
        if size == 8 and chance.random() < 0.8:
            start &= -8
        value = chance.getrandbits(8 * size)
        expected[start : start + size] = value.to_bytes(size, "big" if arch else "little")
        lines.append(
            f"(mem-write (id 2) (tid 0) (mem-order plain) (address {0x10000 + start:x})"
            f" (value {value:x}) (size {size}))"
        )
    trace = SexpTrace("t", [("\n".join(lines) + "\n").encode()])
    check = start_check(trace)
    for batch in trace.batches():
        assert list(check.batch(batch)) == []
    memory = check._state.memory
    for page in range(3):
        row = memory.row(0x10 + page)
        have = memory.values[row].astype(">u8" if arch else "<u8").tobytes()
        assert have == expected[page << 12 : page + 1 << 12]


def start_check(trace: SexpTrace) -> object:
    return start(trace, CHOSEN)  # type: ignore[return-value]


@settings(max_examples=examples(100), deadline=None)
@given(SEEDS)
def test_memory_against_a_dictionary(seed: int) -> None:
    """Slots initialised, freed and written: what is a range, a page or a part of one."""
    chance = random.Random(seed)
    memory, model = Memory(), {}
    for _ in range(chance.randint(1, 30)):
        start = chance.randrange(0, 6 * 512)
        end = min(start + chance.choice((1, 8, 512, 1024, 2000)), 6 * 512)
        if chance.random() < 0.5:
            start, end = start & -512, end + 511 & -512
        if chance.random() < 0.6:
            memory.initialise(start, end)
            model |= {slot: 0 for slot in range(start, end) if slot not in model}
        else:
            memory.free(start, end)
            model = {slot: value for slot, value in model.items() if not start <= slot < end}
        for slot in chance.sample(sorted(model), min(3, len(model))):
            model[slot] = chance.randrange(3)
            memory.put(memory.row(slot >> 9), slot & 511, model[slot])
        some = chance.randrange(6 * 512)
        used = [slot for slot in range(some, min(some + 600, 3072)) if model.get(slot)]
        assert memory.first_used(some, min(some + 600, 3072)) == (used[0] if used else None)
    for slot in range(6 * 512):
        assert memory.is_initialised(slot << 3) == (slot in model)
        assert memory.value(slot << 3) == model.get(slot, 0) or slot not in model
    for page in range(6):
        assert memory.is_full(page) == all(
            slot in model for slot in range(page << 9, page + 1 << 9)
        )


ODD = (
    "free 0 ffffffffffffffff",
    "init 0 ffffffffffffffff; w 123450 1; init 0 ffffffffffffffff",
    "init fffffffffffff000 ffffffffffffffff; w fffffffffffffff8 5; r fffffffffffffff8 5",
    "set 0 fffffffffffffff8 ff",
    "init ffffffffffffffff 1; w ffffffffffffffff 5",
    "w ffffffffffffffff ffffffffffffffff",
    "reg vttbr_el2 ffffffffffffffff; reg ttbr0_el2 ffffffffffff",
    "reg vtcr_el2 ffffffffffffffff; reg vttbr_el2 0",
    "set_pte_thread_owner ffffffffffffffff ffffffffffffffff; release_table ffffffffffffffff",
    "set_owner_root ffffffffffffffff 5; set_root_lock 0 0",
    "init 0 1000; reg vttbr_el2 0; set_pte_thread_owner 0 8000000000000000",
    "tlbi ipas2e1is ffffffffffffffff; tlbi rvae2is ffffffffffffffff; tlbi nonsense 5; dsb odd",
    "lock ffffffffffffffff; unlock ffffffffffffffff; unlock 0",
    "odd 5; odd 6; p4 3 5; p4 7 5",
)


@pytest.mark.parametrize("trace", ODD)
@pytest.mark.parametrize("profile", ["arm", "casemate"])
def test_extreme_numbers_are_findings_at_most(trace: str, profile: str) -> None:
    lines = split(trace)
    findings(lines, keep_going=True, profile=profile)  # imports what it needs
    assert lines_run(lambda: findings(lines, keep_going=True, profile=profile)) < 20_000


@settings(max_examples=examples(150), deadline=None)
@given(SEEDS)
def test_records_in_any_order_are_findings_at_most(seed: int) -> None:
    """Whatever follows a violation with --keep-going, the state holds together."""
    chance = random.Random(seed)
    lines = correct(chance, 0x10000, chance.choice((1, 2))) + correct(chance, 0x20000, 2)
    lines += [chance.choice(lines) for _ in range(30)] + [*ODD[4].split("; "), "p4 10004 7"]
    lines += [f"w {0x10000 + 8 * chance.randrange(3):x} {chance.choice((10003, 20003, 1)):x}"
              for _ in range(8)]  # fmt: skip
    lines += ["release_table 10000", "free 10000 2000", "init 10000 1000", "set 10000 1000 1"]
    chance.shuffle(lines)
    found = findings(lines, keep_going=True, racy=chance.choice(("yes", "no")))
    assert len(found) <= 20 * len(lines)


@settings(max_examples=examples(100), deadline=None)
@given(SEEDS, st.binary(max_size=6))
def test_damaged_traces_are_errors_or_findings(seed: int, noise: bytes) -> None:
    chance = random.Random(seed)
    data = bytearray(text_of(correct(chance, 0x10000, 2)).encode())
    place = chance.randrange(len(data))
    data[place : place + chance.randrange(4)] = noise
    del data[chance.randrange(len(data) // 2, len(data)) :]
    report = check_trace(SexpTrace("t", [bytes(data)]), (NAME,), CHOSEN)
    assert report.error is None or report.error.location


def test_ten_thousand_threads() -> None:
    lines = ["init 10000 1000", "set_root_lock 10000 900", "reg vttbr_el2 10000"]
    for number in range(10_000):
        lines += [f"{number}: reg vttbr_el2 10000", f"{number}: lock 900", f"{number}: w 10000 0",
                  f"{number}: dsb ish", f"{number}: unlock 900"]  # fmt: skip
    assert findings(lines) == []
    assert [f.code for f in findings([*lines, "release_table 10000"])] == ["release-in-use"]


def test_the_deepest_tree_and_circles_of_every_length() -> None:
    pages = [0x10000 + 0x1000 * number for number in range(4)]
    for last in range(4):
        links = [f"p {page:x} {pages[number + 1] | 3:x}" for number, page in enumerate(pages[:-1])]
        links.append(f"p {pages[3]:x} {pages[last] | 3:x}")
        lines = ["init 10000 4000", *links, "reg vttbr_el2 10000"]
        assert findings(lines) == []  # at level 3 it is a page that is mapped, not a circle
        circle = [*lines[:-2], f"p {pages[2]:x} {pages[min(last, 2)] | 3:x}", lines[-1]]
        assert [f.code for f in findings(circle)] == ["double-use"]


def test_five_hundred_tables_below_one() -> None:
    """512 tables of 512 entries each are walked, frozen, cleaned and plain again, at once each."""
    links = [f"p {0x10000 + 8 * number:x} {0x1000000 + 0x1000 * number | 3:x}"
             for number in range(512)]  # fmt: skip
    lines = split(
        f"init 10000 2000; init 1000000 200000; {'; '.join(links)}; p 11000 10003;"
        "set_root_lock 11000 900; reg vtcr_el2 19; reg vttbr_el2 11000; lock 900"
    )
    lines += ["w 11000 0", "dsb ish", "tlbi alle1is", "dsb ish", "w 1000000 1", "w 11000 0"]
    found = findings(lines)
    assert lines_run(lambda: found.extend(findings(lines))) < 2 * 512 * 512
    assert found == []


def test_many_unclean_entries_cost_no_more_each() -> None:
    """Entries that wait, and operations by address among them: no step looks at all of them."""

    def cost(count: int) -> int:
        tables = -(-count // 512)
        lines = [f"init 10000 1000; init 1000000 {tables * 0x1000:x}".replace("; ", "\n")]
        lines = lines[0].split("\n")
        lines += [f"set {0x1000000:x} {tables * 0x1000:x} 3"]
        lines += [f"p {0x10000 + 8 * n:x} {0x1000000 + 0x1000 * n | 3:x}" for n in range(tables)]
        lines += ["set_root_lock 10000 900", "reg vtcr_el2 22", "reg vttbr_el2 10000", "lock 900"]
        lines += [f"w {0x1000000 + 8 * n:x} 0" for n in range(count)] + ["dsb ish"]
        lines += [f"tlbi ipas2e1is {n:x}" for n in range(count)]
        lines += ["dsb ish", "tlbi vmalle1is", "dsb ish"]
        data = text_of(lines).encode()
        reports: list[Report] = []
        trace = SexpTrace("t", [data])
        lines_of = lines_run(lambda: reports.append(check_trace(trace, (NAME,), CHOSEN)))
        assert reports[0].counts == {}
        return lines_of

    assert cost(4096) < 10 * cost(512)


def test_plain_memory_is_not_remembered_where_it_was_only_read() -> None:
    lines = ["init 0 ffffffffffff000"] + [f"r {n << 12:x} 0" for n in range(20_000)]
    trace = SexpTrace("t", [text_of(lines).encode()])
    check = start_check(trace)
    for batch in trace.batches():
        list(check.batch(batch))
    assert len(check._state.memory.rows) == 0
    assert isinstance(check._state.memory.values, np.ndarray)
