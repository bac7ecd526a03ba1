"""Whose r13 is in 32-bit PowerPC code: probes leave it alone where the file uses it."""

from __future__ import annotations

import re

import pytest

from inst.hooktable import SMALL_DATA_SYMBOL
from inst.target.targets import TARGETS
from inst.translate import Options, translate

KEPT_REGISTER = "r13"
KEPT = {
    "embedded": ("lwz 3,x@sda21(0)", True),
    "embedded address": ("li 4,x@sda21; lwz 3,0(4)", True),
    "System V": ("lwz 3,x@sdarel(13)", True),
    "without a relocation": ("lwz 3,-32768(13)", True),
    "as an index": ("lwzx 3,4,13", True),
    "in arithmetic": ("addi 4,13,8; lwz 3,0(4)", True),
    "set by a start file": ("addi 13,13,_SDA_BASE_@l; lwz 3,0(4)", False),
    "saved": ("stw 13,0(4)", False),
    "other small data": ("lwz 3,x@sda2rel(2)", False),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("level", ["values", "addresses"])
def test_a_file_that_uses_it_keeps_it(name: str, level: str) -> None:
    lines, counts = KEPT[name]
    found = translate("".join(f"\t{line}\n" for line in lines.split("; ")), TARGETS["ppc32"],
                      Options(level))  # fmt: skip
    assert re.search(r"bl inst\.[a-z.0-9]*\.a1[12]\.[xf]", found)
    assert not re.search(r"\b(mr|addi|add|li) 13,(?!13,_SDA)", found)
    assert (SMALL_DATA_SYMBOL in found) == counts
    assert f'.asciz "{KEPT_REGISTER}"' in found


def test_other_files_do_not() -> None:
    for text in ("\tstmw 13,8(1)\n", "\tlwz 3,x@l(4)\n"):
        found = translate(text, TARGETS["ppc32"], Options())
        assert "13," in found
        assert ".a12" not in found
        assert KEPT_REGISTER not in found
    found = translate("\tlwz 3,x@l(4)\n", TARGETS["ppc32"], Options(small_data=True))
    assert ".a12" in found
    assert SMALL_DATA_SYMBOL not in found
    assert KEPT_REGISTER in found


def test_a_large_file_is_seen_as_a_whole() -> None:
    """Compilers' files go through in parts; that r13 is taken may be seen in a late one only."""
    one = (
        "\t.type f{0}, @function\nf{0}:\n"
        + "\tlwz 3,0(3)\n" * 4000
        + "\tblr\n\t.size f{0},.-f{0}\n"
    )
    text = "".join(one.format(n) for n in range(8))
    text += "\t.globl g\ng:\tlwz 3,8(13)\n\tblr\n\t.size g,.-g\n" + '\t.ident "GCC: 12"\n'
    found = translate(text, TARGETS["ppc32"], Options())
    assert not re.search(r"\b(mr|addi|add|li) 13,", found)
    assert found.count("inst.ldw.r3.a1") == 8 * 4000 + 1
