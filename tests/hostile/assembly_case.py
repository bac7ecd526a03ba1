"""What the translator does with damaged assembly, and mutants of it by statements and operands."""

from __future__ import annotations

import random
import re
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

from inst.target.targets import Target
from tests.hostile.mutants import Mutant, changed
from tests.hostile.running import HangError, defect, describe, run

SOURCE = """
struct pair { int first; double second; } pairs[5];
extern int other(struct pair *, ...);
int sum(const int *numbers, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += numbers[i] * 3;
    return total;
}
double scale(struct pair *pair, double by) { return pair->second *= by; }
long long wide(long long *value, int by) { return *value += (long long)by << 33; }
int choose(int which, struct pair *pair)
{
    switch (which) {
    case 0: return other(pair, 1);
    case 1: return other(pair, 2.5);
    case 2: pair[1] = pair[0]; return 2;
    case 3: return other(0);
    case 4: return pair->first;
    default: return which;
    }
}
"""
NUMBERS = """\
0 -1 1 4095 -4097 32768 -32769 0x7fffffff 0xffffffff 0x100000000 -0x8000000000000000 1f 9b 'a ( )
(1+ %hi( x@ %lo(sym) . .-1 sym+ r99 %g9 " \\ 1e400 99999999999999999999999999999999999"""
"""What stands in the place of an operand or a part of one."""
DIRECTIVES = """\
.loc 1|.loc 1 (5)|.file 1|.if 1|.endif|.else|.macro m|.endm|m|.rept 3|.endr|.irp x,1,2|.irpc x,
.exitm|.altmacro|.section|.section "|.pushsection .x|.popsection|.previous|.subsection 1|.type f,
.size f,.-|.set a,b|.set b,a|.equ a,a+1|a = a + 1|.org 1|.org .-100|.align 99|.p2align|.skip -1
.skip 1<<20|.space a-b|.ascii "x|.asciz|.byte 1,,2|.uleb128|.cfi_startproc|.cfi_endproc
.cfi_def_cfa 99,99|.insn|.long .-x@ha|.include "gone.s"|.incbin "gone"|.end|.err|.error "stop"|1:
9:|label|label:|;|/*|*/|#|# 1 "x.c"|.machine "none"|.machine push|.machine pop|.abiversion 9
.register %g2|.localentry f,5|.weakref a,b|.symver a,b|.comm a|.lcomm a,-1""".replace("\n", "|")
"""Statements that stand where nothing expects them."""
ASSEMBLER_SECONDS = 5
"""What takes the assembler longer does not end: it hangs on some alignments and cyclic symbols."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+")
_OPERAND = re.compile(r"[^,\s]+(?=,|$)")


def compile_source(target: Target, level: str) -> bytes:
    """Return the compiler's assembly for a target."""
    command = [*target.compiler, level, "-g1", "-xc", "-", "-S", "-o", "-"]
    return subprocess.run(command, input=SOURCE.encode(), capture_output=True, check=True).stdout


def mutant(data: bytes, seed: int) -> Mutant:
    """Return the assembly with one to three changes, mostly of statements and operands."""
    chance = random.Random(seed)
    if chance.random() < 0.25:
        return next(changed(data, range(len(data)), seed, 1))
    lines = data.decode().split("\n")
    names = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        change = chance.choice(_CHANGES)
        place = chance.randrange(len(lines))
        lines[place : place + 1] = change(lines[place], chance, lines)
        names.append(f"{change.__name__[1:]} in line {place + 1}")
    return Mutant(f"{seed}: {', '.join(names)}", "\n".join(lines).encode())


def _number(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    return [_at_random(_NUMBER, line, chance, chance.choice(NUMBERS.split()))]


def _operand(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    other = chance.choice(lines).split()
    return [_at_random(_OPERAND, line, chance, chance.choice([*NUMBERS.split(), *other[-1:], ""]))]


def _mnemonic(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    words, other = line.split(None, 1), chance.choice(lines).split()
    return ["\t" + " ".join([*other[:1], *words[1:]])]


def _directive(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    return [line, "\t" + chance.choice(DIRECTIVES.split("|"))]


def _removed(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    return []


def _repeated(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    return [line] * chance.choice((2, 2, 3, 1000))


def _moved(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    return [chance.choice(lines), line]


def _joined(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    return [chance.choice(("; ", " ", ",", "\\", " # ", " /* ", " ! ")).join([line, line])]


def _nested(line: str, chance: random.Random, lines: list[str]) -> list[str]:
    depth = chance.choice((3, 300, 3000))
    return [_at_random(_NUMBER, line, chance, "(" * depth + "1" + ")" * depth)]


_CHANGES = (_number, _number, _operand, _operand, _mnemonic, _directive, _removed, _repeated,
            _moved, _joined, _nested)  # fmt: skip


def _at_random(pattern: re.Pattern[str], line: str, chance: random.Random, new: str) -> str:
    found = list(pattern.finditer(line))
    if not found:
        return line
    place = chance.choice(found)
    return line[: place.start()] + new + line[place.end() :]


class Case:
    """A directory in which assembly for one target is damaged and translated."""

    def __init__(self, directory: Path, target: Target) -> None:
        self.directory = directory
        self.target = target
        self.source, self.output = directory / "mutant.s", directory / "out.s"

    def defects(self, changed_source: Mutant) -> Iterator[str]:
        """Yield what is wrong with what the translator does with a mutant."""
        self.source.write_bytes(changed_source.data)
        self.output.unlink(missing_ok=True)
        try:
            found = self._defect()
        except (Exception, HangError) as error:
            found = describe(error)
        if found:
            yield f"translate: {self.target.name}: {changed_source.name}: {found}"

    def _defect(self) -> str:
        outcome = run("translate", "-t", self.target.name, "-o", self.output, self.source)
        if found := defect(outcome, (0, 1), failed=1):
            return found
        made = self.output.exists()
        if (outcome.status == 0) != made:
            return f"status {outcome.status}, and is there an output: {made}"
        if made and not self._assembles(self.output) and self._goes_on():
            return "the assembler takes the mutant and refuses what is made of it"
        return ""

    def _goes_on(self) -> bool:
        """Return whether the assembler takes the mutant, and something after it.

        At the end of a file it takes `.asciz` without a string, and then any line after that
        for the rest of it; what the translator makes has a section at its end.
        """
        with self.source.open("ab") as source:
            source.write(b"\n\t.text\n")
        return self._assembles(self.source)

    def _assembles(self, path: Path) -> bool:
        command = [*self.target.compiler, "-c", "-xassembler", str(path), "-o", "/dev/null"]
        done = subprocess.run(
            command, capture_output=True, cwd=self.directory, preexec_fn=_limit_processor_time
        )
        return done.returncode == 0


def _limit_processor_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (ASSEMBLER_SECONDS, ASSEMBLER_SECONDS))
