"""The words of system events are those of the assembler, and every such instruction has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.arch.powerpc.tables.table import all_rows_of
from inst.arch.powerpc.tables.table import mnemonics as powerpc_mnemonics
from inst.arch.powerpc.words.system_events import WORDS
from inst.arch.sparc.tables.interpret import facts as narrow
from inst.arch.sparc.tables.interpret import wide_facts as wide
from inst.arch.sparc.words.system_events import BARRIERS
from inst.errors import InstError
from inst.isa.model import SystemEvent
from inst.rewrite.options import Options
from inst.target.targets import TARGETS
from inst.translate import translate
from tests.conftest import Shell, require_tools

POWERPC = {
    "sync": "sync", "msync": "sync", "hwsync": "sync", "lwsync": "lwsync", "ptesync": "ptesync",
    "isync": "isync", "mbar": "mbar", "eieio": "mbar", "tlbsync": "tlbsync", "tlbwe": "tlbwe",
    "tlbwe 3,4,1": "tlbwe", "tlbwehi 3,4": "tlbwe", "tlbwelo 3,4": "tlbwe",
    "tlbivax 3,4": "tlbivax", "tlbilx 0,0,3": "tlbilxlpid", "tlbilxlpid": "tlbilxlpid",
    "tlbilxpid": "tlbilxpid", "tlbilxva 3,4": "tlbilxva", "tlbie 3": "tlbie", "tlbia": "tlbia",
    "tlbiel 3": "tlbiel", "slbmte 3,4": "slbmte", "slbie 3": "slbie", "slbia": "slbia",
    "mtspr 624,3": "mtspr", "mtpid 3": "mtspr", "mtsdr1 3": "mtspr", "mtdbatu 1,3": "mtspr",
    "mtibatl 1,3": "mtspr", "mtlpidr 3": "mtspr", "mtlpcr 3": "mtspr", "mtptcr 3": "mtspr",
    "mtmsr 3": "mtmsr", "mtmsrd 3": "mtmsrd", "wrtee 3": "wrtee", "wrteei 1": "wrteei",
    "phwsync": "sync", "plwsync": "lwsync",
}  # fmt: skip
"""Instruction -> the row of its word."""
SPARC = {"stbar": "stbar", "membar 7": "membar", "flush %o0": "flush", "iflush %o0+4": "flush"}


def assembled(lines: list[str], compiler: tuple[str, ...], option: str, shell: Shell) -> list[int]:
    """Return the words of instructions, one after the other."""
    require_tools(compiler[0])
    (shell.directory / "x.s").write_text("\n".join(lines) + "\n")
    shell.check(*compiler, f"-Wa,{option}", "-c", "x.s", "-o", "x.o")
    copy = compiler[0].removesuffix("gcc") + "objcopy"
    shell.check(copy, "-O", "binary", "-j", ".text", "x.o", "x.bin")
    data = Path(shell.directory / "x.bin").read_bytes()
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]


def test_words_of_powerpc(shell: Shell) -> None:
    compiler = TARGETS["ppc32"].compiler
    words = assembled(list(POWERPC), (*compiler,), "-many", shell)
    rows = {row.mnemonic: row for row in WORDS}
    for (text, name), word in zip(POWERPC.items(), words, strict=True):
        found = [row.mnemonic for row in WORDS if word & row.mask == row.match]
        assert found == [name], text
    assert set(POWERPC.values()) == set(rows)


def test_every_event_of_powerpc_has_a_word() -> None:
    events = {
        mnemonic
        for mnemonic in powerpc_mnemonics()
        for row in all_rows_of(mnemonic).values()
        if row.facts.event != SystemEvent.NONE
    }
    names = {text.split()[0] for text in POWERPC}
    assert {name.rstrip("ul") if "bat" in name else name for name in events} <= {
        name.rstrip("ul") if "bat" in name else name for name in names
    }


def test_words_of_sparc(shell: Shell) -> None:
    words = assembled(list(SPARC), (*TARGETS["sparc-v8"].compiler,), "-Av9", shell)
    for (text, name), word in zip(SPARC.items(), words, strict=True):
        assert [row for row, mask, match in BARRIERS if word & mask == match] == [name], text


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("sta %o0, [%o1] 0x19", SystemEvent.SYSREG),
        ("sta %o0, [%o1] 4", SystemEvent.SYSREG),
        ("sta %g0, [%o1] 0x18", SystemEvent.TLBI),
        ("stda %o2, [%o1] 3", SystemEvent.TLBI),
        ("sta %o0, [%g0] 2", SystemEvent.NONE),
        ("lda [%o1] 0x19, %o0", SystemEvent.NONE),
    ],
)
def test_spaces_without_memory(text: str, event: SystemEvent) -> None:
    """Only 32-bit code means these by the numbers; 64-bit code accesses memory."""
    mnemonic, operands = text.split(" ", 1)
    found = narrow(mnemonic, operands)
    assert (found.access, found.event) == (None, event)
    assert narrow(mnemonic, operands).uses == wide(mnemonic, operands).uses
    assert wide(mnemonic, operands).access is not None


def test_other_spaces_are_memory() -> None:
    for space in ("0x0a", "0x0b", "0x1c", "0x20", "0x80"):
        assert narrow("sta", f"%o0, [%o1] {space}").access is not None


def translated(text: str, target: str, *, barriers: bool = True) -> str:
    """Return instrumented text without its table of sites."""
    options = Options(barriers=barriers, wrapping=False, counter=False)
    return translate(text, TARGETS[target], options).partition("\t.section .debug_inst")[0]


SLOT = "\t.text\nf:\n\t{branch}\n{label}\tsta %o0, [%o1] 0x18\n\tretl\n\tnop\n"


def test_an_event_in_a_delay_slot_moves_before_the_branch() -> None:
    found = translated(SLOT.format(branch="bne f", label=""), "sparc-v8")
    place = found.index("sta %o0, [%o1] 0x18")
    assert found.index("call inst.rare.xk") < place < found.index("bne f")
    assert found.count("sta ") == 1


@pytest.mark.parametrize(
    ("branch", "label"), [("bne,a f", ""), ("bne f", "g:"), ("call f", "\tsta %o0, [%o7] 3\n")]
)
def test_an_event_in_a_delay_slot_that_cannot_move(branch: str, label: str) -> None:
    text = SLOT.format(branch=branch, label=label) + ("\tba g\n\tnop\n" if label == "g:" else "")
    with pytest.raises(InstError, match="no probe can stand before `sta` in this delay slot"):
        translated(text, "sparc-v8")


def test_barriers_are_events_where_that_is_chosen() -> None:
    text = "f:\tsync\n\tisync\n\ttlbwe\n\tblr\n"
    assert translated(text, "ppc32").count("bl inst.rare") == 3
    assert translated(text, "ppc32", barriers=False).count("bl inst.rare") == 1


def test_nothing_is_inserted_while_a_reservation_is_open() -> None:
    text = "f:\tlwarx 5,0,3\n\tsync\n\tmtspr 48,4\n\tstwcx. 4,0,3\n\tsync\n\tblr\n"
    found = translated(text, "ppc32")
    inside = found[found.index("lwarx 5,0,3") : found.index("stwcx. 4,0,3")]
    assert "bl " not in inside
    assert found[found.index("stwcx. 4,0,3") :].count("bl inst.rare.x;") == 1
