"""The rule for reported restores: every form that the rewriter makes passes, broken ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.verify.__main__ import assembly
from tests.verify.turns import verify_turns
from tests.verify.verify import verify_rewriting

WITNESS = Path(__file__).resolve().parent.parent / "windows" / "files" / "witness.S"
"""Functions that leave in each of the ways there are."""
_COMPILED = '\t.ident "GCC: (test)"\n'
BROKEN = {
    "a return's glue restores what was not saved": (
        *("ret\n restore\n", "call inst.restore", "call inst.restore.k", "was not saved"),
    ),
    "a return's flags are lost": (
        "cmp %i0,0\nret\n restore\n",
        "call inst.restore.x",
        "call inst.restore",
        "icc is",
    ),
    "a sum in a restore is lost": (
        *("ret\n restore %i0,%i1,%o0\n", "restore %i0,%i1,%o0", "restore", "o0 is"),
    ),
    "a jump reads the old window's names": (
        *("jmp %i3\n restore\n", "jmp %o3", "jmp %i3", "it goes to caller's i3"),
    ),
    "a local is not copied": (
        *(f"call %l3\n restore\n{_COMPILED}", "mov %l3,%g1; ", "", "it goes to g1"),
    ),
    "an address is not read back from the stack": (
        *("jmp %l3+%l4\n restore\n", "ld [%sp+96],%g5; ", "", "it goes to garbage"),
    ),
    "the stack pointer is not restored": (
        *("jmp %l3+%l4\n restore\n", "add %sp,112,%sp", "nop", "o6 is"),
    ),
    "a tail call returns to its own site": (
        *("call f\n restore\n", "mov %g5,%o7", "nop", "o7 is"),
    ),
    "a restore runs on both ways": (
        *(
            "be,a .L1\n restore\nnop\n.L1:\tnop\n",
            "bne .Linst1; nop",
            "bne .Linst1",
            "is",
        ),
    ),
    "a branch goes the other way": (
        *("be,a .L1\n restore\nnop\n.L1:\tnop\n", "bne .Linst1", "be .Linst1", "is"),
    ),
    "the link register is lost after a restore": (
        *("restore\nretl\n nop\n", "mov %o7,%g6; ", "", "o7 is"),
    ),
    "a line of another section changes between two functions": (
        "jmp %i7+8\n restore\n\t.section .text.other\n.L1:\tba .L1\nadd %o0,1,%o0\n\t.text\nnop\n",
        *("add %o0,1,%o0", "add %o0,2,%o0", "holds no restore"),
    ),
    "a line without a restore changes": (
        *("add %o0,1,%o0\nret\n restore\n", "add %o0,1,%o0", "add %o0,2,%o0", "holds no restore"),
    ),
}
"""Input, what stands in the output, what is put there instead, and what is said then."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_turn_is_caught(name: str) -> None:
    source, old, new, word = BROKEN[name]
    target = TARGETS["sparc-v8"]
    without = translate(source, target, Options(restores=False))
    reported = translate(source, target, Options())
    assert not verify_turns(source, without, reported, target)
    assert old in reported, reported
    problems = verify_turns(source, without, reported.replace(old, new, 1), target)
    assert any(word in problem for problem in problems), problems


def test_code_of_another_section_is_no_part_of_a_turn() -> None:
    """A loop that is after a restore in the file, and not in memory, is not run."""
    loop = ".L1:\tld [%o0],%o1\ncmp %o1,0\nbe .L1\nnop\ncmp %o1,1\nbe .L1\nnop\n"
    other = "\t.section .text.other\n"
    source = f"{other}nop\n\t.text\njmp %i7+8\n restore\n{other}{loop}\t.text\nretl\n nop\n"
    for name in ("sparc-v8", "sparc-v9"):
        assert not verify_rewriting(source, TARGETS[name], Options())


def test_what_never_ends_is_not_taken_for_right() -> None:
    source = ".L1:\tba .L1; restore\n"
    target = TARGETS["sparc-v8"]
    text = translate(source, target, Options(restores=False))
    assert any("on and on" in one for one in verify_turns(source, text, text, target))


@pytest.mark.parametrize("name", ["sparc-v8", "sparc-v9"])
def test_every_way_to_leave_passes(name: str) -> None:
    target = TARGETS[name]
    source = assembly(WITNESS, target, ["-P"])
    assert translate(source, target, Options()).count("inst.restore") > 8
    assert not verify_rewriting(source, target, Options())
