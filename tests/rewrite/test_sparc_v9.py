"""What only 64-bit SPARC asks of the rewriter: short branches, and `return` with its slot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate

TARGET = TARGETS["sparc-v9"]
_BRANCHES = {
    "on a register": ("brz %o0,2f", 2000),
    "on a register, annulled": ("brnz,a,pn %o1,2f", 2000),
    "predicted": ("bne,pt %icc,2f", 16000),
    "predicted, always": ("ba,pt %xcc,2f", 16000),
}
_ASSEMBLE = ["sparc64-linux-gnu-as", "-Av9", "-64", "-no-undeclared-regs", "-o", "/dev/null", "-"]
_HEAD = "\t.text\n\t.global f\n\t.type f,#function\nf:\tcmp %o0,%o1\n"


@pytest.mark.parametrize("kind", _BRANCHES)
def test_far_branches_still_reach(kind: str, tmp_path: Path) -> None:
    branch, loads = _BRANCHES[kind]
    body = "\tldx [%o2],%o3\n" * loads
    source = f"{_HEAD}\t{branch}\n\t add %o4,1,%o4\n{body * 4}2:\tretl\n\t nop\n"
    rewritten = translate(source, TARGET, Options())
    assert subprocess.run(_ASSEMBLE, input=source.encode()).returncode == 0
    assert subprocess.run(_ASSEMBLE, input=rewritten.encode()).returncode == 0
    assert f"\t{branch}\n" not in rewritten


def test_slot_of_return_is_in_the_callers_window() -> None:
    source = f"{_HEAD}\tsave %sp,-176,%sp\n\treturn %i7+8\n\t ldx [%i5+8],%o0\n"
    rewritten = translate(source, TARGET, Options())
    assert "restore;" in rewritten and "jmp %o7+8" in rewritten
    assert rewritten.index("add %i5,8,%g6") > rewritten.index("restore;")


def test_slot_of_return_in_the_next_function() -> None:
    """Unwinding rules that one function remembers cannot be restored in another."""
    start, end = "\t.cfi_startproc\n", "\t.cfi_endproc\n"
    source = f"{_HEAD}{start}\tsave %sp,-176,%sp\n\treturn %i7+8\n{end}"
    source += f"g:\n{start}\tsave %sp,-176,%sp\n\treturn %i7+8\n\tnop\n{end}"
    rewritten = translate(source, TARGET, Options())
    assert subprocess.run(_ASSEMBLE, input=rewritten.encode()).returncode == 0
    assert ".cfi_remember_state" not in rewritten and ".cfi_restore_state" not in rewritten


def test_slot_of_return_may_read_what_the_return_frees() -> None:
    """No probe stores below the caller's frame before the access has run."""
    source = f"{_HEAD}\tsave %sp,-304,%sp\n\treturn %i7+8\n\t ldsh [%g1-2],%o0\n"
    rewritten = translate(source, TARGET, Options(restores=False))
    assert "restore" not in rewritten
    assert "ldsh [%g1-2], %i0" in rewritten or "ldsh [%g1-2],%i0" in rewritten
    assert rewritten.index("ldsh") < rewritten.index("return %i7+8")
    told = translate(source, TARGET, Options())
    assert (
        told.index("call inst.rare.after")
        < told.index("call inst.restore")
        < told.index(" restore\n")
    )


def test_scratch_register_is_declared_once() -> None:
    source = f"{_HEAD}\tldx [%o0],%o0\n\tldx [%o1],%o1\n\tretl\n\t nop\n"
    assert translate(source, TARGET, Options()).count(".register") == 1
    declared = "\t.register %g6,#scratch\n" + source
    assert translate(declared, TARGET, Options()).count(".register") == 1


@pytest.mark.parametrize(
    "body",
    [
        "\tldx [%o0],%g1\n\tjmp %o1+%g1\n\t nop\n.L1:\t.word .L2-.L1\n"
        "\t.register %g3,#scratch\n.L2:\tretl\n\t add %g3,1,%o0\n",
        "\tcall g\n\t nop\n\tlduw [%g0+0],%g1\n\tta 5\n",
    ],
    ids=["declared later", "not declared"],
)
def test_registers_that_segments_store_are_declared_before(body: str) -> None:
    loads = translate(_HEAD + body, TARGET, Options(record=True, counter=False, level="loads"))
    assert "stx %g3," in loads
    assert subprocess.run(_ASSEMBLE, input=loads.encode()).returncode == 0


def test_load_over_its_branches_register_goes_on_both_ways() -> None:
    """With no register free the branch reads %g1 first, and each way has the load and its probe."""
    held = "".join(f"\tadd %{bank}{n},1,%{bank}{n}\n" for bank in "goli" for n in range(8)
                   if f"{bank}{n}" not in ("g0", "g6", "g7", "o6", "o7", "i6"))  # fmt: skip
    source = f"{_HEAD}\tbrnz,pn %g1,2f\n\t ldx [%o0+16],%g1\n{held}2:\n{held}\tretl\n\t nop\n"
    rewritten = translate(source, TARGET, Options())
    assert "brz,pn %g1," in rewritten and "brnz" not in rewritten
    assert rewritten.count("ldx [%o0+16],%g1;") + rewritten.count("ldx [%o0+16],%g1\n") == 2
    assert rewritten.count("\\tldx [%o0+16],%g1") == 2  # two sites
