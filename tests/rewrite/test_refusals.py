"""What cannot be instrumented is refused with its place; what need not be is left alone."""

from __future__ import annotations

import re

import pytest

from inst.asm.split import split
from inst.errors import InstError
from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.verify.verify import verify, verify_rewriting

REFUSED = {
    "unknown instruction": ("ppc32", "\tlwz 3,0(3)\n\tfrobnicate 3,4\n", 2, "frobnicate"),
    "computed target": ("ppc32", "\tbeq f+12\nf:\tlwz 3,0(3)\n", 1, "f+12"),
    "scratch in use": ("sparc-v8", "\tmov 1,%g6\n\tld [%o0],%o1\n\tretl\n\tnop\n", 2, "%g6"),
    "unlawful couple": ("sparc-v8", "\tbe .L1\n\tbne .L2\n\tnop\n.L1:\n.L2:\tnop\n", 1, "couple"),
    "end in a slot": ("sparc-v8", "\tld [%o0],%o1\n\tretl\n", 2, "delay slot"),
    "slot overwrites its jump": ("sparc-v8", "\tjmp %g1\n\tld [%g1],%g1\n", 1, "no register"),
    "slot reads the link": (
        "sparc-v8",
        "\tcall f\n\tst %o7,[%o0]\n",
        2,
        "its branch writes",
    ),
    "relocated slot": (
        "sparc-v8",
        "\tbe 1f\n\t.reloc .,R_SPARC_NONE,x\n\tld [%o0],%o1\n1:\tnop\n",
        3,
        ".reloc",
    ),
    "relocated annulled slot": (
        "sparc-v9",
        "\tbe,a 1f\n\t.reloc .,R_SPARC_NONE,x\n\tst %o1,[%o0]\n1:\tnop\n",
        3,
        ".reloc",
    ),
    "paired singles": ("ppc32", "\tlwz 3,0(3)\n\tps_add 1,2,3\n", 2, "paired singles"),
    "size by the address": ("ppc64", "\tlvlx 2,0,3\n", 1, "not known"),
    "stored by the processor": ("ppc64le", "\thashst 0,-8(1)\n", 1, "not known"),
    "vsx in 32-bit code": ("ppc32", "\tlxvd2x 0,0,9\n", 1, "with -mno-vsx"),
    "doubleword in 32-bit code": ("ppc32", "\tnop\n\tstd 3,0(9)\n", 2, "32-bit"),
    "accumulator in use": (
        "ppc64le",
        "\txxsetaccz 0\n\tlxv 40,0(3)\n\txvf32gerpp 0,40,40\n\txxmfacc 0\n\tstxv 0,0(3)\n\tblr\n",
        2,
        "accumulator",
    ),
    "operands in all windows": ("sparc-v9", "\tldx [%o0],%o1\n\tmontmul 7\n", 2, "windows"),
    "variable-length code": ("ppc32", "\tse_lwz 3,0(4)\n", 1, "VLE"),
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


def test_a_very_long_line_is_shown_around_its_place() -> None:
    text = "\tnop;" * 5000 + "\tfrobnicate 3,4;" + "\tnop;" * 5000 + "\n"
    with pytest.raises(InstError) as caught:
        translate(text, TARGETS["ppc32"], Options(), "a.s")
    _, shown, caret, *_ = caught.value.render().split("\n")
    assert len(shown) < 200
    assert shown[caret.index("^") :].startswith("frobnicate")


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


def test_loads_that_the_linker_rewrites_are_looked_at_when_they_run() -> None:
    """Their probe looks at what the linker has left there: truth/test_linked runs it."""
    text = "\tld [%l7+%g1],%g1,%gdop(x)\n\tld [%g1],%o0\n"
    rewritten = translate(text, TARGETS["sparc-v8"], Options())
    assert re.findall(r"\bcall inst\.(\w+)", rewritten) == ["table", "ldw"]
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


@pytest.mark.parametrize("load", ["ld [%o0],%o1", "ld [%o0],%g0", "swap [%o0],%o1"])
@pytest.mark.parametrize("target", ["sparc-v8", "sparc-v9"])
@pytest.mark.parametrize("level", ["values", "addresses"])
def test_load_stays_beside_its_relocation(target: str, level: str, load: str) -> None:
    text = f"f:\n\t.reloc .,R_SPARC_NONE,x\n\t{load}\n\t.reloc .-4,R_SPARC_NONE,y\n\tretl\n\tnop\n"
    rewritten = translate(text, TARGETS[target], Options(level))
    assert "call inst." in rewritten
    assert not verify(text, rewritten, TARGETS[target], level)


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


PLT_CALLS = {
    "ppc32": (
        "\taddis 11,30,0\n\t.reloc .-2,R_PPC_PLT16_HA,g+32768\n\tlwz 11,0(11)\n"
        "\t.reloc .-2,R_PPC_PLT16_LO,g+32768\n\tmtctr 11\n\t.reloc .-4,R_PPC_PLTSEQ,g+32768\n"
        "\t.reloc .,R_PPC_PLTCALL,g+32768\n\tbctrl\n"
    ),
    "ppc64le": (
        "\tstd 2,24(1)\n\t.reloc .-4,R_PPC64_PLTSEQ,g\n\taddis 12,2,0\n"
        "\t.reloc .-4,R_PPC64_PLT16_HA,g\n\tld 12,0(12)\n\t.reloc .-4,R_PPC64_PLT16_LO_DS,g\n"
        "\tmtctr 12\n\t.reloc .-4,R_PPC64_PLTSEQ,g\n\t.reloc .,R_PPC64_PLTCALL,g\n\tbctrl\n"
        "\tld 2,24(1)\n"
    ),
}


@pytest.mark.parametrize("target", PLT_CALLS)
def test_calls_through_the_plt_keep_their_relocations(target: str) -> None:
    """The linker may make nops of them, so their loads and stores are not reported."""
    call = PLT_CALLS[target]
    source = f"f:\tlwz 9,0(3)\n{call}\tlwz 9,0(3)\n\tblr\n"
    rewritten = translate(source, TARGETS[target], Options(counter=False))
    assert verify(source, rewritten, TARGETS[target]) == []
    assert call in rewritten
    assert len(re.findall(r"\bbl inst\.", rewritten)) == 2


def test_probe_comes_behind_the_relocation_of_its_load() -> None:
    source = "f:\tlwz 9,0(3)\n\t.reloc .-2,R_PPC_ADDR16_LO,x\n\tblr\n"
    rewritten = translate(source, TARGETS["ppc32"], Options())
    assert re.search(r"lwz 9,0\(3\)\n\t.reloc .-2,R_PPC_ADDR16_LO,x; .*\bbl inst\.", rewritten)


def test_other_names_of_a_table_entry_are_known() -> None:
    """gcc gives an entry of the TOC a second name."""
    source = (
        '\t.section ".toc","aw"\n.LC1:\n\t.quad x\n\t.section ".toc","aw"\n\t.set .LC2,.LC1\n'
        "\t.text\nf:\taddis 9,2,.LC2@toc@ha\n\tld 9,.LC2@toc@l(9)\n\tld 9,0(9)\n\tblr\n"
    )
    rewritten = translate(source, TARGETS["ppc64"], Options())
    assert re.findall(r"\bbl inst\.(\w+)", rewritten) == ["table", "ldd"]
    assert verify(source, rewritten, TARGETS["ppc64"]) == []


def test_function_that_ends_with_the_load_behind_a_call() -> None:
    """Behind a call that does not come back, the TOC pointer's load may be the last word."""
    source = "f:\t.cfi_startproc\n\tbctrl\n\tld 2,40(1)\n\t.long 0\n\t.cfi_endproc\n"
    for text in (source, f"{source}g:\t.cfi_startproc\n\tblr\n\t.cfi_endproc\n"):
        rewritten = translate(text, TARGETS["ppc64"], Options())
        assert "inst.rare.after" in rewritten
        assert verify(text, rewritten, TARGETS["ppc64"]) == []


def test_probe_comes_behind_cfi_directives_after_empty_lines() -> None:
    source = "f:\tlwz 3,0(3)\n\n# gone\n\t.cfi_same_value 31\n\tblr\n"
    rewritten = translate(source, TARGETS["ppc32"], Options())
    assert re.search(r"lwz 3,0\(3\)\n\n# gone\n\t.cfi_same_value 31; .*\bbl inst\.", rewritten)
    assert verify(source, rewritten, TARGETS["ppc32"]) == []


SETJMP = (
    "\t.type setjmp,@function\nsetjmp:\n\tld 5,24(1)\n\tb 1f\n\t.localentry setjmp,{}\n"
    "\tmr 5,2\n1:\tstd 5,0(3)\n\tli 3,0\n\tblr\n"
)
"""The beginning of musl's setjmp."""


@pytest.mark.parametrize("level", ["values", "addresses"])
def test_the_distance_of_entry_points_is_one_that_a_symbol_has_room_for(level: str) -> None:
    target, source = TARGETS["ppc64le"], SETJMP.format(".-setjmp")
    options = Options(level=level)
    assert verify_rewriting(source, target, options, assembled_with=()) == []
    with pytest.raises(InstError, match="two entry points"):
        translate(SETJMP.format("8"), target, options, "a.s")
    longer = source.replace("\tb 1f", "\tld 6,32(1)\n\tb 1f")
    with pytest.raises(InstError, match=r"grows to \d+ bytes"):
        translate(longer, target, options, "a.s")
