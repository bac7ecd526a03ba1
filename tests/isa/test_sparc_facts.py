"""Facts on which liveness and probes depend, one by one."""

from __future__ import annotations

import pytest

import inst.isa
from inst.arch.sparc.tables import REGISTERS
from inst.arch.sparc.tables.interpret import facts
from inst.errors import InstError
from inst.isa.model import Access, Form, Transfer, UnknownInstruction

EFFECTS = """
cmp %o0,5              | o0                | icc xcc
cmp %o0,%g0            | o0                | icc xcc
tst %l3                | l3                | icc xcc
addcc %o0,%o1,%g0      | o0 o1             | icc xcc
subx %o0,%o1,%o2       | o0 o1 icc         | o2
addx %g0,%g0,%o0       | icc               | o0
addxcc %o0,1,%o0       | o0 icc            | o0 icc xcc
subxcc %o0,1,%o0       | o0 icc            | o0 icc xcc
mulscc %o4,%o1,%o4     | o4 o1 icc y       | o4 icc xcc y
smul %o0,%o1,%o2       | o0 o1             | o2 y
umulcc %o0,3,%o2       | o0                | o2 y icc xcc
sdiv %o0,%o1,%o0       | o0 o1 y           | o0
udivcc %o0,%o1,%o0     | o0 o1 y           | o0 icc xcc
rd %y,%o1              | y                 | o1
mov %y,%o1             | y                 | o1
wr %g1,0,%y            | g1                | y
wr %g0,%g1,%y          | g1                | y
mov %g1,%y             | g1                | y
mov 0,%y               |                   | y
wr %o0,%asr19          | o0                | gsr
rd %ccr,%o0            | icc xcc           | o0
wr %o0,0,%ccr          | o0                | icc xcc
rd %psr,%l0            | psr icc           | l0
save %sp,-96,%sp       | o6                | o6
restore                |                   |
restore %o0,%o1,%o0    | o0 o1             | o0
restore %g0,%i0,%o0    | i0                | o0
call printf            |                   | o7
call printf, 0         |                   | o7
call %g1               | g1                | o7
call %g2, 0            | g2                | o7
call __tls_get_addr, %tgd_call(x) |        | o7
call .+8               |                   | o7
jmpl %o1+8,%o7         | o1                | o7
jmpl %l1,%g0           | l1                |
jmp %o2+%g1            | o2 g1             |
ret                    | i7                |
retl                   | o7                |
return %i7+8           | i7                |
rett %l2               | l2                |
bne .L1                | icc               |
bne %xcc,.L1           | xcc               |
bne,a,pt %icc,.L1      | icc               |
b .L1                  |                   |
ba,pt %xcc,.L1         |                   |
brz,pn %o0,.L1         | o0                |
fbne .L1               | fcc0              |
fbule,a %fcc2,.L1      | fcc2              |
cwbe %o0,%o1,.L1       | o0 o1             |
movne %icc,1,%o0       | o0 icc            | o0
movul %fcc1,%o1,%o0    | o0 o1 fcc1        | o0
mova %icc,1,%o0        |                   | o0
movrz %o0,%o1,%o2      | o0 o1 o2          | o2
fmovdne %xcc,%f4,%f6   | f4 f5 f6 f7 xcc   | f6 f7
fcmpes %f2,%f3         | f2 f3 fsr         | fcc0 fsr
fcmpd %fcc3,%f32,%f34  | f32 f33 f34 f35 fsr | fcc3 fsr
faddd %f0,%f2,%f4      | f0 f1 f2 f3 fsr   | f4 f5 fsr
fdtos %f32,%f1         | f32 f33 fsr       | f1 fsr
fmovs %f1,%f2          | f1                | f2
fnegd %f2,%f4          | f2 f3             | f4 f5
ldd [%o0],%o2          | o0                | o2 o3
ldd [%i0],%i0          | i0                | i0 i1
std %l2,[%sp+8]        | l2 l3 o6          |
std %g0,[%sp+8]        | g1 o6             |
ldd [%o0+%o1],%f2      | o0 o1             | f2 f3
st %fsr,[%sp+92]       | o6 fsr fcc0       |
ld [%sp+92],%fsr       | o6                | fsr fcc0
stx %fsr,[%o0]         | o0 fsr fcc0 fcc1 fcc2 fcc3 |
clr [%o0+4]            | o0                |
clr %o0                |                   | o0
st %g0,[%o0]           | o0                |
ldstub [%o0],%o1       | o0                | o1
swap [%o0],%o1         | o0 o1             | o1
casa [%o0]0xb,%o1,%o2  | o0 o1 o2          | o2
cas [%o0],%o1,%o2      | o0 o1 o2          | o2
lda [%o0]%asi,%o1      | o0 asi            | o1
add %g7,%o0,%o0,%tgd_add(x) | g7 o0        | o0
ld [%l7+%g1],%o0,%gdop(x) | l7 g1          | o0
sethi %hi(x),%g1       |                   | g1
set x,%g1              |                   | g1
setx x,%g1,%o0         |                   | g1 o0
inc %o0                | o0                | o0
deccc 4,%o0            | o0                | o0 icc xcc
btst 8,%o0             | o0                | icc xcc
bset %o1,%o0           | o0 o1             | o0
neg %o1,%o0            | o1                | o0
not %o0                | o0                | o0
membar #StoreLoad|#LoadLoad |              |
membar 15              |                   |
stbar                  |                   |
flush %o0+8            | o0                |
flush [%o0]            | o0                |
prefetch [%o0+64],1    | o0                |
prefetch [%o0],#n_reads | o0               |
nop                    |                   |
unimp 8                |                   |
mov %sp,%fp            | o6                | i6
add %r8,%r14,%r31      | o0 o6             | i7
"""


def _split(text: str) -> tuple[str, str]:
    mnemonic, _, operands = text.strip().partition(" ")
    return mnemonic, operands.strip()


@pytest.mark.parametrize(
    "line", [line for line in EFFECTS.splitlines() if line], ids=lambda line: line.split("|")[0]
)
def test_uses_and_defs(line: str) -> None:
    text, uses, defs = line.rsplit("|", 2)
    found = facts(*_split(text))
    assert set(REGISTERS.listed(found.uses)) == set(uses.split())
    assert set(REGISTERS.listed(found.defs)) == set(defs.split())


ADDRESSES = {
    "ld [%fp-20],%o0": Access(True, False, 4, "o0", "i6", None, "-20"),
    "ld [%g0+12],%o0": Access(True, False, 4, "o0", None, None, "12"),
    "ld [12],%o0": Access(True, False, 4, "o0", None, None, "12"),
    "ld [%o1+%g0],%o0": Access(True, False, 4, "o0", "o1", None, ""),
    "ld [%g0+%o1],%o0": Access(True, False, 4, "o0", "o1", None, ""),
    "ldub [%o1+%lo(x+4)],%g0": Access(True, False, 1, "g0", "o1", None, "%lo(x+4)"),
    "ldsh [%lo(x)+%o1],%o2": Access(True, False, 2, "o2", "o1", None, "%lo(x)"),
    "st %g0,[%o0+%o1]": Access(False, True, 4, "g0", "o0", "o1", ""),
    "clrh [%o0]": Access(False, True, 2, "g0", "o0", None, ""),
    "std %f4,[%sp+64]": Access(False, True, 8, "f4", "o6", None, "64"),
    "ldq [%o0],%f4": Access(True, False, 16, "f4", "o0", None, ""),
    "ldstub [%o0],%o1": Access(True, True, 1, "o1", "o0", None, "", Form.ATOMIC),
    "swap [%o0],%o1": Access(True, True, 4, "o1", "o0", None, "", Form.ATOMIC),
    "casa [%o0]0xb,%o1,%o2": Access(True, True, 4, "o2", "o0", None, "", Form.ATOMIC, asi="0xb"),
    "casx [%o0],%o1,%o2": Access(True, True, 8, "o2", "o0", None, "", Form.ATOMIC),
    "st %fsr,[%sp+92]": Access(False, True, 4, "fsr", "o6", None, "92", Form.SPECIAL),
    "ldda [%o0]0xf0,%f16": Access(True, False, 64, "f16", "o0", None, "", Form.SPECIAL, asi="0xf0"),
    "stda %f0,[%o0]#ASI_BLK_P": Access(
        False, True, 64, "f0", "o0", None, "", Form.SPECIAL, asi="#ASI_BLK_P"
    ),
    "ldda [%o0]0xd0,%f0": Access(True, False, 1, "f0", "o0", None, "", asi="0xd0"),
    "ldda [%o0]0x24,%o2": Access(
        True, False, 16, "o2", "o0", None, "", Form.SPECIAL, asi="0x24", registers=2
    ),
    "ldda [%o0]0xe2,%o2": Access(
        True, False, 16, "o2", "o0", None, "", Form.SPECIAL, asi="0xe2", registers=2
    ),
    "stda %f0,[%o0+8]%asi": Access(False, True, 0, "f0", "o0", None, "8", Form.SPECIAL, asi="%asi"),
    "lduba [%o0+%o1]10,%o2": Access(True, False, 1, "o2", "o0", "o1", "", asi="10"),
    "ld [%l7+%g1],%o0,%gdop(x)": Access(True, False, 4, "o0", "l7", "g1", "", linker_rewrites=True),
    "ld [%g7+%o1],%o2,%tie_ld(x)": Access(
        True, False, 4, "o2", "g7", "o1", "", linker_rewrites=True
    ),
}


@pytest.mark.parametrize(("text", "access"), ADDRESSES.items(), ids=ADDRESSES)
def test_access(text: str, access: Access) -> None:
    assert facts(*_split(text)).access == access


@pytest.mark.parametrize("text", ["prefetch [%o0],1", "flush [%o0]", "membar #Sync", "stbar"])
def test_no_access(text: str) -> None:
    assert facts(*_split(text)).access is None


@pytest.mark.parametrize(
    ("text", "transfer", "delay_slot", "conditional"),
    [
        ("jmp %o7+8", Transfer.RETURN, True, False),
        ("jmp %i7+12", Transfer.RETURN, True, False),
        ("jmp 8+%o7", Transfer.RETURN, True, False),
        ("jmpl %i7+8,%g0", Transfer.RETURN, True, False),
        ("jmpl %o7+8,%o1", Transfer.JUMP, True, False),
        ("jmpl %g1,%o7", Transfer.CALL, True, False),
        ("jmpl %g1,%g0", Transfer.JUMP, True, False),
        ("jmp %g1", Transfer.JUMP, True, False),
        ("jmp %o7+%g1", Transfer.JUMP, True, False),
        ("ret", Transfer.RETURN, True, False),
        ("retl", Transfer.RETURN, True, False),
        ("return %i7+8", Transfer.RETURN, True, False),
        ("call foo", Transfer.CALL, True, False),
        ("call %g1", Transfer.CALL, True, False),
        ("call .+8", Transfer.BRANCH, True, False),
        ("b .L1", Transfer.BRANCH, True, False),
        ("bl .L1", Transfer.BRANCH, True, True),
        ("fba .L1", Transfer.BRANCH, True, False),
        ("cwbne %o0,3,.L1", Transfer.BRANCH, False, True),
        ("bn .L1", Transfer.NONE, False, False),
        ("fbn %fcc0,.L1", Transfer.NONE, False, False),
        ("ta 3", Transfer.TRAP, False, False),
        ("te 5", Transfer.TRAP, False, True),
        ("ta %xcc,%g0+0x6d", Transfer.TRAP, False, False),
        ("tn 5", Transfer.NONE, False, False),
        ("unimp 0", Transfer.NONE, False, False),
    ],
)
def test_transfer(text: str, transfer: Transfer, delay_slot: bool, conditional: bool) -> None:
    found = facts(*_split(text))
    assert (found.transfer, found.delay_slot, found.conditional) == (
        transfer,
        delay_slot,
        conditional,
    )


@pytest.mark.parametrize(
    ("mnemonic", "operands", "inverse", "target", "operand", "annul"),
    [
        ("bne", ".L1", "be", ".L1", 0, False),
        ("bnz,a", "1f", "bz,a", "1f", 0, True),
        ("bcs,a,pn", "%icc,.L1", "bcc,a,pn", ".L1", 1, True),
        ("bgeu", "82f+4", "blu", "82f+4", 0, False),
        ("brlez,pt", "%o0,.L1", "brgz,pt", ".L1", 1, False),
        ("cwbgu", "%o0,1,.L1", "cwbleu", ".L1", 2, False),
        ("fbe", ".L1", "fbne", ".L1", 0, False),
        ("fbg", ".L1", "fbule", ".L1", 0, False),
        ("fbug", ".L1", "fble", ".L1", 0, False),
        ("fbl", ".L1", "fbuge", ".L1", 0, False),
        ("fbul", ".L1", "fbge", ".L1", 0, False),
        ("fblg", ".L1", "fbue", ".L1", 0, False),
        ("fbu", ".L1", "fbo", ".L1", 0, False),
        ("ba,a", ".L1", "", ".L1", 0, True),
        ("call", "memcpy,0", "", "memcpy", 0, False),
        ("call", "%g1", "", "", -1, False),
    ],
)
def test_branch(
    mnemonic: str, operands: str, inverse: str, target: str, operand: int, annul: bool
) -> None:
    found = facts(mnemonic, operands)
    assert (found.inverse, found.target, found.target_operand, found.annul) == (
        inverse,
        target,
        operand,
        annul,
    )


def test_windows() -> None:
    assert facts("save", "%sp,-96,%sp").window == facts("save", "").window == 1
    assert facts("restore", "").window == facts("return", "%i7+8").window == -1
    assert facts("ret", "").window == 0


def test_own_address() -> None:
    for text in ("rd %pc,%o7", "rd %asr5,%g1", "call .+8", "call .+12, 0"):
        assert facts(*_split(text)).pc_relative_data, text
    for text in ("call foo", "b .+8", "rd %y,%g1", "sethi %hi(x-.),%g1"):
        assert not facts(*_split(text)).pc_relative_data, text


def test_trap_reads_what_a_system_call_takes() -> None:
    found = facts("ta", "0x10")
    assert not REGISTERS.mask("g1", "o0", "o5", "o6", "g7") & ~found.uses
    assert not REGISTERS.mask("o0", "icc") & ~found.defs


@pytest.mark.parametrize("text", ["0x10", "16", "%g0+16", "16+%g0", "%icc,%g0+0x10", "%xcc,0x6d"])
def test_a_system_call_is_told_by_the_number_of_its_trap(text: str) -> None:
    assert facts("ta", text).system_call


@pytest.mark.parametrize("text", ["3", "%g0+3", "%g1+16", "16+%g1", "%g1", "%g1+%g0"])
def test_other_traps_are_no_system_calls(text: str) -> None:
    assert not facts("ta", text).system_call


def test_unknown_mnemonic_has_a_hint() -> None:
    with pytest.raises(UnknownInstruction) as caught:
        facts("adddcc", "%o0,%o1,%o2")
    assert "adddcc %o0,%o1,%o2" in caught.value.message
    assert "addcc" in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "add %o0,%o1",
        "add %f0,%o1,%o2",
        "add [%o0],%o1,%o2",
        "ld %o0,[%o1]",
        "ld [%o0] 0x80,%o1",
        "lda [%o0],%o1",
        "add,a %o0,%o1,%o2",
        "bne,x .L1",
        "bne,pt .L1",
        "faddd %o0,%f2,%f4",
        "fcmps %icc,%f1,%f2",
        "casa [%o0],%o1,%o2",
        "ret %o0",
        "sethi %o0,%o1",
    ],
)
def test_operands_that_fit_no_row(text: str) -> None:
    with pytest.raises(UnknownInstruction) as caught:
        facts(*_split(text))
    assert text in caught.value.message
    assert caught.value.hint


def test_unreadable_operands_are_an_error_of_the_input() -> None:
    with pytest.raises(InstError):
        facts("add", "%o0,%q7x,%o1")


def test_get_isa() -> None:
    assert inst.isa.get("sparc").facts is facts
    with pytest.raises(InstError, match="m68k"):
        inst.isa.get("m68k")


def test_g0_is_no_register() -> None:
    assert REGISTERS.bit["g0"] == 0
    assert facts("add", "%g0,%g0,%g0").uses == facts("add", "%g0,%g0,%g0").defs == 0
    assert REGISTERS.listed(REGISTERS.integer)[0] == "g1"


def test_facts_of_a_text_are_found_once() -> None:
    assert facts("ld", "[%fp-20],%o0") is facts("ld", "[%fp-20],%o0")
