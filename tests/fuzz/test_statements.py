"""Statements in any order: no text ends in an exception that is no InstError, or in no end."""

from __future__ import annotations

from typing import Any

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.conftest import require_tools
from tests.fuzz import statements
from tests.fuzz.statements import judge_statements, write_statements

_COUPLES = {
    "retl with a restore": "\tretl\n\trestore\n",
    "a moved frame": "\tsub %fp,64,%sp\n\tretl\n\trestore %g1,%g2,%o0\n",
    "trap return": "\tld [%l3],%l4\n\tjmp %l1\n\trett %l2\n",
    "trap return that ends the file": "\tjmpl %l1,%g0\n\trett %l2+4\n",
}


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_random_statements(target: str) -> None:
    require_tools(TARGETS[target].compiler[0])
    for seed in range(40):
        source = write_statements(target, seed)
        assert judge_statements(target, seed, source, assembling=seed < 3) == "", seed


@pytest.mark.parametrize("target", ["sparc-v8", "sparc-v9"])
@pytest.mark.parametrize("check_slots", [True, False])
@pytest.mark.parametrize("name", _COUPLES)
def test_restores_and_traps_in_slots(name: str, check_slots: bool, target: str) -> None:
    source = f"\t.text\nf:\n{_COUPLES[name]}"
    text = translate(source, TARGETS[target], Options(check_slots=check_slots))
    if "rett" in source:  # nothing may come between the two instructions
        jump, rett = source.splitlines()[-2:]
        assert f"{jump.strip()}\n{rett}\n" in text


@pytest.mark.parametrize("fault", [IndexError, RecursionError])
def test_a_traceback_is_found(monkeypatch: pytest.MonkeyPatch, fault: type[Exception]) -> None:
    def broken(*arguments: Any) -> str:
        raise fault("somewhere")

    monkeypatch.setattr(statements, "translate", broken)
    assert judge_statements("ppc32", 1, "\tnop\n").startswith(f"traceback: {fault.__name__}")


def test_an_output_that_does_not_assemble_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    require_tools(TARGETS["ppc32"].compiler[0])
    monkeypatch.setattr(statements, "translate", lambda *arguments: "\tnop nop\n")
    assert judge_statements("ppc32", 1, "\tnop\n").startswith("assembles: ")
