"""A table that marks an instruction marks the same one in the output."""

from __future__ import annotations

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.verify.verify import verify

_TABLE = '\t.section __ex_table,"a"\n\t.long 1b,fix\n\t.long 2b,fix\n\t.text\n'
MARKED = {  # the first label is a branch's target, too; the second is in a slot on SPARC
    "ppc32": f"f:\tbeq 1f\n\tnop\n1:\tstw 3,0(4)\n2:\tlwz 3,0(4)\nfix:\tblr\n{_TABLE}",
    "sparc-v8": "f:\tbe 1f\n\tnop\n1:\tst %o0,[%o1]\n\tba fix\n2:\tld [%o1],%o0\n"
    f"fix:\tretl\n\tnop\n{_TABLE}",
}
"""Accesses that a table names."""


@pytest.mark.parametrize("level", ["values", "addresses"])
@pytest.mark.parametrize("name", sorted(MARKED))
def test_marked_instruction_stays_marked(name: str, level: str) -> None:
    target = TARGETS[name]
    rewritten = translate(MARKED[name], target, Options(level, restores=False))
    assert not verify(MARKED[name], rewritten, target, level)
    words = [line for line in rewritten.split("\n") if "fix" in line and "\t.long" in line]
    assert words == ["\t.long .Linst1,fix", "\t.long .Linst2,fix"]


@pytest.mark.parametrize("name", sorted(MARKED))
def test_label_before_the_probe_is_no_mark(name: str) -> None:
    target = TARGETS[name]
    rewritten = translate(MARKED[name], target, Options(restores=False))
    problems = verify(MARKED[name], rewritten.replace(".long .Linst1", ".long 1b"), target)
    assert any("1 marks it for a table" in problem for problem in problems), problems
