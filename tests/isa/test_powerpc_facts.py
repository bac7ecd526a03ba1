"""PowerPC facts that liveness and the probes stand on, one by one."""

from __future__ import annotations

import pytest

from inst.arch.powerpc.tables import ISA, REGISTERS, WIDE
from inst.isa.model import Access, Facts, Form, Transfer, UnknownInstruction

GENERAL = [f"r{number}" for number in range(32)]


def facts(text: str) -> Facts:
    mnemonic, _, operands = text.partition(" ")
    return ISA.facts(mnemonic, operands)


def names(registers: int) -> set[str]:
    return set(REGISTERS.listed(registers))


def access(text: str) -> Access:
    found = facts(text).access
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "uses", "defs"),
    [
        ("add 3,4,5", "r4 r5", "r3"),
        ("add. 3,4,5", "r4 r5", "r3 cr0"),
        ("addo. 3,4,5", "r4 r5 xer", "r3 xer cr0"),
        ("addc 3,4,5", "r4 r5", "r3 ca"),
        ("adde 3,4,5", "r4 r5 ca", "r3 ca"),
        ("addze 3,4", "r4 ca", "r3 ca"),
        ("addme. 3,4", "r4 ca", "r3 ca cr0"),
        ("addeo 3,4,5", "r4 r5 xer ca", "r3 xer ca"),
        ("addex 3,4,5,0", "r4 r5 xer", "r3 xer"),
        ("subfe 3,4,5", "r4 r5 ca", "r3 ca"),
        ("subfic 3,4,7", "r4", "r3 ca"),
        ("addic 3,0,7", "r0", "r3 ca"),
        ("addic. 3,4,-1", "r4", "r3 ca cr0"),
        ("addi 3,0,7", "", "r3"),
        ("addi 3,4,x@l", "r4", "r3"),
        ("addis 9,0,x@ha", "", "r9"),
        ("li 0,5", "", "r0"),
        ("lis 9,.LC0@ha", "", "r9"),
        ("la 3,x@l(4)", "r4", "r3"),
        ("la 3,16(0)", "", "r3"),
        ("mr. 3,4", "r4", "r3 cr0"),
        ("srawi 3,4,2", "r4", "r3 ca"),
        ("sraw 3,4,5", "r4 r5", "r3 ca"),
        ("rlwinm 3,4,0,0xff", "r4", "r3"),
        ("rlwinm. 3,4,2,0,29", "r4", "r3 cr0"),
        ("rlwimi 3,4,8,16,23", "r3 r4", "r3"),
        ("inslwi 3,4,8,16", "r3 r4", "r3"),
        ("andi. 9,9,1", "r9", "r9 cr0"),
        ("isel 3,0,5,30", "r5 cr7", "r3"),
        ("isel 3,4,5,4*cr5+lt", "r4 r5 cr5", "r3"),
        ("nop", "", ""),
        ("cmpw 3,4", "r3 r4", "cr0"),
        ("cmpw 7,3,4", "r3 r4", "cr7"),
        ("cmpw cr7,%r3,%r4", "r3 r4", "cr7"),
        ("cmpwi 3,-1", "r3", "cr0"),
        ("cmplwi cr6,3,1", "r3", "cr6"),
        ("cmpi 1,0,3,5", "r3", "cr1"),
        ("crxor 6,6,6", "cr1", "cr1"),
        ("creqv 4*cr1+eq,4*cr1+eq,4*cr1+eq", "cr1", "cr1"),
        ("cror 4*cr6+eq,4*cr0+gt,2", "cr0 cr6", "cr6"),
        ("cror 30,29,28", "cr7", "cr7"),
        ("crclr 4*cr5+un", "cr5", "cr5"),
        ("crset so", "cr0", "cr0"),
        ("crnot eq,cr2*4+eq", "cr0 cr2", "cr0"),
        ("mcrf 0,7", "cr7", "cr0"),
        ("mtcrf 128,12", "r12", "cr0"),
        ("mtcrf 0x38,12", "r12", "cr2 cr3 cr4"),
        ("mtcrf 1,12", "r12", "cr7"),
        ("mtocrf 8,12", "r12", "cr4"),
        ("mfocrf 12,0x20", "cr2", "r12"),
        ("mtcr 3", "r3", "cr0 cr1 cr2 cr3 cr4 cr5 cr6 cr7"),
        ("mfcr 3", "cr0 cr1 cr2 cr3 cr4 cr5 cr6 cr7", "r3"),
        ("mflr 0", "lr", "r0"),
        ("mtlr 0", "r0", "lr"),
        ("mtctr 9", "r9", "ctr"),
        ("mfxer 9", "xer ca", "r9"),
        ("mfspr 9,8", "lr", "r9"),
        ("mtspr 9,3", "r3", "ctr"),
        ("mtspr 256,3", "r3", ""),
        ("mftb 3", "", "r3"),
        ("add 9,9,x@tls", "r9 r2", "r9"),
        ("lwz 9,12(31)", "r31", "r9"),
        ("lwz 0,0(0)", "", "r0"),
        ("lwzu 9,4(3)", "r3", "r9 r3"),
        ("lwzx 9,0,3", "r3", "r9"),
        ("lwzx 9,3,0", "r3 r0", "r9"),
        ("stw 0,36(1)", "r0 r1", ""),
        ("stwu 1,-32(1)", "r1", "r1"),
        ("stwux 1,1,0", "r0 r1", "r1"),
        ("lmw 29,20(1)", "r1", "r29 r30 r31"),
        ("stmw 30,8(1)", "r1 r30 r31", ""),
        ("lswi 30,4,9", "r4", "r30 r31 r0"),
        ("stswi 5,4,8", "r4 r5 r6", ""),
        ("stwcx. 9,0,3", "r3 r9", "cr0"),
        ("lwarx 9,0,3", "r3", "r9"),
        ("dcbz 0,3", "r3", ""),
        ("dcbz 4,3", "r3 r4", ""),
        ("dcbt 0,3", "r3", ""),
        ("fadd 1,2,3", "f2 f3 fpscr", "f1 fpscr"),
        ("fmr 1,2", "f2", "f1"),
        ("fmr. 1,2", "f2 fpscr", "f1 cr1"),
        ("fcmpu 7,1,2", "f1 f2 fpscr", "cr7 fpscr"),
        ("lfs 1,0(9)", "r9", "f1"),
        ("stfdu 1,8(9)", "f1 r9", "r9"),
        ("lxvd2x 34,0,9", "r9", "v2"),
        ("lxvd2x 2,0,9", "r9", "f2"),
        ("xxlor vs63,vs0,vs32", "f0 v0", "v31"),
        ("vcmpequw. 2,3,4", "v3 v4", "v2 cr6"),
        ("sync", "", ""),
        ("blr", "lr", ""),
        ("beqlr 7", "lr cr7", ""),
        ("bl f", "", "lr"),
        ("bctr", "ctr", ""),
        ("bctrl", "ctr", "lr"),
        ("blrl", "lr", "lr"),
        ("beq .L3", "cr0", ""),
        ("bne 7,.L3", "cr7", ""),
        ("bne cr7,.L3", "cr7", ""),
        ("bdnz .L3", "ctr", "ctr"),
        ("bdzlr", "ctr lr", "ctr"),
        ("bdnzt 4*cr2+eq,.L3", "ctr cr2", "ctr"),
        ("bt 30,.L3", "cr7", ""),
        ("bc 12,4*cr5+lt,.L3", "cr5", ""),
        ("bc 16,0,.L3", "ctr", "ctr"),
        ("bc 8,2,.L3", "ctr cr0", "ctr"),
        ("bc 20,0,.L3", "", ""),
        ("bcctrl 12,2", "ctr cr0", "lr"),
        ("bcl 20,31,.L6", "", "lr"),
        ("bl _savegpr_29", "r11 r29 r30 r31", "lr"),
        ("bl _restgpr_30", "r11", "lr r30 r31"),
        ("b _restgpr_30_x", "r11", "lr r0 r1 r30 r31"),
    ],
)
def test_uses_and_defs(text: str, uses: str, defs: str) -> None:
    found = facts(text)
    assert (names(found.uses), names(found.defs)) == (set(uses.split()), set(defs.split()))


@pytest.mark.parametrize(
    ("text", "base", "index", "offset", "value", "size"),
    [
        ("lwz 9,12(31)", "r31", None, "12", "r9", 4),
        ("lwz 9,-12(%r31)", "r31", None, "-12", "r9", 4),
        ("lwz 9,sym@got@l(9)", "r9", None, "sym@got@l", "r9", 4),
        ("lwz 9,x+4@l(9)", "r9", None, "x+4@l", "r9", 4),
        ("lwz 9,.LC0-.LCTOC1(30)", "r30", None, ".LC0-.LCTOC1", "r9", 4),
        ("lbz 9,(4+8)(30)", "r30", None, "(4+8)", "r9", 1),
        ("stb 9,100(0)", None, None, "100", "r9", 1),
        ("stw 9,100(r0)", None, None, "100", "r9", 4),
        ("lha 9,2(3)", "r3", None, "2", "r9", 2),
        ("lfs 1,2(3)", "r3", None, "2", "f1", 4),
        ("stfd f31,x@l(3)", "r3", None, "x@l", "f31", 8),
        ("lwzx 9,10,11", "r10", "r11", "", "r9", 4),
        ("lwbrx 9,0,11", None, "r11", "", "r9", 4),
        ("stwux 9,10,11", "r10", "r11", "", "r9", 4),
        ("lmw 25,4(1)", "r1", None, "4", "r25", 28),
        ("lswi 5,4,0", "r4", None, "", "r5", 32),
        ("lswx 5,4,6", "r4", "r6", "", "r5", 0),
        ("dcbz 0,9", None, "r9", "", None, 0),
        ("stwcx. 9,0,3", None, "r3", "", "r9", 4),
        ("stfiwx 0,0,9", None, "r9", "", "f0", 4),
        ("stxvd2x 34,9,10", "r9", "r10", "", "v2", 16),
    ],
)
def test_addresses(
    text: str, base: str | None, index: str | None, offset: str, value: str | None, size: int
) -> None:
    found = access(text)
    assert (found.base, found.index, found.offset) == (base, index, offset)
    assert (found.value, found.size) == (value, size)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("lwz 9,12(31)", Form.SIMPLE),
        ("stmw 30,8(1)", Form.MULTIPLE),
        ("lswi 5,4,8", Form.STRING),
        ("stswx 5,4,8", Form.STRING),
        ("lharx 9,0,3", Form.RESERVE),
        ("stbcx. 9,0,3", Form.CONDITIONAL),
        ("dcbzl 0,3", Form.BLOCK),
        ("stfiwx 0,0,9", Form.SPECIAL),
    ],
)
def test_forms(text: str, form: Form) -> None:
    assert access(text).form == form


def test_thread_pointer_of_64_bit_code() -> None:
    added, loaded = WIDE[0].facts("add", "9,9,x@tls"), WIDE[0].facts("lwzx", "9,2,x@tls")
    assert set(REGISTERS.listed(added.uses)) == {"r9", "r13"}
    assert set(REGISTERS.listed(loaded.uses)) == {"r2", "r13"}
    assert loaded.access is not None and loaded.access.linker_rewrites
    assert (loaded.access.base, loaded.access.index) == ("r2", "r13")


def test_details_of_accesses() -> None:
    assert access("stwu 1,-16(1)").update and not access("stw 1,-16(1)").update
    assert access("lvx 2,0,9").align == 16 and access("stvewx 2,0,9").align == 4
    assert access("lwbrx 9,0,3").byte_reversed and not access("lwzx 9,0,3").byte_reversed
    assert access("lwz 9,x@got@tprel(30)").linker_rewrites
    assert access("lwzx 9,9,x@tls").linker_rewrites
    assert not access("lwz 9,x@got(30)").linker_rewrites
    for text in ("dcbt 0,3", "icbi 0,3", "lvsl 0,0,3", "la 3,4(5)", "sync", "mr 3,4"):
        assert facts(text).access is None


@pytest.mark.parametrize(
    ("text", "transfer", "conditional", "target", "operand", "reach"),
    [
        ("b .L3", Transfer.BRANCH, False, ".L3", 0, 1 << 25),
        ("bl f@plt", Transfer.CALL, False, "f@plt", 0, 1 << 25),
        ("bl f+32768@plt", Transfer.CALL, False, "f+32768@plt", 0, 1 << 25),
        ("beq- .L3", Transfer.BRANCH, True, ".L3", 0, 1 << 15),
        ("bne 7,.L3", Transfer.BRANCH, True, ".L3", 1, 1 << 15),
        ("bc 12,2,$+8", Transfer.BRANCH, True, "$+8", 2, 1 << 15),
        ("bdnz 1b", Transfer.BRANCH, True, "1b", 0, 1 << 15),
        ("beql 7,f", Transfer.CALL, True, "f", 1, 1 << 15),
        ("bla 64", Transfer.CALL, False, "64", 0, 0),
        ("blr", Transfer.RETURN, False, "", -1, 0),
        ("beqlr", Transfer.RETURN, True, "", -1, 0),
        ("bclr 20,0", Transfer.RETURN, False, "", -1, 0),
        ("bctr", Transfer.JUMP, False, "", -1, 0),
        ("bnectr 7", Transfer.JUMP, True, "", -1, 0),
        ("bctrl", Transfer.CALL, False, "", -1, 0),
        ("blrl", Transfer.CALL, False, "", -1, 0),
        ("bcl 20,31,.L6", Transfer.BRANCH, False, ".L6", 2, 1 << 15),
        ("bcl 20,0,f", Transfer.CALL, False, "f", 2, 1 << 15),
        ("b _restgpr_30_x", Transfer.RETURN, False, "_restgpr_30_x", 0, 1 << 25),
        ("bl _savegpr_30", Transfer.NONE, False, "_savegpr_30", 0, 1 << 25),
        ("sc", Transfer.TRAP, True, "", -1, 0),
        ("twnei 3,0", Transfer.TRAP, True, "", -1, 0),
        ("add 3,4,5", Transfer.NONE, False, "", -1, 0),
    ],
)
def test_transfers(
    text: str, transfer: Transfer, conditional: bool, target: str, operand: int, reach: int
) -> None:
    found = facts(text)
    assert (found.transfer, found.conditional) == (transfer, conditional)
    assert (found.target, found.target_operand, found.reach) == (target, operand, reach)
    assert not found.delay_slot and not found.annul and found.length == 4


@pytest.mark.parametrize("text", ["bcl 20,31,.L6", "bcl 20,31,$+4", "bl .L7$pb", "bl .L0$pb"])
def test_reading_the_program_counter_is_no_call(text: str) -> None:
    found = facts(text)
    assert found.pc_relative_data and found.transfer == Transfer.BRANCH
    assert not found.conditional and names(found.defs) == {"lr"}


@pytest.mark.parametrize(
    ("text", "inverse"),
    [
        ("beq .L3", "bne"),
        ("bne+ 7,.L3", "beq-"),
        ("bge- .L3", "blt+"),
        ("bng .L3", "bgt"),
        ("bso .L3", "bns"),
        ("bun .L3", "bnu"),
        ("bdnz .L3", "bdz"),
        ("bdz .L3", "bdnz"),
        ("bt 30,.L3", "bf"),
        ("beqlr", "bnelr"),
        ("bltctrl 7", "bgectrl"),
        ("bdnzt 2,.L3", ""),
        ("bc 12,2,.L3", ""),
        ("b .L3", ""),
        ("bl f", ""),
    ],
)
def test_inverse(text: str, inverse: str) -> None:
    assert facts(text).inverse == inverse


def test_inverses_are_known_and_invert_back() -> None:
    for text in ("beq .L3", "blt- 7,.L3", "bdz+ .L3", "bfla 2,64", "bgelrl"):
        mnemonic, _, operands = text.partition(" ")
        inverse = ISA.facts(mnemonic, operands).inverse
        assert ISA.facts(inverse, operands).inverse == mnemonic


def test_conventions_of_calls() -> None:
    volatile = names(REGISTERS.volatile)
    assert {"r0", "r3", "r12", "f13", "v19", "cr0", "cr1", "cr5", "cr7", "lr", "ctr"} <= volatile
    assert not volatile & {"r1", "r2", "r13", "r14", "r31", "f14", "v20", "cr2", "cr4"}
    assert names(REGISTERS.reserved) == {"r1", "r2", "r13"}
    arguments = names(REGISTERS.arguments)
    assert {"r1", "r2", "r3", "r10", "r11", "r12", "f1", "f8", "v2", "cr1"} <= arguments
    assert not arguments & {"r0", "r13", "r14", "cr0", "lr", "ctr"}
    assert names(REGISTERS.special) == {*(f"cr{i}" for i in range(8)), "ctr", "xer", "ca"}
    assert names(REGISTERS.link) == {"lr"}
    assert names(REGISTERS.integer) == set(GENERAL)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("lwzz 3,4(5)", "did you mean"),
        ("add 3,4", "3 operands"),
        ("add 3,4,32", "not a register"),
        ("lwz 3,4", "not displacement(register)"),
        ("lwz 3,foo", "not displacement(register)"),
        ("fadd 1,2,r3", "not a register"),
        ("lwzu 3,4(0)", "base register"),
        ("cror 32,1,2", "not a bit"),
        ("add 3,4,", ""),
        ("cmpw 9,3,4", "not a register"),
        ("mtcrf x,3", "not a constant"),
        ("qqqqqqqqqqqq", "close"),
    ],
)
def test_what_no_row_knows_is_an_error(text: str, hint: str) -> None:
    with pytest.raises(UnknownInstruction) as caught:
        facts(text)
    assert text.strip().rstrip(",") in caught.value.message
    assert hint in caught.value.hint


def test_the_closest_mnemonic_is_named() -> None:
    with pytest.raises(UnknownInstruction) as caught:
        facts("stwxx 3,4,5")
    assert "`stwx`" in caught.value.hint or "`stwux`" in caught.value.hint


def test_facts_of_a_text_are_found_once() -> None:
    assert ISA.facts("lwz", "3,16(4)") is ISA.facts("lwz", "3,16(4)")
