"""Loads of addresses from the linker's tables, in code that records for re-execution."""

from __future__ import annotations

import re

import pytest

from inst.rewrite.options import Options
from inst.target.targets import TARGETS
from inst.translate import translate

TOC = '\t.section .toc,"aw"\n.LC0:\n\t.quad x\n\t.text\n'
CODE = {
    "ppc64le": (TOC, "\taddis 9,2,.LC0@toc@ha\n\tld 9,.LC0@toc@l(9)\n\tld 3,0(9)\n\tblr\n"),
    "ppc64": (TOC, "\taddis 9,2,.LC0@toc@ha\n\tld 9,.LC0@toc@l(9)\n\tld 3,0(9)\n\tblr\n"),
    "ppc32": ("", "\tlwz 9,.LC0-.LCTOC1(30)\n\tlwz 8,x@got(30)\n\tlwz 3,0(9)\n\tblr\n"),
    "sparc-v8": (
        "",
        "\tsethi %gdop_hix22(x),%g1\n\txor %g1,%gdop_lox10(x),%g1\n"
        "\tld [%l7+%g1],%g1,%gdop(x)\n\tld [%g1],%o0\n\tretl\n\t nop\n",
    ),
}
"""What stands before a function, and its code, which loads a word by way of a table."""
STORE = {
    "ppc64le": r"stdu (\d+),8\(11\)",
    "ppc64": r"stdu (\d+),8\(11\)",
    "ppc32": r"stwu (\d+),4\(13\)",
    "sparc-v8": r"st %(\w+),\[%g6\+",
}
LOADED = {"ppc64le": "3", "ppc64": "3", "ppc32": "3", "sparc-v8": "o0"}


@pytest.mark.parametrize("target", sorted(CODE))
def test_what_the_linker_s_tables_hold_is_not_recorded(target: str) -> None:
    before, code = CODE[target]
    source = f'{before}\t.type f,@function\nf:\n{code}\t.size f,.-f\n\t.ident "GCC: (test)"\n'
    text = translate(source, TARGETS[target], Options("loads", counter=False, record=True))
    stored = re.findall(STORE[target], text[text.index("f:") :])
    assert LOADED[target] in stored
    assert not {"8", "9", "g1"} & {*stored}
