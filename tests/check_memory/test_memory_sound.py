"""`memory-sound`: for each code the shortest trace that has it, its neighbours, and a second
implementation, one byte at a time, that must find the same on random traces."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from inst.check import Options, check_trace
from inst.check.memory_sound import CODES
from inst.check.replay import replay
from inst.check.shadow import Memory
from inst.cli import main
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.formats.sexp.trace import SexpTrace
from inst.formats.stf.trace import StfTrace
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import EVENT, Flag, Kind
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8")

STRICT = Options(settings={"memory": "strict"})
HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
LWZ, STW, ADD, LHZ = 0x80640000, 0x90640000, 0x7C632214, 0xA0640000
ST, LD, LDA_WITHOUT_FAULTS = 0xD0224000, 0xD0024000, 0xD0825040


def lines(*records: str) -> bytes:
    """Return a trace of records without ids: they are numbered here."""
    return "".join(
        f"({kind} (id {number}) (tid {thread}) {rest})\n"
        for number, (kind, thread, rest) in enumerate(r.split(" ", 2) for r in records)
    ).encode()


def write(address: int, value: int, size: int = 4, thread: int = 1) -> str:
    where = f"(address {address:#x}) (value {value:#x}) (size {size})"
    return f"mem-write {thread} (mem-order plain) {where}"


def read(address: int, value: int, size: int = 4, thread: int = 1) -> str:
    return f"mem-read {thread} (address {address:#x}) (value {value:#x}) (size {size})"


ARCH = 'producer 1 (name "arch") (value "ppc")'


def codes(data: bytes, options: Options = STRICT) -> list[tuple[str, int]]:
    report = check_trace(SexpTrace("t", [data]), ("memory-sound",), options)
    assert report.error is None
    return [(finding.code, finding.record) for finding in report.findings]


CLEAN = [
    lines(),
    lines(read(0x100, 5)),
    lines(write(0x100, 5), read(0x100, 5)),
    lines(read(0x100, 5), read(0x100, 5)),
    lines(ARCH, write(0x100, 0x01020304), read(0x102, 0x03, 1), read(0x102, 0x0304, 2)),
    lines(write(0x100, 0x01020304), read(0x101, 0x03, 1), read(0x102, 0x0102, 2)),  # little-endian
    lines(ARCH, write(0x102, 0x01020304), read(0x104, 0x0304, 2)),  # across cells
    lines(ARCH, write(0x103, 0x0102030405060708, 8), read(0x107, 0x05060708)),
    lines(ARCH, write(0x100, 5), write(0x102, 7, 1), read(0x100, 0x0705)),
    lines(write(0x100, 5), read(0x104, 9)),
    lines("mem-init 1 (address 0x100) (size 0x20)", read(0x11C, 0)),
    lines(write(0x100, 5), "mem-free 1 (address 0x100) (size 0x20)", read(0x100, 9)),
    lines("mem-set 1 (address 0x100) (size 0x2000) (value 0xab)", read(0x20FC, 0xABABABAB)),
    lines(write(0x100, 5), f"mem-init 1 (address 0x0) (size {(1 << 64) - 1:#x})", read(0x100, 0)),
    lines(write(0x100, 5), f"mem-free 1 (address 0x80) (size {1 << 63:#x})", read(0x100, 0)),
    lines(write(0x100, 5), "mem-read 1 (address 0x100)", read(0x100, 5)),
    lines(write(0x100, 5, thread=1), read(0x100, 5, thread=2)),
]

LACKING = [ARCH, 'producer 1 (name "unreported") (value "0000000001 ")']

WRONG = [
    (lines(write(0x100, 5), read(0x100, 6)), "memory-hole", 1),
    (lines(read(0x100, 5), read(0x100, 6)), "memory-hole", 1),
    (lines(ARCH, write(0x100, 0x01020304), read(0x102, 4, 1)), "memory-hole", 2),
    (lines(write(0x100, 0x01020304), read(0x101, 2, 1)), "memory-hole", 1),
    (lines(ARCH, write(0x102, 0x01020304), read(0x104, 0x0305, 2)), "memory-hole", 2),
    (lines(ARCH, write(0x103, 0x0102030405060708, 8), read(0x107, 0x05060709)), "memory-hole", 2),
    (lines(ARCH, write(0x100, 5), write(0x102, 7, 1), read(0x100, 5)), "memory-hole", 3),
    (lines("mem-init 1 (address 0x100) (size 0x20)", read(0x11C, 1)), "memory-hole", 1),
    (lines("mem-set 1 (address 0x100) (size 0x2000) (value 0xab)", read(0x20FC, 0xABABABAC)),
     "memory-hole", 1),
    (lines("mem-free 1 (address 0x100) (size 0x20)", write(0x11F, 1, 1), read(0x11F, 2, 1)),
     "memory-hole", 2),
    (lines(write(0x100, 5, thread=1), read(0x100, 6, thread=2)), "memory-race", 1),
]  # fmt: skip


@pytest.mark.parametrize("data", CLEAN)
def test_reads_that_return_what_was_written(data: bytes) -> None:
    assert codes(data) == []


@pytest.mark.parametrize(("data", "code", "record"), WRONG)
def test_reads_that_do_not(data: bytes, code: str, record: int) -> None:
    assert codes(data) == [(code, record)]
    assert code in CODES


def test_every_code_is_tested() -> None:
    assert {code for _, code, _ in WRONG} == set(CODES)


def test_what_is_learned_from_a_read_is_kept() -> None:
    """A change is reported once: the bytes read are known from then on."""
    data = lines(write(0x100, 5), read(0x100, 6), read(0x100, 6), read(0x100, 5))
    assert codes(data) == [("memory-hole", 1), ("memory-hole", 3)]


def test_what_is_known_outlives_the_growth_of_the_table() -> None:
    """More pages than the table begins with, written one by one."""
    pages = range(1, 100)
    events = as_events([Access(False, page << 12, 4, page, True) for page in pages])
    memory = Memory()
    for event in events:
        assert replay(memory, event.reshape(1), True) is None
    events["kind"], events["value"][2] = Kind.READ, 7
    changes = replay(memory, events, True)
    assert changes is not None and changes.rows.tolist() == [2]


def test_access_traces_are_silent_about_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    """Without `strict` a change is counted, not reported: other code may have made it."""
    report = check_trace(SexpTrace("t", [lines(write(0x100, 5), read(0x100, 0x106))]),
                         ("memory-sound",))  # fmt: skip
    assert report.findings == []
    assert any("2 bytes had changed" in note for note in report.notes)


def test_order_between_threads_is_known_from_ids() -> None:
    """Ids that do not ascend over the whole file say nothing of other threads."""
    ordered = lines(write(0x100, 5, thread=1), read(0x100, 6, thread=2))
    assert codes(ordered, Options()) == [("memory-race", 1)]
    swapped = ordered.replace(b"(id 1)", b"(id X)").replace(b"(id 0)", b"(id 1)")
    assert codes(swapped.replace(b"(id X)", b"(id 0)"), Options()) == []


def instr(word: int, pc: int, ea: int | None, value: int = 0, **bits: int) -> bytes:
    where = {} if ea is None else {"ea_valid": 1, "ea_va": ea}
    record = encode("instr", instr=word, pc_va=pc, **where, **bits)
    if ea is None:
        return record
    return record + encode("memval64", addrisVA=1, addr=ea, size=4, val=value)


CALL = encode("trap", ttype=0x140, syscall=3)


def test_accesses_that_could_not_be_reported_may_have_written() -> None:
    """Also where the order of threads is known; `strict` reports each."""
    records = [write(0x100, 5, thread=1), read(0x100, 6, thread=2)]
    whole, lacking = lines(ARCH, *records), lines(*LACKING, *records)
    assert codes(whole, Options()) == [("memory-race", 2)]
    assert codes(lacking) == [("memory-race", 3)]
    report = check_trace(SexpTrace("t", [lacking]), ("memory-sound",), Options())
    assert not report.findings and report.incomplete
    assert any("1 access could not be reported" in note for note in report.notes), report.notes


@pytest.mark.parametrize(
    ("middle", "expected"),
    [
        (b"", []),  # accesses only: a library may have been called
        (instr(ADD, 0x404, None), [("memory-hole", 6)]),  # every instruction is there
        (instr(ADD, 0x404, None) + CALL, []),
    ],
)
def test_traces_of_every_instruction_need_no_leave(
    middle: bytes, expected: list[tuple[str, int]]
) -> None:
    before = instr(ADD, 0x3FC, None) if middle else b""
    data = HEADER + encode_string("arch=ppc") + before + instr(STW, 0x400, 0x2000, 5)
    data += middle + instr(LWZ, 0x408, 0x2000, 6)
    report = check_trace(RstTrace("t", [data]), ("memory-sound",))
    assert [(finding.code, finding.record) for finding in report.findings] == expected


STF_STATE = (
    "".join(f"R{n:02} = 00001000 " for n in range(32)).rstrip() + "\n"
    + "".join(f"F{n:02} = 0000000000000000 " for n in range(32)).rstrip() + "\n"
)  # fmt: skip
CALLED = """PCN = 00000100 OPC = 90610008 MNC = stw
PCN = 00000104 OPC = 48001001 MNC = bl
{}PCN = 00000108 OPC = 81210008 MNC = lwz
R09 = 00000007
PCN = 0000010c OPC = 60000000 MNC = ori
"""


@pytest.mark.parametrize("many", [0, 3000])  # read by columns or one by one
@pytest.mark.parametrize(
    ("version", "gap", "expected"),
    [
        ("1", "", ["memory-hole"]),  # every instruction is there
        ("1", "GAP = 5 NXT = 00001104 BANKS = RF\n", []),
        ("inst replay", "", []),  # none of the function's
        ("inst convert", "", []),
    ],
)
def test_stf_of_some_instructions_has_no_holes_between_them(
    many: int, version: str, gap: str, expected: list[str]
) -> None:
    """Neither of those that a filter left, nor of instrumented code alone."""
    text = f"||OPTIONS: 0 | TRACE: t | VERSION: {version} | arch: ppc|\n" + STF_STATE
    text += CALLED.format(gap) + "PCN = 00000110 OPC = 60000000 MNC = ori\n" * many
    report = check_trace(StfTrace("t.stf", [text.encode()]), ("memory-sound",))
    assert [finding.code for finding in report.findings] == expected
    assert any("changed without a record" in note for note in report.notes) == (not expected)
    if gap:
        assert any("a filter took instructions out" in note for note in report.notes)


@pytest.mark.parametrize(("load", "expected"), [(LD, ["memory-hole"]), (LDA_WITHOUT_FAULTS, [])])
def test_loads_that_never_fault_may_read_past_objects(load: int, expected: list[str]) -> None:
    """There may be what the processor saved of a register window; a note counts them."""
    data = HEADER + encode_string("arch=sparcv9") + instr(ST, 0x400, 0x2000, 5)
    data += instr(load, 0x404, 0x2000, 6)
    report = check_trace(RstTrace("t", [data]), ("memory-sound",), STRICT)
    assert [finding.code for finding in report.findings] == expected
    assert any("loads that never fault" in note for note in report.notes) == (not expected)


@pytest.mark.parametrize("big_endian", [True, False])
def test_halves_of_16_bytes_lie_in_the_order_of_the_processor(big_endian: bool) -> None:
    events = np.zeros(3, EVENT)
    events["kind"] = (Kind.WRITE, Kind.READ, Kind.READ)
    events["flags"] = int(Flag.HAS_VALUE)
    events["address"] = (0x100, 0x100, 0x108)
    events["size"] = (16, 8, 8)
    halves = (1, 2) if big_endian else (2, 1)
    events["value_high"][0], events["value"] = 1, (2, *halves)
    assert replay(Memory(), events, big_endian) is None
    events["value"][1] = 3
    changes = replay(Memory(), events, big_endian)
    assert changes is not None and changes.rows.tolist() == [1]


def test_a_setting_that_is_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "t.sexp"
    path.write_bytes(lines(read(1, 1, 1)))
    assert main(["check", "--set", "memory=lax", str(path)]) == 2
    assert "strict, lenient or all" in capsys.readouterr().err


@pytest.mark.parametrize("count", [3000, pytest.param(10_000, marks=pytest.mark.campaign)])
def test_hostile_traces_cost_little(count: int) -> None:
    """Thousands of threads, sizes that are none, the ends of the address space."""
    top = (1 << 64) - 1
    records = [
        f"{kind} (id {number}) (tid {number * 0x9E3779B9}) {rest}"
        for number in range(count)
        for kind, rest in [
            [
                ("mem-write", f"(mem-order plain) (address {top:#x}) (value 0x1) (size 8)"),
                ("mem-read", f"(address {top - 6:#x}) (value {top:#x}) (size 16)"),
                ("mem-read", f"(address {number:#x}) (value 0x1) (size {number >> 4})"),
                ("mem-set", f"(address {top:#x}) (size {top:#x}) (value {top:#x})"),
                ("lock", f"(address {number % 7:#x})"),
                ("unlock", f"(address {number % 5:#x})"),
                ("hint", "(kind happens_after) (location 0x1) (value 0x1)"),
            ][number % 7]
        ]
    ]
    data = "".join(f"({record})\n" for record in records).encode()
    names = ("memory-sound", "locks", "races", "stack-window", "rst-sound")
    report = check_trace(SexpTrace("t", [data]), names, STRICT)
    assert report.error is None and report.records == len(records)


@dataclass(frozen=True)
class Access:
    """One access of a random trace."""

    reads: bool
    address: int
    size: int
    value: int
    valued: bool


def reference(accesses: Iterable[Access], big_endian: bool) -> list[tuple[int, set[int]]]:
    """Replay one byte after another; return which bytes of which reads are not sound."""
    memory: dict[int, int] = {}
    found = []
    for number, access in enumerate(accesses):
        octets = access.value.to_bytes(access.size, "big" if big_endian else "little")
        wrong = set()
        if access.reads and not access.valued:
            continue
        for offset, octet in enumerate(octets):
            address = access.address + offset
            if access.reads and memory.get(address, octet) != octet:
                wrong.add(address)
            if access.valued:
                memory[address] = octet
            else:
                memory.pop(address, None)
        if wrong:
            found.append((number, wrong))
    return found


def as_events(accesses: list[Access]) -> np.ndarray:
    events = np.zeros(len(accesses), EVENT)
    for number, access in enumerate(accesses):
        events["record"][number] = number
        events["kind"][number] = Kind.READ if access.reads else Kind.WRITE
        events["address"][number], events["size"][number] = access.address, access.size
        events["value"][number] = access.value & 0xFFFFFFFFFFFFFFFF
        events["value_high"][number] = access.value >> 64
        events["flags"][number] = int(Flag.HAS_ADDRESS | Flag.HAS_VALUE * access.valued)
    return events


@pytest.mark.parametrize("seed", range(40))
def test_a_second_implementation_finds_the_same(seed: int) -> None:
    chance = random.Random(seed)
    base = chance.choice([0x1000, 0xFFE, 0x7FFF_FFFF_FFFF_F000, (1 << 64) - 64])
    accesses = []
    for _ in range(600):
        if chance.random() < 0.04:  # a write of code that is not instrumented
            size = chance.choice([5, 9, 15, 16, 17, 24, 40])
            accesses.append(Access(False, base + chance.randrange(48 - size), size, 0, False))
            continue
        size = chance.choice([1, 1, 2, 4, 4, 8, 16, 3])
        accesses.append(
            Access(
                chance.random() < 0.5,
                base + chance.randrange(48 - size),
                size,
                int.from_bytes(chance.choices((0, 1, 255), (90, 8, 2), k=size), "big"),
                chance.random() < 0.95,
            )
        )
    big_endian = chance.random() < 0.5
    memory, found = Memory(), {}
    step = chance.choice([1, 7, 50, 600])
    for start in range(0, len(accesses), step):
        changes = replay(memory, as_events(accesses[start : start + step]), big_endian)
        if changes is not None:
            for row, cell, mask in zip(changes.rows.tolist(), changes.cells.tolist(),
                                       changes.masks.tolist(), strict=True):  # fmt: skip
                places = found.setdefault(start + row, set())
                places |= {cell * 4 + lane for lane in range(4) if mask >> lane & 1}
    assert sorted(found.items()) == reference(accesses, big_endian)
    assert len(found) > 20


PROGRAM = """\
volatile int cell; volatile int other;
int main(void)
{
    cell = 5;
    other = cell;
    return other - 5;
}
"""


def test_a_missing_store_in_a_straight_run_is_a_hole(target: Target, shell: Shell) -> None:
    """The program's own words prove that nothing else can have changed the bytes."""
    (shell.directory / "p.c").write_text(PROGRAM)
    shell.check("inst-cc", *target.compiler, "-g", "-O1", "-static", "p.c", "-o", "p")
    shell.check("inst", "run", "-o", "p.rst", "./p")
    assert main(["check", "--only", "memory-sound", str(shell.directory / "p.rst")]) == 0
    data = (shell.directory / "p.rst").read_bytes()
    records = [data[at : at + 24] for at in range(0, len(data), 24)]
    stores = [n for n, r in enumerate(records) if r[0] == 26 and r[16:] == (5).to_bytes(8, "big")]
    # Another value for the first store: what the load then returns nobody wrote.
    records[stores[0]] = records[stores[0]][:16] + (7).to_bytes(8, "big")
    trace = open_trace(_file(shell.directory / "q.rst", records))
    report = check_trace(trace, ("memory-sound",))
    assert [finding.code for finding in report.findings] == ["memory-hole"]
    assert report.findings[0].others[0].record == stores[0] - 1


def _file(path: Path, records: list[bytes]) -> Path:
    path.write_bytes(b"".join(records))
    return path


CALLS = """\
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
struct sigaction action; char text[8]; int ends[2]; volatile int number = 1;
extern void hidden(volatile int *);
static void *other(void *unused) { number += unused != 0; return 0; }
int main(int count, char **arguments)
{
    pthread_t thread;
    action.sa_flags = 0;
    number = 1;
    sigaction(SIGUSR1, 0, &action);
    pipe(ends);
    write(ends[1], "abcd", 4);
    text[2] = 'x';
    read(ends[0], text, 4);
    memmove(text + 1, text, 4);
    if (count > 2)
        pthread_create(&thread, 0, other, arguments), pthread_join(thread, 0);
    if (count > 1)
        hidden(&number);
    return text[3] != 'c' || action.sa_flags || number != count;
}
"""
HIDDEN = "void hidden(volatile int *number) { (*number)++; }"


@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_nothing_excuses_where_libraries_are_told(hooks: str, target: Target, shell: Shell) -> None:
    """Clean; with a function that is not instrumented a hole; with threads only counted."""
    (shell.directory / "p.c").write_text(CALLS)
    (shell.directory / "hidden.c").write_text(HIDDEN)
    shell.check(*target.compiler, "-c", "-O1", "hidden.c")
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-w", "-O1", "-g", "-static",
                "-pthread", "p.c", "hidden.o", "-o", "p")  # fmt: skip
    reports = []
    for arguments in ((), ("1",), ("1", "2")):
        shell.check(target.emulator, "./p", *arguments, INST_OUT="p.trace")
        trace = open_trace(shell.directory / "p.trace")
        reports.append(check_trace(trace, ("memory-sound",)))
    clean, hole, threads = reports
    assert (clean.findings, clean.notes) == ([], [])
    assert [finding.code for finding in hole.findings] == ["memory-hole"]
    assert threads.findings == [] and "several threads ran" in threads.notes[0]
    strict = check_trace(open_trace(shell.directory / "p.trace"), ("memory-sound",), STRICT)
    assert len(strict.findings) == 1  # the thread was joined before
    lenient = Options(settings={"memory": "lenient"})
    shell.check(target.emulator, "./p", "1", INST_OUT="p.trace")
    told = check_trace(open_trace(shell.directory / "p.trace"), ("memory-sound",), lenient)
    assert told.findings == [] and "as was asked for" in told.notes[0]


NEIGHBOURS = """\
volatile char pair[4] __attribute__((aligned(4)));
extern void hidden(volatile char *);
int main(void)
{
    pair[0] = 1;
    pair[1] = 2;
    hidden(pair);
    return pair[0] + pair[1] != 4;
}
"""
SECOND = "void hidden(volatile char *pair) { pair[0] = 1, pair[1] = 3; }"


def test_an_access_of_a_neighbour_proves_nothing(
    target: Target, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two bytes that code without hooks wrote, the first is what it was.

    Its load then is the last access of the four bytes of which one piece of a trace tells the
    next the last access, and nothing is between it and the load of the second byte.
    """
    monkeypatch.setattr("inst.check.memory_sound.PIECE", 1)
    (shell.directory / "p.c").write_text(NEIGHBOURS)
    (shell.directory / "hidden.c").write_text(SECOND)
    shell.check(*target.compiler, "-c", "-O1", "hidden.c")
    shell.check("inst-cc", *target.compiler, "-O1", "-static", "p.c", "hidden.o", "-o", "p")
    shell.check("inst", "run", "-o", "p.rec", "./p")
    lenient = Options(settings={"memory": "lenient"})
    report = check_trace(open_trace(shell.directory / "p.rec"), ("memory-sound",), lenient)
    assert report.findings == [] and "1 bytes had changed" in report.notes[0]


CLEARED = """\
static unsigned char lines[512] __attribute__((aligned(256)));
int main(void)
{
    unsigned sum = 0;
    for (int n = 0; n < 512; n++)
        lines[n] = n | 1;
    __asm__ volatile("dcbz 0, %0" : : "r"(lines + 256) : "memory");
    for (int n = 0; n < 512; n++)
        sum += ((volatile unsigned char *)lines)[n];
    return sum == 0;
}
"""


@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_cleared_blocks_are_stores(hooks: str, target: Target, shell: Shell) -> None:
    """dcbz clears as much as the processor says, which its word does not."""
    if target.isa != "powerpc":
        return
    (shell.directory / "p.c").write_text(CLEARED)
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-O1", "-static", "p.c")
    shell.check(target.emulator, "./a.out", INST_OUT="p.trace")
    trace = open_trace(shell.directory / "p.trace")
    report = check_trace(trace, ("well-formed", "memory-sound"))
    assert (report.findings, report.notes) == ([], [])
