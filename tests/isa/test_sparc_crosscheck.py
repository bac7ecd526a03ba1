"""Every row of the SPARC tables against the assembler, capstone and an opcode map."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import capstone
import pytest
import sparc_encoding as encoding
from capstone import sparc as cs
from sparc_instances import SLOT, Assembled, assemble, assembled, instances

from inst.arch.sparc.tables import ISA, REGISTERS, special
from inst.arch.sparc.tables.language import LANGUAGE
from inst.arch.sparc.tables.registers import SPANS
from inst.arch.sparc.tables.table import table
from inst.arch.sparc.words import sparc_memory_text
from inst.isa.model import Facts, Transfer
from inst.isa.rows import Table
from inst.words import decode

BANKS = REGISTERS.integer | REGISTERS.mask(*(f"f{n}" for n in range(64)))
CODES = REGISTERS.mask("icc", "xcc", "fcc0", "fcc1", "fcc2", "fcc3")
ALIASES = {"sp": "o6", "fp": "i6"}

ALWAYS_OR_NEVER = {"b", "ba", "bn", "fb", "fba", "fbn", "tn", "mova"}
ALWAYS_OR_NEVER |= {"fmovsa", "fmovda", "fmovqa"}
"""Capstone names their condition register; they do not read it."""

MISREAD = {"cpop1", "cpop2", "impdep1", "impdep2", "iprefetch", "pdistn", "dictunpack"}
MISREAD |= set(Table(LANGUAGE, [special.SPARCLITE]).mnemonics)
"""Words that capstone 5 takes for others, or whose fields it takes for other registers."""

OTHER_WORDS = ("sparclet", "sparclite", "sparc86x")
"""Architectures whose own instructions have words that V9 reads otherwise."""

NOT_ASSEMBLED = re.compile(r"f?mov[sdq]?[a-z]+ f?cs,.*|mulx i,s,d|iflush mem")
"""Conditions of the other kind of condition register, and lists that others of a line have."""

IMPLICIT = REGISTERS.mask("o7", "i7")
"""What call, jmp and ret have in their names."""


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[Assembled]:
    return assembled(tmp_path_factory.mktemp("sparc"))


@pytest.fixture(scope="module")
def decoders() -> dict[bool, capstone.Cs]:
    result = {}
    for v9 in (False, True):
        mode = capstone.CS_MODE_BIG_ENDIAN | (capstone.CS_MODE_V9 if v9 else 0)
        result[v9] = capstone.Cs(capstone.CS_ARCH_SPARC, mode)
        result[v9].detail = True
    return result


def facts_of(one: Assembled) -> Facts:
    return ISA.facts(one.instance.mnemonic, one.instance.operands)


def test_every_row_is_assembled(words: list[Assembled]) -> None:
    seen = {one.instance.row for one in words}
    missing = {f"{row.mnemonic} {','.join(row.roles)}" for row in table() if row not in seen}
    assert {text for text in missing if not NOT_ASSEMBLED.fullmatch(text)} == set()
    assert set(table().mnemonics) == {one.instance.name for one in words}


def test_every_row_is_reached(words: list[Assembled]) -> None:
    """No row comes after a more general one that matches its instances."""
    from inst.arch.sparc.tables.interpret import _fits, _without_mark
    from inst.arch.sparc.tables.operand import see
    from inst.asm.operands import parse_operands

    reached = set()
    for one in words:
        nodes, _ = _without_mark(parse_operands(one.instance.operands, "sparc"))
        operands = [see(node) for node in nodes]
        reached.add(next(row for row in table().rows(one.instance.name) if _fits(row, operands)))
    found = {one.instance.row for one in words}
    assert [(row.mnemonic, row.roles) for row in found - reached] == [("btst", ("s", "si"))]


def test_widths_of_float_registers(tmp_path: Path) -> None:
    """The assembler refuses every row with a register that is not aligned to its width."""
    misaligned = []
    for instance in instances():
        roles = instance.row.roles
        operands = instance.operands.split(",")
        if len(roles) != len(operands):
            continue
        for position, role in enumerate(roles):
            other = {"d": "%f13", "q": "%f14"}.get(role[:-1])
            if other:
                texts = [*operands[:position], other, *operands[position + 1 :]]
                misaligned.append(replace(instance, operands=",".join(texts)))
    assert len(misaligned) > 1000
    for architecture in ("v8", "v9m8"):
        assert [one.instance.text for one in assemble(misaligned, architecture, tmp_path)] == []


def test_lengths(words: list[Assembled]) -> None:
    """Nothing is longer than said: a nop, then the label's nop, follow within the length."""
    nop = 0x01000000
    for one in words:
        behind = one.words[facts_of(one).length // 4 :]
        assert all(word in (nop, 0) for word in behind), one.instance.text
        if facts_of(one).length == 4 and one.instance.name != "nop":
            assert one.words[0] != nop, one.instance.text


def test_effects_agree_with_the_opcode_map(words: list[Assembled]) -> None:
    compared = 0
    wrong = []
    for one in words:
        facts = facts_of(one)
        expected = encoding.decode(one.words[0])
        if facts.length != 4 or expected is None or _is_special(one):
            continue
        compared += 1
        found = (set(REGISTERS.listed(facts.uses)), set(REGISTERS.listed(facts.defs)))
        if found != (expected.reads, expected.writes):
            wrong.append((one.instance.text, found, expected))
    assert wrong == []
    assert compared > 3500


def _is_special(one: Assembled) -> bool:
    """What the opcode map leaves out: coprocessor (V9 has other uses for it), block transfers."""
    access = facts_of(one).access
    return (
        one.architecture in OTHER_WORDS
        or (access is not None and access.size in (0, 64))
        or _names_coprocessor(one)
        or one.instance.name == "ldtxa"
    )


def _names_coprocessor(one: Assembled) -> bool:
    return any(role.startswith("cp") for role in one.instance.row.roles)


def test_accesses_agree_with_the_opcode_map(words: list[Assembled]) -> None:
    sizes = set()
    for one in words:
        facts = facts_of(one)
        expected = encoding.decode(one.words[0])
        if expected is None or _is_special(one):
            continue
        if facts.access is None:
            assert not expected.load and not expected.store, one.instance.text
            continue
        access = facts.access
        found = (access.load, access.store, access.size, access.value)
        value = "efsr" if "=efsr" in one.instance.row.roles else expected.value
        assert found == (expected.load, expected.store, expected.size, value), one.instance.text
        sizes.add((access.load, access.store, access.size))
    assert len(sizes) == 13


def _capstone_names(instruction: capstone.CsInsn) -> list[str]:
    names = []
    for operand in instruction.operands:
        if operand.type == cs.SPARC_OP_REG:
            names.append(instruction.reg_name(operand.reg))
        elif operand.type == cs.SPARC_OP_MEM:
            names += [
                instruction.reg_name(number)
                for number in (operand.mem.base, operand.mem.index)
                if number
            ]
    return [ALIASES.get(name, name) for name in names]


def _decoded(
    words: list[Assembled], decoders: dict[bool, capstone.Cs]
) -> list[tuple[Assembled, capstone.CsInsn]]:
    result: list[tuple[Assembled, capstone.CsInsn]] = []
    for one in words:
        if facts_of(one).length != 4 or one.architecture in OTHER_WORDS:
            continue
        decoder = decoders[one.architecture.startswith("v9")]
        code = one.words[0].to_bytes(4, "big")
        result.extend((one, instruction) for instruction in decoder.disasm(code, one.address))
    return result


def _field(name: str) -> str:
    """Name a float register by its field in the word: capstone gets some widths wrong."""
    if not name.startswith("f") or not name[1:].isdigit():
        return name
    number = int(name[1:])
    return f"f{number if number < 32 else (number - 32) | 1}"


def _groups(name: str) -> int:
    """The registers that a field may stand for, in any width."""
    if name not in REGISTERS.bit:
        return 0
    if not name.startswith("f") or not name[1:].isdigit():
        return REGISTERS.bit[name] | SPANS[2].get(name, 0)
    number = int(_field(name)[1:])
    wide = (number & 30) | (number & 1) << 5
    return SPANS[1][f"f{number}"] | SPANS[4][f"f{wide}"]


def test_registers_agree_with_capstone(
    words: list[Assembled], decoders: dict[bool, capstone.Cs]
) -> None:
    wrong = []
    decoded = _decoded(words, decoders)
    names = set()
    for one, instruction in decoded:
        if one.instance.name in MISREAD or _names_coprocessor(one):
            continue
        if instruction.op_str.endswith(", "):  # capstone forgets the destination of `rd %y`
            continue
        names.add(one.instance.name)
        facts = facts_of(one)
        touched = facts.uses | facts.defs
        named = {name for name in _capstone_names(instruction) if name in REGISTERS.bit}
        if one.instance.name in ALWAYS_OR_NEVER:
            named = {name for name in named if not REGISTERS.bit[name] & CODES}
        fields = {_field(name) for name in REGISTERS.listed(touched)}
        missing = {_field(name) for name in named} - fields - {"g0"}
        accounted = IMPLICIT
        for name in named:
            accounted |= _groups(name)
        extra = REGISTERS.listed(touched & BANKS & ~accounted)
        if missing or (extra and facts.transfer is not Transfer.TRAP):
            text = f"{instruction.mnemonic} {instruction.op_str}"
            wrong.append((one.instance.text, text, missing, extra))
    assert wrong == []
    assert len(names) > 500


def test_addresses_agree_with_capstone(
    words: list[Assembled], decoders: dict[bool, capstone.Cs]
) -> None:
    compared = 0
    for one, instruction in _decoded(words, decoders):
        access = facts_of(one).access
        memory = [o for o in instruction.operands if o.type == cs.SPARC_OP_MEM]
        if access is None or not memory:
            continue
        names = {
            ALIASES.get(name, name)
            for name in (
                instruction.reg_name(n) for n in (memory[0].mem.base, memory[0].mem.index) if n
            )
        } - {"g0"}
        assert {name for name in (access.base, access.index) if name} == names, one.instance.text
        displacement = memory[0].mem.disp
        assert int(access.offset or "0", 0) == displacement, one.instance.text
        compared += 1
    assert compared > 150


def test_branches_agree_with_capstone(
    words: list[Assembled], decoders: dict[bool, capstone.Cs]
) -> None:
    compared = 0
    for one, instruction in _decoded(words, decoders):
        facts = facts_of(one)
        if facts.transfer is not Transfer.BRANCH or facts.target == ".+8" or facts.defs:
            continue
        immediates = [o.imm for o in instruction.operands if o.type == cs.SPARC_OP_IMM]
        assert facts.target == "9f"
        assert immediates and immediates[-1] & 0xFFFFFFFF == one.address + 8, one.instance.text
        assert one.address % SLOT == 0
        compared += 1
    assert compared > 300


def test_branches_agree_with_the_word(words: list[Assembled]) -> None:
    """Annul bit, reach, condition and its inverse, from the fields of the word."""
    by_name = {}
    for one in words:
        facts = facts_of(one)
        if facts.transfer is not Transfer.BRANCH or facts.defs or facts.target == ".+8":
            continue
        word = one.words[0]
        assert facts.reach == encoding.reach(word), one.instance.text
        if facts.delay_slot:
            assert facts.annul == bool(word >> 29 & 1), one.instance.text
        if facts.conditional:
            by_name[one.instance.mnemonic, one.instance.operands] = (word, facts)
        else:
            assert word >> 25 & 15 == 8, one.instance.text
    for (mnemonic, operands), (word, facts) in by_name.items():
        assert facts.inverse, mnemonic
        other, back = by_name.get((facts.inverse, operands), (None, None))
        if other is None or back is None:
            continue
        kind = word >> 22 & 7
        flips = (
            word ^ other == 1 << 27
            if kind == 3 and not word >> 28 & 1
            else word ^ other == 1 << 29
            if kind == 3
            else _float_opposite(word, other)
            if kind in (5, 6)
            else word ^ other == 1 << 28
        )
        assert flips, (mnemonic, facts.inverse)


FLOAT_OUTCOMES = {
    # condition field -> outcomes (equal, less, greater, unordered) for which it branches
    1: "lgu", 2: "lg", 3: "lu", 4: "l", 5: "gu", 6: "g", 7: "u",
    9: "e", 10: "eu", 11: "eg", 12: "egu", 13: "el", 14: "elu", 15: "elg",
}  # fmt: skip


def _float_opposite(word: int, other: int) -> bool:
    one, two = (set(FLOAT_OUTCOMES[w >> 25 & 15]) for w in (word, other))
    return one | two == set("elgu") and not one & two


def test_annulled_never_branch_skips_one_instruction() -> None:
    facts = ISA.facts("bn,a", "elsewhere")
    assert (facts.transfer, facts.target, facts.annul) == (Transfer.BRANCH, ".+8", True)
    assert ISA.facts("bn", "elsewhere").transfer is Transfer.NONE


def test_misaligned_words_read_back(words: list[Assembled]) -> None:
    """The words of M8's loads and stores at any address come out as the text they came from."""
    names = Table(LANGUAGE, [special.MISALIGNED]).mnemonics
    seen = set()
    for one in words:
        if one.instance.name in names:
            access, text = facts_of(one).access, sparc_memory_text(one.words[0])
            mnemonic, _, operands = text.partition(" ")
            read = ISA.facts(mnemonic, operands)
            found = decode.access_of(one.words[0], "sparc64")
            assert access is not None and found is not None, one.instance.text
            assert found.size == access.size, one.instance.text
            assert (read.uses, read.defs) == (facts_of(one).uses, facts_of(one).defs), text
            assert mnemonic == one.instance.name.replace("ldmux", "ldmx"), text
            seen.add(one.instance.name)
    assert len(seen) == 26
