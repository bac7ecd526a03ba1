"""What is live where: small functions whose answer is known by hand."""

from __future__ import annotations

import pytest

from inst import isa
from inst.asm.split import split
from inst.flow.code import Code
from inst.flow.liveness import dead_registers, find_liveness
from inst.flow.read import read_code
from inst.target.targets import TARGETS

COMPILED = '\t.ident "GCC: (test)"\n'


def _read(text: str, name: str, compiled: bool = True) -> Code:
    source = text + (COMPILED if compiled else "")
    return read_code(split(source, name, "test.s"), isa.get(name), "test.s")


def _live(text: str, name: str, mnemonic: str, compiled: bool = True) -> tuple[set[str], set[str]]:
    """Return what is live before and after the one instruction with this mnemonic."""
    code = _read(text, name, compiled)
    names = [code.statements[position].name for position in code.statement]
    index = names.index(mnemonic)
    liveness = find_liveness(code, isa.get(name))
    listed = isa.get(name).registers.listed
    return set(listed(liveness.before[index])), set(listed(liveness.after[index]))


def test_condition_codes_between_compare_and_branch() -> None:
    text = "f:\tcmp %o0,1\n\tld [%o1],%o2\n\tbe .L1\n\tnop\n\tst %o2,[%o1]\n.L1:\tretl\n\tnop\n"
    before, _ = _live(text, "sparc", "ld")
    assert {"icc", "o1", "o7"} <= before
    assert "o2" not in before
    _, after_store = _live(text, "sparc", "st")
    assert "icc" not in after_store


def test_annulled_slot_sees_only_the_taken_side() -> None:
    text = (
        "f:\tcmp %o0,1\n\tbe,a .L1\n\tld [%o1],%o3\n\tsubx %o4,0,%o4\n\tretl\n\tmov %o4,%o0\n"
        ".L1:\tretl\n\tmov %o3,%o0\n"
    )
    _, after = _live(text, "sparc", "ld")
    assert "o3" in after
    assert "icc" not in after, "only the fall-through reads the carry"


def test_slot_that_always_runs_sees_both_sides() -> None:
    text = (
        "f:\tcmp %o0,1\n\tbe .L1\n\tld [%o1],%o3\n\tsubx %g1,0,%o0\n\tretl\n\tnop\n"
        ".L1:\tretl\n\tmov %o3,%o0\n"
    )
    _, after = _live(text, "sparc", "ld")
    assert {"o3", "icc", "g1"} <= after


def test_slot_of_an_annulled_jump_is_the_next_block() -> None:
    text = (
        "f:\tcmp %o0,1\n\tbe .L2\n\tnop\n\tba,a .L1\n.L2:\tld [%o1],%g1\n\tretl\n\tmov %g1,%o0\n"
        ".L1:\tretl\n\tnop\n"
    )
    before, after = _live(text, "sparc", "ld")
    assert "g1" not in before
    assert "g1" in after


def test_calls_kill_what_they_may_change() -> None:
    text = "f:\tsave %sp,-96,%sp\n\tst %i0,[%fp+68]\n\tcall g\n\tnop\n\tret\n\trestore\n"
    before, _ = _live(text, "sparc", "st")
    assert not before & {"g1", "o7", "icc", "y"}
    assert {"o0", "i0", "i6"} <= before, "outs are arguments of the call"


def test_calls_that_read_the_program_counter_kill_nothing() -> None:
    text = (
        "f:\tst %o1,[%o2]\n\tmov 1,%g1\n\tld [%o2],%o3\n\tcall __sparc_get_pc_thunk.l7\n\tnop\n"
        "\tretl\n\tadd %g1,%o3,%o0\n"
    )
    _, after = _live(text, "sparc", "ld")
    assert {"g1", "o3"} <= after


def test_windows_rename_outs_and_ins() -> None:
    text = "f:\tsave %sp,-96,%sp\n\tld [%i0],%i0\n\tret\n\trestore %i0,1,%o0\n"
    before, _ = _live(text, "sparc", "ld")
    assert "i0" in before
    assert not before & {"l0", "l7", "o1"}, "the window's own registers end with it"


def test_hand_written_code_has_everything_live() -> None:
    text = "f:\tld [%o0],%o1\n\tretl\n\tnop\n"
    _, after = _live(text, "sparc", "ld", compiled=False)
    assert {"icc", "y", "g1", "o5", "f0"} <= after


def test_link_register_in_prologue_and_leaf() -> None:
    prologue = "f:\tmflr 0\n\tstw 0,4(1)\n\tbl g\n\tlwz 0,4(1)\n\tmtlr 0\n\tblr\n"
    _, after = _live(prologue, "powerpc", "stw")
    assert "lr" not in after, "bl sets it anew"
    _, after = _live(prologue, "powerpc", "lwz")
    assert "lr" not in after, "mtlr sets it anew"
    before, _ = _live("f:\tlwz 3,0(3)\n\tblr\n", "powerpc", "lwz")
    assert "lr" in before


def test_pc_reading_branch_is_no_call() -> None:
    text = (
        "f:\tmflr 0\n\tbcl 20,31,.L1\n.L1:\tstw 30,8(1)\n\tmflr 30\n\tmtlr 0\n\tadd 3,9,30\n\tblr\n"
    )
    before, _ = _live(text, "powerpc", "stw")
    assert {"lr", "r0", "r9"} <= before


def test_fields_of_the_condition_register() -> None:
    text = "f:\tcmpw 7,3,4\n\tlwz 5,0(6)\n\tbeq 7,.L1\n\tli 3,0\n.L1:\tblr\n"
    before, _ = _live(text, "powerpc", "lwz")
    assert "cr7" in before
    assert not before & {"cr0", "cr5", "cr6", "ctr", "xer"}


def test_loops_reach_a_fixed_point() -> None:
    text = "f:\tli 9,0\n\tmtctr 4\n.L1:\tlwzu 5,4(3)\n\tadd 9,9,5\n\tbdnz .L1\n\tmr 3,9\n\tblr\n"
    before, after = _live(text, "powerpc", "lwzu")
    assert {"ctr", "r9", "r3", "lr"} <= before & after
    assert "r5" not in before


def test_static_chain_only_for_functions_of_the_file() -> None:
    """Only nested ones have it, whose names GCC numbers."""
    nested = {"g.0": True, "g": False, "g.isra.0": False, "elsewhere": False, "g.0.isra.1": True}
    for callee, live in nested.items():
        text = f"f:\tstw 3,8(1)\n\tbl {callee}\n\tblr\n{callee.replace('elsewhere', 'g')}:\tblr\n"
        before, _ = _live(text, "powerpc", "stw")
        assert ("r11" in before) is live


@pytest.mark.parametrize(("branch", "found"), [("$+8", True), (".+8", True), (".+6", False)])
def test_branches_over_one_instruction(branch: str, found: bool) -> None:
    code = _read(f"f:\tbeq 0,{branch}\n\tb .L1\n\tli 3,0\n.L1:\tblr\n", "powerpc")
    assert code.target(0) == (2 if found else -1)


def test_branches_over_an_access_have_no_target() -> None:
    code = _read("f:\tbeq 0,$+8\n\tlwz 3,0(3)\n\tblr\n", "powerpc")
    assert code.target(0) == -1


def test_numeric_labels_go_to_the_nearest() -> None:
    code = _read("1:\tnop\n\tb 1f\n1:\tnop\n\tb 1b\n1:\tnop\n", "powerpc")
    assert code.target(1) == 2
    assert code.target(3) == 2


def test_sections_keep_their_own_order() -> None:
    text = (
        '\t.text\nf:\tlwz 3,0(3)\n\t.section .text.unlikely,"ax"\ng:\tli 3,1\n\tblr\n'
        "\t.previous\n\tblr\n"
    )
    code = _read(text, "powerpc")
    names = [code.statements[position].name for position in code.statement]
    assert names == ["lwz", "blr", "li", "blr"]
    assert code.section_end == [2, 4]


def test_dead_registers_leave_reserved_ones_alone() -> None:
    powerpc = isa.get("powerpc")
    names = dead_registers(powerpc, 0, 0)
    assert "r0" in names
    assert not set(names) & {"r1", "r2", "r13"}


@pytest.mark.parametrize(
    ("target", "code", "passed"),
    [
        ("ppc64", "ld 11,16(9)", {"r11"}),
        ("ppc64le", "addi 11,1,32", {"r11", "r12"}),
        ("ppc64", "", set()),
        ("ppc64le", "mfcr 11\n\tstw 11,8(1)\n\tlwz 11,8(1)\n\tmtcrf 8,11", {"r12"}),
    ],
)
def test_what_a_call_by_a_pointer_passes_besides_arguments(
    target: str, code: str, passed: set[str]
) -> None:
    """With descriptors no function reads r12 where it begins; a static chain is an address."""
    chosen = TARGETS[target]
    one = isa.get(chosen.isa, chosen.abi)
    source = f"f:\tmtctr 9\n\tbctrl\n\tblr\ng:\t{code}\n\tblr\n{COMPILED}"
    read = read_code(split(source, chosen.isa, "test.s"), one, "test.s")
    found = one.registers.listed(find_liveness(read, one).before[0])
    assert passed == {"r11", "r12"} & set(found)
