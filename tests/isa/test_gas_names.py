"""Every mnemonic that GNU as takes with any option is known, or refused with a reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import gas_names
import pytest

from inst.arch.powerpc.tables import ISA
from inst.arch.powerpc.tables.refused import FAMILIES, reason_for
from inst.arch.powerpc.tables.table import mnemonics
from inst.arch.sparc.tables.natural import NATURAL
from inst.arch.sparc.tables.table import table
from inst.isa.model import UnknownInstruction

OTHERS = ("-mpower10", "-me6500", "-ma2", "-m476", "-mspe2", "-m601", "-mtitan", "-m750cl")
"""Options whose instructions are all known: no name of a refused family is among them."""


@pytest.fixture(scope="module")
def powerpc_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return gas_names.all_names(gas_names.POWERPC, tmp_path_factory.mktemp("powerpc"))


def test_powerpc(powerpc_names: set[str]) -> None:
    unknown = powerpc_names - mnemonics()
    assert sorted(name for name in unknown if not reason_for(name)) == []
    assert len(powerpc_names) >= 5573 and len(powerpc_names - unknown) >= 4626


def test_the_refused_families_need_their_options(powerpc_names: set[str], tmp_path: Path) -> None:
    unknown = powerpc_names - mnemonics()
    others = set().union(
        *(gas_names.taken(gas_names.POWERPC, option, unknown, tmp_path) for option in OTHERS)
    )
    assert others == set()
    counts: Counter[str] = Counter()
    for family in FAMILIES:
        names = {name for name in unknown if family.names.fullmatch(name)}
        assert gas_names.taken(gas_names.POWERPC, family.option, names, tmp_path) == names
        counts[family.option] = len(names)
    assert counts == {"-mvle": 223, "-mlsp": 678, "-mlibresoc": 7, "-mfuture": 39}
    assert sum(counts.values()) == len(unknown)


def test_the_reason_is_said() -> None:
    with pytest.raises(UnknownInstruction) as caught:
        ISA.facts("se_lwz", "r3,4(r5)")
    assert "VLE" in caught.value.hint


def test_sparc(tmp_path: Path) -> None:
    names = gas_names.all_names(gas_names.SPARC, tmp_path)
    assert names - set(table().mnemonics) - set(NATURAL) == set()
    assert len(names) >= 882
