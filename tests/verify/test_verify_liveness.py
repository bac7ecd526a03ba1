"""The verifier refuses what a rewriter makes that takes live registers for dead ones."""

from __future__ import annotations

import pytest

from inst.flow.code import Code
from inst.flow.liveness import Liveness
from inst.isa.model import Isa
from inst.rewrite import analysis as module
from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.fuzz.machines import generate
from tests.verify.test_verify_rules import CAUGHT, IDENT
from tests.verify.verify import verify

WHOLE = Options(restores=False)


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("forgotten", ["special", "link", "integer"])
@pytest.mark.parametrize("records", [False, True], ids=["hooks", "records"])
def test_forgetful_liveness_is_caught(
    monkeypatch: pytest.MonkeyPatch, target: str, forgotten: str, records: bool
) -> None:
    """A rewriter that takes live registers for dead ones makes what the verifier refuses."""
    source, sound = generate(target, 17, 12), module.find_liveness
    chosen, options = TARGETS[target], Options(record=records, restores=False)

    def forgetful(code: Code, isa: Isa, dropped: int = 0) -> Liveness:
        found = sound(code, isa, dropped)
        lost = getattr(isa.registers, forgotten)
        return Liveness([x & ~lost for x in found.before], [x & ~lost for x in found.after])

    assert not verify(source, translate(source, chosen, options), chosen, records=records)
    monkeypatch.setattr(module, "find_liveness", forgetful)
    problems = verify(source, translate(source, chosen, options), chosen, records=records)
    assert any("inserted code has changed" in problem for problem in problems)


def test_routine_that_stores_the_return_address_reads_nothing() -> None:
    """Where lr has waited before, `_savegpr0` stores what `_restgpr0` loads."""
    source = (
        "\t.type f,@function\nf:\nf.0:\tstd 3,0(9)\n\tmflr 0\n\tbl _savegpr0_29\n\tstdu 1,-96(1)\n"
        f"\tbl f.0\n\taddi 1,1,96\n\tb _restgpr0_29\n{IDENT}"
    )
    target = TARGETS["ppc64le"]
    rewritten = translate(source, target, WHOLE)
    assert "std 0,16(1)" in rewritten
    assert not verify(source, rewritten, target)


def test_liveness_without_landing_pads_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe of this store takes a register that only the landing pad reads."""
    nested = CAUGHT.replace("f:\n", "f:\nf.0:\n", 1)
    source = nested.replace("bl g", "bl f.0")  # which may read r11 and r12, then
    target = TARGETS["ppc64le"]
    assert not verify(source, translate(source, target, WHOLE), target)
    monkeypatch.setattr("inst.flow.liveness.hidden_ways", lambda *_: ([], []))
    problems = verify(source, translate(source, target, WHOLE), target)
    assert any("reads r31, which inserted code" in problem for problem in problems), problems
