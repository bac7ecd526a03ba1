"""The tables say of the instructions that re-execution does not execute that these are recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import powerpc_instances
import pytest
import sparc_instances

from inst.arch.powerpc.tables import ISA as POWERPC
from inst.arch.powerpc.tables import floating, integer, vector
from inst.arch.powerpc.tables.language import LANGUAGE
from inst.arch.powerpc.tables.uncommon import decimal, server
from inst.arch.sparc.tables import ISA as SPARC
from inst.isa.model import Facts, Isa, SystemEvent, Transfer
from inst.isa.rows import Table
from inst.replay.library import load
from inst.target.targets import TARGETS

_MODULES = (floating.TABLES, vector.TABLES, integer.TABLES, decimal.TABLES, (server.INTEGER,))
_ORDINARY = frozenset(name for texts in _MODULES for name in Table(LANGUAGE, texts).mnemonics)
"""PowerPC's instructions but for those of few processors, and of systems."""
_NOT_RECORDED = {
    "powerpc": {"mfdcr", "mfsr", "mfmsr", "mffgpr", "mftgpr"},  # of supervisors, or POWER6
    "sparc": {
        *("siam", "impdep1", "impdep2"),  # they may change what others do
        *("taddcctv", "tsubcctv"),  # they may trap
        *("onadd", "onsub", "onmul", "ondiv", "divscc", "scan", "crdcxt", "faligndata"),
        *("mov", "rd", "wr", "rdpr", "rdhpr", "sll", "srl", "sra"),  # of some operands
    },
}
_ALSO_EXECUTED = {"mtfsb1", "mtfsb1.", "mfvscr"}
"""They are where a recording has nothing of them."""
_UNKNOWN = {
    "powerpc": (
        "vscr",
        "mq",
        "tar",
        "paired",
        "upper",
        "acc",
        "spefscr",
        *(f"a{n}" for n in range(8)),
    ),
    "sparc": ("windows", "privileged", "asr", "coprocessor", "psr", "wim", "tbr"),
}
"""Registers that nothing records."""


def _powerpc(folder: Path) -> Iterator[tuple[str, str, int]]:
    for one in powerpc_instances.instances(folder)[0]:
        yield one.mnemonic, one.operands, one.prefix << 32 | one.word


def _sparc(folder: Path) -> Iterator[tuple[str, str, int]]:
    for one in sparc_instances.assembled(folder):
        yield one.instance.mnemonic, one.instance.operands, one.words[0]


def _leaves(isa: Isa, facts: Facts) -> bool:
    """Return whether an instruction does nothing but to leave something in registers."""
    unknown = isa.registers.mask(*_UNKNOWN[isa.name])
    is_other = facts.access or facts.transfer != Transfer.NONE or facts.window
    is_other = is_other or facts.event != SystemEvent.NONE
    return bool(facts.defs) and not (facts.defs & unknown or is_other)


@pytest.mark.parametrize(
    ("isa", "instances", "target"),
    [(POWERPC, _powerpc, "ppc64"), (SPARC, _sparc, "sparc-v9")],
    ids=["powerpc", "sparc"],
)
def test_what_is_recorded_is_what_is_not_executed(
    isa: Isa, instances: object, target: str, tmp_path: Path
) -> None:
    library, wrong, seen = load(TARGETS[target]), [], 0
    assert callable(instances)
    for mnemonic, operands, word in instances(tmp_path):
        facts, name = isa.facts(mnemonic, operands), mnemonic.partition(",")[0]
        is_executed = library.inst_row(word) >= 0
        seen += facts.recorded
        if facts.recorded and is_executed and name not in _ALSO_EXECUTED:
            wrong.append(f"{mnemonic} {operands} is executed")
        if (isa is POWERPC and name not in _ORDINARY) or name in _NOT_RECORDED[isa.name]:
            continue
        if _leaves(isa, facts) and not (is_executed or facts.recorded):
            wrong.append(f"{mnemonic} {operands} is neither executed nor recorded")
    assert not wrong, "\n".join(wrong[:40])
    assert seen > 200
