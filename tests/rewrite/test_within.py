"""Calls of a file's own functions in code that records for re-execution."""

from __future__ import annotations

import re

import pytest

from inst.dataclass import replace
from inst.rewrite.options import Options
from inst.rewrite.segment_table import IMAGE
from inst.rewrite.selection import Selection
from inst.target.targets import TARGETS
from inst.translate import translate

LOADS = Options("loads", counter=False, record=True)
POWERPC = {
    "call": "\tbl {name}\n",
    "callee": "\tlwz 3,0(3)\n\tblr\n",
    "goes on": "\tlwz 3,0(3)\n\tb elsewhere\n",
    "caller": "\tmflr 0\n\tstw 0,4(1)\n\tstwu 1,-16(1)\n{call}\taddi 3,3,1\n\tlwz 0,20(1)\n"
    "\taddi 1,1,16\n\tmtlr 0\n\tblr\n",
    "target": r"\bbl ([^\s;]+)",
}
SPARC = {
    "call": "\tcall {name}, 0\n\t nop\n",
    "callee": "\tretl\n\t ld [%o0],%o0\n",
    "goes on": "\tld [%o0],%o0\n\tor %o7,%g0,%g1\n\tcall elsewhere, 0\n\t or %g1,%g0,%o7\n",
    "caller": "\tsave %sp,-96,%sp\n\tmov %i0,%o0\n{call}\tadd %o0,1,%i0\n\tret\n\t restore\n",
    "target": r"\bcall ([^\s,;]+)",
}
CODE = {"ppc32": POWERPC, "ppc64le": POWERPC, "sparc-v8": SPARC}


def _translated(target: str, callee: str = "callee", before: str = "", **more: object) -> str:
    """Return what a file becomes whose function `caller` calls `own`."""
    code = CODE[target]
    functions = {"own": code[callee], "caller": code["caller"]}
    functions["caller"] = functions["caller"].format(call=code["call"].format(name="own"))
    source = before + "".join(
        f"\t.type {name},@function\n{name}:\n{text}\t.size {name},.-{name}\n"
        for name, text in functions.items()
    )
    options = replace(LOADS, **more)  # type: ignore[arg-type]
    return translate(f'{source}\t.ident "GCC: (test)"\n', TARGETS[target], options)


def _calls(text: str, target: str) -> list[str]:
    """Return what the code calls, without what makes room."""
    found = re.findall(CODE[target]["target"], text)
    return [name for name in found if not name.startswith("inst.room")]


def _names(text: str) -> int:
    """Return how many times `caller` names what its address is counted from."""
    return text[text.index("caller:") :].split(".debug_inst_record")[0].count(IMAGE)


@pytest.mark.parametrize("target", sorted(CODE))
def test_calls_enter_after_what_is_recorded_for_others(target: str) -> None:
    text = _translated(target)
    (called,) = _calls(text, target)
    assert called.startswith(".L")
    recorded = text.index("own:")
    assert recorded < text.index("inst.room", recorded) < text.index(f"{called}:")


@pytest.mark.parametrize("target", sorted(CODE))
@pytest.mark.parametrize(
    "before",
    ["\t.weak own\n", '\t.section .text.own,"axG",@progbits,own,comdat\n'],
    ids=["weak", "comdat"],
)
def test_the_linker_may_take_another_function(target: str, before: str) -> None:
    assert _calls(_translated(target, before=before), target) == ["own"]


@pytest.mark.parametrize("target", sorted(CODE))
def test_functions_that_are_left_out_are_called_by_their_names(target: str) -> None:
    text = _translated(target, selection=Selection(excluded=("own",)))
    assert _calls(text, target) == ["own"]


@pytest.mark.parametrize("target", sorted(CODE))
def test_functions_whose_entries_are_reported_are_called_by_their_names(target: str) -> None:
    assert "own" in _calls(_translated(target, functions=True), target)


@pytest.mark.parametrize("target", sorted(CODE))
def test_only_functions_that_return_themselves_leave_nothing_to_record(target: str) -> None:
    """Other code has the last word where one goes on to a function elsewhere."""
    assert _names(_translated(target, "goes on")) > _names(_translated(target))


@pytest.mark.parametrize("target", sorted(CODE))
def test_debuggers_stop_where_functions_are_entered(target: str) -> None:
    """Calls go to a function's address in a file with line numbers; returns leave nothing."""
    text = _translated(target, before='\t.file 1 "f.c"\n\t.loc 1 1 0\n')
    assert _calls(text, target) == ["own"]
    assert _names(text) == _names(_translated(target))
