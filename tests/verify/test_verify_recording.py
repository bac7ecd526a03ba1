"""The verifier's rules for code that records: sound outputs pass, and what breaks one is caught."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.verify.verify import verify

WHOLE = Options(record=True, restores=False)
_F, _SPARC_F = "\t.type f,@function\nf:\t", "\t.type f,#function\nf:\t"
_IDENT = '\t.ident "GCC: (test)"\n'
LEAF = f"{_F}lwz 3,8(4)\n\tstw 3,12(4)\n\tadd 3,3,5\n\tblr\n{_IDENT}"
LOOP = f"{_F}mtctr 4\n.L1:\tlwzu 9,4(3)\n\tstwx 9,5,6\n\tbdnz .L1\n\tlwz 3,0(9)\n\tblr\n{_IDENT}"
CALLS = (
    f"{_F}mflr 0\n\tstwu 1,-16(1)\n\tstw 0,20(1)\n\tbl g\n\tlwz 0,20(1)\n\taddi 1,1,16\n"
    f"\tmtlr 0\n\tblr\n{_IDENT}"
)
WAYS = f"{_F}lwz 9,0(3)\n\tbeq 0,.L2\n\tlwz 4,4(9)\n.L2:\tstw 4,8(9)\n\tblr\n{_IDENT}"
SPARC = f"{_SPARC_F}ld [%o0+8],%o1\n\tst %o1,[%o0+12]\n\tretl\n\tadd %o1,%o2,%o0\n{_IDENT}"
VECTORS = f"{_F}lxvw4x 34,0,3\n\tlvx 3,0,5\n\tstxvd2x 35,0,4\n\tblr\n{_IDENT}"
FLOATS = f"{_F}fadd 1,1,2\n\tstfd 1,0(3)\n\tlwz 3,8(3)\n\tblr\n{_IDENT}"


@dataclass(frozen=True, slots=True)
class Broken:
    """An input, what is changed in its output, and the words that a complaint must hold."""

    source: str
    old: str
    new: str
    words: str
    level: str = "values"

    @property
    def target(self) -> str:
        """Return the target of the input."""
        return {SPARC: "sparc-v8", FRAME: "sparc-v8", VECTORS: "ppc64le"}.get(self.source, "ppc32")


FRAME = f"{_SPARC_F}save %sp,-208,%sp\n\tret\n\t restore\n{_IDENT}"
_CURSOR = "stw 13,inst.segments@tprel(2); "
CASES = {
    "a value is of another register": Broken(
        LEAF, "stw 3,-8(13)", "stw 5,-8(13)", "and its value is"
    ),
    "a base is another register": Broken(
        LEAF, "stw 4,-4(13)", "stw 5,-4(13)", "and lies at", "addresses"
    ),
    "a base is stored after it was updated": Broken(
        LOOP,
        "stw 3,-4(13); .Linst2: lwzu 9,4(3);",
        ".Linst2: lwzu 9,4(3); stw 3,-4(13);",
        "and lies at",
    ),
    "the table names another slot": Broken(LEAF, ".byte 1,0,2,1", ".byte 1,0,1,1", "its value is"),
    "the table has another number": Broken(LOOP, "\t.4byte 0,0", "\t.4byte 4,0", "and lies at"),
    "a value is not stored": Broken(LEAF, "stw 3,-8(13)", "nop", "and its value is"),
    "a register is stored beyond the block": Broken(
        LEAF, "stw 3,-8(13)", "stw 3,-12(13)", "writes beyond its block"
    ),
    "too little is reserved": Broken(
        LEAF, "stwu 0,12(13)", "stwu 0,8(13)", "8 bytes are reserved for 3 words"
    ),
    "no name is stored": Broken(LEAF, "stwu 0,12(13)", "stwu 5,12(13)", "stores no segment's name"),
    "a name follows from another one": Broken(
        WAYS, "addi 0,7,.Linst1", "addi 0,7,.Linst3", "adds to what is not that name"
    ),
    "half a name is another's": Broken(
        SPARC,
        "%pc10(__ehdr_start+(.-.Linst1))",
        "%pc10(__ehdr_start+(.-.Linst2))",
        "half a name is missing",
    ),
    "the cursor is not stored before a return": Broken(
        LEAF, f"{_CURSOR}blr", "blr", "pointer is lost before the cursor"
    ),
    "the cursor is not stored before glue": Broken(
        CALLS, f"{_CURSOR}bl inst.window", "bl inst.window", "pointer is lost before the cursor"
    ),
    "the cursor is stored before the name": Broken(
        SPARC,
        "st %g5,[%g6]; ",
        "st %g6,[%g7+%tle_lox10(inst.segments)]; st %g5,[%g6]; ",
        "stored before the name",
    ),
    "a frame has another size": Broken(
        FRAME, "sub %fp,%sp,%g5; st %g5", "sub %fp,%sp,%g5; st %sp", "the frame is not what"
    ),
    "the pointer is not loaded again after a call": Broken(
        CALLS,
        "\t.Linst4: lwz 13,inst.segments@tprel(2); ",
        "\t.Linst4: ",
        "accesses memory",
    ),
    "a branch comes without the pointer": Broken(
        WAYS, "\tbeq 0,.L2", "\tli 13,0; beq 0,.L2", "pointer is lost before the cursor"
    ),
    "nothing is compared": Broken(LEAF, "cmplw 7,13,0; ", "", "nothing was compared"),
    "it is not the limit that is compared": Broken(
        SPARC, "cmp %g6,%g5", "cmp %g6,%o2", "not the limit"
    ),
    "the name is made in a live register": Broken(
        LEAF, "lis 0,(__ehdr_start", "mr 5,0; lis 0,(__ehdr_start", "reads r5"
    ),
    "the return address is lost where room is made": Broken(
        LEAF.replace("\tblr", "\tmflr 9\n\tmtlr 9\n\tblr"),
        "mflr 0; bl inst.room; mtlr 0;",
        "bl inst.room;",
        "reads lr",
    ),
    "so is that of a window": Broken(
        SPARC, "mov %o7,%g6; call inst.room.k", "call inst.room", "reads o7"
    ),
    "condition fields are lost where room is made": Broken(
        WAYS.replace("lwz 9", "cmpwi 0,5,0\n\tlwz 9"), "bl inst.room.x", "bl inst.room", "reads cr0"
    ),
    "an access has neither item nor report": Broken(
        LEAF,
        "\t.4byte .Linst3-.Linst1\n",
        "\t.4byte .Linst2-.Linst1\n",
        "its report does not follow it",
    ),
    "a value for re-execution moves the pointer too far": Broken(
        LEAF, "lwz 3,8(4); stwu 3,4(13)", "lwz 3,8(4); stwu 3,12(13)", "more than a value", "loads"
    ),
    "a value for re-execution is another register": Broken(
        LEAF, "lwz 3,8(4); stwu 3,4(13)", "lwz 3,8(4); stwu 5,4(13)", "not stored next", "loads"
    ),
    "what arrives has been changed": Broken(
        LEAF,
        ".Linst6: stwu 5,4(13)",
        "stwu 1,-64(1); stw 5,60(1); li 5,1; .Linst6: stwu 5,4(13); lwz 5,60(1); addi 1,1,64",
        "records r5",
        "loads",
    ),
    "FPSCR is set from another register": Broken(
        FLOATS, "mtfsf 255,0", "mtfsf 255,2", "floating point is from elsewhere", "loads"
    ),
    "FPSCR is stored by way of a live register": Broken(
        FLOATS, "mffs 0", "mffs 2; mffs 0", "reads f2", "loads"
    ),
    "a vector's elements are in another order": Broken(
        VECTORS, "stxvw4x 34,0,0", "stxvd2x 34,0,0", "is recorded by stxvd2x"
    ),
    "a vector's halves are as they are in the register": Broken(
        VECTORS, "stxvd2x 32,0,0", "stxvd2x 35,0,0", "and its value is"
    ),
    "a vector is stored beyond the block": Broken(
        VECTORS, "addi 0,11,-24", "addi 0,11,-80", "beyond its block"
    ),
    "a vector changes a live register": Broken(
        VECTORS, "xxswapd 32,35; ", "xxswapd 35,35; ", "reads v3"
    ),
    "a vector for re-execution is in another order": Broken(
        VECTORS, "stxvw4x 34,0,11", "stxvd2x 34,0,11", "not stored next", "loads"
    ),
    "a vector for re-execution moves the pointer too far": Broken(
        VECTORS, "addi 11,11,8; stxvw4x", "addi 11,11,4; stxvw4x", "by no value", "loads"
    ),
    "a value for re-execution is stored elsewhere": Broken(
        LEAF,
        ".Linst6: stwu 5,4(13)",
        ".Linst6: stw 5,-4(13); stwu 5,4(13)",
        "beyond its block",
        "loads",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_broken_recording_is_caught(name: str) -> None:
    case = CASES[name]
    target = TARGETS[case.target]
    sound = translate(case.source, target, replace(WHOLE, level=case.level))
    assert not verify(case.source, sound, target, case.level, records=True)
    assert case.old in sound
    broken = sound.replace(case.old, case.new, 1)
    problems = verify(case.source, broken, target, case.level, records=True)
    assert any(case.words in problem for problem in problems), problems
