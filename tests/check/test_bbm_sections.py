"""Leaving out the steps of known sections changes no finding."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from inst.check import Finding, Options, check_trace
from inst.check.pagetable.feed import Feed
from inst.check.pagetable.sections import Sections
from inst.formats.sexp.trace import SexpTrace
from tests.check.short import NAME, record, split

SETUP = {
    2: (
        "init 10000 6000; p 10000 11003; p 10008 12003; p 13000 14003; reg vtcr_el2 22;"
        "set_root_lock 10000 900; set_root_lock 13000 908; reg vttbr_el2 10000;"
        "1: reg vtcr_el2 22; 1: reg vttbr_el2 10000;"
        "2: reg vtcr_el2 22; 2: reg vttbr_el2 1000000013000;"
    ),
    1: (
        "init 10000 6000; p 10000 11003; p 10008 12003; reg tcr_el2 22;"
        "set_root_lock 10000 900; reg ttbr0_el2 10000; 1: reg tcr_el2 22; 1: reg ttbr0_el2 10000;"
    ),
}
PAGES = {0x11000: 0, 0x12000: 512, 0x14000: 0}
"""Tables of level 3, and the number of the first page that each translates."""
CLEAN = {
    2: (
        ("dsb ish", "tlbi alle1is", "dsb ish"),
        ("dsb ish", "tlbi ipas2e1is {page:x}", "dsb ish", "tlbi vmalle1is", "dsb ish"),
        ("dsb ishst", "tlbi vmalls12e1is", "dsb sy"),
    ),
    1: (("dsb ish", "tlbi vae2is {page:x}", "dsb ish"), ("dsb ish", "tlbi alle2is", "dsb ish")),
}
FAULTS = ("dsb nsh", "tlbi alle1", "tlbi ipas2e1is {wrong:x}", "isb", "dsb ish", "tlbi vae2is 0",
          "tlbi ripas2e1is 400000000001", "tlbi ipas2e1is 7000{page:08x}")  # fmt: skip
BETWEEN = ("1: tlbi alle1is", "set_pte_thread_owner {entry:x} 1", "set_owner_root 11000 13000",
           "set_pte_thread_owner {entry:x} ffffffffffffffff", "set_owner_root 11000 10000",
           "1: reg vttbr_el2 1000000013000", "1: reg vttbr_el2 10000", "lock 910", "unlock 910",
           "p4 11ff8 0", "set 11ff0 8 0", "isb")  # fmt: skip
SEEDS = 8


class Traces:
    """Random traces in which a few manners of changing entries come again and again."""

    def __init__(self, seed: int, stage: int) -> None:
        self.chance, self.stage = random.Random(seed), stage
        self.values: dict[int, int] = {}
        self.manners = [self.manner() for _ in range(3)]

    def manner(self) -> list[str]:
        """Return the steps of a section, for entries 0 and 1."""
        steps: list[str] = []
        for number in self.chance.sample((0, 1), self.chance.choice((1, 1, 2))):
            clean = self.chance.choice(CLEAN[self.stage])
            which = "" if number == 0 else "other "
            read, broken, made = (which + word for word in ("read", "break", "make"))
            steps += [read, broken, *(which + step for step in clean), made]
        for _ in range(self.chance.choice((0, 0, 0, 1, 2))):
            place = self.chance.randrange(len(steps) + 1)
            if self.chance.random() < 0.5:
                steps.insert(place, self.chance.choice(FAULTS))
            else:
                del steps[min(place, len(steps) - 1)]
        return steps

    def section(self) -> list[str]:
        chance = self.chance
        tables = [table for table in PAGES if self.stage == 2 or table < 0x13000]
        table = chance.choice(tables)
        lock = 0x908 if table == 0x14000 else 0x900
        lock = lock if chance.random() < 0.97 else 0x908
        thread = 2 if table == 0x14000 else chance.choice((0, 0, 1))
        entries = [table + 8 * slot for slot in chance.sample(range(8), 2)]
        lines = [f"{thread}: lock {lock:x}"]
        for step in chance.choice(self.manners):
            which = step.startswith("other ")
            entry = entries[which]
            page = PAGES[table] + (entry >> 3 & 511)
            lines.append(f"{thread}: " + self.step(step.removeprefix("other "), entry, page))
        return [*lines, f"{thread}: unlock {lock:x}"]

    def step(self, step: str, entry: int, page: int) -> str:
        chance = self.chance
        if step == "read":
            return f"r {entry:x} {self.values.get(entry, 0) ^ (chance.random() < 0.01):x}"
        if step == "break":
            self.values[entry] = 0
            return f"{chance.choice('pw')} {entry:x} 0"
        if step == "make":
            self.values[entry] = chance.randrange(1, 99) << 12 | 3
            return f"w {entry:x} {self.values[entry]:x}"
        return step.format(page=page, wrong=page + 1, entry=entry)

    def pieces(self, count: int) -> list[str]:
        """Return what is set up, and sections in a few batches."""
        pieces = [SETUP[self.stage]]
        for _ in range(count // 20):
            lines: list[str] = []
            for _ in range(20):
                lines += self.section()
                if self.chance.random() < 0.02:
                    lines.insert(self.chance.randrange(len(lines)), "1: dsb ish")
                if self.chance.random() < 0.02:
                    lines.append(self.chance.choice(BETWEEN).format(entry=0x11000))
            pieces.append("".join(line + ";" for line in lines))
        return pieces


WAY = "dsb ish; tlbi {op}; dsb ish"
ADDRESSED = "dsb ish; tlbi ipas2e1is {page:x}; dsb ish; tlbi vmalle1is; dsb ish"


def section(slot: int, way: str, old: int = 0x40000003, thread: int = 0) -> str:
    """Return a section that maps an entry anew."""
    entry = f"{0x11000 + 8 * slot:x}"
    steps = f"lock 900; r {entry} {old:x}; w {entry} 0; {way}; w {entry} 50000003; unlock 900"
    lines = split(steps.format(page=slot))
    return "".join(line + ";" if line[1] == ":" else f"{thread}: {line};" for line in lines)


def mapped() -> str:
    """Return a tree with eight mapped entries."""
    entries = "".join(f"p {0x11000 + 8 * slot:x} 40000003;" for slot in range(8))
    return SETUP[2].replace("p 10000", entries + "p 10000")


VMID = WAY.format(op="vmalls12e1is")
RANGED = "dsb ish; tlbi ripas2e1is 40000000000{page:x}; dsb ish; tlbi vmalle1is; dsb ish"
HALVES = VMID + "; p4 11038 40000003; p4 1103c 0"
PERTURBED = [
    # what comes between known sections and one of their form, this one, and what is found
    (VMID, "", section(4, VMID), []),
    (VMID, "lock 900; w 11020 0; unlock 900;", section(4, VMID), ["read-mismatch"]),
    (VMID, "lock 900; p4 11020 40000043; p4 11024 0; unlock 900;", section(4, VMID),
     ["read-mismatch"]),
    (VMID, "set_pte_thread_owner 11020 1;", section(4, VMID), ["thread-owned"]),
    (VMID, "set_root_lock 10000 908;", section(4, VMID), ["lock-not-held"]),
    (VMID, "set_owner_root 11000 13000;", section(4, VMID), ["lock-not-held"]),
    (VMID, "reg vttbr_el2 1000000013000;", section(4, VMID), ["unclean-to-valid"]),
    (VMID, "1: lock 900;", section(4, VMID), ["already-held"]),
    (VMID, "", section(4, VMID, thread=2), ["unclean-to-valid"]),
    (VMID, "", section(4, VMID.replace("; dsb", "; 1: dsb")), ["unclean-to-valid"]),
    (VMID, "1: lock 908; 1: p 14000 40000003; 1: dsb ish; 1: p 14000 0;", section(4, VMID), []),
    (VMID, "lock 908; p 14000 40000003;", section(4, VMID) + "p 14008 40000003;", []),
    (VMID, "lock 908; p 14000 40000003;", "p 14008 40000003;", ["plain-unauthorised"]),
    (ADDRESSED, "", section(4, ADDRESSED), []),
    (ADDRESSED, "", section(4, ADDRESSED.replace("{page:x}", "5")), ["unclean-to-valid"]),
    (ADDRESSED, "", section(0, ADDRESSED.replace("{page:x}", "600000000000")), ["tlbi-ttl"]),
    (ADDRESSED, "", section(0, ADDRESSED.replace("{page:x}", "10000000000")),
     ["unclean-to-valid"]),
    (HALVES, "", section(4, HALVES), []),
    (HALVES, "", section(4, HALVES.replace("40000003", "0"))
     + "lock 900; w 11038 50000003; unlock 900;", ["unclean-to-valid"]),
    (RANGED, "", section(4, RANGED), []),
    (RANGED, "", section(4, RANGED.replace("{page:x}", "9")), ["unclean-to-valid"]),
]  # fmt: skip


@pytest.mark.parametrize(("way", "between", "then", "found"), PERTURBED)
def test_a_known_form_in_another_state(way: str, between: str, then: str, found: list[str]) -> None:
    setup, sections = mapped(), "".join(section(slot, way) for slot in range(1, 4))
    for pieces in (
        (setup + sections + between + then,),
        (setup, sections + between + then),
        (setup, sections, between + then),
    ):
        assert [each.code for each in findings(pieces)[0]][:1] == found


def test_entries_that_were_cleaned_before_need_an_isb() -> None:
    """In stage 1 what a section means depends on what came before it."""
    start = SETUP[1] + "lock 900; w 11000 40000003; w 11008 40000003; unlock 900;"
    make = "lock 900; w {} 40000003; unlock 900;"
    clean = "lock 900; w 11000 0; dsb ish; tlbi vae2is 0; dsb ish; unlock 900;"
    known = make.format("11010") + make.format("11018")
    text = clean.replace("unlock", "isb; unlock") + make.format("11000") + known
    pieces = (start, text + clean + make.format("11000"))
    assert [each.code for each in findings(pieces)[0]] == ["reuse-without-isb"]


def findings(
    pieces: Iterable[str], **settings: str
) -> tuple[list[Finding], dict[str, int], list[str]]:
    """Return what is found when the pieces are read one after another."""
    options, first, chunks = Options(True, frozenset({NAME}), settings), 0, []
    for piece in pieces:
        lines = split(piece)
        texts = (record(line, number) + "\n" for number, line in enumerate(lines, first))
        chunks.append("".join(texts).encode())
        first += len(lines)
    report = check_trace(SexpTrace("t", chunks), (NAME,), options)
    assert report.error is None
    return report.findings, dict(report.counts), report.notes


@pytest.mark.parametrize("stage", [1, 2])
@pytest.mark.parametrize("profile", ["arm", "casemate"])
def test_findings_are_the_same_step_by_step(
    stage: int, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = 0
    take = Sections.take

    def counted(*arguments: object) -> None:
        nonlocal taken
        taken += 1
        take(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Sections, "take", counted)
    for seed in range(SEEDS):
        pieces = Traces(seed, stage).pieces(60)
        settings = {"profile": profile, "racy": "yes" if seed % 5 == 4 else "no"}
        with monkeypatch.context() as patched:
            patched.setattr(Feed, "_known", lambda self, plan, number, *_: plan.starts[number])
            slow = findings(pieces, **settings)
        assert findings(pieces, **settings) == slow, seed
        assert findings(["".join(pieces)], **settings) == slow, seed
    assert taken > 30 or (stage == 1 and profile == "arm")
