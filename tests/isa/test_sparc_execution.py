"""Uses and defs against an emulator: what changes, and what a change depends on.

Each instance runs from a known state of all registers.  A register that differs behind it
must be in `defs`; a register whose change alters any result must be in `uses`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from sparc_instances import Instance, assemble, assembled, instances

from inst.arch.sparc.tables import REGISTERS, special
from inst.arch.sparc.tables.interpret import facts
from inst.arch.sparc.tables.language import LANGUAGE
from inst.arch.sparc.tables.registers import words
from inst.isa.model import Transfer
from inst.isa.rows import Row, Table

COMPILER = ["sparc64-linux-gnu-gcc", "-m32", "-mcpu=ultrasparc", "-static", "-O1", "-w"]
EMULATOR = "qemu-sparc32plus"

INTEGERS = [f"{bank}{n}" for bank in "goli" for n in range(8)]
FIXED = {"g0", "g7", "o6", "i6", "i7"}
"""Zero, the pointer to the state, and what keeps the C program's frames."""

WIDE_IN_THE_EMULATOR = frozenset(
    words("fmul8x16 fmul8x16au fmul8x16al fmuld8sux16 fmuld8ulx16 fpmerge fexpand")
)
"""qemu 7.2 reads doubles where these read single registers."""

FLAWED_IN_THE_EMULATOR = frozenset(words("fcmpq fcmpeq fcmpx fcmpex"))
"""qemu 7.2 writes %fcc0 whichever register these name."""

UNUSUAL = Table(LANGUAGE, special.TABLES).mnemonics
NO_SAMPLES = WIDE_IN_THE_EMULATOR | FLAWED_IN_THE_EMULATOR | {"impdep1", "impdep2", "shutdown"}

# State in memory: 32 integers, y, ccr, fsr (8 bytes), 64 words of floating point.
Y, CCR, FSR, FLOATS, OUT = 128, 132, 136, 144, 512

DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/wait.h>
extern uint32_t inst_state[512];
extern void (*inst_table[])(void);
static unsigned char memory[4096] __attribute__((aligned(4096)));
static uint32_t out0[128], in0[128];
static unsigned char memory0[4096], pattern[4096];
static unsigned seed;
static uint32_t noise(void) { return seed = seed * 1103515245u + 12345u; }
static void base_state(unsigned s) {
    seed = s * 77 + 1;
    for (int n = 0; n < 128; n++) in0[n] = 0;
    for (int n = 0; n < 32; n++) in0[n] = (uint32_t)memory + 512 + 64 * n;
    in0[28] = 64 * s;                       /* %i4 is the index of the examples */
    in0[32] = noise() >> 8 & 7;             /* y: small, or a division overflows */
    in0[33] = noise() >> 16 & 255;          /* ccr */
    in0[34] = noise() >> 16 & 63;           /* upper half of fsr: fcc1-3 */
    in0[35] = (noise() >> 16 & 3) << 10;    /* fcc0 */
    for (int n = 36; n < 100; n++) in0[n] = 0x40490fdbu + (noise() >> 12 & 0x1fffff);
}
static void run(int which, const uint32_t *in) {
    memcpy(memory, pattern, sizeof memory);
    memcpy(inst_state, in, 512);
    memset(inst_state + 128, 0, 512);
    inst_table[which]();
}
static void vary(int which, int word, uint32_t flip, const char *kind, int number) {
    uint32_t in[128], *out = inst_state + 128;
    memcpy(in, in0, sizeof in);
    in[word] ^= flip;
    run(which, in);
    int used = memcmp(memory, memory0, sizeof memory) != 0;
    for (int n = 0; n < 100; n++) {
        uint32_t before = out0[n], after = out[n];
        if (n == word) {   /* what just passes through is not used */
            if (((before ^ in0[n]) & flip) == 0 && ((after ^ in[n]) & flip) == 0) {
                before &= ~flip; after &= ~flip;
            }
        }
        if (before != after) used = 1;
    }
    if (used) printf("u %s%d\n", kind, number);
}
static int fixed(int n) { return n == 0 || n == 7 || n == 14 || n == 30 || n == 31; }
static void examine(int which) {
    for (unsigned s = 0; s < 3; s++) {
        base_state(s);
        run(which, in0);
        memcpy(out0, inst_state + 128, sizeof out0);
        memcpy(memory0, memory, sizeof memory);
        for (int n = 0; n < 32; n++) if (!fixed(n) && out0[n] != in0[n]) printf("d r%d\n", n);
        if (out0[32] != in0[32]) puts("d y0");
        if ((out0[33] ^ in0[33]) & 15) puts("d icc0");
        if ((out0[33] ^ in0[33]) & 240) puts("d xcc0");
        if ((out0[35] ^ in0[35]) & 0xc00) puts("d fcc0");
        for (int n = 0; n < 3; n++)
            if ((out0[34] ^ in0[34]) >> 2 * n & 3) printf("d fcc%d\n", n + 1);
        if (((out0[35] ^ in0[35]) & ~0xc00) || ((out0[34] ^ in0[34]) & ~63)) puts("d fsr0");
        for (int n = 0; n < 64; n++) if (out0[36 + n] != in0[36 + n]) printf("d f%d\n", n);
        for (int n = 0; n < 32; n++) if (!fixed(n)) vary(which, n, 8, "r", n);
        vary(which, 32, 1, "y", 0);
        for (int bit = 0; bit < 4; bit++) vary(which, 33, 1 << bit, "icc", 0);
        for (int bit = 4; bit < 8; bit++) vary(which, 33, 1 << bit, "xcc", 0);
        for (int bit = 10; bit < 12; bit++) vary(which, 35, 1 << bit, "fcc", 0);
        for (int bit = 0; bit < 6; bit++) vary(which, 34, 1 << bit, "fcc", bit / 2 + 1);
        for (int n = 0; n < 64; n++) vary(which, 36 + n, 0x00180000, "f", n);
    }
}
int main(int count, char **arguments) {
    for (int n = 0; n < 4096; n++) pattern[n] = n * 37 + n / 64;
    for (int which = 0; which < atoi(arguments[1]); which++) {
        fflush(stdout);
        pid_t child = fork();       /* what this machine does not have ends the child only */
        if (child == 0) {
            printf("begin %d\n", which);
            examine(which);
            printf("end %d\n", which);
            return 0;
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
"""


def _routine(number: int, text: str) -> str:
    """A function that sets all registers from memory, runs the text and writes them back."""
    free = [(n, name) for n, name in enumerate(INTEGERS) if name not in FIXED]
    lines = [
        f"routine{number}:",
        "\tsave %sp,-112,%sp",
        "\tset keep,%l0",
        *(f"\tst %g{n},[%l0+{4 * n}]" for n in range(1, 8)),
        "\tset inst_state,%g7",
        f"\tld [%g7+{Y}],%l0\n\twr %l0,%g0,%y",
        f"\tld [%g7+{CCR}],%l0\n\twr %l0,%g0,%ccr",
        f"\tldx [%g7+{FSR}],%fsr",
        *(f"\tldd [%g7+{FLOATS + 4 * n}],%f{n}" for n in range(0, 64, 2)),
        *(f"\tld [%g7+{4 * n}],%{name}" for n, name in free),
        f"\t{text}",
        *(f"\tst %{name},[%g7+{OUT + 4 * n}]" for n, name in free),
        f"\trd %y,%l0\n\tst %l0,[%g7+{OUT + Y}]",
        f"\trd %ccr,%l0\n\tst %l0,[%g7+{OUT + CCR}]",
        f"\tstx %fsr,[%g7+{OUT + FSR}]",
        *(f"\tstd %f{n},[%g7+{OUT + FLOATS + 4 * n}]" for n in range(0, 64, 2)),
        "\tset keep,%l0",
        *(f"\tld [%l0+{4 * n}],%g{n}" for n in range(1, 8)),
        "\tret\n\trestore",
    ]
    return "\n".join(lines)


def _build(chosen: list[Instance], folder: Path) -> Path:
    table = "\n".join(f"\t.word routine{n}" for n in range(len(chosen)))
    code = "\n".join(_routine(n, instance.text) for n, instance in enumerate(chosen))
    (folder / "routines.s").write_text(
        "\t.section .bss\n\t.align 8\n\t.global inst_state\n"
        "inst_state: .skip 2048\nkeep: .skip 64\n"
        f"\t.data\n\t.align 4\n\t.global inst_table\ninst_table:\n{table}\n"
        f"\t.text\n\t.align 4\n{code}\n"
    )
    (folder / "driver.c").write_text(DRIVER)
    program = folder / "program"
    command = [*COMPILER, "-fno-pie", "-no-pie", "-Wa,-Av9b", "-o", program]
    subprocess.run(
        [*command, "-Wl,-z,noexecstack", folder / "driver.c", folder / "routines.s"], check=True
    )
    return program


def _suitable(instance: Instance) -> bool:
    """Return whether the instance runs in a user program and continues after itself."""
    found = facts(instance.mnemonic, instance.operands)
    roles = instance.row.roles
    if instance.name in NO_SAMPLES or instance.name in UNUSUAL:
        return False
    if found.transfer is not Transfer.NONE or found.window or "target" in roles:
        return False
    if any(role.startswith(("st", "pr", "cp", "=")) for role in roles):
        return "y" in instance.operands.partition("%y")[1] and instance.name in ("rd", "wr", "mov")
    memory = found.access
    if "alt" in roles and "0x80" not in instance.operands:
        return False
    if memory is not None and (memory.base is None or memory.base in ("o6", "i6")):
        return False
    registers = found.uses | found.defs
    return not registers & REGISTERS.mask(*FIXED, "gsr", "privileged", "coprocessor", "asr")


def _chosen(folder: Path) -> list[Instance]:
    """Return a runnable instance of each row."""
    takes_v9 = {one.instance for one in assembled(folder) if one.architecture in ("v8", "v9m8")}
    result: dict[Row, Instance] = {}
    for instance in instances():
        if instance in takes_v9 and _suitable(instance):
            result.setdefault(instance.row, instance)
    return list(result.values())


def _registers(lines: list[str], letter: str) -> set[str]:
    found = set()
    for line in lines:
        kind, name = line.split()
        if kind == letter:
            number = name.lstrip("abcdefghijklmnopqrstuvwxyz")
            word = name[: -len(number)]
            plain = {"r": INTEGERS[int(number) % 32], "y": "y", "icc": "icc", "xcc": "xcc"}
            found.add("fsr" if word == "fsr" else plain.get(word, name))
    return found


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Text of each instance that the emulator can run -> what it saw."""
    folder = tmp_path_factory.mktemp("execution")
    chosen = [one.instance for one in assemble(_chosen(folder), "v9b", folder)]
    program = _build(chosen, folder)
    run = subprocess.run(
        [EMULATOR, program, str(len(chosen))], capture_output=True, text=True, check=True
    )
    found = {}
    for part in run.stdout.split("begin ")[1:]:
        lines = part.splitlines()
        if lines[-1] == f"end {lines[0]}":
            found[chosen[int(lines[0])].text] = lines[1:-1]
    return found


def test_effects_agree_with_execution(outcomes: dict[str, list[str]]) -> None:
    wrong = []
    for text, lines in outcomes.items():
        mnemonic, _, operands = text.partition(" ")
        found = facts(mnemonic, operands)
        defs = _registers(lines, "d") - set(REGISTERS.listed(found.defs))
        uses = _registers(lines, "u") - set(REGISTERS.listed(found.uses))
        if defs or uses:
            wrong.append((text, defs, uses))
    assert wrong == []


def test_execution_sees_something(outcomes: dict[str, list[str]]) -> None:
    """The check has teeth: most instances run, and known dependences show."""
    assert len(outcomes) > 250
    effects_of = {
        text: (_registers(seen, "u"), _registers(seen, "d")) for text, seen in outcomes.items()
    }
    by_name: dict[str, tuple[set[str], set[str]]] = {}
    for text, (uses, defs) in effects_of.items():
        total = by_name.setdefault(text.partition(" ")[0], (set(), set()))
        total[0].update(uses)
        total[1].update(defs)
    assert "icc" in by_name["subx"][0]
    assert "y" in by_name["udiv"][0]
    assert "y" in by_name["smul"][1]
    assert {"icc", "xcc"} <= by_name["cmp"][1]
    assert "fcc0" in by_name["fcmps"][1]
    assert {"f4", "f5"} <= by_name["faddd"][0]
    assert "i3" in by_name["movne"][1]
