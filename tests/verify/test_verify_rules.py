"""Each rule of the verifier catches an output that breaks it, and only that one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.verify.verify import verify

WHOLE = Options(restores=False)


@dataclass(frozen=True, slots=True)
class Broken:
    """An input, what is changed in its output, and the word that the complaint must hold."""

    target: str
    source: str
    old: str
    new: str
    word: str
    level: str = "values"


LEAF = 'f:\tlwz 3,8(4)\n\tstw 3,12(4)\n\tblr\n\t.ident "GCC: (test)"\n'
FULL = (  # every register but r1 is live, so the stack holds one
    "f:\tmflr 0\n\tlmw 2,4(1)\n\tstw 3,8(4)\n\tblr\n"
)
SPARC = "f:\tld [%o0+8],%o1\n\tst %o1,[%o0+12]\n\tretl\n\tnop\n"
LINKED = "f:\tldx [%sp+2175],%o0\n\tretl\n\tnop\n"
"""No compiler made it, so no register is dead and a site makes a frame."""
SLOT = "f:\tcmp %o0,0\n\tbe .L1\n\tld [%o1],%o2\n\tadd %o2,1,%o2\n.L1:\tretl\n\tmov %o2,%o0\n"
ANNULLED = SLOT.replace("be .L1", "be,a .L1")
GLOBAL = "f:\tsave %sp,-176,%sp\n\treturn %i7+8\n\tldx [%g1],%g3\n"
UNREACHED = "f:\tba .L1\n\tnop\n\tba .L1\n\tld [%o1],%o2\n.L1:\tretl\n\tnop\n"
GOT = (
    "f:\tsave %sp,-96,%sp\n\tsethi %hi(_GLOBAL_OFFSET_TABLE_-4),%l7\n\tcall thunk\n"
    "\tadd %l7,%lo(_GLOBAL_OFFSET_TABLE_+4),%l7\n\tld [%i0],%i0\n\tret\n\trestore\n"
)
UNIMP = "f:\tcall g\n\tmov %o1,%o0\n\tunimp 8\n\tld [%o0],%o0\n\tretl\n\tnop\n"
RESERVED = "1:\tlwarx 5,0,9\n\tadd 6,5,3\n\tstwcx. 6,0,9\n\tbne- 1b\n\tblr\n"
UNREPORTED = "1:\tlwarx 5,0,9\n\tlwz 6,0(10)\n\tstwcx. 6,0,9\n\tbne- 1b\n\tblr\n"
SOMETIMES = "1:\tlwarx 5,0,9\n\tbeq 2f\n\tlwz 6,0(10)\n2:\tstwcx. 6,0,9\n\tbne- 1b\n\tblr\n"
AT_HOME = (  # r0 is the only register that is dead
    "f:\nf.0:\t.cfi_startproc\n\tbso 5,.L1\n\tstd 3,0(9)\n\tstd 3,8(9)\n\tb f.0\n.L1:\tblr\n"
    '\t.cfi_endproc\n\t.ident "GCC: (test)"\n'
)
MEASURED = (
    "f:\tmov %o7,%g1\n1:\tcall g\n\tnop\n\tadd %o7,f-1b,%o0\n\tretl\n\tnop\ng:\tretl\n\tnop\n"
)
COUNTED = (
    "f:\tld [%o0],%o1\n\tld [%o0+4],%o2\n\tsubcc %o3,1,%o3\n\tbne f+4\n\tmov 1,%o1\n\tretl\n\tnop\n"
)
FRAMES = (
    "f:\t.cfi_startproc\n\tstwu 1,-16(1)\n\t.cfi_def_cfa_offset 16\n\tlwz 9,0(1)\n"
    "\t.cfi_restore 31\n\tblr\n\t.cfi_endproc\n"
)
RELOCATED = "f:\tlwz 9,0(3)\n\t.reloc .,R_PPC_NONE,x\n\tlwz 4,0(9)\n\tblr\n"
DATA = "f:\tstw 3,0(4)\n\tblr\n\t.data\n\t.long 1\n\t.long 0\n"

CASES = {
    "an instruction is lost": Broken("ppc32", LEAF, "stw 3,12(4)", "nop", "does not come to"),
    "an instruction is changed": Broken(
        "ppc32", LEAF, "lwz 3,8(4)", "lwz 3,4(4)", "accesses memory"
    ),
    "two change places": Broken(
        "ppc32",
        "f:\tneg 3,4\n\tneg 6,3\n\tlwz 3,0(4)\n\tblr\n",
        "neg 3,4\n\tneg 6,3",
        "neg 6,3\n\tneg 3,4",
        "inserted",
    ),
    "a branch goes elsewhere": Broken(
        "ppc32",
        "f:\tbeq 0,.L1\n\tlwz 3,0(4)\n.L2:\tnop\n.L1:\tblr\n",
        "beq 0,.L1",
        "beq 0,.L2",
        "beq",
    ),
    "a branch goes to another distance": Broken(
        "sparc-v8",
        COUNTED,
        ".Linst1: ld [%o0],%o1\n\t.Lopen1: add",
        ".Lopen1: .Linst1: ld [%o0],%o1\n\tadd",
        "accesses memory",
    ),
    "a distance is measured from elsewhere": Broken(
        "sparc-v8",
        MEASURED,
        "call inst.window.x; nop; .Lhere1:",
        ".Lhere1: call inst.window.x; nop;",
        "measures from 1b",
    ),
    "a distance is measured from the old label": Broken(
        "sparc-v8",
        MEASURED,
        "%hi(f-.Lhere1),%g5; or %g5,%lo(f-.Lhere1)",
        "%hi(f-1b),%g5; or %g5,%lo(f-1b)",
        "measures from 1b",
    ),
    "a branch is inverted alone": Broken("sparc-v8", ANNULLED, "bne ", "be ", ""),
    "a label is lost": Broken("sparc-v8", SLOT, ".L1:", ".L3:", ".L1"),
    "not reported": Broken("ppc32", LEAF, "bl inst.ldw.r3", "nop", "report"),
    "not reported where nothing leads": Broken(
        "sparc-v8", UNREACHED, "call inst.ldw.o2.xk", "nop", "report"
    ),
    "not reported before a return": Broken(
        "sparc-v9", GLOBAL, "call inst.ldd.g3.x", "nop", "report"
    ),
    "reported twice": Broken(
        "ppc32", LEAF, "bl inst.stw.r3", "bl inst.stw.r3; bl inst.stw.r3", "two reports"
    ),
    "reported as another size": Broken(
        "ppc32", LEAF, "inst.stw.r3", "inst.sth.r3", "reported as sth"
    ),
    "reported with another value": Broken("ppc32", LEAF, "inst.ldw.r3", "inst.ldw.r5", "r5"),
    "reported at another offset": Broken("ppc32", LEAF, "addi 13,4,12", "addi 13,4,16", "lies at"),
    "reported from another base": Broken(
        "sparc-v8", SPARC, "add %o0,12,%g5", "add %o1,12,%g5", "lies at"
    ),
    "address by another relocation": Broken(
        "ppc32",
        "f:\tlwz 3,x@l(4)\n\tblr\n",
        "addi 13,4,x@l",
        "addi 13,4,x@ha",
        "lies at",
    ),
    "the linker's access is reported": Broken(
        "sparc-v8",
        "f:\tld [%l7+%g1],%g1,%gdop(x)\n\tld [%o0],%o1\n\tretl\n\tnop\n",
        "ld [%l7+%g1],%g1,%gdop(x)",
        "call inst.stw.g1; add %l7,%g1,%g5; ld [%l7+%g1],%g1,%gdop(x)",
        "reported as",
    ),
    "code inside a reservation": Broken(
        "ppc32", RESERVED, "add 6,5,3", "nop; add 6,5,3", "reservation"
    ),
    "a call inside a reservation": Broken(
        "ppc32",
        UNREPORTED,
        "lwz 6,0(10)",
        "lwz 6,0(10); mflr 11; li 13,1; bl inst.unreported.x; mtlr 11",
        "reservation",
    ),
    "a report inside a reservation": Broken(
        "ppc64",
        UNREPORTED,
        "lwz 6,0(10)",
        "lwz 6,0(10); mr 12,10; bl inst.ldw.r6.a12.x",
        "reservation",
    ),
    "accesses that are not counted": Broken(
        "ppc64le", UNREPORTED, "bl inst.unreported.a12.x", "nop", "neither reported nor counted"
    ),
    "accesses that are counted twice": Broken(
        "ppc32", UNREPORTED, "li 13,1", "li 13,2", "2 accesses are counted"
    ),
    "nothing says that accesses may be missing": Broken(
        "ppc32", SOMETIMES, "bl inst.unreported.x", "nop", "neither reported nor counted"
    ),
    "the GOT set-up is parted": Broken(
        "sparc-v8", GOT, "\tcall thunk", "\tnop; call thunk", "GOT pointer"
    ),
    "unimp is parted": Broken("sparc-v8", UNIMP, "unimp 8", "nop; unimp 8", "unimp"),
    "the local entry point moves": Broken(
        "ppc64le",
        "\t.abiversion 2\nf:\n0:\taddis 2,12,.TOC.-0b@ha\n\taddi 2,2,.TOC.-0b@l\n"
        "\t.localentry f,.-f\n\tld 3,0(4)\n\tblr\n",
        "addi 2,2",
        "nop; addi 2,2",
        "local entry",
    ),
    "a call and its nop are parted": Broken(
        "ppc64le",
        "f:\tbl g\n\tnop\n\tld 3,0(4)\n\tblr\n",
        "bl g\n",
        "bl g; mr 12,9\n",
        "TOC pointer",
    ),
    "a frame in the red zone": Broken(
        "ppc64le",
        "f:\tmflr 0\n\tstd 3,8(4)\n\tblr\n",
        "stdu 1,-640(1)",
        "stdu 1,-64(1)",
        "no lawful frame",
    ),
    "unimp is missing after a doubled slot": Broken(
        "sparc-v8",
        "f:\tba .L1\n\tnop\n\tcall g\n.L1:\tmov 1,%o0\n\tunimp 8\n\tld [%o0],%o0\n\tretl\n\tnop\n",
        "unimp 8; ba",
        "ba",
        "unimp",
    ),
    "bcl is parted from its label": Broken(
        "ppc32",
        "f:\tbcl 20,31,.L1\n.L1:\tmflr 9\n\tlwz 3,0(9)\n\tblr\n",
        "bcl 20,31,.L1",
        "bcl 20,31,.L1; nop",
        ".L1",
    ),
    "a frame that is too small": Broken(
        "ppc32", FULL, "stwu 1,-48(1)", "stwu 1,-4(1)", "no lawful frame"
    ),
    "a store below the stack": Broken(
        "ppc32", LEAF, "addi 13,4,12", "stw 0,-4(1); addi 13,4,12", "not its own"
    ),
    "a store into the linkage area": Broken("ppc32", FULL, "44(1)", "4(1)", "not its own"),
    "a frame that stays": Broken("ppc32", FULL, "; addi 1,1,48", "", "no lawful frame"),
    "an offset that ignores the frame": Broken(
        "ppc32",
        "f:\tstmw 2,4(1)\n\tlmw 2,4(1)\n\tblr\n",
        "addi 13,1,4; stwu 1,-48(1)",
        "stwu 1,-48(1); addi 13,1,4",
        "without +48",
    ),
    "a store into the window's save area": Broken(
        "sparc-v8",
        SPARC,
        "call inst.stw",
        "st %g1,[%sp]; call inst.stw",
        "accesses memory",
    ),
    "a register of the program is overwritten": Broken(
        "ppc32",
        LEAF,
        "addi 13,4,12",
        "neg 7,7; addi 13,4,12",
        "not understood",
    ),
    "a link saved in the window's save area": Broken(
        "sparc-v9", LINKED, "stx %o7,[%sp+2223]", "stx %o7,[%sp+2047]", "no keeping of the link"
    ),
    "a frame too small": Broken(
        "sparc-v9", LINKED, "add %sp,-192", "add %sp,-176", "no lawful frame"
    ),
    "a frame that is not released": Broken(
        "sparc-v9", LINKED, "inst.ldd.after.o0.xk", "inst.ldd.after.o0.x", "knows of none"
    ),
    "a load in a lowered frame": Broken(
        "sparc-v9",
        LINKED,
        ".Linst1: ldx [%sp+2175],%o0; add %sp,-192,%sp",
        "add %sp,-192,%sp; .Linst1: ldx [%sp+2175],%o0",
        "",
    ),
    ".reloc after it is parted": Broken(
        "ppc32",
        "f:\tlwz 9,0(3)\n\t.reloc .-2,R_PPC_NONE,x\n\tblr\n",
        "(3)\n",
        "(3); nop\n",
        "the .reloc after it",
    ),
    ".reloc is parted": Broken("ppc32", RELOCATED, "x\n\t", "x\n\tnop; ", ".reloc"),
    ".cfi is parted": Broken(
        "ppc32", FRAMES, "; .Linst2: lwz", "; nop; .Linst2: lwz 9,0(1); lwz", ""
    ),
    ".cfi is parted after a block's end": Broken(
        "ppc32",
        FRAMES.replace("\t.cfi_restore 31", ".LBE7:\n\t.cfi_restore 31"),
        *("\t.cfi_restore 31", "\tnop; .cfi_restore 31", "is elsewhere"),
    ),
    ".cfi comes later": Broken(
        "ppc32", FRAMES, "-16(1)\n\t.cfi", "-16(1); nop\n\t.cfi", "is elsewhere"
    ),
    "data are parted": Broken(
        "ppc32", DATA, "\t.long 0", "\tnop\n\t.long 0", "holds no instruction"
    ),
    "addresses: reported after": Broken(
        "ppc32",
        LEAF,
        "lwz 3,8(4)",
        "nop",
        "two reports",
        "addresses",
    ),
}


COMPARED = "f:\tcmpwi 0,3,0\n\tlwz 5,0(4)\n\tbeq 0,.L1\n\tli 5,1\n.L1:\tmr 3,5\n\tblr\n"
LATER = (
    "f:\tcmp %o0,0\n\tld [%o1],%o2\n\tbe .L1\n\tnop\n\tadd %o2,%o7,%o2\n.L1:\tretl\n\tmov %o2,%o0\n"
)
COPIED = (
    "f:\tadd %o5,%o3,%o3\n\tbrz,pt %o4,.L1\n\tldx [%o1],%o4\n\tadd %o3,1,%o4\n"
    ".L1:\tadd %o4,%o5,%o0\n\tretl\n\tnop\n"
)
IDENT = '\t.ident "GCC: (test)"\n'
THROUGH_COPY = (
    "mov %o4,%g1; add %o1,0,%g6; mov %o7,%g5; call inst.ldd.o4; "
    ".Linst1: ldx [%o1],%o4; mov %g5,%o7; brz,pt %g1"
)
LOOP = "f:\tmov 3,%o0\n.L1:\tsubcc %o0,1,%o0\n\tbne .L1\n\tnop\n\tretl\n\tnop\n"
LIVE = {
    "a condition field is lost": Broken("ppc32", COMPARED, "r5.x", "r5", "reads cr0"),
    "the link register is lost": Broken("ppc32", LEAF, "mtlr 0", "nop", "reads lr"),
    "the link comes from elsewhere": Broken("ppc32", LEAF, "mtlr 0", "mtlr 9", "lr"),
    "conditions are lost": Broken("sparc-v8", LATER, "o2.x", "o2", "reads icc"),
    "%o7 is lost": Broken("sparc-v8", LATER, "o2.xk", "o2.x", "reads o7"),
    "%o7 is not saved": Broken("sparc-v8", LATER, "mov %o7,%g6; ", "", "reads o7"),
    "conditions are lost on V9": Broken("sparc-v9", LATER, "o2.x", "o2", "reads icc"),
    "conditions of a count's slot are lost": Broken(
        "sparc-v8", LOOP, "window.xk", "window.k", "icc"
    ),
    "%o7 in a count's slot": Broken("sparc-v8", LOOP, "subcc %o0,1,%o0", "mov 1,%o7", "the slot"),
    "%o7 is not restored": Broken("sparc-v9", LATER, "; mov %o0,%o7", "", "reads o7"),
    "%o7 in a register that is read": Broken(
        "sparc-v9",
        COPIED + IDENT,
        THROUGH_COPY,
        THROUGH_COPY.replace("%g5", "%o5"),
        "reads o5",
    ),
    "a copy in a register that is read": Broken(
        *("sparc-v9", COPIED + IDENT, THROUGH_COPY, THROUGH_COPY.replace("%g1", "%o5")),
        "reads o5",
    ),
    "a register for the caller": Broken(
        "sparc-v8", SPARC + IDENT, "call inst.stw", "mov %o1,%l1; call inst.stw", "l1 is left"
    ),
    "an argument of a tail call is lost": Broken(  # cr5, which it reads at its start, is not
        "ppc64le",
        f"f:\nf.0:\tbso 5,.L1\n\tstd 3,0(9)\n\tb f.0\n.L1:\tblr\n{IDENT}",
        "addi 0,9,0",
        "mr 4,3; addi 0,9,0",
        "r4 is passed to another function",
    ),
    "%o7 waits nowhere": Broken(
        "sparc-v8", SPARC, "mov %o7,%g6; ", "", "o7, which inserted code has changed"
    ),
    "lr waits nowhere": Broken("ppc64le", AT_HOME, "std 0,16(1); ", "", "lr is passed"),
    "lr waits in another's place": Broken(
        "ppc64le", AT_HOME, "std 0,16(1)", "std 0,24(1)", "writes what is not its own"
    ),
    "lr is somewhere else by then": Broken(
        "ppc64le", AT_HOME, "addi 0,9,8", "addi 1,1,-32; addi 0,9,8", "changes the stack pointer"
    ),
    "lr is restored over what is read there": Broken(
        "ppc64le", AT_HOME, "ld 0,16(1); mtlr 0", "ld 3,16(1); mtlr 3", "reads r3"
    ),
    "unwinders do not learn where lr is": Broken(
        "ppc64le", AT_HOME, ".cfi_escape 0x10,65,2,0x71,16; ", "", ".cfi_ directive is lost or new"
    ),
    "unwinders learn a wrong place of lr": Broken(
        *("ppc64le", AT_HOME, "0x71,16", "0x71,24", ".cfi_ directive is lost or new"),
    ),
    "an argument is lost": Broken(
        "ppc64le",
        f"f:\tstd 3,0(9)\n\tbl g\n\tnop\n\tblr\n{IDENT}",
        "bl inst.std",
        "mr 4,3; bl inst.std",
        "r4 is passed to a call",
    ),
}
"""The rule of what registers hold (`tests.verify.contents`)."""
CASES |= LIVE

_CALL_SITES = """\
\t.section .gcc_except_table,"a",@progbits
.LLSDA0:
\t.byte 0xff,0xff,0x1
\t.uleb128 .LLSDACSE0-.LLSDACSB0
.LLSDACSB0:
\t.uleb128 .LEHB0-.LFB0
\t.uleb128 .LEHE0-.LEHB0
\t.uleb128 .L3-.LFB0
\t.uleb128 0
.LLSDACSE0:
\t.text
"""
CAUGHT = (
    "f:\n.LFB0:\n\t.cfi_lsda 0x14,.LLSDA0\n\tmflr 0\n\tstd 31,-8(1)\n\tmr 31,3\n\tstd 0,16(1)\n"
    "\tstdu 1,-48(1)\n.LEHB0:\n\tbl g\n\tnop\n.LEHE0:\n.L2:\taddi 1,1,48\n\tld 0,16(1)\n"
    f"\tld 31,-8(1)\n\tmtlr 0\n\tblr\n.L3:\tstw 3,0(31)\n\tb .L2\n{_CALL_SITES}{IDENT}"
)
"""Only the landing pad reads r31."""
CAUGHT_IN_WINDOW = (
    "f:\n.LFB0:\n\t.cfi_lsda 0x1b,.LLSDA0\n\tsave %sp,-176,%sp\n\tmov %i1,%i5\n\tldx [%i0],%o0\n"
    ".LEHB0:\n\tcall g\n\tnop\n.LEHE0:\n.L2:\treturn %i7+8\n\tnop\n.L3:\tst %i0,[%i5]\n"
    f"\tba .L2\n\tnop\n{_CALL_SITES}{IDENT}"
)
TABLED = (
    "f:\tstw 3,0(4)\n1:\tlwz 3,0(5)\n\tblr\nfix:\tmr 3,9\n\tblr\n"
    f'\t.section __ex_table,"a"\n\t.long 1b,fix\n\t.text\n{IDENT}'
)
GOES = (
    'f:\tstw 3,0(4)\n#APP\n\tnop\n\t.section .patched,"a"\n\t.long .L5\n\t.previous\n#NO_APP\n'
    f"\tli 9,1\n\tblr\n.L5:\tmr 3,9\n\tblr\n{IDENT}"
)
SWITCHES = (
    "f:\tlwz 9,0(3)\n\tmtctr 9\n\tbctr\n\t.section .rodata\n\t.align 2\n.L5:\n\t.long .L4-.L5\n"
    f"\t.long .L3-.L5\n\t.text\n.L4:\tmr 3,10\n\tblr\n.L3:\tmr 3,8\n\tblr\n{IDENT}"
)
TWICE = (
    "\t.type f, #function\nf:\tsave %sp,-176,%sp\n\tcall _setjmp, 0\n\tnop\n\tcmp %o0,0\n\tbe .L8\n"
    "\tnop\n\tmov %i5,%i0\n\tret\n\trestore\n.L8:\tst %g0,[%i1]\n\tcall h, 0\n\tnop\n"
    f"\tba .L8\n\tnop\n{IDENT}"
)
UNSEEN = {
    "what a landing pad reads is lost": Broken(
        "ppc64le", CAUGHT, "bl inst.std.r1;", "mr 31,12; bl inst.std.r1;", "reads r31"
    ),
    "what a window's landing pad reads is lost": Broken(
        *("sparc-v9", CAUGHT_IN_WINDOW, "call inst.ldd.o0", "mov %o1,%i5; call inst.ldd.o0"),
        "reads i5",
    ),
    "what a fixup may read is lost": Broken(
        "ppc32", TABLED, ".Linst1:", "mr 9,8; .Linst1:", "r9 is live where a table"
    ),
    "where asm goto leads is forgotten": Broken(
        "ppc32", GOES, "bl inst.stw.r3", "mr 9,8; bl inst.stw.r3", "reads r9"
    ),
    "where a switch leads is forgotten": Broken(
        "ppc32", SWITCHES, "bl inst.ldw.r9", "mr 10,8; bl inst.ldw.r9", "reads r10"
    ),
    "a second return is forgotten": Broken(
        "sparc-v9", TWICE, "call inst.stw.g0", "mov %o1,%i5; call inst.stw.g0", "reads i5"
    ),
}
"""Ways that no branch shows (`tests.verify.unseen`)."""
CASES |= UNSEEN


@pytest.mark.parametrize("name", CASES)
def test_broken_output_is_caught(name: str) -> None:
    case = CASES[name]
    target = TARGETS[case.target]
    sound = translate(case.source, target, Options(case.level, restores=False))
    assert not verify(case.source, sound, target, case.level)
    assert case.old in sound
    problems = verify(case.source, sound.replace(case.old, case.new, 1), target, case.level)
    assert any(case.word in problem for problem in problems), problems
