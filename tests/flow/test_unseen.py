"""Ways that no branch shows: what is live for landing pads, asm goto, tables, second returns."""

from __future__ import annotations

import re

import pytest

from inst import isa
from inst.asm.split import split
from inst.errors import InstError
from inst.flow.call_sites import CallSite, UnreadableTable, call_sites
from inst.flow.code import Code
from inst.flow.liveness import find_liveness
from inst.flow.read import read_code
from inst.rewrite.options import Options
from inst.target.targets import TARGETS
from inst.translate import translate

IDENT = '\t.ident "GCC: (test)"\n'
POWERPC = """\
f:
.LFB0:
\t.cfi_startproc
\t.cfi_lsda 0x1b,.LLSDA0
\tstmw 30,-8(1)
\t.cfi_offset 30,-8
\t.cfi_offset 31,-4
\tmr 30,4
\tlwz 5,0(3)
.LEHB0:
\tbl g
.LEHE0:
.L2:\tli 30,0
\tli 31,0
\tblr
.L3:\tmr 3,30
\tb .L2
\t.cfi_endproc
"""
"""Only the landing pad .L3 reads r30; nothing reads r31."""
GCC = """\
\t.section .gcc_except_table,"a",@progbits
\t.align 2
.LLSDA0:
\t.byte 0xff
\t.byte 0x9b
\t.uleb128 .LLSDATT0-.LLSDATTD0
.LLSDATTD0:
\t.byte 0x1
\t.uleb128 .LLSDACSE0-.LLSDACSB0
.LLSDACSB0:
\t.uleb128 .LEHB0-.LFB0
\t.uleb128 .LEHE0-.LEHB0
\t.uleb128 .L3-.LFB0
\t.uleb128 0x1
\t.uleb128 .LEHB0-.LFB0
\t.uleb128 .LEHE0-.LEHB0
\t.uleb128 0
\t.uleb128 0
.LLSDACSE0:
\t.byte 0x1,0
\t.align 2
\t.4byte 0
.LLSDATT0:
\t.text
"""
CLANG = """\
\t.section .gcc_except_table,"a",@progbits
GCC_except_table0:
.LLSDA0:
\t.byte 255                             # @LPStart Encoding = omit
\t.byte 255
\t.byte 3                               # Call site Encoding = udata4
\t.uleb128 .Lcst_end0-.Lcst_begin0
.Lcst_begin0:
\t.word (.LEHB0)-(.LFB0)                # >> Call Site 1 <<
\t.word .LEHE0-.LEHB0
\t.word .L3-.LFB0
\t.byte 0
.Lcst_end0:
\t.text
"""
FROM_ELSEWHERE = CLANG.replace(".byte 255  ", ".byte 0\n\t.4byte 0 #", 1).replace("L3-.LFB0", "L3")
"""Landing pads as addresses, which GCC has where they lie in another section."""
FRAMES = '\t.section .eh_frame,"a"\n\t.4byte .LFB0-.,.LLSDA0-.\n\t.text\n'
WITHOUT_CFI = POWERPC.replace("\t.cfi_lsda 0x1b,.LLSDA0\n", "")


def _code(text: str, name: str = "powerpc") -> Code:
    return read_code(split(text + IDENT, name, "test.s"), isa.get(name), "test.s")


def _before(text: str, mnemonic: str, name: str = "powerpc") -> set[str]:
    """Return what is live before the first instruction with a mnemonic."""
    code = _code(text, name)
    names = [code.statements[position].name for position in code.statement]
    live = find_liveness(code, isa.get(name)).before[names.index(mnemonic)]
    return set(isa.get(name).registers.listed(live))


@pytest.mark.parametrize("table", [GCC, CLANG, FROM_ELSEWHERE])
def test_what_only_a_landing_pad_reads_is_live(table: str) -> None:
    assert call_sites(_code(POWERPC + table)) == [CallSite(3, 4, 7)]
    before = _before(POWERPC + table, "lwz")
    assert "r30" in before
    assert "r31" not in before


def test_tables_named_by_frames_that_the_compiler_writes() -> None:
    assert call_sites(_code(WITHOUT_CFI + GCC + FRAMES)) == [CallSite(3, 4, 7)]


def test_tables_with_compilers_names_where_the_frames_are_in_another_part() -> None:
    assert call_sites(_code(WITHOUT_CFI + GCC)) == [CallSite(3, 4, 7)]


def test_code_without_a_landing_pad_keeps_its_dead_registers() -> None:
    assert "r30" not in _before(WITHOUT_CFI, "lwz")


@pytest.mark.parametrize(
    "broken",
    [
        POWERPC,
        WITHOUT_CFI + GCC.replace(".LLSDA0", ".LX0"),
        POWERPC + GCC.replace(".uleb128 .LEHE0-.LEHB0", ".uleb128 8"),
        POWERPC + GCC.replace(".uleb128 .LEHB0-.LFB0", ".uleb128 0"),
        POWERPC + GCC.replace("\t.uleb128 0x1\n", ""),
        POWERPC + GCC.replace(".byte 0xff", ".byte x"),
        POWERPC + GCC.replace(".LLSDACSE0-.LLSDACSB0", "0x8"),
        POWERPC + GCC.replace(".L3-", ".L9-"),
    ],
    ids=["missing", "not named", "length", "begin", "fields", "header", "size", "pad"],
)
def test_what_calls_preserve_is_live_where_a_table_cannot_be_read(broken: str) -> None:
    with pytest.raises(UnreadableTable):
        call_sites(_code(broken))
    assert {"r14", "r29", "r30", "r31", "cr2"} <= _before(broken, "bl")
    assert "r31" in _before(broken, "lwz")


def test_nothing_is_recorded_for_re_execution_where_a_table_cannot_be_read() -> None:
    recording = Options("loads", counter=False, record=True)
    translate(POWERPC + GCC + IDENT, TARGETS["ppc32"], recording)
    with pytest.raises(InstError, match="tables of exceptions"):
        translate(POWERPC + IDENT, TARGETS["ppc32"], recording)


WINDOW = (
    "f:\n.LFB0:\n\t.cfi_startproc\n\t.cfi_lsda 0x1b,.LLSDA0\n\tsave %sp,-176,%sp\n"
    "\t.cfi_window_save\n.LEHB0:\n\tcall g\n\tnop\n.LEHE0:\n"
    ".L2:\tba .L2\n\tnop\n.L3:\tst %i0,[%i5]\n\tst %i1,[%l1]\n\tba .L2\n\tnop\n"
)


def test_windows_are_restored_but_for_what_the_unwinder_sets() -> None:
    before = _before(WINDOW + GCC, "call", "sparc")
    assert {"i5", "l1"} <= before
    assert not before & {"i0", "i1", "l2"}


NEVER_RETURNS = """\
f:
\t.cfi_startproc
\tlwz 3,0(3)
\tbeq 0,.L2
\tmflr 0
\tstmw 28,-16(1)
\t.cfi_offset 28,-16
\t.cfi_offset 30,-8
\t.cfi_remember_state
\tlhz 3,0(3)
\tbl throws
\t.cfi_restore_state
\tli 28,0
\tli 29,0
\tli 30,0
\tb .L3
.L2:
\t.cfi_restore 28
\t.cfi_restore 30
\tbl throws
\t.cfi_endproc
g:
\t.cfi_startproc
.L3:\tlbz 4,0(3)
\tb .L3
\t.cfi_endproc
"""
"""f saves r28 and r30 on one way only, as the table says, and r29, as it does not; g saves nothing,
and neither returns."""


def test_landing_pads_of_callers_read_what_a_function_has_not_saved() -> None:
    assert {"r14", "r28", "r29", "r30", "r31", "cr2", "f14"} <= _before(NEVER_RETURNS, "lwz")
    saved = _before(NEVER_RETURNS, "lhz")
    assert {"r14", "r29", "r31", "cr2", "f14"} <= saved
    assert not saved & {"r28", "r30"}
    assert {"r28", "r31", "cr2"} <= _before(NEVER_RETURNS, "lbz")  # an endless loop


def test_frame_pointers_are_read_by_unwinders() -> None:
    based = NEVER_RETURNS.replace("\tlhz", "\t.cfi_def_cfa_register 30\n\tlhz")
    assert "r30" not in _before(NEVER_RETURNS, "lhz")
    assert "r30" in _before(based, "lhz")


def test_landing_pads_are_not_reached_through_what_no_table_describes() -> None:
    """A table in another form may say anything."""
    undescribed = re.sub(r"\t\.cfi_.*\n", "", NEVER_RETURNS)
    assert not {"r28", "r31"} & _before(undescribed, "lbz")
    assert {"r28", "r31"} <= _before(undescribed + FRAMES, "lbz")


def test_windows_are_saved_by_the_next_one() -> None:
    text = (
        "f:\n\t.cfi_startproc\n\tld [%o0],%o0\n\tsave %sp,-96,%sp\n\t.cfi_window_save\n"
        ".L2:\tlduh [%i0],%o0\n\tcall throws\n\tnop\n\tba .L2\n\tnop\n\t.cfi_endproc\n"
    )
    assert {"l0", "l7", "i5"} <= _before(text, "ld", "sparc")
    assert not _before(text, "lduh", "sparc") & {"l0", "l7", "i5"}
    not_saved = text.replace("\tsave %sp,-96,%sp\n\t.cfi_window_save\n", "")
    assert {"l0", "l7", "i5"} <= _before(not_saved, "lduh", "sparc")


def test_each_instruction_of_a_call_site_may_throw() -> None:
    """With -fnon-call-exceptions accesses and traps do."""
    throwing = POWERPC.replace("\tbl g\n", "\tlwz 6,4(3)\n\tli 30,1\n\tlhz 7,8(3)\n")
    assert "r30" in _before(throwing + GCC, "lwz")


def test_everything_is_live_where_a_table_marks_an_instruction() -> None:
    """What goes on at the fixup is not seen: so r9 must survive the store before, too."""
    text = "f:\tstw 3,0(4)\n1:\tlwz 3,0(5)\n\tblr\nfix:\tmr 3,9\n\tblr\n"
    table = '\t.section __ex_table,"a"\n\t.long 1b,fix\n\t.text\n'
    assert "r9" not in _before(text, "stw")
    assert {"r9", "cr7", "ctr"} <= _before(text + table, "stw")


def test_table_of_functions_marks_nothing() -> None:
    text = "\t.type f,@function\nf:\tstw 3,0(4)\n\tblr\n"
    table = '\t.section calls,"a"\n\t.long f\n\t.text\n'
    assert _before(text + table, "stw") == _before(text, "stw")


@pytest.mark.parametrize("name", ["ppc32", "sparc-v8"])
def test_a_table_of_functions_keeps_their_addresses(name: str) -> None:
    """Calls through it come to the probe of the function's first instruction."""
    access = {"ppc32": "lwz 3,0(4)", "sparc-v8": "ld [%o0],%o1"}[name]
    text = (
        f"\t.type f,@function\nf:\n.L1.0:\t{access}\n\tnop\n1:\t{access}\n\tnop\n"
        '\t.section calls,"a"\n\t.long f\n\t.long .L1.0\n\t.long 1b\n'
    )
    made = translate(text, TARGETS[name], Options())
    assert "\t.long f\n\t.long .L1.0\n" in made
    assert ".long 1b" not in made


@pytest.mark.parametrize("asm", ["\tnop\n", "", "1:\tnop\n"])
def test_asm_goto_leads_to_labels_that_its_data_name(asm: str) -> None:
    text = (
        f'f:\tstw 3,0(4)\n#APP\n# 3 "a.c" 1\n{asm}\t.pushsection .rodata\n\t.long .L5\n'
        "\t.popsection\n#NO_APP\n\tli 9,1\n\tblr\n.L5:\tmr 3,9\n\tblr\n"
    )
    assert "r9" in _before(text, "stw")
    assert "r9" not in _before(text.replace("#APP\n", ""), "stw")


TWICE = (
    "\t.type f, #function\nf:\tsave %sp,-176,%sp\n\tcall _setjmp, 0\n\tnop\n\tcmp %o0,0\n\tbe .L8\n"
    "\tnop\n\tmov %i5,%i0\n\tret\n\trestore\n"
    ".L8:\tst %g0,[%i1]\n\tcall h, 0\n\tnop\n\tba .L8\n\tnop\n"
)
RECEIVES = (
    "\t.type f, #function\nf:\tsave %sp,-176,%sp\n\tsethi %hi(.L9),%g1\n\tor %g1,%lo(.L9),%g1\n"
    "\tst %g1,[%i0]\n.L8:\tld [%i1],%o0\n\tcall h, 0\n\tnop\n\tba .L8\n\tnop\n"
    ".L9:\tmov %i5,%i0\n\tret\n\trestore\n"
)


def test_windows_are_live_for_second_returns() -> None:
    """The window that longjmp restores is as the function has left it, not as setjmp saw it."""
    assert "i5" in _before(TWICE, "st", "sparc")
    assert "i5" not in _before(TWICE.replace("_setjmp", "other"), "st", "sparc")


def test_windows_are_live_for_labels_whose_address_is_taken() -> None:
    assert "i5" in _before(RECEIVES, "ld", "sparc")
    table = RECEIVES.replace(".L9:", ".L9:\t.word 0\n")
    assert "i5" not in _before(table, "ld", "sparc")
    distance = RECEIVES.replace("(.L9)", "(.L9-.L8)")
    assert "i5" not in _before(distance, "ld", "sparc")
