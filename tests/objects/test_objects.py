"""`inst object`: the objects that assembly makes again, and those that are refused."""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from inst.cli import main
from inst.errors import InstError
from inst.objects.archive import Member, archive_of, read_members
from inst.objects.compare import differences
from inst.objects.frames import read_frames
from inst.objects.identity import Assembler, NotTheSame, same_object, target_of
from inst.objects.model import ObjectFile
from inst.objects.read import read_object
from inst.objects.text import Levels, Writer
from inst.target.model import Target
from inst.target.targets import TARGETS
from tests.conftest import require_tools
from tests.objects.libraries import outcomes

EVERY = 150
"""Every so many members of the libraries; `python -m tests.objects` takes all."""
C_SOURCE = r"""
extern int outside(const char *, ...);
extern __thread int theirs;
__thread int ours = 3;
static __thread int own;
int common[4];
__attribute__((weak)) int weak(int n) { return n + own++; }
__attribute__((visibility("hidden"))) int hidden(int n) { return n * 3 + theirs; }
static int table[] = {1, 2, 3};
int *pointer = &table[1];
const char *text = "merged\n";
double number(double x) { return x * 1.5 + 2.25; }
int choose(int n)
{
    switch (n) {
    case 0: return outside("zero \"quoted\" \\ %d\n", n);
    case 1: return hidden(n);
    case 2: return weak(ours);
    case 3: return table[n & 1];
    case 4: return common[2];
    case 5: return *pointer;
    case 6: return (int)(long)text;
    }
    return -1;
}
long long wide(long long a, long long b) { return a / b; }
"""
CPP_SOURCE = r"""
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual int area() const { return 0; } };
template <class T> struct Box : Shape { T item; int area() const override { return sizeof(T); } };
inline int once() { static int n; return ++n; }
int use(int n)
{
    std::vector<std::string> names(n, "name");
    Box<long> box;
    Shape *shape = &box;
    try {
        if (n > 3)
            throw n;
        return shape->area() + once() + (int)names.size();
    } catch (int value) {
        return value;
    }
}
"""
ASSEMBLY = r"""
	.file	"odd \"name\".c"
	.section	".strange name","aw",@progbits
	.byte	1
	.globl	"a symbol"
"a symbol":
	.byte	2, 3
	.set	absolute, 0x1234
	.globl	absolute
	.comm	shared, 24, 8
	.local	alone
	.comm	alone, 8, 4
	.section	.rodata.wide,"aMS",@progbits,4
	.4byte	65, 66, 0
	.section	.init_array,"aw",@init_array
	.4byte	0
	.section	.kept,"aR",@progbits
	.4byte	1
	.section	.note.mine,"a",@note
	.4byte	4, 0, 1
	.ascii	"abc\0"
	.section	.text.one,"axG",@progbits,one,comdat
	.weak	one
	.type	one, @function
one:
	.4byte	0, 0x12345678, 0xffffffff
	.size	one, .-one
	.bss
	.balign	32
	.globl	big
	.type	big, @gnu_unique_object
big:
	.space	100
	.size	big, 100
	.internal	unseen
	.weak	unseen
	.data
	.4byte	.rodata.wide+8, one+2, "a symbol"-4, unseen
"""


def _object(target: Target, folder: Path, suffix: str, text: str, *options: str) -> Path:
    """Compile a source; C++ needs the target's C++ compiler."""
    compiler = list(target.compiler)
    if suffix == ".cc":
        compiler[0] = compiler[0].replace("-gcc", "-g++")
    require_tools(compiler[0])
    source = folder / f"source{suffix}"
    source.write_text(text)
    made = source.with_suffix(".o")
    subprocess.run([*compiler, *options, "-c", source, "-o", made], check=True)
    return made


def _read(path: Path) -> ObjectFile:
    return read_object(str(path), path.read_bytes())


CASES = {
    "c": (".c", C_SOURCE, "-O2"),
    "pic": (".c", C_SOURCE, "-O2", "-fPIC", "-g"),
    "sections": (".c", C_SOURCE, "-Os", "-ffunction-sections", "-fdata-sections", "-fcommon"),
    "labels": (".c", C_SOURCE, "-O1", "-Wa,-L"),
    "c++": (".cc", CPP_SOURCE, "-O1"),
    "assembly": (".s", ASSEMBLY),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
def test_synthetic_objects_are_the_same(case: str, target: Target, tmp_path: Path) -> None:
    suffix, text, *options = CASES[case]
    found = _read(_object(target, tmp_path, suffix, text, *options))
    result = same_object(found, Assembler(target))
    assert not list(differences(found, read_object("again", result.content)))
    has_tables = target.name in ("ppc64", "ppc64le")  # after each function, which are numbers
    if case != "assembly" and not has_tables:
        assert result.text.numbers <= result.text.instructions // 10
        assert not any(line.startswith("\t.reloc") for line in result.text.lines)


def test_members_of_real_libraries_are_the_same(target: Target) -> None:
    require_tools(target.compiler[0])
    found = list(outcomes(target.name, EVERY, first=7))
    assert len(found) > 10
    assert [one for one in found if one.reason] == []


def test_each_difference_is_seen(tmp_path: Path) -> None:
    """A changed byte, relocation, symbol or section is a difference."""
    target = TARGETS["ppc32"]
    text = "\t.text\n\t.globl f\n\t.type f, @function\nf:\tlis 9, x@ha\n\tbl y\n\t.size f, 8\n"
    first = _read(_object(target, tmp_path, ".s", text))
    for old, new in (
        ("lis 9", "lis 8"), ("x@ha", "x@h"), ("x@ha", "x+4@ha"), ("bl y", "bl z"),
        (".globl f", ".weak f"), ("f, 8", "f, 4"), ("@function", "@object"),
        ("\t.text", "\t.text\n\t.balign 64"), ("\t.globl", "\t.hidden f\n\t.globl"),
        ("\t.text", '\t.section .more,"a"\n\t.byte 1\n\t.text'),
    ):  # fmt: skip
        assert old in text
        other = _read(_object(target, tmp_path, ".s", text.replace(old, new, 1)))
        assert list(differences(first, other)), new


def test_archives_keep_their_members(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = _object(TARGETS["ppc32"], tmp_path, ".c", C_SOURCE, "-O2").read_bytes()
    members = [Member("one.o", made), Member("a_name_of_more_than_fifteen.o", made),
               Member("one.o", made)]  # fmt: skip
    (tmp_path / "in.a").write_bytes(archive_of(members))
    output = tmp_path / "out.a"
    assert main(["object", "--identity", "--json", str(tmp_path / "in.a"), "-o", str(output)]) == 0
    assert json.loads(capsys.readouterr().out)["objects"] == 3
    again = read_members("out.a", output.read_bytes())
    assert [one.name for one in again] == [one.name for one in members]
    listed = subprocess.run(["nm", "-s", output], capture_output=True, text=True, check=True)
    assert "choose in one.o" in listed.stdout


@pytest.mark.parametrize(
    ("options", "strip", "words"),
    [((), ("-s",), "no symbol table"), (("-flto",), (), "intermediate code")],
    ids=["stripped", "lto"],
)
def test_refused_objects(
    options: tuple[str, ...], strip: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    made = _object(TARGETS["ppc32"], tmp_path, ".c", C_SOURCE, *options)
    if strip:
        subprocess.run(["powerpc-linux-gnu-strip", *strip, made], check=True)
    _is_refused(made, words)


def _is_refused(path: Path, words: str) -> None:
    output = path.parent / "output"
    with pytest.raises(InstError, match=words):
        target_of(_read(path))
    assert main(["object", "--identity", str(path), "-o", str(output)]) == 2
    assert not output.exists()


def test_other_files_are_refused(tmp_path: Path) -> None:
    made = _object(TARGETS["ppc32"], tmp_path, ".c", C_SOURCE).read_bytes()
    foreign, text, thin, cut = (tmp_path / n for n in ("foreign.o", "a.c", "thin.a", "cut.a"))
    foreign.write_bytes(made[:18] + b"\0\x3e" + made[20:])
    _is_refused(foreign, "another machine")
    text.write_text("int x;\n")
    _is_refused(text, "not an ELF file")
    thin.write_bytes(b"!<thin>\n")
    cut.write_bytes(archive_of([Member("a.o", made)])[:-10])
    for path in (thin, cut):
        assert main(["object", "--identity", str(path), "-o", str(tmp_path / "x")]) == 2
        assert not (tmp_path / "x").exists()


def test_what_no_text_makes_is_an_error(tmp_path: Path) -> None:
    """A relocation of a type that the assembler does not have."""
    found = _read(_object(TARGETS["ppc32"], tmp_path, ".s", "\tlis 9, x@ha\n\t.long x\n"))
    code = found.by_index[1]
    wrong = tuple(replace(row, kind=200) for row in code.relocations)
    odd = replace(found, sections=(replace(code, relocations=wrong), *found.sections[1:]))
    with pytest.raises(NotTheSame, match="does not make the same object"):
        same_object(odd, Assembler(TARGETS["ppc32"]))


def test_damaged_objects_are_errors_without_a_traceback(tmp_path: Path) -> None:
    made = _object(TARGETS["ppc32"], tmp_path, ".c", C_SOURCE).read_bytes()
    chance = random.Random(1994)
    for _ in range(300):
        content = bytearray(
            made[: chance.choice((len(made), len(made), chance.randrange(len(made))))]
        )
        for _ in range(chance.randrange(1, 6)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        try:
            found = read_object("damaged.o", bytes(content))
            assert Writer(found, target_of(found).isa, Levels()).text().lines
        except InstError as error:
            assert error.message


LEFT = {
    "distance": ("\t.data\n\t.long .text+4-.\n\t.text\n\tnop\n\tnop\n", "in no jump table"),
    "within": (
        "\tlis 9, 1f@ha\n\tadd 9, 9, 3\n\tblr\n1:\tnop\n\tblr\n",
        "other code may be counted",
    ),
    "word": ("\tblr\n\t.long 1\n", "no text as an instruction"),
    "data": ("\tblr\n\t.type d, @object\nd:\tnop\n", "data among code"),
    "describes": (
        '\tlis 9, .eh_frame@ha\n\t.section .eh_frame,"a"\n\t.long 0\n',
        "describes the code",
    ),
    "offset": ("\tb f+8\nf:\tnop\n\tnop\n\tblr\n\t.globl f\n", "within a function"),
}


@pytest.mark.parametrize("case", LEFT)
def test_what_is_not_known_to_grow_is_left(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An object is refused; as a member of an archive it stays as it is."""
    text, words = LEFT[case]
    made, output = _object(TARGETS["ppc32"], tmp_path, ".s", text), tmp_path / "output"
    bad = made.read_bytes()
    assert main(["object", str(made), "-o", str(output)]) != 0
    assert words in capsys.readouterr().err
    assert not output.exists()
    good = _object(TARGETS["ppc32"], tmp_path, ".c", "int f(int *p) { return *p; }", "-O1", "-g")
    members = [Member("bad.o", bad), Member("good.o", good.read_bytes())]
    (tmp_path / "in.a").write_bytes(archive_of(members))
    assert main(["object", "--json", str(tmp_path / "in.a"), "-o", str(output)]) == 0
    told = capsys.readouterr()
    assert words in told.err
    assert len(json.loads(told.out)["left"]) == 1
    again = {one.name: one.content for one in read_members("output", output.read_bytes())}
    assert again["bad.o"] == bad
    names = {section.name for section in read_object("good.o", again["good.o"]).sections}
    assert ".eh_frame" in names
    assert [name for name in names if name.startswith(".debug")] == [".debug_inst_sites"]


@pytest.mark.parametrize("own", ["rd %pc,%o7", "call .+8"])
def test_code_that_jumps_by_its_own_address_is_refused(
    own: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The distance is a plain number, which would be another one once code has grown."""
    text = f"\tmov %o7,%g1\n\t{own}\n\tnop\n\tst %g0,[%o0]\n\tjmp %o7+%o1\n\tnop\n"
    made = _object(TARGETS["sparc-v9"], tmp_path, ".s", text)
    assert main(["object", str(made), "-o", str(tmp_path / "output")]) != 0
    assert "counted from the address" in capsys.readouterr().err


GOT_POINTER = """
\tsethi %hi(_GLOBAL_OFFSET_TABLE_-4),%l7
\tcall .+8
\tadd %l7,%lo(_GLOBAL_OFFSET_TABLE_+4),%l7
\tld [%l7+x],%o0
"""
STRUCTURE = """
\tcall %g1
\tnop
\tunimp 8
"""
ABORT = """
1:\tunimp 0xf00
\tba 1b
\tnop
"""


@pytest.mark.parametrize("text", [GOT_POINTER, STRUCTURE, ABORT], ids=["got", "structure", "abort"])
def test_what_looks_like_data_or_distances_grows(text: str, tmp_path: Path) -> None:
    """The pointer to the GOT, the size of a structure behind a call through a register, a trap."""
    text += "\tld [%o0],%o0\n\tret\n\trestore\n"
    made = _object(TARGETS["sparc-v8"], tmp_path, ".s", text, "-Wa,-KPIC")
    assert main(["object", str(made), "-o", str(tmp_path / "output")]) == 0


def test_an_instrumented_object_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = _object(TARGETS["ppc32"], tmp_path, ".c", "int f(int *p) { return *p; }")
    once, twice = tmp_path / "once.o", tmp_path / "twice.o"
    assert main(["object", str(made), "-o", str(once)]) == 0
    assert main(["object", str(once), "-o", str(twice)]) != 0
    assert "instrumented already" in capsys.readouterr().err


def test_frames_of_instrumented_objects_cover_their_functions(tmp_path: Path) -> None:
    """Rules for unwinding begin and end with the functions, however long these become."""
    made = _object(TARGETS["ppc32"], tmp_path, ".c", C_SOURCE, "-O2")
    grown = tmp_path / "grown.o"
    assert main(["object", str(made), "-o", str(grown)]) == 0
    found = _read(grown)
    sizes = {s.name: s.size for s in found.symbols if s.kind == 2 and s.size}
    before = {s.name: s.size for s in _read(made).symbols if s.kind == 2 and s.size}
    assert sizes.keys() == before.keys()
    assert sizes["choose"] > before["choose"]
    frames = read_frames(found)
    for symbol in found.symbols:
        if symbol.name in before:
            assert (symbol.section, symbol.value) in frames.begin
            assert (symbol.section, symbol.value + symbol.size) in frames.end


PADDED = """
	.globl	f
	.type	f, @function
f:	retl
	ld	[%o0+0], %o0
	.balign	64
	.globl	g
	.type	g, @function
g:	retl
	ldub	[%g0+0], %o0
"""
"""A load with the number 0, and a jump over the padding of V9 in code of V8."""


def test_padding_and_added_zeros_are_written_as_they_are(tmp_path: Path) -> None:
    made = _object(TARGETS["sparc-v8"], tmp_path, ".s", PADDED, "-Wa,-Av8plus,-bump")
    grown = tmp_path / "grown.o"
    assert b"\x30\x68\x00\x0e" in made.read_bytes()
    assert main(["object", str(made), "-o", str(grown)]) == 0
    found = _read(grown)
    assert [s.value % 64 for s in found.symbols if s.name == "g"] == [0]
    assert found.machine == _read(made).machine


JUMPS = """
	.type	f, @function
f:	save	%sp, -96, %sp
	cmp	%i0, 9
	bgu	.L1
	sethi	%hi(.L2), %l0
	sll	%i0, 2, %l1
	sethi	%hi(table), %l2
	or	%l2, %lo(table), %l2
	ba	.L3
	ld	[%l1+%l2], %l0
.L1:	or	%l0, %lo(.L2), %l0
.L3:	jmp	USED
	nop
.L2:	ld	[%i1], %i0
	ret
	restore
	.size	f, .-f
	.section .rodata
table:	.long	.L2
"""


@pytest.mark.parametrize(("used", "refused"), [("%l0", False), ("%l0+%l1", True)])
def test_labels_whose_address_is_taken_are_jumped_to(
    used: str, refused: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing may be counted from them: the distance of another label would be a plain number."""
    text = JUMPS.replace("USED", used)
    made = _object(TARGETS["sparc-v8"], tmp_path, ".s", text, "-fno-pie")
    status = main(["object", str(made), "-o", str(tmp_path / "grown.o")])
    assert bool(status) is refused
    assert ("other code may be counted" in capsys.readouterr().err) is refused


TRACED = """
	.type	f, @function
	.globl	f
f:	ld	3, 0(3)
	blr
1:	.long	0
	.quad	0x000c204000000000
	.long	1b-f
	.short	1
	.ascii	"f"
	.balign	4
	.size	f, .-f
"""


@pytest.mark.parametrize("name", ["ppc64", "ppc64le"])
def test_tables_for_debuggers_have_the_new_length(name: str, tmp_path: Path) -> None:
    """Behind a function is a word of 0, and then where the function begins."""
    made = _object(TARGETS[name], tmp_path, ".s", TRACED)
    grown = tmp_path / "grown.o"
    assert main(["object", str(made), "-o", str(grown)]) == 0
    found = _read(grown)
    code = next(section for section in found.sections if section.name == ".text")
    length = int.from_bytes(code.data[-8:-4], found.byte_order)  # type: ignore[arg-type]
    assert 8 < length == code.size - 20
    assert code.data[length : length + 4] == bytes(4)
