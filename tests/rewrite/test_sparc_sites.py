"""What a site of SPARC code costs: what runs in the slot of its call, and where %o7 waits."""

from __future__ import annotations

import re

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate

_SPARC = ("sparc-v8", "sparc-v9")
_IDENT = '\t.ident "GCC: (test)"\n'


def _code(source: str, target: str) -> list[str]:
    """Return the instructions of the output, one to an element, without labels."""
    text = translate("\t.text\nf:\n" + source, TARGETS[target], Options())
    lines = text.split("\t.section .debug_inst_sites")[0].replace(";", "\n").split("\n")
    bare = [re.sub(r"^\s*[.\w]+:\s*", "", line).strip() for line in lines]
    return [" ".join(line.split()) for line in bare if line and not line.startswith(".")]


def _slot_of(code: list[str], call: str) -> str:
    place = next(n for n, line in enumerate(code) if line.startswith(call))
    return code[place + 1]


@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize("leaving", ["ret", "jmp %i7+8", "jmp %i7 + 8"])
def test_return_with_a_restore_is_a_call_of_the_glue(target: str, leaving: str) -> None:
    code = _code(f"\tsave %sp,-176,%sp\n\t{leaving}\n\t restore %g0,1,%o0\n{_IDENT}", target)
    assert code[-2:] == ["call inst.restore", "restore %g0,1,%o0"]


@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize(
    "leaving", ["jmp %i7+12\n\t restore", "ret\n\t restore %o7,0,%o0", "ret\n\t restore %o0,0,%o7"]
)
def test_other_returns_move_their_restore(target: str, leaving: str) -> None:
    """One past `unimp`, and restores that see the %o7 which the call would change."""
    code = _code(f"\tsave %sp,-176,%sp\n\t{leaving}\n{_IDENT}", target)
    call = code.index("call inst.restore.k")
    assert code[call - 2].startswith("restore") and code[call + 2].startswith("jmp %")


def test_slot_of_a_return_of_64_bit_code_comes_first() -> None:
    source = f"\tsave %sp,-176,%sp\n\treturn %i7+8\n\t sra %o0,0,%o1\n{_IDENT}"
    assert _code(source, "sparc-v9")[-3:] == ["sra %i0,0,%i1", "call inst.restore", "restore"]
    other = source.replace("sra %o0,0,%o1", "add %l0,1,%o0")  # the caller's own %l0
    assert _code(other, "sparc-v9")[-2:] == ["jmp %o7+8", "add %l0,1,%o0"]


@pytest.mark.parametrize("target", _SPARC)
def test_count_takes_what_stands_before_it_into_its_slot(target: str) -> None:
    loop = "\tcmp %o0,1\n.L1:\txor %o1,1,%o1\n\tbne .L1\n\t nop\n\tretl\n\t nop\n" + _IDENT
    code = _code(loop, target)
    assert _slot_of(code, "call inst.window.x") == "xor %o1,1,%o1"
    assert code.count("xor %o1,1,%o1") == 1


@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize("before", ["xor %o1,1,%o1", ""])
def test_count_stands_before_what_sets_the_conditions(target: str, before: str) -> None:
    """Its entry need not save them: that takes 16 instructions."""
    loop = f"\tmov 3,%o0\n.L1:\t{before}\n\tsubcc %o0,1,%o0\n\tbne .L1\n\t nop\n"
    code = _code(f"{loop}\tretl\n\t nop\n{_IDENT}", target)
    at = code.index("call inst.window.k")
    assert code[at + 1 : at + 4] == [before or "nop", "subcc %o0,1,%o0", "bne .L1"]


@pytest.mark.parametrize("target", _SPARC)
@pytest.mark.parametrize(
    "before",
    [
        "\tsubcc %o0,1,%o0\n.L2:\n",  # control comes in between
        "\tmov %o7,%o0\n",  # what the call changes
        "\tadd %sp,-16,%sp\n",
        "\tld [%o1],%o0\n",
        "\tadd %l7,%o0,%o0,%tie_add(x)\n",  # the linker reads it with others
        "\trd %pc,%o0\n",  # its own place
    ],
)
def test_count_leaves_what_may_not_move(target: str, before: str) -> None:
    loop = f".L1:\n{before}\tbne .L1\n\t nop\n\tba .L2\n\t nop\n.L2:\tretl\n\t nop\n"
    if ".L2:" in before:
        loop = loop.replace(".L2:\tretl", "\tretl")
    assert _slot_of(_code(loop + _IDENT, target), "call inst.window") == "nop"


def test_live_link_waits_in_a_dead_register_of_64_bit_code() -> None:
    source = f"\tst %o1,[%o0]\n\tld [%o0+4],%o0\n\tretl\n\t nop\n{_IDENT}"
    code = _code(source, "sparc-v9")
    assert code.count("mov %o7,%g1") == code.count("mov %g1,%o7") == 2
    assert not [line for line in code if line.startswith(("add %sp", "stx"))]
    by_hand = _code(source.replace(_IDENT, ""), "sparc-v9")  # every register may be live
    assert by_hand.count("add %sp,-192,%sp") == 2


def test_link_as_a_result_is_loaded_before_its_call() -> None:
    source = f"\tldx [%o0],%o7\n\tadd %o7,1,%o0\n\tjmp %g4+8\n\t nop\n{_IDENT}"
    code = _code(source, "sparc-v9")
    assert code[:2] == ["add %o0,0,%g6", "ldx [%o0],%o7"]
    assert code[2:4] == ["add %sp,-192,%sp", "stx %o7,[%sp+2223]"]
    assert code[4] == "call inst.ldd.after.o7.xk"


@pytest.mark.parametrize("target", _SPARC)
def test_load_of_the_table_runs_in_the_slot_of_its_call(target: str) -> None:
    load = "ldx" if target == "sparc-v9" else "ld"
    itself = f"{load} [%l7+%g1],%g1,%gdop(x)"
    source = f"\tsave %sp,-176,%sp\n\t{itself}\n\tret\n\t restore %g1,0,%o0\n{_IDENT}"
    assert _slot_of(_code(source, target), "call inst.table") == itself


@pytest.mark.parametrize("target", _SPARC)
def test_every_register_is_live_where_a_trap_returns(target: str) -> None:
    """What runs there may be any code, also where a compiler has written the handler."""
    ways = ["jmp %l1\n\trett %l2"] + ["retry", "done"] * (target == "sparc-v9")
    for leaving in ways:
        code = _code(f"\tld [%l3],%l4\n\t{leaving}\n{_IDENT}", target)
        assert any(line.startswith("call inst.ld") and line.endswith(".xk") for line in code)
