"""What segments of SPARC code consist of, and where code does not record inline."""

from __future__ import annotations

import re

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate

_SPARC = ("sparc-v8", "sparc-v9")
_IDENT = '\t.ident "GCC: (test)"\n'
_LOAD = {"sparc-v8": "ld", "sparc-v9": "ldx"}
_STORE = {"sparc-v8": "st", "sparc-v9": "stx"}
_WIDTH = {"sparc-v8": 4, "sparc-v9": 8}
_CURSOR = "[%g7+%tle_lox10(inst.segments)]"


def _translated(source: str, target: str, level: str = "values", **options: bool) -> str:
    text = f"\t.text\nf:\n{source}\tretl\n\t nop\n{_IDENT}"
    return translate(text, TARGETS[target], Options(level, counter=False, record=True, **options))


def _code(source: str, target: str, level: str = "values", **options: bool) -> list[str]:
    """Return the instructions of the output, one to an element, without labels."""
    text = _translated(source, target, level, **options).split("\t.section .debug_inst")[0]
    bare = [re.sub(r"^(\s*[.\w]+:)+\s*", "", line).strip() for line in re.split(r"[;\n]", text)]
    return [" ".join(line.split()) for line in bare if line and not line.startswith(".")]


def _items(text: str) -> list[list[str]]:
    """Return the bytes and the two addends of each item of the only segment."""
    table = text.split(".debug_inst_record")[1].split("\t.section")[0]
    found = re.findall(r"\.byte (\S+)\n\t\.4byte (\S+)\n", table)
    return [[*slots.split(","), *addends.split(",")] for slots, addends in found]


def _check(target: str, other: str) -> list[str]:
    if target == "sparc-v8":
        return ["cmp %g6,%g5", "blu .Linst1room"]
    return [f"sub %g6,{other},{other}", f"brlz,pt {other},.Linst1room"]


@pytest.mark.parametrize("target", _SPARC)
def test_first_segment_reserves_with_a_check(target: str) -> None:
    """The runtime recognises these words."""
    load, store, width = _LOAD[target], _STORE[target], _WIDTH[target]
    other = "%g5" if target == "sparc-v8" else "%g1"
    image = "(__ehdr_start+(.-.Linst1))"
    assert _code("\tld [%o0+4],%o1\n", target)[:-2] == [
        f"{load} {_CURSOR},%g6",
        f"{load} [%g7+%tle_lox10(inst.segments+{width})],{other}",
        *_check(target, other),
        f"sethi %pc22{image},{other}",
        "mov %o7,%g6",
        "call inst.room.k",
        "nop",
        "ba,a .Linst1",
        f"or {other},%pc10{image},{other}",
        f"add %g6,{3 * width},%g6",
        f"{store} {other},[%g6]",
        f"{store} %o0,[%g6-{width}]",
        "ld [%o0+4],%o1",
        f"{store} %o1,[%g6-{2 * width}]",
        f"{store} %g6,{_CURSOR}",
    ]


@pytest.mark.parametrize("target", _SPARC)
def test_later_segment_only_reserves(target: str) -> None:
    source = "\tst %o1,[%o0]\n\tcmp %o1,0\n\tbe .L1\n\t nop\n\tst %o1,[%o0+8]\n.L1:\n"
    code = _code(source, target)
    assert sum("inst.room" in line for line in code) == 1
    assert code.count(f"{_LOAD[target]} {_CURSOR},%g6") == 1
    assert code.count(f"{_STORE[target]} %g6,{_CURSOR}") == 1
    second = code.index("nop", code.index("be .L1")) + 1
    assert code[second].startswith("sethi %pc22(__ehdr_start+(.-.Linst")
    assert code[second + 2] == f"add %g6,{3 * _WIDTH[target]},%g6"


def test_limit_is_checked_where_a_comparison_may_be() -> None:
    """In 64-bit code it changes no condition codes."""
    end = "\tbe .L1\n\t nop\n\tmov 1,%o1\n.L1:\n"
    early = _code(f"\tcmp %o1,0\n\tld [%o0],%o1\n{end}", "sparc-v8")
    assert early.index("st %g5,[%g6]") < early.index("cmp %o1,0") < early.index("st %o0,[%g6-4]")
    late = _code(f"\tld [%o0],%o2\n\taddx %o1,%o2,%o1\n\tcmp %o1,0\n{end}", "sparc-v8")
    assert late.index("addx %o1,%o2,%o1") < late.index("cmp %g6,%g5") < late.index("cmp %o1,0")
    never = "\tld [%o0],%o1\n\tbe .L1\n\t nop\n\tmov 1,%o1\n.L1:\n"
    assert "call inst.ldw.o1.xk" in _code(never, "sparc-v8")
    assert "brlz,pt %g1,.Linst1room" in _code(never, "sparc-v9")


@pytest.mark.parametrize(
    ("access", "target", "stores"),
    [
        ("ldd [%o0],%f2", "sparc-v8", ["st %f2,[%g6-12]", "st %f3,[%g6-8]"]),
        ("ldd [%o0],%f2", "sparc-v9", ["std %f2,[%g6-16]"]),
        ("ld [%o0],%f3", "sparc-v8", ["st %f3,[%g6-8]"]),
        ("ld [%o0],%f3", "sparc-v9", ["st %f3,[%g6-16]"]),
        ("ldd [%o0],%o2", "sparc-v8", ["st %o2,[%g6-12]", "st %o3,[%g6-8]"]),
        ("ldd [%o0],%o2", "sparc-v9", ["st %o2,[%g6-16]", "st %o3,[%g6-12]"]),
    ],
)
def test_values_of_pairs_and_floats_are_put_as_in_memory(
    access: str, target: str, stores: list[str]
) -> None:
    code = _code(f"\t{access}\n", target)
    place = code.index(access)
    assert code[place + 1 : -3] == stores
    width = _WIDTH[target]
    slots = [int(found[1]) // width for one in stores if (found := re.search(r"-(\d+)", one))]
    items = _items(_translated(f"\t{access}\n", target))
    assert items == [["1", "0", str(max(slots)), "5", "0", "0"]]


@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize(
    ("between", "item"),
    [
        ("mov 7,%o1", ["1", "0", "0", "3", "0", "7"]),
        ("mov -1,%o1", ["1", "0", "0", "3", "0", "-1"]),
        ("or %g0,7,%o1", ["1", "0", "0", "3", "0", "7"]),
        ("clr %o1", ["1", "0", "0", "3", "0", "0"]),
        ("sethi %hi(4096),%o1", ["1", "0", "0", "3", "0", "4096"]),
        ("mov %o0,%o1", ["1", "0", "1", "1", "0", "0"]),
        ("or %o0,%g0,%o1", ["1", "0", "1", "1", "0", "0"]),
        ("add %o0,12,%o1", ["1", "0", "1", "1", "0", "12"]),
        ("sub %o0,12,%o1", ["1", "0", "1", "1", "0", "-12"]),
        ("inc 4,%o0; mov 3,%o1", ["1", "0", "0", "3", "4", "3"]),
        ("dec %o0; mov 3,%o1", ["1", "0", "0", "3", "-1", "3"]),
        ("add %o0,%o3,%o1", ["1", "0", "2", "1", "0", "0"]),
        ("addcc %o0,1,%o1", ["1", "0", "2", "1", "0", "0"]),
        ("or %o0,1,%o1", ["1", "0", "2", "1", "0", "0"]),
    ],
)
def test_registers_are_followed(target: str, between: str, item: list[str]) -> None:
    lines = "".join(f"\t{one.strip()}\n" for one in between.split(";"))
    source = f"\tst %g0,[%o0]\n{lines}\tst %o1,[%o0+8]\n"
    items = _items(_translated(source, target))
    assert items == [["1", "0", "0", "3", "0", "0"], item]


@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize(
    "access",
    [
        "ldstub [%o0],%o1",
        "swap [%o0],%o1",
        "ld [%o0],%g0",
        "lda [%o0]0x20,%o1",
        "ld [%o0],%fsr",
    ],
)
def test_other_accesses_call_glue(target: str, access: str) -> None:
    text = _translated(f"\t{access}\n", target)
    assert "inst.segments" not in text and "call inst." in text


@pytest.mark.parametrize("target", _SPARC)
def test_register_of_the_program_is_left_alone(target: str) -> None:
    source = "\tmov 5,%g6\n\tld [%o0],%o1\n\tadd %g6,%o1,%o0\n"
    assert not any("inst.segments" in one for one in _code(source, target, check_registers=False))


@pytest.mark.parametrize("target", _SPARC)
def test_load_from_the_got_may_become_an_addition(target: str) -> None:
    load = f"{_LOAD[target]} [%l7+%g1],%g1,%gdop(x)"
    code = _code(f"\txor %g1,%gdop_lox10(x),%g1\n\t{load}\n", target)
    store, width = _STORE[target], _WIDTH[target]
    place = code.index(load)
    assert code[place - 2 : place] == [
        f"{store} %l7,[%g6-{width}]",
        f"{store} %g1,[%g6-{2 * width}]",
    ]
    assert code[place + 1] == f"{store} %g1,[%g6-{3 * width}]"


def test_sites_between_segments_save_what_segments_change() -> None:
    source = "\tsta %o1,[%o0]0x20\n\tst %o1,[%o2]\n\tsta %o1,[%o0]0x20\n"
    assert _code(source, "sparc-v8").count("mov %o7,%g6") == 3  # one is for the room


@pytest.mark.parametrize("target", _SPARC)
def test_only_frames_that_traces_have_are_recorded(target: str) -> None:
    least, width, store = {"sparc-v8": 96, "sparc-v9": 176}[target], _WIDTH[target], _STORE[target]
    for size, recorded in ((least, False), (least + 8, True)):
        text = f"\tsave %sp,-{size},%sp\n\tadd %sp,-64,%sp\n\tret\n\t restore\n"
        code = _code(text, target)
        assert not any("inst.save" in one for one in code)
        assert ("\t.2byte 16386,0" in _translated(text, target)) == recorded
        if recorded:
            address = ["add %sp,2047,%g1"] if width == 8 else []
            stack, size_in = ("%g1", "%g1") if width == 8 else ("%sp", "%g5")
            place = code.index(f"{store} {size_in},[%g6]")
            assert code[place + 1 : place + len(address) + 4] == [
                *address,
                f"{store} {stack},[%g6-{2 * width}]",
                f"sub %fp,%sp,{size_in}",
                f"{store} {size_in},[%g6-{width}]",
            ]


@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize(
    "text",
    [
        "\tsave %sp,%g1,%sp\n\tret\n\t restore\n",
        "\tsave %sp,-208,%sp\n.L1:\n\tdeccc %i0\n\tbne .L1\n\t nop\n\tret\n\t restore\n",
    ],
)
def test_other_frames_call_glue(target: str, text: str) -> None:
    """One whose size a register has is in traces if it is large; another is made before a loop."""
    assert "call inst.save" in _code(text, target)


@pytest.mark.parametrize("target", _SPARC)
def test_access_in_a_slot_is_recorded_before_its_branch(target: str) -> None:
    store, width = _STORE[target], _WIDTH[target]
    stays = _code("\tld [%o0],%o1\n\tba .L1\n\t st %o1,[%o0+4]\n.L1:\n", target)
    place = stays.index("ba .L1")
    assert stays[place - 2 : place] == ["ld [%o0],%o1", f"{store} %o1,[%g6-{2 * width}]"]
    assert stays[place + 1] == "st %o1,[%o0+4]"
    moves = _code("\tba .L1\n\t ld [%o0],%o1\n.L1:\n", target)
    place = moves.index("ba .L1")
    assert moves[place - 3 : place + 2] == [
        f"{store} %o0,[%g6-{width}]",
        "ld [%o0],%o1",
        f"{store} %o1,[%g6-{2 * width}]",
        "ba .L1",
        "nop",
    ]


@pytest.mark.parametrize("target", _SPARC)
def test_slots_that_depend_on_their_branch_call_glue(target: str) -> None:
    text = _translated("\tcall %o1\n\t ld [%o0],%o1\n", target)
    assert "inst.segments" not in text and "call inst." in text


@pytest.mark.parametrize("level", ["values", "addresses"])
@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize("access", ["st %o1,[%o0]", "ld [%o0],%o1"])
def test_access_that_runs_if_a_branch_is_taken_has_a_block_there(
    target: str, level: str, access: str
) -> None:
    """The branch becomes its opposite, past the block and a jump to where it went."""
    source = f"\tld [%o0+8],%o2\n\tcmp %o2,0\n\tbe,a .L1\n\t {access}\n\tst %o2,[%o0]\n.L1:\n"
    code = _code(source, target, level=level)
    place = code.index(access)
    turned = next(n for n in range(place, 0, -1) if code[n].startswith("bne,a .Linst"))
    assert code[turned + 1] == "nop"
    assert sum(one.endswith(",[%g6]") for one in code[turned:place]) == 1
    jump = code.index("ba,a .L1", place)
    assert (jump > place + 1) == (level == "values" and access.startswith("ld"))


def test_segment_ends_with_a_slot() -> None:
    code = _code("\tcmp %o2,0\n\tbe .L1\n\t st %o1,[%o0]\n\tst %o1,[%o0+8]\n.L1:\n", "sparc-v9")
    assert sum(one.startswith("add %g6,") for one in code) == 2


def test_code_that_finds_its_place_stays_in_one_piece() -> None:
    """clang's for position-independent code: %l1 arrives, since it may be read unwritten."""
    place = (
        ".Ltmp0:\n\tcall .Ltmp1\n.Ltmp2:\n"
        "\tsethi %hi(_GLOBAL_OFFSET_TABLE_+(.Ltmp2-.Ltmp0)),%l4\n.Ltmp1:\n"
        "\tor %l4,%lo(_GLOBAL_OFFSET_TABLE_+(.Ltmp1-.Ltmp0)),%l4\n"
    )
    source = f"\tsave %sp,-96,%sp\n{place}\tadd %l4,%o7,%l4\n\tst %l1,[%l4]\n\trestore\n"
    text = translate(
        f"\t.text\nf:\n{source}\tretl\n\t nop\n{_IDENT}",
        TARGETS["sparc-v8"],
        Options("loads", counter=False, record=True),
    )
    assert place in text and "st %l1,[%g6+" in text.split(place)[1].split("add %l4,%o7")[0]


def test_block_begins_where_a_register_is_dead() -> None:
    """None is at the load: control goes on to code that may read all of them."""
    code = _code("\tsllx %o1,2,%g1\n\tldsw [%o0+%g1],%g1\n\tjmp %o0+%g1\n\t nop\n", "sparc-v9")
    assert not any("call inst.ldw" in one for one in code)
    assert (
        code.index("stx %g1,[%g6]") < code.index("sllx %o1,2,%g1") < code.index("stx %o0,[%g6-8]")
    )
