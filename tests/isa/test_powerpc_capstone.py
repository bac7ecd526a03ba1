"""Every PowerPC row against binutils, which assembles it, and capstone, which decodes it."""

from __future__ import annotations

from collections import Counter

import capstone
import pytest
from capstone import ppc
from powerpc_instances import Instance, all_rows, instances, rows

from inst.arch.powerpc.tables import REGISTERS
from inst.arch.powerpc.tables.registers import VSX_NAMES
from inst.isa.model import RegisterSet, Transfer

ADDRESS = 0x1000

# Registers that capstone prints as a mask or a number, or of which it prints only the first.
UNPRINTED_ROLES = {"fxmd", "fxms", "sprd", "sprs", "dlist", "slist", "dcount", "scount"}
UNPRINTED_ROLES |= {"dany", "sany", "dpair", "spair"}

# capstone 5 leaves these out: overflow forms that are not common, and single rarities.
UNDECODED = {
    *("addex", "dcblc", "dcbtls", "dcbtstls", "eciwx", "ecowx", "fcmpo", "fmrgew", "fmrgow"),
    *("lq", "lqarx", "lswx", "mcrxr", "mtfsb0.", "mtfsb1.", "prtyd", "prtyw", "stq", "stqcx."),
    *("stswx", "vmsumudm"),
}

# What it prints differs from what the instruction does.
MISPRINTED = {
    *("yield", "mdoio", "mdoom", "miso"),  # printed as the move of a register to itself
    "xsiexpqp",  # the exponent's register is printed as a floating-point register
    *("cmpeqb", "cmprb"),  # the field is printed as if it were a bit
    *("mtfsfi", "mtfsfi.", "mcrfs"),  # a field of fpscr is printed as one of cr
}


INTERRUPT_RETURNS = ("rfi", "rfci")


@pytest.fixture(scope="session")
def assembled(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Instance], dict[str, str]]:
    return instances(tmp_path_factory.mktemp("powerpc"))


@pytest.fixture(scope="session")
def decoded(
    assembled: tuple[list[Instance], dict[str, str]],
) -> list[tuple[Instance, capstone.CsInsn]]:
    disassemblers = []
    for mode in (capstone.CS_MODE_32, capstone.CS_MODE_64):
        disassembler = capstone.Cs(capstone.CS_ARCH_PPC, mode | capstone.CS_MODE_BIG_ENDIAN)
        disassembler.detail = True
        disassemblers.append(disassembler)
    result = []
    for instance in assembled[0]:
        if instance.recent or instance.uncommon:
            continue
        data = instance.word.to_bytes(4, "big")
        for disassembler in disassemblers:
            instructions = list(disassembler.disasm(data, ADDRESS))
            if instructions:
                result.append((instance, instructions[0]))
                break
    return result


def test_every_row_of_every_table_is_reachable() -> None:
    reachable = {(row.mnemonic, len(row.roles)) for row in rows()}
    written = [(row.mnemonic, len(row.roles)) for row in all_rows()]
    assert reachable == set(written)
    doubles = {key for key, count in Counter(written).items() if count > 1}
    assert not doubles, "two rows claim the same mnemonic and operand count"


def test_the_assembler_takes_an_instance_of_every_row(
    assembled: tuple[list[Instance], dict[str, str]],
) -> None:
    found, refused = assembled
    assert refused == {}
    assert {instance.row for instance in found} == set(rows())


def test_capstone_decodes_all_but_the_rows_listed(
    assembled: tuple[list[Instance], dict[str, str]],
    decoded: list[tuple[Instance, capstone.CsInsn]],
) -> None:
    names = {instance.mnemonic for instance, _ in decoded}
    common = (one for one in assembled[0] if not one.recent and not one.uncommon)
    missing = {one.mnemonic for one in common} - names
    overflow = {name for name in missing if name.rstrip(".").endswith("o")}
    assert missing - overflow - UNDECODED == set()


def test_the_same_registers_are_named(
    decoded: list[tuple[Instance, capstone.CsInsn]],
) -> None:
    wrong = []
    for instance, instruction in decoded:
        if UNPRINTED_ROLES & set(instance.row.roles) or instance.mnemonic in MISPRINTED:
            continue
        implicit = instance.row.facts.uses | instance.row.facts.defs
        ours = (instance.facts.uses | instance.facts.defs) & ~implicit
        theirs = named_registers(instruction) & ~implicit
        if ours != theirs:
            names = REGISTERS.listed(ours), REGISTERS.listed(theirs)
            wrong.append(f"{instance}: {names[0]}, capstone {names[1]} ({instruction.op_str})")
    assert not wrong, "\n".join(wrong)


def test_displacements_and_bases_agree(
    decoded: list[tuple[Instance, capstone.CsInsn]],
) -> None:
    compared = 0
    for instance, instruction in decoded:
        for operand in instruction.operands:
            if operand.type == ppc.PPC_OP_MEM and instance.facts.access:
                access = instance.facts.access
                base = instruction.reg_name(operand.mem.base)
                assert (access.base, access.offset) == (base, str(operand.mem.disp)), str(instance)
                compared += 1
    assert compared >= 60


def test_direct_branches_go_where_capstone_says(
    decoded: list[tuple[Instance, capstone.CsInsn]],
) -> None:
    compared = 0
    for instance, instruction in decoded:
        if instance.facts.target and instance.facts.reach:
            last = instruction.operands[-1]
            assert last.type == ppc.PPC_OP_IMM and last.imm == ADDRESS + 64, str(instance)
            assert instance.facts.target == ".+64"
            assert instance.operands.split(",")[instance.facts.target_operand] == ".+64"
            compared += 1
    assert compared >= 150


def test_branches_that_write_lr_and_decrement_ctr(
    decoded: list[tuple[Instance, capstone.CsInsn]],
) -> None:
    """The opcode's own bits say so: LK, and BO without 4."""
    for instance, instruction in decoded:
        facts = instance.facts
        if facts.transfer in (Transfer.NONE, Transfer.TRAP):
            continue
        if instance.mnemonic in INTERRUPT_RETURNS:
            continue
        word = int.from_bytes(instruction.bytes, "big")
        links = bool(word & 1)
        assert bool(facts.defs & REGISTERS.link) == links, str(instance)
        assert (facts.transfer == Transfer.CALL) == links, str(instance)
        counts = word >> 26 != 18 and not word >> 21 & 4
        assert bool(facts.defs & REGISTERS.bit["ctr"]) == counts, str(instance)
        unconditional = word >> 26 == 18 or (word >> 21 & 0b10100) == 0b10100
        assert facts.conditional != unconditional, str(instance)


def named_registers(instruction: capstone.CsInsn) -> RegisterSet:
    """Return the registers among an instruction's operands, as ours."""
    result = 0
    for operand in instruction.operands:
        if operand.type == ppc.PPC_OP_REG:
            result |= mask(instruction.reg_name(operand.reg))
        elif operand.type == ppc.PPC_OP_MEM and operand.mem.base:
            result |= mask(instruction.reg_name(operand.mem.base))
    return result


def mask(name: str) -> RegisterSet:
    if name.startswith("vs"):
        name = VSX_NAMES[int(name[2:])]
    if name.startswith("cr"):
        name = name[:3]  # cr5gt is a bit of cr5
    return REGISTERS.bit[name]
