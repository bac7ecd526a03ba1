"""Random short traces that go deep into the protocol, and the comparison with the naive model.

    python -m tests.check.random_traces [COUNT [SEED]]

runs the comparison on 100,000 traces (or COUNT) and says how often each verdict came.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Any, NamedTuple

from inst.check import Options, check_trace
from inst.check.pagetable.codes import ADVICE
from inst.formats.sexp.record import SexpRecord, render
from inst.formats.sexp.trace import SexpTrace
from tests.check.naive_model import OPERATIONS, Model, Refused

PAGES = [0x10000 + 0x1000 * number for number in range(5)]
LOCKS = [0x900, 0x908]
SLOTS = [0, 1, 2, 511]
NO_THREAD = (1 << 64) - 1
BITS = (2, 5, 7, 8, 9, 10, 11, 51, 52, 54, 55, 58, 59)


class Item(NamedTuple):
    """One record without its id."""

    kind: str
    thread: int
    fields: dict[str, Any]


class Trace(NamedTuple):
    items: list[Item]
    profile: str
    racy: bool


def generate(chance: random.Random) -> Trace:
    """Return a random trace: mostly the protocol as it should be, with things left out."""
    maker = _Maker(chance)
    maker.prologue()
    for _ in range(chance.randint(2, 12)):
        maker.something()
    return Trace(maker.items, chance.choice(("arm", "casemate")), chance.random() < 0.1)


class _Maker:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.items: list[Item] = []
        self.thread = 0
        self.level = chance.choice((1, 2, 2, 3))
        self.stage = chance.choice((1, 2, 2))
        self.skip = chance.choice((0.0, 0.0, 0.02, 0.1))

    def add(self, what: str, /, **fields: Any) -> None:
        if self.chance.random() >= self.skip:
            fields = {key.replace("_", "-"): value for key, value in fields.items()}
            self.items.append(Item(what, self.thread, fields))

    def prologue(self) -> None:
        chance = self.chance
        if chance.random() < 0.98:
            for page in PAGES:
                self.add("mem-init", address=page, size=0x1000)
        for page, lock in zip(PAGES, (LOCKS[0], LOCKS[1], LOCKS[0], LOCKS[0], LOCKS[1]),
                              strict=True):  # fmt: skip
            if page == PAGES[0] or chance.random() < 0.5:
                self.add("hint", kind="set_root_lock", location=page, value=lock)
        if chance.random() < 0.3:
            self.add("mem-write", mem_order="plain", address=self.slot(), value=self.value())
        if chance.random() < 0.5 and self.level < 3:
            self.add("mem-write", mem_order="plain", address=PAGES[0], value=PAGES[1] | 3)
        size = 64 - (48 - 9 * self.level)
        if chance.random() < 0.05:
            size = chance.randrange(64)
        for register in ("vtcr_el2", "tcr_el2"):
            self.add("sysreg-write", sysreg=register, value=size)
        self.switch(PAGES[0], chance.choice((0, 0, 0, 1)) if self.stage == 2 else 0)
        self.add("lock", address=LOCKS[0])

    def switch(self, page: int, identifier: int) -> None:
        register = "vttbr_el2" if self.stage == 2 else "ttbr0_el2"
        self.add("sysreg-write", sysreg=register, value=page | identifier << 48)

    def slot(self) -> int:
        page = self.chance.choice(PAGES[:3] if self.chance.random() < 0.9 else PAGES)
        if self.level == 3 and self.chance.random() < 0.9:
            page = PAGES[0]
        return page + 8 * self.chance.choice(SLOTS[:2] if self.chance.random() < 0.8 else SLOTS)

    def value(self) -> int:
        chance = self.chance
        kind = chance.random()
        if kind < 0.3:
            return 0
        if kind < 0.35:
            return chance.choice((2, 0x1000, PAGES[1] | 2))
        if kind < (0.6 if self.level < 3 else 0.4):
            return chance.choice(PAGES[1:4]) | 3
        usual = 1 if self.level < 3 else 3
        low = usual if chance.random() < 0.95 else 4 - usual
        value = low | chance.choice((0x40000000, 0x80000000, 0x4000_3000))
        for bit in chance.sample(BITS, chance.randint(0, 2)):
            value |= 1 << bit
        return value

    def order(self) -> str:
        return "release" if self.chance.random() < 0.5 else "plain"

    def something(self) -> None:
        chance = self.chance
        if chance.random() < 0.06:
            self.thread = chance.choice((0, 1))
        chance.choices(
            (self.clean, self.write, self.dsb, self.tlbi, self.locks, self.registers, self.hints,
             self.memory),
            (8, 5, 2, 2, 0.8, 0.5, 1, 0.3),
        )[0]()  # fmt: skip

    def write(self) -> None:
        slot = self.slot() + self.chance.choice((*(0,) * 40, 1, 4))
        self.add("mem-write", mem_order=self.order(), address=slot, value=self.value())

    def clean(self) -> None:
        """Break, and perhaps make."""
        slots = [self.slot() for _ in range(self.chance.choice((1, 1, 2)))]
        for slot in slots:
            self.add("mem-write", mem_order="release", address=slot, value=0)
        self.dsb()
        self.tlbi()
        self.dsb()
        if self.chance.random() < 0.5:
            self.add("tlbi", op="vmalle1is")
            self.dsb()
        if self.chance.random() < 0.7:
            self.add("mem-write", mem_order="release", address=slots[0], value=self.value())

    def dsb(self) -> None:
        chance = self.chance
        kind = "ish" if chance.random() < 0.9 else chance.choice(("ishst", "nsh", "sy", "ish"))
        self.add("barrier", barrier="dsb", kind=kind)
        if chance.random() < 0.1:
            self.add("barrier", barrier="isb")

    def tlbi(self) -> None:
        chance = self.chance
        likely = ("vmalls12e1is", "alle1is", "ipas2e1is", "ipas2e1is")
        if self.stage == 1:
            likely = ("alle2is", "vae2is", "vale2is", "vae2is")
        name = chance.choice(likely if chance.random() < 0.93 else tuple(OPERATIONS))
        if OPERATIONS[name][2] == "address":
            pages = (0, 0, 1, 0x200, 511, 0x40000)
            self.add("tlbi", op=name, value=chance.choice(pages))
        else:
            self.add("tlbi", op=name)

    def locks(self) -> None:
        chance = self.chance
        lock = chance.choice(LOCKS)
        if chance.random() < 0.6:
            self.add("unlock", address=LOCKS[0])
            self.add("lock", address=lock)
        else:
            self.add(chance.choice(("lock", "trylock", "unlock")), address=lock)

    def registers(self) -> None:
        chance = self.chance
        kind = chance.random()
        if kind < 0.6:
            identifier = chance.choice((0, 0, 1, 2)) if self.stage == 2 else 0
            self.switch(chance.choice((PAGES[0], PAGES[0], PAGES[3])), identifier)
        elif kind < 0.7:
            self.stage = 3 - self.stage
            self.switch(chance.choice((PAGES[0], *PAGES[3:], PAGES[4] + 8)), chance.choice((0, 3)))
            self.stage = 3 - self.stage
        else:
            name = chance.choice(("hcr_el2", "sctlr_el2", "mair_el2"))
            for value in chance.choice(((0, 1), (0,), (1,), (0x80000001,))):
                self.add("sysreg-write", sysreg=name, value=value)

    def hints(self) -> None:
        chance = self.chance
        kind = chance.random()
        if kind < 0.2:
            owner = chance.choice(PAGES[:2])
            page = chance.choice(PAGES) + chance.choice((0, 0, 0, 8))
            self.add("hint", kind="set_owner_root", location=page, value=owner)
        elif kind < 0.5:
            if chance.random() < 0.7 and self.stage == 2:
                self.switch(PAGES[4], 4)
            page = chance.choice((*PAGES[:1] * 20, PAGES[1], PAGES[1], 0x77000, PAGES[0] + 8))
            self.add("hint", kind="release_table", location=page, value=0)
        elif kind < 0.6:
            lock = chance.choice(LOCKS)
            lock = lock if chance.random() < 0.8 else 0
            self.add("hint", kind="set_root_lock", location=chance.choice(PAGES), value=lock)
        else:
            owner = chance.choice((0, 0, 1, NO_THREAD))
            location = self.slot() if chance.random() < 0.95 else 0x77000
            if chance.random() < 0.8:
                location = location & 0xFFF | PAGES[0 if self.level == 3 else 3 - self.level]
            self.add("hint", kind="set_pte_thread_owner", location=location, value=owner)

    def memory(self) -> None:
        chance = self.chance
        page, kind = chance.choice(PAGES), chance.random()
        if kind < 0.3:
            self.add("mem-read", address=self.slot(), value=self.value())
        elif kind < 0.5:
            self.add("mem-init", address=page, size=chance.choice((0x1000, 0x10, 0x2000)))
        elif kind < 0.75:
            self.add("mem-free", address=page, size=chance.choice((0x1000, 0x10, 0x2000)))
        else:
            start = page + chance.choice((0, 0, 0, 8, 4))
            size = chance.choice((0x1000, 0x10, 0x1008, 0x2000))
            self.add("mem-set", address=start, size=size, value=chance.choice((0, 0, 1, 0x42)))


def pad(trace: Trace, chance: random.Random) -> Trace:
    """Return the trace among many accesses of plain memory, so that it is read as columns."""
    items: list[Item] = []
    for item in trace.items:
        items.append(item)
        for _ in range(chance.choice((0, 1, 20))):
            address = chance.choice(PAGES[3:]) + 8 * chance.randrange(512)
            far = {"address": 0x5000_0000 + 8 * chance.randrange(5000), "value": 7}
            near = {"mem-order": "release", "address": address, "value": chance.choice((0, 2, 8))}
            thread = chance.randrange(3)
            kind = chance.random()
            items.append(Item("mem-read", thread, far) if kind < 0.5
                         else Item("mem-write", thread, near))  # fmt: skip
    return trace._replace(items=items)


def text_of(trace: Trace) -> str:
    """Return the trace as its file would hold it."""
    lines = []
    for number, item in enumerate(trace.items):
        fields = tuple(item.fields.items())
        lines.append(render(SexpRecord(number, item.kind, number, item.thread, fields)))
    return "\n".join(lines) + "\n"


def naive_verdict(trace: Trace) -> tuple[str, int] | None:
    """Return code and record of the first violation, as the naive model sees it."""
    model = Model(trace.profile == "casemate", trace.racy)
    for number, item in enumerate(trace.items):
        try:
            model.step(item.kind, item.thread, item.fields)
        except Refused as refused:
            return str(refused), number
    return None


def verdict(text: str, profile: str, racy: bool = False) -> tuple[str, int] | None:
    """Return code and record of the first violation that the check reports."""
    settings = {"profile": profile, "racy": "yes" if racy else "no"}
    options = Options(chosen=frozenset({"break-before-make"}), settings=settings)
    report = check_trace(SexpTrace("t", [text.encode()]), ("break-before-make",), options)
    assert report.error is None, report.error
    found = [(f.code, f.record) for f in report.findings if f.code not in ADVICE]
    assert len(found) <= 1
    return found[0] if found else None


def compare(count: int, seed: int) -> Counter[str]:
    """Compare on many traces and return how often each verdict came; a difference is an error."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(count):
        trace = generate(chance)
        if number % 8 == 0:
            trace = pad(trace, chance)
        slow, text = naive_verdict(trace), text_of(trace)
        fast = verdict(text, trace.profile, trace.racy)
        assert fast == slow, (
            f"trace {number} of seed {seed}, profile {trace.profile}, racy {trace.racy}: "
            f"the check says {fast}, the naive model {slow}\n{text}"
        )
        seen[slow[0] if slow else "clean"] += 1
    return seen


def main(arguments: list[str]) -> int:
    """Compare and print the verdicts."""
    count = int(arguments[0]) if arguments else 100_000
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    for code, number in compare(count, seed).most_common():
        print(f"{number:8} {code}")
    print(f"{count} traces, all verdicts equal")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
