"""Where lr may wait in the stack's own doubleword for it (64-bit PowerPC), and where it may not."""

from __future__ import annotations

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate

FULL = "\tbso 5,.L9\n{before}\tstd 3,0(9)\n\tb f.0\n.L9:\tblr\n"
"""A function of which all registers but r0 are read: it may be a nested one."""
COMPILED = '\t.ident "GCC: (test)"\n'


def rewritten(code: str, options: Options | None = None, name: str = "ppc64le") -> str:
    source = f"\t.type f, @function\nf:\nf.0:\n{code}{COMPILED}"
    return translate(source, TARGETS[name], options or Options()).split(".debug_inst_sites")[0]


def test_lr_waits_at_16_from_the_stack_pointer() -> None:
    assert "mflr 0; std 0,16(1); addi 0,9,0; bl inst.std.r3;" in rewritten(FULL.format(before=""))


def test_lr_waits_there_for_all_sites_of_a_line() -> None:
    text = rewritten(FULL.format(before="\tstd 3,8(9)\n\tstd 3,16(9)\n"))
    assert text.count("std 0,16(1)") == 1
    assert text.count("ld 0,16(1); mtlr 0") == 3


@pytest.mark.parametrize(
    "before",
    ["\tstd 3,8(9)\n.L2:\n", "\tstd 3,8(9)\n\tbeq 0,.L9\n", "\tstd 3,8(9)\n\taddi 1,1,-64\n"],
    ids=["label", "branch", "stack"],
)
def test_lr_is_put_there_again(before: str) -> None:
    assert rewritten(FULL.format(before=before)).count("std 0,16(1)") == 2


@pytest.mark.parametrize(
    "before",
    [
        "\tmtlr 28\n",  # -mcpu=970 keeps variables in lr
        "\tmflr 0\n\tbl _savegpr0_14\n",  # its return address is there now
        "\tbeq 0,.L3\n\tmtlr 28\n.L3:\n",
        ".L4:\n",  # a jump comes here from no one knows where
    ],
    ids=["variable", "saved", "one way", "table"],
)
def test_lr_waits_elsewhere_once_it_may_have_changed(before: str) -> None:
    text = rewritten(FULL.format(before=before) + "\t.long .L4-.L9\n.L9x:\n")
    assert "16(1)" not in text
    assert "stdu 1,-640(1)" in text


@pytest.mark.parametrize("change", ["", "\tmtlr 28\n"], ids=["kept", "changed"])
def test_a_section_goes_on_with_what_another_did(change: str) -> None:
    """A cold part of a function is named like one; the first label of a section counts too."""
    for label in ("f.cold", ".L5"):
        code = f"{change}\tbso 5,{label}\n\tblr\n\t.section .text.unlikely\n"
        if label == "f.cold":
            code += "\t.type f.cold, @function\n"
        text = rewritten(f"{code}{label}:\n" + FULL.format(before=""))
        assert ("16(1)" in text) == (not change and label == ".L5")


@pytest.mark.parametrize("between", ["", ".LBE3:\n"], ids=["behind", "a block's end"])
def test_unwinding_that_changes_behind_an_access_is_not_mixed(between: str) -> None:
    code = FULL.replace("\tb f", f"{between}\t.cfi_restore 31\n\tb f").format(before="")
    text = rewritten(f"\t.cfi_startproc\n{code}\t.cfi_endproc\n")
    assert ".cfi_remember_state" not in text


def test_an_access_of_the_doubleword_itself_has_a_frame() -> None:
    assert "stdu 1,-640(1)" in rewritten(FULL.format(before="\tstd 3,12(1)\n"))


def test_assembly_by_hand_has_a_frame() -> None:
    source = "\t.type f, @function\nf:\n" + FULL.format(before="")
    assert "16(1)" not in translate(source, TARGETS["ppc64le"], Options())


def test_everything_saved_has_a_frame() -> None:
    text = rewritten(FULL.format(before=""), Options(keep_registers=True))
    assert "16(1)" not in text
