"""Every PowerPC row that a user program may run, run: what does it really read and write?

An emulated program loads random values into all registers, runs one instruction, changes one
register at a time and sees what else changes.  What it sees must be what the tables say.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from powerpc_instances import assemble, instances

from inst.arch.powerpc.tables import ISA, REGISTERS
from inst.arch.powerpc.tables.language import LANGUAGE
from inst.arch.powerpc.tables.uncommon import decimal, matrix, server
from inst.isa.model import Facts, RegisterSet, Transfer
from inst.isa.rows import Table

HARNESS = Path(__file__).parent / "powerpc_execution"
COMPILER = ("powerpc64-linux-gnu-gcc", "-O2", "-mcpu=power8", "-static", "-w")
EMULATOR = ("qemu-ppc64", "-cpu", "power9")
MATRIX_EMULATOR = ("qemu-ppc64", "-cpu", "power10")

EXTRA = (
    *("addi 5,0,3", "addis 5,0,3", "isel 5,0,7,22", "mtvsrdd 5,0,7", "lvsl 5,0,7", "li 0,7"),
    *("lwzx 5,0,7", "lwzx 5,7,0", "stwx 5,0,7", "stbx 0,0,7", "lfdx 5,0,7", "stfsx 5,0,7"),
    *("lvx 5,0,7", "stvx 5,0,7", "lxvd2x 5,0,7", "stxvd2x 37,0,7", "dcbz 0,7", "lwarx 5,0,7"),
    *("lswi 31,9,8", "stswi 30,9,12", "lswi 10,9,0", "lmw 31,4(9)", "lmw 10,4(9)", "stmw 14,4(9)"),
    *("lwz 9,4(9)", "lwzx 9,9,10", "stwu 9,4(9)", "stwux 9,9,10", "stwux 10,9,10"),
    *("mtcrf 0xa5,5", "mtcrf 0xff,5", "mfocrf 5,0x40", "mtocrf 2,5", "mfspr 5,1", "mtspr 8,5"),
    *("crxor 6,6,6", "creqv 6,6,6", "cror 30,29,28", "mcrf 7,1", "cmpw 3,4", "cmpw 7,3,4"),
    *("rlwimi 5,5,3,3,9", "add 5,5,5", "addic 5,0,7", "fmr 5,5"),
    *("xxlor 5,37,63", "xxpermdi 5,37,63,2", "xsmaddadp 5,37,63", "xxsel 37,5,38,39"),
)
"""Besides one instance of each row: RA = 0, overlapping registers, masks."""

# Waits, other results each time, or a mode that the program does not put back.
NOT_RUN = re.compile(r"wait|darn|mftb.*|mffscdrni?")

# qemu 7.2 leaves the exceptions of the instruction before in these.
MISEMULATED = re.compile(r"x[sv](max|min)[ds]p|xscmpexp[dq]p")

# The architecture leaves half of the register undefined; the emulator keeps it.
HALF_DEFINED = re.compile(r"lxs.*|mt(vsr|fpr|vr)(d|wa|wz)")

# Not visible here: cache hints, stores without a reservation, registers outside the model,
# overflow and other rare outcomes that random numbers seldom give, string lengths.
INVISIBLE = re.compile(
    r"dc.*|ic.*|dstt?|dststt?|st.cx\.|mtvrsave|mtppr|.*o\.?|[ls].*swx|mcrxrx?|mcrfs|vsum4.*"
    r"|v(add|sub)e?cuq|maddhdu?|tabort\.|cmpeqb|xvcmp.*|vrldmi|xscmpeqdp|vmul10ecuq|f?(xs|xv)?t(div|sqrt)[ds]?p?|fcpsgn\."
    r"|bcd.*|d\w+q\.?|denbcd\.?|(dm)?xxm[tf]acc"
)

ILLEGAL_IN_USER_MODE = re.compile(
    r"mf(msr|dec|dsisr|dar|srr.|sprg.|cfar|sr|dcr)|mt(msrd?|dec|dsisr|dar|srr.|sprg.|sr|dcr)"
    r"|wrteei?|dcbi|icbt|icbtls|icblc|dcbtls|dcbtstls|dcblc|tlb.*|slbia|rfc?i|mcrxr|dcbzl|mbar"
    r"|mtfsf\.?|addex|dcba|dss(all)?|dst.*|mfpvr|mfppr|mtppr|dcbf(lp)?|dcbt(st)?(ds)?|dcbflp|fri.*"
    r"|fr(sqrt)?es?\.?|mffgpr|mftgpr|xvtlsbb|ec[io]wx"
)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one instruction was seen to do."""

    text: str
    facts: Facts
    defs: RegisterSet
    uses: RegisterSet
    illegal: bool

    @property
    def mnemonic(self) -> str:
        return self.text.split()[0]


def names_in(*tables: str) -> frozenset[str]:
    return frozenset(Table(LANGUAGE, tables).mnemonics)


MATRIX = names_in(matrix.MOVES, matrix.PRODUCTS)
UNCOMMON = MATRIX | names_in(*decimal.TABLES, server.INTEGER)
"""Of the uncommon instructions, those that an emulated POWER9 or POWER10 runs in user mode."""


@pytest.fixture(scope="module")
def observations(tmp_path_factory: pytest.TempPathFactory) -> list[Observation]:
    scratch = tmp_path_factory.mktemp("execution")
    cases = runnable(scratch)
    matrices = [case for case in cases if case[0].split()[0] in MATRIX]
    others = [case for case in cases if case not in matrices]
    return [
        *observed_in(others, scratch, EMULATOR),
        *observed_in(matrices, scratch, MATRIX_EMULATOR),
    ]


def observed_in(
    cases: list[tuple[str, int, Facts]], scratch: Path, emulator: tuple[str, ...]
) -> list[Observation]:
    """Run the instructions on an emulated processor."""
    (scratch / "slots.h").write_text("".join(f"slot {word:#x}\n" for _, word, _ in cases))
    rows = ",".join("{{{},{}}}".format(*addresses(text, facts)) for text, _, facts in cases)
    header = f"enum {{ COUNT = {len(cases)} }};\nstatic const int addresses[COUNT][2] = {{{rows}}};"
    (scratch / "table.h").write_text(header + "\n")
    program = scratch / "observe"
    sources = [str(HARNESS / "observe.c"), str(HARNESS / "run.S")]
    subprocess.run([*COMPILER, "-I", str(scratch), *sources, "-o", str(program)], check=True)
    ran = subprocess.run([*emulator, str(program)], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    return [observed(line, case) for line, case in zip(lines, cases, strict=True)]


def runnable(scratch: Path) -> list[tuple[str, int, Facts]]:
    """Return (text, word, facts) of an instance of each row, and the extra ones."""
    instances_of_all = reversed(instances(scratch)[0])
    firsts = {
        instance.row: instance
        for instance in instances_of_all
        if not instance.recent and (not instance.uncommon or instance.mnemonic in UNCOMMON)
    }
    cases = [(str(found), found.word, found.facts) for found in firsts.values()]
    words, messages = assemble(EXTRA, scratch)
    assert not messages
    for text, word in zip(EXTRA, words, strict=True):
        mnemonic, _, operands = text.partition(" ")
        cases.append((text, word, ISA.facts(mnemonic, operands)))
    return [
        case
        for case in cases
        if case[2].transfer == Transfer.NONE and not NOT_RUN.fullmatch(case[0].split()[0])
    ]


def addresses(text: str, facts: Facts) -> tuple[int, int]:
    """Return the numbers of the registers that must hold an address and a small offset."""
    names = [facts.access.base, facts.access.index] if facts.access else []
    if text[:2] in ("dc", "ic"):
        names = names or re.findall(r"r\d+", text)
    numbers = [int(name[1:]) for name in names if name]
    return tuple((*numbers, -1, -1)[:2])  # type: ignore[return-value]


def observed(line: str, case: tuple[str, int, Facts]) -> Observation:
    match = re.fullmatch(r"\d+(?: defs(.*) uses(.*)| illegal \d+)", line)
    assert match, line
    defs, uses = (REGISTERS.mask(*(group or "").split()) for group in match.groups())
    return Observation(case[0], case[2], defs, uses, "illegal" in line)


def test_most_rows_run(observations: list[Observation]) -> None:
    illegal = {o.mnemonic for o in observations if o.illegal}
    assert {name for name in illegal if not ILLEGAL_IN_USER_MODE.fullmatch(name)} == set()
    assert sum(not o.illegal for o in observations) > 1000


def test_nothing_is_written_that_the_tables_do_not_say(observations: list[Observation]) -> None:
    wrong = [
        f"{o.text} writes {REGISTERS.listed(o.defs & ~o.facts.defs)}"
        for o in observations
        if o.defs & ~o.facts.defs and not MISEMULATED.fullmatch(o.mnemonic)
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_matters_that_the_tables_do_not_say(observations: list[Observation]) -> None:
    wrong = []
    for o in observations:
        allowed = o.facts.uses
        if HALF_DEFINED.fullmatch(o.mnemonic):
            allowed |= o.facts.defs
        if o.uses & ~allowed and not MISEMULATED.fullmatch(o.mnemonic):
            wrong.append(f"{o.text} reads {REGISTERS.listed(o.uses & ~allowed)}")
    assert not wrong, "\n".join(wrong)


def test_what_the_tables_say_is_seen(observations: list[Observation]) -> None:
    """Facts may not be wider than the truth either: dead registers are the probe's scratch."""
    status = REGISTERS.mask("fpscr", "vscr", *(f"a{n}" for n in range(8)))
    wrong = []
    for o in observations:
        if o.illegal or INVISIBLE.fullmatch(o.mnemonic) or MISEMULATED.fullmatch(o.mnemonic):
            continue
        unseen = o.facts.defs & ~o.defs & ~status, o.facts.uses & ~o.uses & ~status
        if any(unseen):
            listed = [REGISTERS.listed(part) for part in unseen]
            wrong.append(f"{o.text}: defs {listed[0]}, uses {listed[1]}")
    assert not wrong, "\n".join(wrong)
