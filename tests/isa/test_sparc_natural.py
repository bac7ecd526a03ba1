"""Mnemonics of natural width are, in code of each width, what GNU as makes of them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from sparc_instances import ASSEMBLER, Instance, assemble, instances

from inst.arch.sparc.tables import PART
from inst.arch.sparc.tables.natural import NATURAL, of_width
from inst.arch.sparc.tables.table import table
from inst.isa.model import UnknownInstruction

ARCHITECTURES = {"v8": ("v8", "leon", "v9m8"), "v9": ("v9m8",)}
"""ABI -> what its code is assembled for here."""


def _pairs(abi: str) -> list[tuple[Instance, Instance]]:
    """Return instances of what natural mnemonics stand for, each with its natural form."""
    return [
        (one, replace(one, name=name, mnemonic=name))
        for name, meant in of_width(PART.of(abi).bits).items()
        for one in instances()
        if one.name == meant
    ]


@pytest.mark.parametrize("abi", ARCHITECTURES)
def test_encodings_are_those_of_the_explicit_forms(abi: str, tmp_path: Path) -> None:
    explicit, natural = (list(forms) for forms in zip(*_pairs(abi), strict=True))
    bits, seen = PART.of(abi).bits, set()
    for architecture in ARCHITECTURES[abi]:
        expected, found = (
            {one.instance: one.words for one in assemble(forms, architecture, tmp_path, bits)}
            for forms in (explicit, natural)
        )
        for plain, other in zip(explicit, natural, strict=True):
            assert expected.get(plain) == found.get(other), other.text
        seen |= {one.name for one in found}
    assert seen == set(NATURAL)


@pytest.mark.parametrize("abi", ARCHITECTURES)
def test_facts_are_those_of_the_explicit_forms(abi: str) -> None:
    facts = PART.of(abi).facts
    for plain, other in _pairs(abi):
        assert facts(other.mnemonic, other.operands) == facts(plain.mnemonic, plain.operands)


def test_sizes_are_the_widths() -> None:
    for abi, size in (("v8", 4), ("v9", 8)):
        for text in ("ldn [%o0],%o1", "stn %o1,[%o0]", "clrn [%o0]", "casn [%o0],%o1,%o2"):
            access = PART.of(abi).facts(*text.split(" ")).access
            assert access is not None and access.size == size, text


def test_floating_registers_are_only_of_the_narrow_width() -> None:
    assert PART.of("v8").facts("ldn", "[%o0],%f2").access
    with pytest.raises(UnknownInstruction):
        PART.of("v9").facts("ldn", "[%o0],%f2")


def test_the_assembler_knows_no_other(tmp_path: Path) -> None:
    """Of all names that are made so from the tables' it takes those that they have."""
    known = table().mnemonics
    stems = {*known, *(name[:-1] for name in known)}
    names = sorted(stem + ending for stem in stems for ending in ("n", "na"))
    source = tmp_path / "names.s"
    source.write_text("".join(f"\t{name}\n" for name in names))
    command = [ASSEMBLER, "-64", "-Av9m8", "-o", tmp_path / "names.o", source]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    unknown = set(re.findall(r"Unknown opcode: `(\w+)'", said))
    assert set(names) - unknown == {name for name in names if name in known or name in NATURAL}
    assert set(NATURAL) <= set(names)
