"""Which numbers among code are instructions, and which ones are data."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from inst import isa
from inst.asm.split import split
from inst.errors import InstError
from inst.flow.code import Code
from inst.flow.read import read_code
from inst.isa.model import Transfer
from inst.target.targets import TARGETS
from inst.translate import Options, translate


def read(target: str, text: str) -> Code:
    known = TARGETS[target]
    return read_code(split(text, known.isa), isa.get(known.isa, known.abi), "test.s")


@dataclass(frozen=True)
class Text:
    target: str
    text: str
    names: str
    """What is an instruction of it: W for each number, the mnemonics of the others."""


LOAD = ".long 0x80640000"  # lwz 3,0(4)
CASES = {
    "behind an instruction": Text("ppc32", f"f: nop\n{LOAD}\nblr\n", "nop W blr"),
    "behind a return": Text("ppc32", f"f: nop\nblr\n{LOAD}\n", "nop blr"),
    "behind a conditional return": Text("ppc32", f"f: beqlr\n{LOAD}\nblr\n", "beqlr W blr"),
    "behind a number that returns": Text("ppc32", f"f: nop\n.long 0x4e800020\n{LOAD}\n", "nop W"),
    "behind a conditional number": Text(
        "ppc32", f"f: nop\n.long 0x4d820020\n{LOAD}\nblr\n", "nop W W blr"
    ),
    "behind a call": Text("ppc32", f"f: bl g\n{LOAD}\nblr\n", "bl W blr"),
    "a branch's label": Text("ppc32", f"f: beq 1f\nblr\n1: {LOAD}\nblr\n", "beq blr W blr"),
    "another label of that number": Text("ppc32", f"f: beq 1f\n1: blr\n1: {LOAD}\n", "beq blr"),
    "a label that nothing goes to": Text("ppc32", f"f: nop\nblr\ntable: {LOAD}\n", "nop blr"),
    "a function": Text(
        "ppc32", f"f: nop\nblr\n.type g,@function\ng: {LOAD}\nblr\n", "nop blr W blr"
    ),
    "a function descriptor's entry": Text(
        "ppc64",
        '.section ".opd","aw"\nf: .quad .f,0,0\n.previous\nnop\nblr\n.f: ' + LOAD + "\nblr\n",
        "nop blr W blr",
    ),
    "a compiler's jump table": Text(
        "ppc32",
        f'f: bctr\n.L1: {LOAD}\nblr\n.data\n.long .L1\n.ident "GCC: (GNU) 12"\n',
        "bctr W blr",
    ),
    "a call leads past data": Text("ppc32", f"f: bl 1f\n{LOAD}\n1: mflr 3\nblr\n", "bl mflr blr"),
    "a distance leads past data": Text(
        "ppc32", f"f: bcl 20,31,$+8\n{LOAD}\nmflr 3\nblr\n", "bcl mflr blr"
    ),
    "a branch skips": Text("ppc32", f"f: beq $+8\n{LOAD}\nblr\n", "beq W blr"),
    "a branch skips a jump": Text("ppc32", f"f: beq $+8\nb f\n{LOAD}\nblr\n", "beq b W blr"),
    "data with a name": Text("ppc32", "f: nop\n.long f\nblr\n", "nop blr"),
    "a traceback table": Text(
        "ppc64", f"f: bl abort\nnop\n.long 0\n.byte 0,0,0,1\n{LOAD}\n", "bl nop"
    ),
    "data in a section of data": Text(
        "ppc32", f'f: nop\nblr\n.section .rodata\nf2: {LOAD}\n.ident "GCC"\n', "nop blr"
    ),
    "an expression": Text(
        "ppc32", "f: nop\n.4byte (32 << 26) | ((3&31)<<21) | (4<<16)\nblr\n", "nop W blr"
    ),
    "several": Text("ppc32", "f: nop\n.long 0x80640000, 0x4e800020, 7\n", "nop W W"),
    "PowerPC's .word has two bytes": Text("ppc32", "f: nop\n.word 0x8064, 0\nblr\n", "nop blr"),
    "a slot": Text("sparc-v8", "f: retl\n.word 0xd0022000\n.word 0xd0022000\n", "retl W"),
    "no slot": Text("sparc-v8", "f: ba,a 1f\n.word 0xd0022000\n1: retl\nnop\n", "ba,a retl nop"),
    "an annulled slot": Text("sparc-v8", "f: be,a f\n.word 0xd0022000\nnop\n", "be,a W nop"),
    "behind a slot": Text("sparc-v8", "f: retl\nnop\n.word 0xd0022000\n", "retl nop"),
    "behind a call's slot": Text("sparc-v8", "f: call g\nnop\n.word 0xd0022000\n", "call nop W"),
    "a vector operation in a slot": Text(
        "sparc-v9", "f: retl\n.word 0x81b02800\nld [%o0],%o0\n", "retl W ld"
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_an_instruction(case: str) -> None:
    wanted = CASES[case]
    code = read(wanted.target, wanted.text)
    lines = wanted.text.replace(":", ":\n").replace(",", " ")
    found = []
    for place in code.statement:
        statement = code.statements[place]
        number = statement.name.startswith(".") or statement.name not in lines.split()
        named = statement.name in wanted.names.split()
        found.append("W" if number and not named else statement.name)
    assert " ".join(found) == wanted.names


def test_a_number_has_the_facts_of_its_instruction() -> None:
    for target, by_name, by_number in (
        ("ppc32", "lwzu 3,-4(4)", ".long 0x8464fffc"),
        ("ppc64le", "lxvd2x 32,0,4", ".long 0x7c002699"),
        ("ppc64le", "lxvp 36,-0x20(4)", ".long 0x18a4ffe0"),
        ("ppc64le", "stxvp 4,0x10(9)", ".long 0x18890011"),
        ("ppc64", "mflr 0", ".long 0x7c0802a6"),
        ("ppc64", "addex 0,10,11,0", ".long 0x7c0a5954"),
        ("sparc-v8", "ldd [%o0+0x8],%o2", ".word 0xd41a2008"),
        ("sparc-v9", "casx [%o0],%o1,%o2", ".word 0xd5f21009"),
        ("sparc-v9", "fmovd %f40,%f2", ".word 0x85a00049"),
        ("ppc32", "beq .-8", ".long 0x4182fff8"),
        ("ppc64", "bl .+16", ".long 0x48000011"),
        ("ppc64", "bcl 20,31,.+4", ".long 0x429f0005"),
        ("sparc-v9", "bgu,a %xcc,.+8", ".word 0x38680002"),
    ):
        named = read(target, f"f: nop\n{by_name}\n").facts[1]
        assert read(target, f"f: nop\n{by_number}\n").facts[1] == named, by_name


def test_an_unknown_operation_on_registers_may_read_them_all() -> None:
    code = read("sparc-v9", "f: nop\n.word 0x81b02800\n")
    wanted = isa.get("sparc", "v9").registers
    assert wanted.mask("o0", "l3", "f8", "icc") & ~code.facts[1].uses == 0
    assert code.facts[1].transfer == Transfer.NONE and not code.facts[1].defs


@pytest.mark.parametrize(
    ("target", "text", "message"),
    [
        ("ppc32", "f: nop\n.long 0x00112233\n", "no instruction is known"),
        ("sparc-v8", "f: nop\n.word 0xc1c00000\n", "no instruction is known"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(target: str, text: str, message: str) -> None:
    with pytest.raises(InstError, match=rf"(?s)test\.s:2.*{message}.*\.(long|word).*hint"):
        read(target, text)


TABLE = ".macro table a, b\n.4byte \\a, \\b\n.endm\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f".macro l\n{LOAD}\n.endm\nf: nop\nl\n", r"5:1.*macro `l` brings `.long .* \(line 2\)"),
        (f"{TABLE}f: nop\n table 1, 2\n", r"5:2.*macro `table` brings"),
        (f"{TABLE}.macro two\ntable 1, f\n.endm\nf: beq 1f\nblr\n1: two\n", r"9:4.*macro `two`"),
        (f"f: nop\n.rept 2\n{LOAD}\n.endr\n", r"3:1.*inside \.rept \(line 2\)"),
        (f"f: nop\n.if 1\n.int 0, 8\n.endif\n{LOAD}\n", r"3:1.*inside \.if \(line 2\)"),
        (f".macro l\n.data\n.long 1\n.previous\n{LOAD}\n.endm\nf: nop\nl\n", r"8:1.*\(line 5\)"),
        (f"{TABLE}f: bl 1f\n table 1, 2\nnop\n1: blr\n", r"5:2.*macro `table` brings"),
    ],
)  # fmt: skip
def test_a_number_of_a_body_that_control_runs_into_is_refused(text: str, message: str) -> None:
    with pytest.raises(InstError, match=rf"(?s)test\.s:{message}.*cannot see.*hint"):
        read("ppc32", text)


@pytest.mark.parametrize(
    "text",
    [
        f"{TABLE}f: nop\nblr\ntable 1, 2\n",
        f"{TABLE}f: bl 1f\n table 1, 2\n1: mflr 3\nblr\n",
        f".macro l\n{LOAD}\n.endm\nf: nop\nblr\n",
        ".macro l\n.word 1\n.endm\nf: nop\nl\nblr\n",  # two bytes
        "f: nop\n.rept 2\n.long 0\n.endr\nblr\n",
        "f: nop\n.ifdef x\n.long f\n.endif\nblr\n",
        "f: nop\n.rept 2\n.section .rodata\n.long 1\n.text\n.endr\nblr\n",
        ".macro l\n.pushsection .data\n.long 1\n.popsection\n.endm\nf: nop\nl\nblr\n",
        ".data\n.rept 2\n.long 1\n.endr\n.text\nf: nop\nblr\n",
    ],
)
def test_a_number_of_a_body_may_be_data(text: str) -> None:
    assert translate(text, TARGETS["ppc32"], Options(), "test.s")


def test_other_words_stay_as_they_are() -> None:
    text = "f: nop\nlwz 3,0(4)\nblr\ntable: .long 1, 2 /* x */, 3\n"
    made = translate(text, TARGETS["ppc32"], Options(), "test.s")
    assert "table: .long 1, 2 /* x */, 3\n" in made


def test_a_number_is_printed_as_a_number() -> None:
    """Its assembler may not know the name."""
    made = translate("f: nop\n.long 0x7c002699\nblr\n", TARGETS["ppc64le"], Options(), "test.s")
    assert ".long 0x7c002699" in made and "lxvd2x" not in made.split("inst.sites")[0]


def test_a_branch_by_its_number_goes_to_its_target() -> None:
    text = "f: lwz 3,0(4)\n\t.LONG 0x4182fffc /* back */\nblr\n"
    made = translate(text, TARGETS["ppc32"], Options(), "test.s")
    assert "beq .Lopen1 /* back */\n" in made and "f: .Lopen1: " in made
