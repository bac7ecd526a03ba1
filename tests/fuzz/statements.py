"""Random statements in any order: what no compiler writes, and what may make no sense at all.

Such a text is not run.  Whatever stands in it, the translator has to return a text, which
assembles if the input does, or to raise InstError; any other exception is a failure, and so is
a translation that does not end.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import traceback
from functools import cache
from pathlib import Path
from random import Random

import powerpc_instances
import sparc_instances

from inst.errors import InstError
from inst.target.targets import TARGETS, Target
from inst.translate import Options, translate
from tests.time_limit import time_limit

_SECONDS = 20
"""After which a translation of some twenty statements counts as endless."""
_FLAGS = {
    "sparc-v8": ("-Wa,-Av9m8,-no-relax",),
    "sparc-v9": ("-Wa,-Av9m8,-no-relax",),
    "ppc32": ("-Wa,-many,-mregnames",),
    "ppc64": ("-Wa,-mpower10,-many,-mregnames",),
    "ppc64le": ("-Wa,-mpower10,-many,-mregnames",),
}
"""What lets the assembler take every instruction of the tables that it has for a target."""
_LABELS = (".L1", ".L2", ".LVL3", ".L4", "f", "g", "1", "2")
_TARGETS = (*_LABELS[:6], "1b", "1f", "2b", "2f", "elsewhere")
_DISTANT = ("{}+4", "{}-8", ".+8", ".+12", ".-4", "{}")
_DIRECTIVES = (
    ".text", ".data", ".section .text.other,\"ax\",@progbits", ".previous", ".align 4",
    ".p2align 4", ".skip 8", ".cfi_startproc", ".cfi_endproc", ".cfi_def_cfa_offset 32",
    ".type f,{}function", ".size f,.-f", ".globl g", ".loc 1 3", ".file 1 \"a.c\"", ".long 0",
    ".long .L1-.L2", ".4byte .L4", ".long 1b", ".ident \"GCC: (random)\"", ".set other,f",
    ".section .rodata", ".byte 1", ".section __ex_table,\"a\"", ".weak g", ".local .L1",
    ".section .debug_line,\"\",@progbits", ".uleb128 .L2-.L1", ".subsection 1",
    ".pushsection .text", ".popsection", ".cfi_restore_state", ".cfi_remember_state",
    ".cfi_window_save",
)  # fmt: skip
_SPARC_TEXT = (
    "retl; restore", "ret; restore", "jmp %l1; rett %l2", "jmpl %l1,%g0; rett %l2+4",
    "sub %fp,64,%sp", "add %sp,-96,%sp", "mov %g1,%sp", "ld [%i0+8],%sp", "save %sp,-96,%sp",
    "restore", "restore %g1,%g2,%o0", "call f; nop", "call f; restore", "call .+8; nop",
    "jmp %o7+8; nop", "ba .L1; nop", "be,a .L2; ld [%o0],%o1", "bne 1b; st %o0,[%sp+64]",
    "ta 3", "ta 0x10", "unimp 8", "ldstub [%o0],%g0", "ld [%o7+4],%o7", "std %o6,[%g1]",
    "sethi %hi(_GLOBAL_OFFSET_TABLE_-4),%l7", "ld [%o0+.L2-.L1],%o1", "mov .L2-.L1,%o1",
    "jmp %o7+(2f-1b); nop", "add %o7,.L2-.L1,%o0", "jmp %l1+%l2; restore %l3,4,%l1", "ba,a .L4",
    "ld [%l7+%o0],%o0,%gdop(f)", "return %i7+8; ld [%o0],%o0", "jmpl %o1,%o2; ld [%o2],%o1",
)  # fmt: skip
_POWERPC_TEXT = (
    "blr", "bctr", "bctrl", "bl f", "bl g; nop", "b .L1", "beq 0,.L2", "bdnz 1b", "bdnzf 2,.L4",
    "bcl 20,31,.L1", "stwu 1,-16(1)", "mr 1,9", "lwz 1,0(3)", "lwz 1,0(1)", "mflr 0", "mtlr 0",
    "lwarx 5,0,6", "stwcx. 5,0,6", "lwz 9,f@l(9)", "lis 9,f@ha", "beq $+8", "b .+8", "sc",
    "lwz 3,(.L2-.L1)(9)", "stwux 1,1,0", "bcl 20,31,$+4", "stmw 14,8(1)", "lwz 0,0(0)", "bclr 12,2",
    "bnela 64", "lwzu 9,4(9)", "isel 3,4,5,2", "lwbrx 3,0,4", "stswi 3,4,8", "dcbz 0,3", "trap",
)  # fmt: skip

_SPARC_WORDS = (0x01000000, 0x81C3E008, 0x81E80000, 0xC4004001, 0x91D02010, 0x10800002, 0x9DE3BFA0)
_POWERPC_WORDS = (0x60000000, 0x4E800020, 0x7C0802A6, 0x80610008, 0x9421FFF0, 0x44000002, 8)


def write_statements(target: str, seed: int) -> str:
    """Return a text of random statements, the same for the same seed."""
    random = Random(f"statements {target} {seed}")
    lines = ["\t.text", "1:", "2:", "f:"]
    if target == "sparc-v9":
        lines[:0] = [f"\t.register %g{number},#scratch" for number in (2, 3, 6, 7)]
    for _ in range(random.randint(1, 24)):
        line = _line(random, target)
        if line[0] in "\t12" or line not in lines or random.random() < 0.03:
            lines.append(line)
    if random.random() < 0.9:  # most often nothing is undefined
        ends = ["1:", "2:", *(f"{name}:" for name in _LABELS if f"{name}:" not in lines)]
        lines += ["\t.text", *dict.fromkeys(ends)]
    return "\n".join(lines) + random.choice(("\n", "", "\n\tnop\n"))


def _line(random: Random, target: str) -> str:
    kind = random.random()
    if kind < 0.12:
        return f"{random.choice(_LABELS)}:"
    sparc = TARGETS[target].isa == "sparc"
    if kind < 0.2:
        return "\t" + random.choice(_DIRECTIVES).format("#" if sparc else "@")
    if kind < 0.22:
        return f"\t{'.word' if sparc else '.long'} {random.choice(_words(target, random)):#x}"
    if kind < 0.55:
        return "\t" + random.choice(_SPARC_TEXT if sparc else _POWERPC_TEXT)
    return "\t" + _retargeted(random, random.choice(pool(target)))


def _words(target: str, random: Random) -> tuple[int, ...]:
    """Return numbers that stand for instructions, or for nothing."""
    known = _SPARC_WORDS if TARGETS[target].isa == "sparc" else _POWERPC_WORDS
    return (*known, random.getrandbits(32))


def _retargeted(random: Random, text: str) -> str:
    """Return an instruction of the pool with other registers, and a label to go to."""
    place = random.choice(_TARGETS)
    if random.random() < 0.2:
        place = random.choice(_DISTANT).format(place)
    text = re.sub(r"\b9f\b|\.\+64\b", lambda _: place, text)
    if random.random() < 0.5:
        text = re.sub(
            r"%[goli][0-7]",
            lambda match: random.choice((match[0], "%o7", "%sp", "%g1", "%l0", "%i0", "%fp")),
            text,
        )
    return text


@cache
def pool(target: str) -> tuple[str, ...]:
    """Return instances of the instructions that the assembler takes for a target."""
    if TARGETS[target].isa == "sparc":
        lines = [one.text for one in sparc_instances.instances()]
        lines += [
            f"{one.text}; nop" for one in sparc_instances.instances() if one.row.facts.delay_slot
        ]
    else:
        lines = [
            f"{row.mnemonic} {powerpc_instances.operands_of(row, variant)}".rstrip()
            for row in powerpc_instances.rows()
            for variant in (0, 1)
        ]
    return tuple(dict.fromkeys(_taken(TARGETS[target], list(dict.fromkeys(lines)))))


def _taken(target: Target, lines: list[str]) -> list[str]:
    """Return the lines that assemble."""
    for _ in range(3):
        message = _assemble(target, "".join(f"9: {line}\n9:\n" for line in lines))
        bad = {(int(number) - 1) // 2 for number in re.findall(r":(\d+): Error", message)}
        if not bad:
            return lines
        lines = [line for number, line in enumerate(lines) if number not in bad]
    return lines


def _assemble(target: Target, text: str) -> str:
    """Return what the assembler says of a text; "" if it takes it."""
    with tempfile.TemporaryDirectory() as directory:
        made = Path(directory, "made.o")
        flags = _FLAGS[target.name]
        command = [*target.compiler, *flags, "-c", "-x", "assembler", "-", "-o", str(made)]
        done = subprocess.run(command, input=text, text=True, capture_output=True)
        return done.stderr or "no message" if done.returncode else ""


def choose_options(seed: int) -> Options:
    """Return options of the translator, the same for the same seed; most often the usual ones."""
    random = Random(f"options {seed}")
    rarely = [random.random() < 0.2 for _ in range(7)]
    return Options(
        level=random.choice(("values", "values", "addresses")),
        counter=not rarely[0],
        frames=not rarely[1],
        restores=not rarely[2],
        check_slots=not rarely[3],
        check_registers=not rarely[4],
        keep_conditions=rarely[5],
        keep_registers=rarely[6],
        functions=random.random() < 0.2,
    )


def judge_statements(target: str, seed: int, source: str, assembling: bool = True) -> str:
    """Return what is wrong with the translation of a text; "" if nothing is."""
    try:
        with time_limit(_SECONDS, Endless()):
            rewritten = translate(source, TARGETS[target], choose_options(seed), "fuzz.s")
    except InstError:
        return ""
    except Endless:
        return "endless: no end"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return f"traceback: {type(error).__name__} at {place}: {error}"
    if not assembling or _assemble(TARGETS[target], source):
        return ""
    message = _assemble(TARGETS[target], rewritten)
    return f"assembles: {message[:300]}" if message else ""


class Endless(Exception):
    """A translation took too long."""
