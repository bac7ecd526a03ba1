"""What cannot be instrumented is refused with its place; what need not be is left alone."""

from __future__ import annotations

import re

import pytest

from inst.asm.split import split
from inst.errors import InstError
from inst.targets import TARGETS
from inst.translate import Options, translate

REFUSED = {
    "unknown instruction": ("ppc32", "\tlwz 3,0(3)\n\tfrobnicate 3,4\n", 2, "frobnicate"),
    "small data": ("ppc32", "\tlwz 3,x@sdarel(13)\n", 1, "r13"),
    "open reservation": ("ppc32", "\tlwarx 3,0,4\n\tblr\n", 1, "conditional store"),
    "access in reservation": (
        "ppc32",
        "1:\tlwarx 3,0,4\n\tlwz 5,0(6)\n\tstwcx. 3,0,4\n\tbne- 1b\n",
        2,
        "reservation",
    ),
    "computed target": ("ppc32", "\tbeq f+12\nf:\tlwz 3,0(3)\n", 1, "f+12"),
    "scratch in use": ("sparc-v8", "\tmov 1,%g6\n\tld [%o0],%o1\n\tadd %g6,1,%o0\n", 2, "%g6"),
    "unlawful couple": ("sparc-v8", "\tbe .L1\n\tbne .L2\n\tnop\n.L1:\n.L2:\tnop\n", 1, "couple"),
    "end in a slot": ("sparc-v8", "\tld [%o0],%o1\n\tretl\n", 2, "delay slot"),
    "slot reads the link": (
        "sparc-v8",
        "\tcall f\n\tst %o7,[%o0]\n",
        2,
        "its branch writes",
    ),
    "address by location": ("sparc-v8", "\tld [%o0+(f-.)],%o1\nf:\tnop\n", 1, "where its own"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_its_line(name: str) -> None:
    target, text, line, word = REFUSED[name]
    with pytest.raises(InstError) as caught:
        translate(text, TARGETS[target], Options(), "a.s")
    message = caught.value.render()
    assert message.startswith(f"a.s:{line}:"), message
    assert word in message


def test_several_errors_in_one_run() -> None:
    with pytest.raises(InstError) as caught:
        translate("\tfoo 1\n\tnop\n\tbar 2\n", TARGETS["ppc32"], Options(), "a.s")
    assert "a.s:1:" in caught.value.render()
    assert "a.s:3:" in caught.value.render()


def test_text_without_accesses_comes_back_as_it_was() -> None:
    text = "\t.text\nf:\tli 3,0 # nothing\n\tblr\n\t.data\n\t.long 1\n"
    assert translate(text, TARGETS["ppc32"], Options()) == text


def test_lines_keep_their_numbers() -> None:
    text = "f:\tlwz 3,0(3)\n\tstw 3,4(1) # kept\n\tblr\n"
    rewritten = translate(text, TARGETS["ppc32"], Options())
    lines = rewritten.split("\n")
    assert "lwz 3,0(3)" in lines[0]
    assert lines[1].endswith("stw 3,4(1) # kept")
    assert lines[2] == "\tblr"


def test_nothing_stands_between_reservation_and_store() -> None:
    text = "1:\tlwarx 5,0,9\n\tadd 6,5,3\n\tstwcx. 6,0,9\n\tbne- 1b\n\tblr\n"
    rewritten = translate(text, TARGETS["ppc32"], Options())
    names = [s.name for s in split(rewritten, "powerpc") if s.name and not s.name.startswith(".")]
    start = names.index("lwarx")
    assert names[start : start + 3] == ["lwarx", "add", "stwcx."]
    assert len(re.findall(r"\bbl inst\.rare", rewritten)) == 2


def test_loads_that_the_linker_rewrites_are_not_reported() -> None:
    text = "\tld [%l7+%g1],%g1,%gdop(x)\n\tld [%g1],%o0\n"
    rewritten = translate(text, TARGETS["sparc-v8"], Options())
    assert len(re.findall(r"\bcall inst\.", rewritten)) == 1
    assert "ld [%l7+%g1],%g1,%gdop(x)" in rewritten


def test_got_set_up_stays_in_one_piece() -> None:
    atom = (
        "\tsethi %hi(_GLOBAL_OFFSET_TABLE_-4),%l7\n\tcall __sparc_get_pc_thunk.l7\n"
        "\t add %l7,%lo(_GLOBAL_OFFSET_TABLE_+4),%l7\n"
    )
    text = f"f:\tsave %sp,-96,%sp\n{atom}\tld [%i0],%i0\n\tret\n\trestore\n"
    assert atom in translate(text, TARGETS["sparc-v8"], Options())
    broken = text.replace("\tcall", "\tst %i1,[%i0]\n\tcall")
    with pytest.raises(InstError, match="GOT"):
        translate(broken, TARGETS["sparc-v8"], Options())


def test_difference_of_labels_goes_through_a_register() -> None:
    text = "a:\tld [%o0],%o1\nb:\tadd %o2,b-a,%o2\n"
    rewritten = translate(text, TARGETS["sparc-v8"], Options())
    assert "sethi %hi(b-a),%g5; or %g5,%lo(b-a),%g5; add %o2,%g5,%o2" in rewritten


def test_location_counter_moves_with_its_instruction() -> None:
    text = "a:\tld [%o0],%o1\n\tadd %o2,(a-.-4),%o2\n"
    rewritten = translate(text, TARGETS["sparc-v8"], Options())
    assert "sethi %hi((a-(.+8)-4)),%g5; or %g5,%lo((a-(.+4)-4)),%g5" in rewritten


def test_label_that_only_measures_a_distance_opens_no_slot() -> None:
    """Clang's way to find the GOT: doubling the slot would change what it computes."""
    atom = (
        ".L0:\tcall .L1\n.L2:\tsethi %hi(_GLOBAL_OFFSET_TABLE_+(.L2-.L0)),%l7\n"
        ".L1:\tor %l7,%lo(_GLOBAL_OFFSET_TABLE_+(.L1-.L0)),%l7\n\tadd %l7,%o7,%l7\n"
    )
    text = f"f:\tsave %sp,-96,%sp\n{atom}\tld [%l7],%i0\n\tret\n\trestore\n"
    assert atom in translate(text, TARGETS["sparc-v8"], Options())


def test_call_through_a_register_that_its_slot_loads() -> None:
    """Everything is live in this file, so only the call's own link register is free."""
    text = "f:\tjmpl %g1,%o7\n\tld [%o2],%g1\n\tretl\n\tnop\n"
    rewritten = translate(text, TARGETS["sparc-v8"], Options(counter=False))
    probe = "add %o2,0,%g5; mov %o7,%g6; call inst.ldw.g1.xk; .Linst1: ld [%o2],%g1"
    assert f"mov %g1,%o7; {probe}; jmpl %o7,%o7" in rewritten
    addresses = translate(text, TARGETS["sparc-v8"], Options("addresses", counter=False))
    assert "jmpl %g1,%o7\n" in addresses
    with pytest.raises(InstError, match="no register is free"):  # this jump writes no link
        translate(text.replace("jmpl %g1,%o7", "jmp %g1"), TARGETS["sparc-v8"], Options())


def test_traps_do_not_take_the_scratch_registers() -> None:
    """Compilers write `ta 5` where control must not come."""
    text = "f:\tld [%o0],%o1\n\tta 5\n"
    assert "call inst.ldw.o1" in translate(text, TARGETS["sparc-v8"], Options())
