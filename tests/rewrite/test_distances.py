"""Differences of labels in delay slots, and branches to a label plus some bytes.

That programs do the same is seen in truth/assembly: distances.S and measured.S.
"""

from __future__ import annotations

import re

import pytest

from inst.arch.sparc.rewrite import immediates
from inst.errors import InstError
from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.verify.verify import verify_rewriting

BOTH = ("sparc-v8", "sparc-v9")
THUNK = "g:\tretl\n\tadd %o7,%o0,%o0\nt:\t.word 1\n"


def _through(distance: str, use: str) -> str:
    """Return an instruction of 32-bit code that gets a distance in %g5."""
    return f"sethi %hi({distance}),%g5; or %g5,%lo({distance}),%g5; {use}"


FIXED = "\t.align 16\n2:\t.org 2b+0*16\n\tmov 1,%o0\n\t.org 2b+1*16\n\tmov 2,%o0\n"
"""A table of code with places that are fixed."""
FORMS = {
    "behind the slot of call .+8": (
        "1:\tcall .+8\n\tadd %o7,t-1b,%o4\n",
        f"1:\tcall .+8\n\tnop; {_through('t-1b', 'add %o7,%g5,%o4')}\n",
    ),
    "behind the slot of a call of a label there": (
        "1:\tcall 2f\n\tadd %o7,t-1b,%o4\n2:\tnop\n",
        f"1:\tcall .Lopen1\n\tnop; .Lopen1: {_through('t-1b', 'add %o7,%g5,%o4')}\n2:\tnop\n",
    ),
    "the location counter behind the slot": (
        "\tcall .+8\n\tadd %o7,t-(.-4),%o4\n",
        f"\t.Lhere1: call .+8\n\tnop; {_through('t-((.Lhere1+4)-4)', 'add %o7,%g5,%o4')}\n",
    ),
    "in front of a call": (
        "1:\tcall g\n\tmov t-1b,%o0\n",
        f"1:\t{_through('t-.Lhere1', 'mov %g5,%o0')}; call inst.window.x; nop; "
        ".Lhere1: call g\n\tnop\n",
    ),
    "the location counter in front of a call": (
        "\tcall g\n\tmov t-(.-4),%o0\n",
        f"\t{_through('t-((.Lhere1+4)-4)', 'mov %g5,%o0')}; call inst.window.x; nop; "
        ".Lhere1: call g\n\tnop\n",
    ),
    "in front of a branch": (
        "1:\tbe 3f\n\tadd %o4,t-1b,%o4\n3:\tnop\n",
        f"1:\t{_through('t-1b', 'add %o4,%g5,%o4')}; be 3f\n\tnop\n3:\tnop\n",
    ),
    "in a slot that is also a branch target": (
        "\tcall g\n2:\tmov t-f,%o0\n\tba 2b\n\tnop\n",
        f"nop; call g; nop; ba .Lopen1; nop\n2:\t{_through('t-f', 'mov %g5,%o0')}; .Lopen1:\n",
    ),
    "behind a branch that has no slot": (
        "\tba,a 3f\n1:\tadd %o4,t-1b,%o4\n3:\tnop\n",
        f"\tba,a 3f\n1:\t{_through('t-1b', 'add %o4,%g5,%o4')}\n3:\tnop\n",
    ),
    "measured behind a call that is counted": (
        "1:\tcall g\n\tnop\n\tadd %o7,t-1b,%o4\n",
        "1:\tcall inst.window.x; nop; .Lhere1: call g\n\tnop\n"
        f"\t{_through('t-.Lhere1', 'add %o7,%g5,%o4')}\n",
    ),
    "measured in two halves behind a call with an access": (
        "1:\tcall .+8\n\tst %o1,[%o0]\n\tsethi %hi(t-1b),%o4\n",
        ".Lhere1: call .+8\n\t.Linst1: st %o1,[%o0]\n\tsethi %hi(t-.Lhere1),%o4\n",
    ),
    "nothing comes in front of the call": (
        "1:\tcall .+8\n\tnop\n\tsethi %hi(t-1b),%o4\n",
        "1:\tcall .+8\n\tnop\n\tsethi %hi(t-1b),%o4\n",
    ),
    "a jump by what is measured from a call": (
        f"1:\tcall g\n\tnop\n\tjmp %o7+(2f-1b)\n\tnop\n{FIXED}",
        "nop; jmp %o7+(2f-.Lhere1)\n\tnop\n",
    ),
    "a jump by what is measured from where code learns its place": (
        f"1:\tcall 2f\n\tnop\n2:\tjmp %o7+(2f-1b)\n\tnop\n{FIXED}",
        "1:\tcall 2f\n\tnop\n2:\tmov %o7,%g6; call inst.window.xk; nop; jmp %o7+(2f-1b)\n",
    ),
    "an address measured from a call with an access": (
        "1:\tcall .+8\n\tst %o1,[%o0]\n\tld [%o7+(t-1b)],%o1\n",
        "add %o7,t-.Lhere1,%g5; .Linst2: ld [%o7+(t-.Lhere1)],%o1; "
        "mov %o7,%g6; call inst.ldw.after.o1.xk; nop\n",
    ),
    "a branch into a loop": (
        "1:\tld [%o0],%o1\n\tsubcc %o1,1,%o1\n\tbne 1b+4\n\tmov 1,%o2\n",
        "\t.Lopen1: call inst.window.x; subcc %o1,1,%o1\n\tbne .Lopen1\n\tmov 1,%o2\n",
    ),
    "a branch over an access": (
        "\tbe .+16\n\tnop\n\tst %o1,[%o0]\n\tnop\n\tmov 1,%o2\n",
        "\tbe .Lopen1\n\tnop\n",
    ),
    "a branch over its own slot": (
        "\tbe .+8\n\tst %o1,[%o0]\n\tmov 1,%o2\n",
        "be .Lopen1\n\t.Linst1: st %o1,[%o0]\n\t.Lopen1: mov 1,%o2\n",
    ),
    "a branch over what does not grow": (
        "\tbe .+16\n\tnop\n\tmov 1,%o2\n\tnop\n\tmov 2,%o2\n",
        "\tbe .+16\n\tnop\n\tmov 1,%o2\n\tnop\n\tmov 2,%o2\n",
    ),
}


def _file(text: str) -> str:
    """Return a function with some code, a window and an access."""
    return f"f:\tsave %sp,-192,%sp\n{text}\tld [%i0],%i0\n\tret\n\trestore\n{THUNK}"


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    text, expected = FORMS[name]
    assert expected in translate(_file(text), TARGETS["sparc-v8"], Options(frames=False))


@pytest.mark.parametrize("target", BOTH)
@pytest.mark.parametrize("level", ["values", "addresses"])
def test_forms_are_sound(target: str, level: str) -> None:
    for name, (text, _) in FORMS.items():
        problems = verify_rewriting(_file(text), TARGETS[target], Options(level), assembled_with=())
        assert not problems, (name, problems)


@pytest.mark.parametrize(
    "name",
    [
        "in front of a call",
        "measured behind a call that is counted",
        "a jump by what is measured from a call",
        "an address measured from a call with an access",
    ],
)
def test_parted_calls_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(immediates, "_may_be_parted", lambda *_: False)
    problems = verify_rewriting(_file(FORMS[name][0]), TARGETS["sparc-v8"], Options())
    assert any("measures from 1b" in problem for problem in problems)


POWERPC = (
    "leave:\tblr\nf:\tmflr 8\n0:\tbl leave\n\tmflr 9\n\tlwz 3,(t-0b-4)(9)\n\tblr\nt:\t.long 1\n"
)


@pytest.mark.parametrize("target", ["ppc32", "ppc64", "ppc64le"])
def test_powerpc_measures_from_its_calls(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "bl inst.window.x; .Lhere1: bl leave" in translate(POWERPC, TARGETS[target], Options())
    for level in ("values", "addresses"):
        assert not verify_rewriting(POWERPC, TARGETS[target], Options(level), assembled_with=())
    monkeypatch.setattr("inst.rewrite.insertable.keep_differences_at_calls", lambda *_: None)
    problems = verify_rewriting(POWERPC, TARGETS[target], Options())
    assert any("measures from 0b" in problem for problem in problems)


def test_powerpc_symbols_measured_from_calls_are_refused() -> None:
    text = "0:\tbl leave\n\t.set D,t-0b-4\n\tmflr 9\n\tlwz 3,D(9)\nleave:\tblr\nt:\t.long 1\n"
    with pytest.raises(InstError) as caught:
        translate(text, TARGETS["ppc32"], Options(), "a.s")
    assert caught.value.render().startswith("a.s:4:"), caught.value.render()
    assert "write t-0b-4 here" in caught.value.hint


def test_other_code_that_measures_from_a_call() -> None:
    """Its own label stays with the call for all of the file, once; branches keep the old one."""
    text = "1:\tcall g\n\tmov t-1b,%o0\n\tadd %o7,t-1b,%o4\n\tba 1b\n\tnop\n"
    rewritten = translate(_file(text), TARGETS["sparc-v8"], Options())
    assert rewritten.count(".Lhere1:") == 1
    assert rewritten.count("%hi(t-.Lhere1)") == 2
    assert "ba 1b" in rewritten


IN_SLOT = "delay slot"
FAR = "\tld [%i0],%o3\n" * 400
"""Code of 1600 bytes that grows past 4095."""
REFUSED = {
    "address that grows": (f"1:\tcall .+8\n\tnop\n\tld [%o7+(t-1b)],%o1\n{FAR}", 4, "`set`"),
    "jump that grows": (
        f"1:\tcall .+8\n\tnop\n\tjmp %o7+(2f-1b)\n\tnop\n{FAR}{FIXED}",
        *(4, "`set`"),
    ),
    "symbol that grows": (
        f"D=t-1f\n1:\tcall .+8\n\tnop\n\tadd %o7,D,%o1\n{FAR}",
        *(5, "`set`"),
    ),
    "address across sections": (
        f"\tld [%g1+(2f-3f)],%o1\n3:\t.subsection 1\n2:\tnop\n\t.previous\n{FAR}",
        *(2, "`set`"),
    ),
    "symbol measured from a call that is counted": (
        "\t.set D,t-1f\n1:\tcall g\n\tnop\n\tadd %o7,D,%o1\n",
        *(5, "write t-1f here"),
    ),
    "annulled slot": ("\tbe,a 3f\n\tadd %o4,t-f,%o4\n3:\tnop\n", 3, IN_SLOT),
    "slot that reads what its call writes": ("1:\tcall g\n\tadd %o7,t-1b,%o4\n", 3, IN_SLOT),
    "slot that sets what its branch reads": ("\tbe 3f\n\taddcc %o4,t-f,%o4\n3:\tnop\n", 3, IN_SLOT),
    "slot that turns the window": ("\tret\n\trestore %g0,t-f,%o0\n", 3, IN_SLOT),
    "branch over growth": ("\tba .+16\n\tnop\n\tadd %o4,t-f,%o4\n\tnop\n", 2, "label of its own"),
    "call over growth": ("\tcall .+16\n\tnop\n\tld [%o0],%o1\n\tnop\n", 2, "after the slot"),
    "register in use": ("\tmov 1,%g5\n\tadd %o4,t-f,%o4\n\tmov %g5,%o0\n", 3, "another register"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_hint(name: str) -> None:
    text, line, hint = REFUSED[name]
    with pytest.raises(InstError) as caught:
        translate(_file(text), TARGETS["sparc-v8"], Options(), "a.s")
    message = caught.value.render()
    written = _file(text).splitlines()[line - 1]
    column = len(re.match(r"(\w+:)?\s*", written)[0]) + 1  # type: ignore[index]
    assert message.startswith(f"a.s:{line}:{column}:"), message
    assert message.splitlines()[1].split() == written.split(), message
    assert hint in caught.value.hint


def test_what_still_fits_is_not_refused() -> None:
    near = "\tld [%i0],%o3\n" * 200
    text = _file(f"1:\tcall .+8\n\tnop\n\tld [%o7+(t-1b)],%o1\n{near}")
    for level in ("values", "addresses"):
        assert not verify_rewriting(text, TARGETS["sparc-v8"], Options(level), assembled_with=())


def test_octal_numbers_are_numbers() -> None:
    text = "1:\tcall .+8\n\tnop\n\tld [%o7+(t-1b)+010],%o1\n\t.skip 010\n2:\tbrz,pn %o1,2b\n\tnop\n"
    assert "Linst" in translate(_file(text), TARGETS["sparc-v9"], Options(), "a.s")


def test_register_in_use_is_the_users_own_affair() -> None:
    text = _file(REFUSED["register in use"][0])
    rewritten = translate(text, TARGETS["sparc-v8"], Options(check_registers=False))
    assert _through("t-f", "add %o4,%g5,%o4") in rewritten


def test_a_branch_over_a_restore_that_is_told_goes_behind_it() -> None:
    text = "f:\tbe .+12\n\tnop\n\trestore\n\tretl\n\tnop\n"
    made = translate(text, TARGETS["sparc-v8"], Options(), "test.s")
    assert "be .Lopen1\n" in made and ".Lopen1: retl\n" in made


COUNTED = {
    "sparc": "f:\tld [%o0],%o0\n\tbe .-{0}\n\tnop\n\tbe f+{0}\n\tnop\n\tretl\n\tnop\n",
    "powerpc": "f:\tlwz 9,0(3)\n\tmr 4,9\n\tbeq f+{0}\n\tbne $-{0}\n\tblr\n",
}
"""With branches backwards over an access."""


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("same", ["0x4", "04", "0X4"])
def test_branches_count_bytes_in_any_base(name: str, same: str) -> None:
    target = TARGETS[name]
    made, again = (
        translate(COUNTED[target.isa].format(one), target, Options(), "a.s") for one in ("4", same)
    )
    assert again == made


OVER_A_JUMP = {
    "sparc": "f:\tld [%o0],%o0\n\tbe .+16\n\tnop\n\tba 2f\n\tnop\n\t.align 16\n"
    "1:\tld [%o1],%o1\n2:\tretl\n\tnop\n",
    "powerpc": "f:\tlwz 9,0(3)\n\tbne 0,$+8\n\tb 2f\n\t.p2align 4,,15\n1:\tlwz 8,0(3)\n2:\tblr\n",
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_branch_over_a_jump_goes_behind_the_alignment_that_follows(name: str) -> None:
    target = TARGETS[name]
    text = OVER_A_JUMP[target.isa]
    assert not verify_rewriting(text, target, Options(), assembled_with=())
    line = next(line for line in text.split("\n") if "align" in line)
    for other in ("\t.p2align 4,0", "\t.skip 12", "\t.long 0"):
        with pytest.raises(InstError, match="depends on the length"):
            translate(text.replace(line, other), target, Options(), "a.s")


def test_a_barrier_in_the_slot_of_a_branch_to_a_label_plus_some_bytes() -> None:
    """The barrier moves before the branch, whose target has a label by then."""
    source = "f:\tbe .Lx+4\n\tmembar #Sync\n\tnop\n.Lx:\tnop\n\tnop\n"
    text = translate(source, TARGETS["sparc-v9"], Options(barriers=True, counter=False))
    assert re.search(r"membar #Sync; be \.Lopen1\n\tnop\n", text)
    assert ".Lopen1: nop" in text


@pytest.mark.parametrize("source", [
    "\tba 1f\n2:\tadd %o7,1f-.,%o0\n1:\tld [%o1],%o2\n\tba 2b\n\tnop\n",
    "\tcmp %o0,0\n\tba 1f\n\tbe 2f\n\tnop\n1:\tadd %o7,2f-.,%o0\n2:\tld [%o1],%o2\n",
])  # fmt: skip
def test_an_instruction_that_refers_to_its_own_address_stays(source: str) -> None:
    with pytest.raises(InstError, match="refers to its own address"):
        translate(source, TARGETS["sparc-v8"], Options(counter=False))


IN_A_ROW = """f:
	and %o2,(4-1)<<2,%g1
{place}
	jmp %g3+%g1
	nop
{row}
1:	add %o0,1,%o0
2:	ld [%o0],%o1
	retl
	nop
"""
"""Code that jumps to one of four instructions."""
FIXED_ROW = "t:\tnop\n\tba 2f\n\tnop\n\tba 1f\n\tnop"
PLACES = {
    "at an address": "\tsethi %hi(t),%g3\n\tor %g3,%lo(t),%g3",
    "from here": "\tmov %o7,%g4\n\tcall 3f\n\tadd %o7,t-3f,%g3\n3:\tmov %g4,%o7",
}


@pytest.mark.parametrize("name", PLACES)
def test_a_jump_into_a_row_that_keeps_its_length(name: str) -> None:
    text = IN_A_ROW.format(place=PLACES[name], row=FIXED_ROW)
    made = translate(text, TARGETS["sparc-v8"], Options(), "a.s")
    assert "t:\tnop\n\tba 2f\n\tnop\n\tba 1f\n" in made
    grows = text.replace(FIXED_ROW, "t:\tnop\n\tld [%o1],%o2\n\tnop\n\tnop")
    unlimited = text.replace("and %o2,(4-1)<<2,%g1", "sll %o2,2,%g1")
    scaled = text.replace("(4-1)<<2,%g1", "4-1,%g1\n\tsll %g1,2,%g1")
    for refused in (grows, unlimited, scaled):
        with pytest.raises(InstError, match="plus what is in a register"):
            translate(refused, TARGETS["sparc-v8"], Options(), "a.s")
