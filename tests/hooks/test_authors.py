"""What authors of hook libraries get wrong, and what they may use: C++, several files, objects."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.build.hookparts import contents, from_root, parts_of
from inst.build.library import build_library, flags
from inst.build.ownhooks import check_declarations
from inst.errors import InstError
from inst.glue import declared, functions
from inst.hooktable import HOOKS
from inst.paths import data
from inst.target.targets import TARGETS, Target
from tests.conftest import Shell

HEADER = "#include <inst/hooks.h>\n"
_FLAGS = ("-w", "-gdwarf-4", "-fno-ipa-icf")
WRONG = {
    "void ldwhok(inst_address address) { }": "no hook `ldwhok`.*did you mean ldwhook?",
    "void ldwordhook(inst_address address) { }": "no hook `ldwordhook`.*did you mean ld[wd]hook?",
    "void ldxhook(inst_address address) { }": "no hook `ldxhook`.*did you mean ld.hook?",
    "void LdwHook(inst_address address) { }": "no hook `LdwHook`.*did you mean ldwhook?",
    "void ldwhook(inst_address pc, inst_address address) { }": (
        r"`void ldwhook\(inst_address pc, inst_address address\)`: parameter 1 is "
        r"`inst_address address`, not `pc`"
    ),
    "void ldwhook(inst_address a, uint32_t value) { }": (
        "parameter 2 is `inst_address pc`, not `value`"
    ),
    "void lddhook(inst_address a, uint64_t v) { }": "parameter 2 is `inst_address pc`",
    "void ldwhook(inst_address a, inst_address p, uint64_t v) { }": (
        "parameter 3 is `uint32_t value`, which is passed otherwise than `uint64_t`"
    ),
    "void lddhook(inst_address a, inst_address p, int v) { }": "parameter 3 is `uint64_t value`",
    "void ldbhook(inst_address a, inst_address p, unsigned char v) { }": "`unsigned char`",
    "void ldwhook(inst_address a, inst_address p, float v) { }": "in general registers",
    "void ldwhook(inst_address a, inst_address p, uint32_t v, int more) { }": (
        "it has 4 parameters, but is passed 3"
    ),
    "void exithook(int status) { }": "it has 1 parameters?, but is passed none",
    "struct two { long a, b; };\nvoid ldsyshook(struct two one) { }": "otherwise than `struct two`",
}
"""A definition, and what is said of it; the hint has the hook as it is in the table."""
RIGHT = """
static void ldwhok(void) { }
static void (*const keep)(void) = ldwhok;
void lockout(void) { keep(); }
enum number { ONE, TWO };
void ldbhook(unsigned long address) { }
void ldhhook(inst_address address, unsigned long where) { }
void ldwhook(void *address, inst_address from, unsigned int value) { }
void lddhook(inst_address a, inst_address p, unsigned long long v) { }
void stdhook(inst_address a, inst_address p, const uint64_t v) { }
void stbhook() { }
void systemhook(enum number id) { }
void barrierhook(char *kind, const void *source) { }
void restorehook(uintptr_t *registers) { }
"""
OLD = """
ldwhook(address, pc, value) unsigned address, pc, value; { }
lddhook(address) char *address; { }
exithook() { }
"""
"""As hooks were written in 1994, for 32 bits, without a header."""


def check(target: Target, directory: Path, text: str, name: str = "own.c") -> None:
    """Compare the hooks that a file declares with the table, as when it is built."""
    (directory / name).write_text(text)
    command = [*target.compiler, *flags(target, shared=True)]
    parts = parts_of(str(directory / name))
    check_declarations(parts, command, target, directory)


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", ["own.c", "own.cc"])
@pytest.mark.parametrize("target_name", TARGETS)
def test_wrong_hooks_are_refused(target_name: str, name: str, tmp_path: Path) -> None:
    """Each in a file of its own for the compiler, but all of them in one run of it."""
    (tmp_path / name).write_text("")
    target = TARGETS[target_name]
    command = [*target.compiler, *flags(target, shared=True), *_FLAGS, "-c"]
    sources = [tmp_path / f"{number}-{name}" for number in range(len(WRONG))]
    for source, text in zip(sources, WRONG, strict=True):
        source.write_text(f"{HEADER}\n{text}\n")
    more = ["-std=gnu++20"] if name.endswith("c") and name != "own.c" else []
    subprocess.run([*command, *more, *map(str, sources)], cwd=tmp_path, check=True)
    for source, (text, said) in zip(sources, WRONG.items(), strict=True):
        found = functions.functions_of(source.with_suffix(".o"))
        with pytest.raises(InstError, match=f"(?s){said}") as error:
            declared.check_functions(found, target)
        line = 3 + text.count("\n")
        assert error.value.render().startswith(f"{source}:{line}: error: "), text
        hook = next((h for h in HOOKS if f" {h.name}(" in text), None)
        assert hook is None or f"the hook is void {hook.name}(" in error.value.hint


@pytest.mark.parametrize("target_name", TARGETS)
def test_right_hooks_are_not_refused(target_name: str, tmp_path: Path) -> None:
    for name in ("own.c", "own.cc"):
        directory = tmp_path / name[4:]
        directory.mkdir()
        check(TARGETS[target_name], directory, HEADER + RIGHT, name)


def test_hooks_of_1994_are_not_refused(tmp_path: Path) -> None:
    check(TARGETS["ppc32"], tmp_path, OLD)


def test_signs_matter_where_registers_are_wider(tmp_path: Path) -> None:
    """Callers extend a number by its sign: `int` is passed as uint32_t on 32 bits alone."""
    text = f"{HEADER}void systemhook(int id) {{ }}\n"
    check(TARGETS["sparc-v8"], tmp_path, text)
    (tmp_path / "wide").mkdir()
    with pytest.raises(InstError, match="parameter 1 is `uint32_t id`"):
        check(TARGETS["ppc64"], tmp_path / "wide", text)


def test_all_errors_are_listed_at_once(tmp_path: Path) -> None:
    text = f"{HEADER}void ldwhok(void) {{ }}\nvoid stwhok(void) {{ }}\n"
    with pytest.raises(InstError, match=r"(?s)own.c:2: error: .*own.c:3: error: "):
        check(TARGETS["ppc32"], tmp_path, text)


def test_every_type_of_the_table_is_known() -> None:
    for hook in HOOKS:
        for parameter in hook.parameters:
            assert parameter.type.endswith("*") or parameter.type in declared._WORDS, hook.name


def test_a_value_is_split_as_by_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my dir").mkdir()
    for name in ("a.c", "b.cc", "my dir/c.c", "d.o", "e.a"):
        (tmp_path / name).write_text("")
    value = "a.c -DTEXT='a b' b.cc -I'my dir' -D SIZE=4 d.o 'my dir/c.c' e.a -include a.c"
    parts = parts_of(from_root(value))
    assert [path.name for path in parts.sources] == ["a.c", "b.cc", "c.c"]
    assert [path.name for path in parts.linked] == ["d.o", "e.a"]
    arguments = ("-DTEXT=a b", f"-I{tmp_path}/my dir", "-D", "SIZE=4", "-include")
    assert parts.arguments == (*arguments, f"{tmp_path}/a.c")
    assert from_root(from_root(value)) == from_root(value)
    assert from_root("my dir/c.c") == f"{tmp_path}/my dir/c.c"
    assert parts_of("my dir/c.c").sources == (tmp_path / "my dir/c.c",)
    assert from_root("count") == "count"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a.c b.c", "hook library b.c was not found"),
        ("a.c rst", "libraries that ship cannot be combined"),
        ("a.c -o x", "option -o cannot be used"),
        ("a.c -lm", "option -lm cannot be used"),
        ("a.c -fexceptions", "option -fexceptions cannot be used"),
        ("a.c 'b.c", "no closing quotation"),
        ("-DX -DY", "no file in the hook library"),
        ("a.c b.txt", "b.txt is not a file that a hook library can be made from"),
    ],
)
def test_bad_values_are_refused(
    value: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.c").write_text("")
    (tmp_path / "b.txt").write_text("")
    with pytest.raises(InstError, match=said):
        parts_of(value)


def test_the_key_covers_all_that_goes_in(tmp_path: Path) -> None:
    """Sources, headers, objects and arguments: each of them changes what is looked for."""
    target = TARGETS["ppc32"]
    command = [*target.compiler, *flags(target, shared=True)]
    files = {"a.c": '#include "a.h"\nint a = A;\n', "a.h": "#define A 1\n", "b.o": "=1"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    value = f"{tmp_path}/a.c {tmp_path}/b.o -DB=1"
    first = contents(parts_of(value), command, target)
    assert contents(parts_of(value), command, target) == first
    assert contents(parts_of(value.replace("B=1", "B=2")), command, target) != first
    for name, text in files.items():
        (tmp_path / name).write_text(text.replace("1", "2").replace("A;", "2;"))
        assert contents(parts_of(value), command, target) != first
        (tmp_path / name).write_text(text)


FILES = {
    "include/factor.h": "#define FACTOR 2\n",
    "main.c": """\
#include <inst/support.h>
#include <factor.h>
void add_load(inst_address address);
unsigned long stores_seen(void), biggest(unsigned long, unsigned long);
extern unsigned long loads;
void ldwhook(inst_address address) { add_load(address); }
void lddhook(inst_address address) { add_load(address); }
void exithook(void)
{
    int unused;
    unsigned long more = biggest(loads, stores_seen());
    DPRINTF(2, "%s %d\\n", TEXT, more * FACTOR >= loads * FACTOR && more > 1000);
}
""",
    "biggest.cc": """\
#include <algorithm>
#include <inst/hooks.h>
template <typename Number> __attribute__((noinline)) Number biggest_of(Number one, Number other)
{
    return std::max(one, other);
}
extern "C" unsigned long biggest(unsigned long one, unsigned long other)
{
    return biggest_of(one, other);
}
void sthhook() { }
""",
    "helper.c": """\
unsigned long loads;
static double numbers[16];
void add_load(unsigned long address)
{
    double a = numbers[0], b = numbers[1], c = numbers[2], d = numbers[3], e = numbers[4];
    double f = numbers[5], g = numbers[6], h = numbers[7], i = address, j = loads;
    for (int n = 0; n < 2; n++) {
        double k = a * b + c, l = d * e + f, m = g * h + i;
        a = b + j, b = c - k, c = d + l, d = e - m, e = f + k, f = g - l, g = h + m, h = i - k;
    }
    numbers[loads++ & 15] = (a + b + c + d) * (e + f + g + h);
}
""",
    "stores.c": """\
static unsigned long stores;
void stwhook(unsigned long address, unsigned long pc, unsigned value)
{
    stores += address != 0 && pc != 0 && value < 1u << 31;
}
unsigned long stores_seen(void) { return stores; }
""",
    "program.cc": """\
#include <stdio.h>
template <typename Number> __attribute__((noinline)) Number biggest_of(Number one, Number other)
{
    return one < other ? 1 : 2; /* another function of the library's name */
}
static volatile double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static volatile unsigned counts[8];
int main(void)
{
    double sum = 0.5, product = 1, other = 3, mixed = 2;
    unsigned carry = 7;
    for (int n = 0; n < 1000; n++) {
        sum += values[n & 7] * other;
        product = product * 0.75 + values[n >> 1 & 7];
        mixed = mixed * 0.5 + product - sum / 8;
        other += 0.25;
        counts[n & 7] += carry;
        carry = carry * 3 + counts[n >> 2 & 7];
    }
    carry += biggest_of(counts[0] + 5ul, 7ul);
    return printf("%a %a %a %a %u\\n", sum, product, mixed, other, carry) < 0;
}
""",
}


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("target_name", ["ppc32", "ppc64", "sparc-v8"])
def test_a_library_of_all_kinds_of_files(target_name: str, shell: Shell) -> None:
    """Sources, objects and archives; what objects overwrite, floating point too, is saved."""
    target, check = TARGETS[target_name], shell.check
    (shell.directory / "include").mkdir()
    for name, text in FILES.items():
        (shell.directory / name).write_text(text)
    check(*target.compiler, "-O2", "-fPIC", "-c", "helper.c", "stores.c")
    check("ar", "rc", "libstores.a", "stores.o")
    check(*target.compiler, "-O2", "program.cc", "-o", "plain")
    hooks = (
        "main.c biggest.cc helper.o libstores.a -DTEXT='\"a b\"' -Iinclude -include inst/hooks.h"
    )
    link = (
        "inst-cc",
        f"--inst-hooks={hooks}",
        *target.compiler,
        "-O2",
        "program.cc",
        "-o",
        "traced",
    )
    done = shell.run(*link, INST_STACK_CHECK="1")
    assert done.returncode == 0, done.stderr.decode()
    assert b"main.c:10:9: warning: unused variable" in done.stderr
    assert shell.run(*link, INST_STACK_CHECK="1").stderr == b""
    plain, traced = (shell.run("inst", "run", name) for name in ("plain", "traced"))
    assert (traced.stdout, traced.returncode) == (plain.stdout, 0)
    assert traced.stderr == b"a b 1\n"


REFUSED = {
    "own.cc": (
        "struct one { one(); int number; };\none::one() : number(1) { }\nstatic one here;\n"
        "void exithook() { here.number++; }",
        r"own.cc has variables that code must initialise before main",
    ),
    "new.cc": (
        "int *kept;\nvoid exithook() { kept = new int; }",
        r"hooks cannot use the C\+\+ library, and \S+new.cc needs operator new\(unsigned int\)",
    ),
    "twice.cc": (
        "void ldwhook(inst_address) { }\nvoid ldwhook() { }",
        r"twice.cc:3: error: `ldwhook` is defined twice",
    ),
}
OBJECTS = {
    "sparc64-linux-gnu-gcc": "in the hook library is not for ppc32",
    "powerpc-linux-gnu-gcc -flto": "was compiled with -flto",
    "inst-cc powerpc-linux-gnu-gcc": "an object of the hook library was compiled by inst-cc",
    "powerpc-linux-gnu-gcc -Dnumber=ldxhook": "there is no hook `ldxhook`",
    "powerpc-linux-gnu-gcc -g -Dnumber=ldwhook": "parameter 1 is `inst_address address`, not `pc`",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_hooks_in_cxx_cannot_have_is_refused(name: str, tmp_path: Path) -> None:
    text, said = REFUSED[name]
    (tmp_path / name).write_text(f"{HEADER}{text}\n")
    with pytest.raises(InstError, match=said):
        build_library(str(tmp_path / name), list(TARGETS["ppc32"].compiler), TARGETS["ppc32"])


@pytest.mark.parametrize("compiler", OBJECTS)
def test_wrong_objects_are_refused(compiler: str, shell: Shell) -> None:
    (shell.directory / "object.c").write_text("int a;\nint number(int *pc) { return a += *pc; }\n")
    shell.check(*compiler.split(), "-O2", "-c", "object.c")
    target = TARGETS["ppc32"]
    with pytest.raises(InstError, match=OBJECTS[compiler]):
        build_library(str(shell.directory / "object.o"), list(target.compiler), target)


TRIPLES = {
    "sparc-v8": "sparc-linux-gnu -mcpu=v8 -fintegrated-as",
    "sparc-v9": "sparc64-linux-gnu",
    "ppc32": "powerpc-linux-gnu",
    "ppc64": "powerpc64-linux-gnu",
    "ppc64le": "powerpc64le-linux-gnu",
}
"""What clang calls the targets."""
MIXED = """
void stdhook(inst_address a, inst_address p, const uint64_t value) { (void)value; }
void windowhook(const struct inst_registers *registers) { (void)registers; }
void ldwhook(inst_address pc, inst_address address) { (void)pc; }
"""


@pytest.mark.parametrize("compiler", ["gcc", "gcc -gz", "clang", "clang -gdwarf-4 -xc++"])
@pytest.mark.parametrize("target_name", TARGETS)
def test_objects_of_any_compiler_are_compared(
    target_name: str, compiler: str, shell: Shell
) -> None:
    """The definition that is wrong is found in its own file, whichever DWARF describes it."""
    target = TARGETS[target_name]
    (shell.directory / "own.c").write_text(HEADER + MIXED)
    name, *options = compiler.split()
    command = list(target.compiler)
    if name == "clang":
        command = ["clang", *f"--target={TRIPLES[target_name]}".split()]
    include = f"-I{data('runtime')}/include"
    shell.check(*command, "-g", *options, include, "-ffreestanding", "-fPIC", "-c", "own.c")
    parts = parts_of(str(shell.directory / "own.o"))
    said = r"own.c:5: error: `void ldwhook\(inst_address pc, inst_address address\)`: parameter 1"
    with pytest.raises(InstError) as error:
        check_declarations(parts, list(target.compiler), target, shell.directory)
    assert re.search(said, error.value.render())


COUNTING = """
__attribute__((visibility("hidden"))) unsigned long loads, stores;
__attribute__((visibility("hidden"))) void ldwhook(unsigned long at) { loads += at != 1; }
__attribute__((visibility("hidden"))) void stwhook(unsigned long at) { stores += at != 1; }
"""
TELLING = """\
#include <inst/support.h>
extern unsigned long loads, stores;
void exithook(void) { DPRINTF(2, "%d %d\\n", (int)loads, (int)stores); }
"""
COUNTED = "volatile unsigned n;\nint main(void) { while (n < 1000) n++; return 0; }\n"


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize(("target_name", "file"), [("ppc64", "own.S"), ("sparc-v8", "own.s")])
def test_hooks_may_be_assembly(target_name: str, file: str, shell: Shell) -> None:
    """A `.s` and a `.S` file do what their C does, also with the stack check."""
    target, check = TARGETS[target_name], shell.check
    for name, text in {"own.c": COUNTING, "tell.c": TELLING, "n.c": COUNTED}.items():
        (shell.directory / name).write_text(text)
    check(*target.compiler, "-O2", "-fPIC", "-S", "own.c")
    check("cp", "own.s", "own.S")
    check("inst-cc", "--inst-hooks=empty", *target.compiler, "-O2", "-c", "n.c")
    told = set()
    for own in ("own.c", file):
        link = ("inst-cc", f"--inst-hooks=tell.c {own}", *target.compiler, "-static", "n.o")
        check(*link, INST_STACK_CHECK="1")
        told.add(shell.run("inst", "run", "a.out").stderr)
    assert len(told) == 1
    loads, stores = map(int, told.pop().split())
    assert (loads, stores) >= (2000, 1000)


ASSEMBLY = {
    ".globl ldwhok; .type ldwhok, @function; ldwhok: blr": "1: error: there is no hook `ldwhok`",
    ".globl ldwhook; ldwhook: blr": "1: error: the hook `ldwhook` is not declared as a function",
    ".type ldwhook, @function\nldwhook: blr": "2: error: .* not declared .* other files see",
    ".globl ldwhook; .type ldwhook, @function\nldwhook: xyzzy 3": "2: error: unknown PowerPC",
    "# \xe9": "own.s in the hook library is not UTF-8",
}
"""A file, and what is said of it."""


@pytest.mark.parametrize("text", ASSEMBLY)
def test_wrong_assembly_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.s"
    path.write_bytes(f"{text}\n".encode("latin-1"))
    with pytest.raises(InstError) as error:
        build_library(str(path), list(TARGETS["ppc32"].compiler), TARGETS["ppc32"])
    assert re.search(ASSEMBLY[text], error.value.render())
