"""Macros, loops and conditionals with instructions: expanded, with the user's lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inst.asm import expansion
from inst.asm.split import split
from inst.program.sitetable import read_sites
from inst.target.targets import TARGETS, Target
from inst.wrap import bodies
from tests.conftest import Shell, require_tools

NOP = {"powerpc": "ori 0,0,0", "sparc": "nop"}
COMMENT = {"powerpc": "#", "sparc": "!"}
TEXT = r"""
	.macro twice what:vararg
	\what ; \what
	.endm
	.macro count first, last=3	$C an own comment
	.if \first - \last
	twice $N
lab\@:	.long \first, (2)
	count (\first+1), \last
	.else
	.exitm
	.endif
	$N
	.endm
	.macro define name
	.macro \name
	$N
	.irpc c,12
	.long \c
	.endr
	.endm
	.endm
	.macro nothing
	.endm
	.text
f:	$N
	count 1
1: x: y: twice $N ; .long 5 ; count 2
	define made ; made
	MADE
	nothing
nothing: $N
	.rept 2
	.irp v, 1, 2
	.long \v	/* over
	lines */
	$N
	.endr
	.endr
	.ifdef f
	.if 0
	nonsense here
	.else
count:	made ; .long 7
	.endif
	.ifnotdef f
	.macro twice
	.endm
	.endif
	.endif
	.purgem made
	.set n, 0
	.rept 3
	.long n
	.set n, n+1
	.endr
	.string "> a ; .if 1", "\""
	.data
	.rept 0
	.long f
	.endr
	.file "of another.c"
	.nolist
	twice .long 1b - f
"""
MEASURES = {
    "a row of room": (".rept (16 - (. - f)) / 4\n$N\n.endr\n", 2, "`.rept (16 - (. - f)) / 4`"),
    "a distance": ("g: .if g - f > 4\n$N\n.endif\n", 2, "`.if g - f > 4`"),
    "a symbol that is one": ("1: .set d, 1b - f\n.if d == 5\n$N\n.endif\n", 3, "`.if d == 5`"),
    "in a macro": (".macro m x\n.if \\x == 4\n$N\n.endif\n.endm\n1: m 1b-f\n", 7, "1b-f"),
}


@pytest.fixture(params=sorted(TARGETS))
def target(request: pytest.FixtureRequest) -> Target:
    return TARGETS[request.param]


def command(target: Target) -> list[str]:
    """Return the assembler as the compiler would run it."""
    prefix = target.compiler[0].removesuffix("gcc")
    width = {"sparc-v8": "-32", "sparc-v9": "-64", "ppc32": "-a32"}.get(target.name, "-a64")
    order = ["-mlittle" if target.byte_order == "little" else "-mbig"]
    require_tools(prefix + "as")
    return [prefix + "as", width, *(order if target.isa == "powerpc" else [])]


def test_what_the_assembler_makes_of_it(target: Target) -> None:
    """`bodies.expanded` has seen that both give the same object; the rest is what it is for."""
    text = TEXT.replace("$N", NOP[target.isa]).replace("$C", COMMENT[target.isa])
    made = bodies.expanded(text, target.isa, "a.s", command(target))
    assert made is not None
    found = split(made, target.isa)
    names = {statement.name for statement in found if statement.name.startswith(".")}
    assert names == {".text", ".long", ".set", ".string", ".data", ".file", ".nolist"}
    source, line = text.splitlines(), 0
    counted: dict[str, int] = {}
    for content in made.splitlines():
        marker = re.fullmatch(r'# (\d+) "a\.s"', content)
        line = int(marker[1]) - 1 if marker else line + 1
        if NOP[target.isa] in content:
            place = source[line - 1].replace(NOP[target.isa], "$N").strip()
            counted[place] = counted.get(place, 0) + 1
    assert counted == {
        "f:\t$N": 1, "count 1": 6, "1: x: y: twice $N ; .long 5 ; count 2": 5,
        "define made ; made": 1, "MADE": 1, "nothing: $N": 1, ".rept 2": 4,
        "count:\tmade ; .long 7": 1,
    }  # fmt: skip


@pytest.mark.parametrize("name", MEASURES)
def test_what_measures_code_is_refused(name: str, target: Target, shell: Shell) -> None:
    body, line, said = MEASURES[name]
    text = f"f: {NOP[target.isa]}\n{body}".replace("$N", NOP[target.isa])
    require_tools(target.compiler[0])
    (shell.directory / "a.s").write_text(text)
    shell.check(*target.compiler, "-c", "a.s", "-o", "plain.o")
    done = shell.run("inst-cc", *target.compiler, "-c", "a.s", "-o", "a.o")
    message = done.stderr.decode()
    assert done.returncode == 1 and message.startswith(f"a.s:{line}:"), message
    assert said in message and "move" in message and "hint: " in message
    assert not (shell.directory / "a.o").exists()


def test_lines_for_debuggers_and_errors(shell: Shell) -> None:
    """The line of an invocation stands for all that it brings; errors behind one have their own."""
    compiler = TARGETS["ppc64le"].compiler
    require_tools(compiler[0])
    text = ".macro m\nlwz 3,0(4)\nstw 3,0(4)\n.endm\nf: m\nlwz 5,0(6)\nm ; m\nblr\n"
    (shell.directory / "a.s").write_text(text)
    shell.check(*compiler, "-g", "-c", "a.s", "-o", "plain.o")
    shell.check("inst-cc", *compiler, "-g", "-c", "a.s", "-o", "a.o")
    tables = [
        re.findall(r"^a\.s\s+(\d+)\s", shell.check("readelf", "-wL", name), re.M)
        for name in ("plain.o", "a.o")
    ]
    assert list(dict.fromkeys(tables[1])) == list(dict.fromkeys(tables[0])) == ["5", "6", "7", "8"]
    (shell.directory / "b.S").write_text(f"#define X 3\n\n{text.replace('3,0(4)', 'X,0(4)')}")
    shell.check("inst-cc", "--inst-hooks=empty", *compiler, "-shared", "b.S", "-o", "b.so")
    sites = read_sites(shell.directory / "b.so")
    assert [(s.file, s.line) for s in sites] == [("b.S", n) for n in (7, 7, 8, 9, 9, 9, 9)]
    for unknown, said in (
        ("subwus 3,4,5", "a.S:10: error: unknown PowerPC instruction `subwus 3,4,5`"),
        ("nonsense 0", "a.S:10: Error: unrecognized opcode: `nonsense'"),
    ):
        (shell.directory / "a.S").write_text("\n\n" + text.replace("blr", unknown))
        done = shell.run("inst-cc", *compiler, "-Wa,-mfuture", "-c", "a.S", "-o", "b.o")
        assert done.returncode == 1 and said in done.stderr.decode(), done.stderr.decode()
        assert not (shell.directory / "b.o").exists()


def test_another_object_is_never_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shell: Shell
) -> None:
    """What is not the same to the assembler is refused as if nothing could be expanded."""
    target = TARGETS["ppc32"]
    text = ".macro m\nlwz 3,0(4)\n.endm\nf: m\nblr\n"
    assert bodies.expanded(text, "powerpc", "a.s", command(target)) is not None
    true = expansion.expand
    monkeypatch.setattr(
        expansion, "expand", lambda *given: true(*given).replace("lwz 3,0(4)", "lwz 3,4(4)")
    )
    assert bodies.expanded(text, "powerpc", "a.s", command(target)) is None
    (shell.directory / "a.s").write_text('.macro m\n.include "b.s"\n.endm\nf: m\n')
    (shell.directory / "b.s").write_text("lwz 3,0(4)\n")
    done = shell.run("inst-cc", *target.compiler, "-c", "a.s", "-o", "a.o")
    assert done.returncode == 1 and b".include" in done.stderr
    assert not (shell.directory / "a.o").exists()
