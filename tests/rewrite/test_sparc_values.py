"""How SPARC code writes what it has loaded, one value after another, for re-execution."""

from __future__ import annotations

import re

import pytest

from inst.rewrite.options import Options
from inst.target.targets import TARGETS
from inst.translate import translate
from tests.verify.verify import verify_rewriting

_SPARC = ("sparc-v8", "sparc-v9")
_WIDTH = {"sparc-v8": 4, "sparc-v9": 8}
_STORE = {"sparc-v8": "st", "sparc-v9": "stx"}
_CURSOR = "[%g7+%tle_lox10(inst.segments)]"
_LOOP = "\tld [%i0],%g1\n\tcmp %g1,9\n\tbne .L1\n\t nop\n"


def _code(source: str, target: str, *, end: str = "\tretl\n\t nop\n") -> list[str]:
    """Return the instructions of the output, one to an element, without labels; it is verified."""
    whole = f"\t.text\n\t.type f,#function\nf:\n{source}{end}" + '\t.ident "GCC: (test)"\n'
    options = Options("loads", counter=False, record=True)
    assert verify_rewriting(whole, TARGETS[target], options) == []
    text = translate(whole, TARGETS[target], options).split("\t.section .debug_inst")[0]
    bare = [re.sub(r"^(\s*[.\w]+:)+\s*", "", line).strip() for line in re.split(r"[;\n]", text)]
    return [" ".join(line.split()) for line in bare if line and not line.startswith(".")]


def _from(code: list[str], first: str, count: int) -> list[str]:
    start = code.index(first)
    return code[start : start + count]


@pytest.mark.parametrize("target", _SPARC)
def test_values_are_stored_ahead_of_a_pointer_that_is_moved_once(target: str) -> None:
    code = _code("\tld [%o0],%g1\n\tadd %g1,1,%g2\n\tld [%o0+4],%g3\n", target)
    width, store = _WIDTH[target], _STORE[target]
    assert _from(code, "ld [%o0],%g1", 7) == [  # after the name, %sp and %o0
        "ld [%o0],%g1",
        f"{store} %g1,[%g6+{4 * width}]",
        "add %g1,1,%g2",
        "ld [%o0+4],%g3",
        f"{store} %g3,[%g6+{5 * width}]",
        f"add %g6,{5 * width},%g6",
        f"{store} %g6,{_CURSOR}",
    ]


@pytest.mark.parametrize(
    ("target", "load", "stores", "size"),
    [
        ("sparc-v8", "ldd [%o0],%f2", ["st %f2,[%g6+16]", "st %f3,[%g6+20]"], 20),
        ("sparc-v8", "ldd [%o0],%g2", ["st %g2,[%g6+16]", "st %g3,[%g6+20]"], 20),
        ("sparc-v9", "ldd [%o0],%f2", ["std %f2,[%g6+32]"], 32),
        ("sparc-v9", "ld [%o0],%f3", ["st %f3,[%g6+32]"], 32),
        ("sparc-v9", "ldd [%o0],%g2", ["st %g2,[%g6+32]", "st %g3,[%g6+36]"], 32),
    ],
)
def test_pairs_and_floats_are_as_in_memory(
    target: str, load: str, stores: list[str], size: int
) -> None:
    code = _code(f"\t{load}\n", target)
    assert _from(code, load, len(stores) + 2) == [load, *stores, f"add %g6,{size},%g6"]


def test_a_check_has_the_first_load_in_its_slot() -> None:
    code = _code(f"\tsave %sp,-96,%sp\n.L1:\n{_LOOP}", "sparc-v8", end="\tret\n\t restore\n")
    at = code.index("ld [%i0],%g1")
    assert re.fullmatch(r"blu,a \.Linst\d+room", code[at - 1])
    assert code[at - 3 : at - 1] == [
        "ld [%g7+%tle_lox10(inst.segments+4)],%g5", "cmp %g6,%g5"
    ]  # fmt: skip


def test_a_check_comes_before_the_comparison_whose_result_is_live() -> None:
    loop = ".L1:\n\tcmp %i1,5\n\tld [%i0],%g1\n\tbne .L1\n\t add %i1,1,%i1\n"
    code = _code(f"\tsave %sp,-96,%sp\n{loop}", "sparc-v8", end="\tret\n\t restore\n")
    assert code.index("cmp %g6,%g5", code.index("save %sp,-96,%sp")) < code.index("cmp %i1,5")
    assert _from(code, "ld [%i0],%g1", 2)[1] == "st %g1,[%g6+4]"
    assert not any("inst.ld" in line for line in code)


def test_a_check_comes_after_a_value_where_it_cannot_come_before() -> None:
    """The carry is live at the label."""
    loop = (
        ".L1:\n\taddcc %i1,1,%i1\n.L2:\n\tld [%i0],%g1\n\taddx %i2,0,%i2\n"
        "\tcmp %g1,%i1\n\tbe .L2\n\t addcc %i1,2,%i1\n\tcmp %g1,7\n\tbne .L1\n\t nop\n"
    )
    code = _code(f"\tsave %sp,-96,%sp\n{loop}", "sparc-v8", end="\tret\n\t restore\n")
    after = code[code.index("ld [%i0],%g1") :]
    assert after[1] == "st %g1,[%g6+4]"
    checked = after.index("cmp %g6,%g5")
    assert after.index("addx %i2,0,%i2") < checked < after.index("cmp %g1,%i1")


@pytest.mark.parametrize("target", _SPARC)
def test_what_only_runs_if_a_branch_is_taken_is_stored_on_that_way(target: str) -> None:
    source = "\tcmp %o1,0\n\tbe,a .L1\n\t ld [%o0],%g1\n\tmov 1,%g1\n.L1:\n\tst %g1,[%o0+4]\n"
    code = _code(source, target)
    branch = next(n for n, line in enumerate(code) if line.startswith("bne,a"))
    assert code[branch + 1] == "nop"
    load = code.index("ld [%o0],%g1")
    assert load > branch
    end = code.index("ba,a .L1")
    way = code[load + 1 : end]
    assert way == [
        f"{_STORE[target]} %g1,[%g6+{_WIDTH[target]}]",
        f"add %g6,{_WIDTH[target]},%g6",
    ]
    assert not any("call inst.ld" in line for line in code)


@pytest.mark.parametrize("target", _SPARC)
def test_a_store_in_such_a_slot_stays(target: str) -> None:
    source = "\tcmp %o1,0\n\tbe,a .L1\n\t st %g2,[%o0]\n\tmov 1,%o1\n.L1:\n"
    assert "be,a .L1 st %g2,[%o0]" in " ".join(_code(source, target))


@pytest.mark.parametrize("target", _SPARC)
def test_the_set_up_of_the_got_stays_in_one_piece(target: str) -> None:
    """clang's: the cursor is stored before it, and the pointer is in its register after it."""
    set_up = [
        "sethi %hi(_GLOBAL_OFFSET_TABLE_-8),%l7",
        "add %l7,%lo(_GLOBAL_OFFSET_TABLE_-4),%l7",
        "call __sparc_get_pc_thunk.l7",
        "mov %i0,%l0",
    ]
    lines = "".join(f"\t{line}\n" for line in set_up)
    source = f"\tsave %sp,-176,%sp\n\tld [%i0],%g1\n{lines}\tld [%l7],%g2\n"
    code = _code(source, target, end="\tret\n\t restore\n")
    assert _from(code, set_up[0], 5) == [*set_up, "ld [%l7],%g2"]


def test_a_load_in_the_slot_of_a_return_is_recorded_in_the_window_before() -> None:
    source = "\tsave %sp,-176,%sp\n\treturn %i7+8\n\t ld [%o0],%o0\n"
    code = _code(source, "sparc-v9", end="")
    assert _from(code, "ld [%o0],%o0", 4) == [
        "ld [%o0],%o0", "ld [%i0],%i0", "stx %i0,[%g6+8]", "add %g6,8,%g6"
    ]  # fmt: skip
    assert code[code.index("ld [%o0],%o0") - 1].startswith("bn,a ")


@pytest.mark.parametrize("target", _SPARC)
def test_frames_are_left_to_re_execution(target: str) -> None:
    code = _code("\tsave %sp,-1024,%sp\n", target, end="\tret\n\t restore\n")
    assert not any("call inst.save" in line for line in code)
