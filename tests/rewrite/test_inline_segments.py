"""Segments that record inline, as text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from inst.dataclass import replace
from inst.rewrite.options import Options
from inst.rewrite.selection import Selection
from inst.target.targets import TARGETS
from inst.translate import translate

RECORD = Options(record=True, counter=False)
POWERPC = (
    "\tstw 4,0(3)\n{label}:\taddi 5,5,-1\n\tlwz 6,0(7)\n\tcmpwi 0,5,0\n\tbne 0,{label}\n\tblr\n"
)
SPARC = (
    "\tst %o1,[%o0]\n{label}:\tadd %o2,-1,%o2\n\tld [%o3],%o4\n\tcmp %o2,0\n\tbne {label}\n"
    "\tnop\n\tretl\n\tnop\n"
)
LOOPS = {"ppc32": POWERPC, "ppc64le": POWERPC, "sparc-v8": SPARC}
"""A store before a loop, and a load in it."""


@pytest.mark.parametrize("label", [".L2", ".LBB0_1"])
@pytest.mark.parametrize("target", sorted(LOOPS))
def test_a_segment_ends_where_a_branch_comes_to(target: str, label: str) -> None:
    """clang's labels of blocks begin as gcc's labels for debugging do."""
    ident = '\t.ident "GCC: (test)"\n'
    source = "\t.type f,@function\nf:\n" + LOOPS[target].format(label=label) + ident
    text = translate(source, TARGETS[target], RECORD)
    rows = text.split(".debug_inst_record")[1].split(".debug_inst_sites")[0]
    assert rows.count(".2byte 3,1") == 2


def test_a_debugging_label_does_not_end_a_segment() -> None:
    source = LOOPS["ppc32"].format(label=".LBB1").replace("\tbne 0,.LBB1\n", "")
    ident = '\t.ident "GCC: (test)"\n'
    text = translate(f"\t.type f,@function\nf:\n{source}{ident}", TARGETS["ppc32"], RECORD)
    assert ".2byte 5,2" in text


def _recorded(code: str, target: str) -> str:
    """Return what a function becomes that gcc has made."""
    source = f'\t.type f,@function\nf:\n{code}\tblr\n\t.ident "GCC: (test)"\n'
    return translate(source, TARGETS[target], RECORD)


@pytest.mark.parametrize("target", ["ppc32", "ppc64le"])
def test_a_check_keeps_a_condition_field_where_all_are_live(target: str) -> None:
    text = _recorded("\tstw 4,0(3)\n\tmfcr 12\n\tstw 12,4(3)\n", target)
    kept = re.search(r"mfcr (\d+); .*blt\+ 7,(\S+room); mtcrf 1,\1; .*; \2: mtcrf 1,\1; lis", text)
    assert kept, text
    assert not re.search(r"bl inst\.st", text)


PLACE = (
    "\tstwu 1,-16(1)\n\tmflr 0\n\tbcl 20,31,.L5\n.L5:\n\tstw 30,8(1)\n\tmflr 30\n"
    "\taddis 30,30,.LCTOC1-.L5@ha\n\taddi 30,30,.LCTOC1-.L5@l\n\tlwz 3,.LC0-.LCTOC1(30)\n{more}"
)
"""A function that finds its data by its own place."""


@pytest.mark.parametrize(
    ("more", "rows"),
    [
        ("", [".2byte 5,3"]),
        ("\tcmpwi 0,3,0\n\tbne 0,.L5\n", [".2byte 2,1", ".2byte 5,2"]),
        ("\tblr\n\t.long .L5-.L5\n", [".2byte 2,1", ".2byte 5,2"]),
        ("\tblr\n\t.long .L5\n", [".2byte 2,1", ".2byte 5,2"]),
    ],
)
def test_a_segment_goes_on_where_code_reads_its_place(more: str, rows: list[str]) -> None:
    """Unless control may come there in another way."""
    text = _recorded(PLACE.format(more=more), "ppc32")
    assert re.findall(r"\.2byte \d+,\d+", text) == rows
    assert text.count("bl inst.room") == len(rows)


NAMED = "\tstw 4,0(3)\n\tcmpwi 0,4,0\n\tbeq 0,.L3\n{between}\tlwz 5,4(3)\n.L3:\n"
"""A store, and a load behind a branch."""


@pytest.mark.parametrize(("target", "move"), [("ppc32", "stwu"), ("ppc64le", "stdu")])
def test_a_name_follows_from_another_one(target: str, move: str) -> None:
    text = _recorded(NAMED.format(between="\tmr 6,5\n"), target)
    first = re.search(rf"lis (\d+),\(__ehdr_start-(\S+)\)@h; ori .*; {move} \1,", text)
    assert first, text
    register, label = first.groups()
    assert re.search(rf"addi (\d+),{register},{label}-\.Linst\d+; {move} \1,", text), text


@pytest.mark.parametrize(
    "between",
    [
        "\tbl other\n",  # it may change the register
        "".join(f"\tmr {n},3\n" for n in range(5, 13)),  # so does the function
        ".L3:\n",  # another way there
        ".L2:\n\t.space 32768\n",  # too far
        "\tmr 6,5\n" * 200,
    ],
)
def test_a_name_is_made_anew_where_the_other_one_is_not_known(between: str) -> None:
    begun = "\tcmpwi 1,4,0\n\tbeq 1,.L3\n" if between == ".L3:\n" else ""
    named = NAMED.format(between=between).removesuffix(".L3:\n" if begun else "")
    text = _recorded(begun + named, "ppc32")
    assert text.count("__ehdr_start-") == 4, text


LOADS = Options(record=True, counter=False, level="loads")


def _loosely(code: str, target: str) -> str:
    """Return what a function becomes that is executed again."""
    source = f'\t.type f,@function\nf:\n{code}\tblr\n\t.ident "GCC: (test)"\n'
    return translate(source, TARGETS[target], LOADS)


def test_loaded_values_follow_each_other_without_a_name() -> None:
    text = _loosely("\tlwz 4,0(3)\n\tcmpwi 0,4,0\n\tbeq 0,.L1\n\tlwz 5,4(3)\n.L1:\n", "ppc32")
    assert re.findall(r"(stwu \d+,\d+\(13\))", text) == [
        "stwu 0,4(13)", "stwu 1,4(13)", "stwu 3,4(13)", "stwu 4,4(13)", "stwu 5,4(13)"
    ]  # fmt: skip
    assert text.count("__ehdr_start-") == 2  # both halves of the entry's name
    assert ".comm inst.loose,1,1" in text


def test_what_follows_a_call_has_a_name() -> None:
    text = _loosely("\tmflr 31\n\tlwz 3,0(3)\n\tbl other\n\tmtlr 31\n", "ppc32")
    assert text.count("__ehdr_start-") == 4


@pytest.mark.parametrize(
    ("target", "load", "stores"),
    [
        ("ppc32", "lfd 1,0(3)", "stwu 1,8(13); stfd 1,-4(13)"),
        ("ppc32", "lfs 1,0(3)", "stfsu 1,4(13)"),
        ("ppc64", "lfd 1,0(3)", "stfdu 1,8(11)"),
        ("ppc64", "lfs 1,0(3)", "stfsu 1,8(11)"),
        ("ppc64", "ld 4,0(3)", "stdu 4,8(11)"),
    ],
)
def test_a_value_is_stored_behind_its_load(target: str, load: str, stores: str) -> None:
    assert f"{load}; {stores}" in _loosely(f"\t{load}\n", target)


def test_a_pointer_that_is_not_kept_is_stored_with_each_value() -> None:
    text = _loosely("\tld 11,16(5)\n\tld 4,0(11)\n\tstd 11,0(4)\n", "ppc64")
    found = re.search(r"ld 4,0\(11\); stdu 4,8\((\d+)\); std \1,inst\.segments@tprel\(13\)", text)
    assert found, text


def test_a_loop_with_branches_in_it_checks_once() -> None:
    store = "\tstw 4,0(3)\n"
    branches = "".join(
        f"\tcmpwi 0,4,{n}\n\tbeq 0,.L{n}\n{store}.L{n}:\n{store}" for n in range(2, 8)
    )
    loop = f".L1:\n{store}{branches}\tcmpwi 0,5,0\n\taddi 5,5,-1\n\tbne 0,.L1\n"
    text = _recorded(f"{store}{loop}", "ppc32")
    assert text.count("bl inst.room") == 2  # the other one is that of the entry


def test_the_pointer_is_stored_before_another_register_takes_it() -> None:
    """Code that uses r11 itself, as calls by descriptors do, records by another register."""
    text = _recorded("\tstd 4,0(3)\n\tcmpdi 0,4,0\n\tbne 0,.L3\n\tld 11,16(5)\n.L3:\n", "ppc64")
    line = next(line for line in text.splitlines() if "ld 11,16(5)" in line)
    assert re.search(r"std 11,inst\.segments@tprel\(13\); \S+: ld (?!11,)\d+,inst\.segments", line)


def test_a_segment_ends_where_another_entry_point_is() -> None:
    """The instructions before the local entry point are not run by all who call the function."""
    parts = (
        "\t.type f,@function\nf:\n0:\taddis 2,12,.TOC.-0b@ha\n\taddi 2,2,.TOC.-0b@l\n"
        "\t.localentry f,.-f\n\tlwz 3,0(4)\n\tblr\n"
    )
    before = '\t.section .text.startup,"ax"\n\t.type g,@function\ng:\n\tblr\n\t.text\n'
    ident = '\t.ident "GCC: (test)"\n'
    thrown = "\t.type h,@function\nh:\n\tbl longjmp\n\tnop\n"
    loads = Options("loads", record=True, counter=False)
    text = translate(f"{before}{thrown}{parts}{ident}", TARGETS["ppc64le"], loads)
    head, body = text.split("\t.localentry f,.-f\n")
    assert "inst.segments" not in head.rpartition("\nf:\n")[2]
    assert body.startswith("\t.Linst") and "stdu 1,8(11)" in body.partition("lwz 3,0(4)")[0]


def test_the_pointer_is_stored_behind_all_that_a_segment_stores() -> None:
    """Also if control may come to a place in the block that begins at the other entry point."""
    function = (
        "\t.type f,@function\nf:\n.LFB1:\n0:\taddis 2,12,.TOC.-0b@ha\n\taddi 2,2,.TOC.-0b@l\n"
        "\t.localentry f,.-f\n\tmflr 0\n\tstd 0,16(1)\n.LEHB1:\n\tbl other\n.LEHE1:\n\tnop\n"
        "\tblr\n.L9:\tblr\n"
    )
    table = (
        '\t.section .gcc_except_table,"a"\n.LLSDA1:\n\t.byte 0xff,0xff,1\n'
        "\t.uleb128 .LLSDACSE1-.LLSDACSB1\n.LLSDACSB1:\n\t.uleb128 .LEHB1-.LFB1\n"
        "\t.uleb128 .LEHE1-.LEHB1\n\t.uleb128 .L9-.LFB1\n\t.uleb128 0\n.LLSDACSE1:\n"
    )
    text = translate(f'{function}{table}\t.ident "GCC: (test)"\n', TARGETS["ppc64le"], LOADS)
    code = text.partition(".localentry")[2].partition("bl other")[0]
    assert code.rindex("stdu 0,8(11)") < code.rindex("std 11,inst.segments@tprel(13)")


FRAME = """\
	.cfi_startproc
	stwu 1,-16(1)
	.cfi_def_cfa_offset 16
	stw 31,12(1)
	.cfi_offset 31, -4
	lwz 31,0(3)
	lwz 4,{place}(1)
	lwz 31,{place}(1)
	.cfi_restore 31
	addi 1,1,16
	.cfi_def_cfa_offset 0
	.cfi_endproc
"""


@pytest.mark.parametrize(("place", "stored"), [(12, 3), (8, 4)])
def test_what_a_register_is_restored_from_is_not_recorded(place: int, stored: int) -> None:
    """By the unwinding table that is where its value was saved, and only for this register."""
    text = _loosely(FRAME.format(place=place), "ppc32")
    assert len(re.findall(r"stwu (?:4|31),4\(13\)", text)) == stored


CALL = "\tbl memcpy{after}\n"


@pytest.mark.parametrize(
    ("target", "after", "use", "wraps"),
    [
        ("ppc32", "+32768@plt", "", False),
        ("ppc64le", "\n\tnop", '\t.section .rodata\n\t.string "memcpy"\n', False),
        ("ppc32", "@plt", "\tb memcpy@plt\n", False),
        ("ppc32", "@plt", "\t.data\n\t.long memcpy\n", True),
    ],
)
def test_a_function_that_is_only_called_by_name_needs_no_wrapper(
    target: str, after: str, use: str, wraps: bool
) -> None:
    """Re-execution knows what it touches; a name has one meaning in a file, but for tail calls."""
    text = _loosely(CALL.format(after=after) + use, target)
    assert ("b inst.wrap.memcpy@plt" in text) == ("\tb " in use)
    assert ('.set memcpy, "inst.wrap.memcpy"' in text) == wraps
    row = re.search(r"\.2byte (\d{5}),0\n", text)
    assert (row is None) == wraps
    assert row is None or int(row[1]) == 0x8212


def test_functions_that_are_left_out_go_on_calling_wrappers() -> None:
    options = replace(LOADS, selection=Selection(excluded=("g",)))
    source = f"\t.type f,@function\nf:\n{CALL.format(after='')}\tblr\n"
    assert "inst.wrap.memcpy" in translate(source, TARGETS["ppc32"], options)
    assert "inst.wrap.memcpy" not in translate(source, TARGETS["ppc32"], LOADS)


CHAIN = (
    "\tlwz 5,0(3)\n\tcmpwi 0,5,0\n\tbeq 0,.L3\n"
    ".L2:\n\tlwz 3,0(3)\n{inside}\tcmpwi 0,3,0\n\tbne 0,.L2\n.L3:\n"
)
"""A loop that is not counted by the program, behind a load."""


@pytest.mark.parametrize(
    ("target", "make", "count"),
    [
        ("ppc32", _loosely, 255),
        ("ppc64le", _loosely, 127),
        ("ppc32", _recorded, 169),
        ("ppc64le", _recorded, 84),
    ],
)
def test_a_loop_counts_its_checks(target: str, make: Callable[[str, str], str], count: int) -> None:
    """The register is set before the loop, and again where the limit has been looked at."""
    text = make(CHAIN.format(inside=""), target)
    before, loop = text.split("\n.L2:\n")
    assert re.search(rf"li (\d+),{count}; mtctr \1; beq 0,\.L3", before)
    past = re.search(rf"bdnz (\S+); .*blt\+ .*bl inst\.room.*li (\d+),{count}; mtctr \2; \1:", loop)
    assert past, loop


@pytest.mark.parametrize(
    "inside", ["\tbl other\n", "\tmtctr 4\n", "\tbdz .L3\n", "\tstwcx. 6,0,7\n"]
)
@pytest.mark.parametrize("make", [_loosely, _recorded])
def test_a_loop_that_uses_the_register_looks_at_the_limit_each_time(
    make: Callable[[str, str], str], inside: str
) -> None:
    text = make(CHAIN.format(inside=inside), "ppc32")
    assert "bdnz" not in text


def test_a_conditional_return_leaves_the_pointer_in_its_register() -> None:
    text = _loosely(CHAIN.format(inside="").replace("beq 0,.L3", "beqlr 0"), "ppc32")
    assert text.count("lwz 13,inst.segments") == 2  # at the entry, and where room has been made


def test_accesses_of_shared_code_call_hooks_with_values() -> None:
    text = translate("\tlwz 4,0(3)\n", TARGETS["ppc32"], replace(LOADS, record=False))
    assert "inst.level.values" in text and "bl inst.ldw" in text


def test_registers_are_free_at_the_entry_of_a_function_after_another_one() -> None:
    """Its code goes on where a computed jump leads, before which everything counts as live."""
    source = (
        "\t.type f,@function\nf:\tld 11,16(9)\n\tld 12,8(9)\n\tblr\n.LFE1:\n"
        "\t.type g,@function\ng:\n.LFB2:\n\tmflr 0\n\tcmpdi 0,6,0\n\tstd 0,16(1)\n\tmtctr 9\n"
        '\tbctr\n\t.ident "GCC: (test)"\n'
    )
    text = translate(source, TARGETS["ppc64"], LOADS)
    entry = text.split(".LFB2:")[1]
    assert "ld 11,inst.segments@tprel(13)" in entry.split("cmpdi")[0]


def test_the_link_register_is_kept_after_a_profiling_call() -> None:
    """`_mcount` returns with its caller's return address there, which the function then reads."""
    calls = "\tmflr 0\n\tstw 0,4(1)\n\tbl _mcount@plt\n"
    text = _loosely(f"{calls}\tmflr 0\n\tlwz 3,0(3)\n\tmtlr 0\n", "ppc32")
    after = text.partition("bl _mcount@plt")[2]
    assert re.search(r"mflr (\d+); bl inst\.room; mtlr \1; b ", after), text
    assert re.search(r"\bmflr 0\n\t\.Linst\d+: stwu 0,4\(\d+\)", after), text
