"""inst-cc does with every argument what the plain compiler does, and instruments on the way."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from inst.target.targets import Target
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32")

SOURCES = {
    "a.c": "int two(void);\nvolatile int seen;\n"
    "int main(void) { seen = two(); return seen + 40; }\n",
    "b.c": '#include "b.h"\nint cell = TWO;\nint two(void) { return cell; }\n',
    "b.h": "#define TWO 2\n",
    "bad.c": "int f(void) { return undeclared; }\n",
    "hand.s": "\t.text\n\t.globl hand\nhand:\n\tnop\n",
    "hand.S": "#define NAME hand\n\t.globl NAME\nNAME:\n\tnop\n",
    "args": "-c 'a.c' -o \"from file.o\"\n",
    "warn.s": '\t.text\n\tnop\n\t.warning "mind this"\n',
    "wrong.s": '\t.text\n\tnop\n\t.section\n\t.error "not this"\n',
}


@dataclass(frozen=True)
class Case:
    """One command line; the plain compiler says what must come out."""

    arguments: str
    instrumented: tuple[str, ...] = ()
    """Objects in which calls to hooks must be found."""
    stdin: str = ""
    same_errors: bool = True
    """Whether standard error must be equal (not when it shows paths or commands)."""
    status: int = 0


CASES = (
    Case("-c a.c", ("a.o",)),
    Case("-c b.c -o sub/dir.o", ("sub/dir.o",)),
    Case("-c a.c b.c", ("a.o", "b.o")),
    Case("-O2 -g -c a.c", ("a.o",)),
    Case("-O2 -g3 -fPIC -pthread -c b.c -o b.lo", ("b.lo",)),
    Case("-S a.c"),
    Case("-O2 -S a.c -o -"),
    Case("-E b.c"),
    Case("-E -P -dD b.c -o b.i"),
    Case("-M b.c"),
    Case("-MM b.c -MT target"),
    Case("-c -MD b.c", ("b.o",)),
    Case("-c -MMD -MP -MF deps.d -MT other.o b.c -o b.o", ("b.o",)),
    Case("-x c - -c -o in.o", ("in.o",), stdin="int g; int f(void) { return g; }\n"),
    Case("-x c -E -", stdin="TWO\n"),
    Case("-E -include b.h -", stdin="TWO\n"),
    Case("-c hand.s"),
    Case("-c hand.S"),
    Case("-g -c hand.s"),
    Case("-x assembler -c - -o in.o", stdin="\tnop\n"),
    Case("-x assembler-with-cpp -c args", status=1, same_errors=False),
    Case("@args", ("from file.o",)),
    Case("-pipe -c a.c", ("a.o",)),
    Case("-save-temps -c a.c", ("a.o",)),
    Case("-save-temps=obj -c a.c -o sub/a.o", ("sub/a.o",)),
    Case("-v -c a.c", ("a.o",), same_errors=False),
    Case("-### -c a.c", same_errors=False),
    Case("--version"),
    Case("-dumpmachine"),
    Case("-dumpversion"),
    Case("-print-prog-name=ld"),
    Case("-print-search-dirs"),
    Case("-print-file-name=libc.a"),
    Case("-fsyntax-only a.c"),
    Case("-fsyntax-only bad.c", status=1),
    Case("-c bad.c", status=1),
    Case("-c a.c bad.c", ("a.o",), status=1),
    Case("-c missing.c", status=1),
    Case("-c a.c -o nowhere/a.o", status=1, same_errors=False),
    Case("", status=1, same_errors=False),
    Case("-c a.c --no-such-option", status=1),
    Case("-c warn.s"),
    Case("-c wrong.s", status=1),
    Case("-Wa,--fatal-warnings -c warn.s", status=1),
    Case("-Wa,-defsym,x=1 -c hand.s"),
    Case("-Wa,--no-such-option -c hand.s", status=1, same_errors=False),
    Case("-flto -c a.c"),
    Case("-flto -ffat-lto-objects -c a.c", ("a.o",)),
    Case("-Q -O1 --help=optimizers"),  # from -O2 on with vectors of loops, which inst-cc turns off
    Case("-r -nostdlib a.c -o a.lo", ("a.lo",)),
    Case("a.c -o nothing", status=1, same_errors=False),
)


def _prepare(directory: Path) -> None:
    (directory / "sub").mkdir(parents=True)
    for name, text in SOURCES.items():
        (directory / name).write_text(text)


def _normal(text: bytes) -> str:
    return re.sub(r"/tmp/cc\w+", "TEMP", text.decode())


def _files(directory: Path) -> dict[str, bytes]:
    """Return what a compiler made, with contents where they must be the same."""
    return {
        str(path.relative_to(directory)): b"" if path.suffix in (".o", ".lo") else path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def _has_sites(shell: Shell, target: Target, path: Path) -> bool:
    reader = target.compiler[0].removesuffix("gcc") + "readelf"
    return " UND inst." in shell.check(reader, "-sW", path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.arguments or "nothing")
def test_like_the_plain_compiler(case: Case, target: Target, shell: Shell) -> None:
    """Status, output, messages and files are the plain compiler's; objects have sites."""
    results = []
    for wrapper in ((), ("inst-cc",)):
        place = shell.directory / "work"
        _prepare(place)
        inner = Shell(place, shell.environment)
        command = (*wrapper, *target.compiler, *case.arguments.split())
        done = inner.run(*command, stdin=case.stdin.encode())
        results.append((done, _files(place)))
        if wrapper:
            for name in case.instrumented:
                assert _has_sites(shell, target, place / name), f"{name} is not instrumented"
        shutil.rmtree(place)
    (plain, plain_files), (ours, our_files) = results
    assert plain.returncode == case.status, plain.stderr.decode()
    assert ours.returncode == plain.returncode, ours.stderr.decode()
    assert ours.stdout == plain.stdout
    assert our_files == plain_files
    if case.same_errors:
        assert _normal(ours.stderr) == _normal(plain.stderr)


LINKS = (
    "a.c b.c",
    "-O2 -g a.c b.c",
    "-static a.c b.c",
    "-O2 -flto a.c b.c",
    "-pipe -Wl,-Map=map a.c b.c",
    "-fuse-ld=bfd a.c b.c -lm",
    "@link-args",
    "-pthread -Wl,--as-needed -x c a.c -x none b.c",
)


@pytest.mark.parametrize("arguments", LINKS)
def test_linked_program_runs(arguments: str, target: Target, shell: Shell) -> None:
    """A program linked in whatever way runs as without inst, and is instrumented."""
    _prepare(shell.directory / "w")
    inner = Shell(shell.directory / "w", shell.environment)
    (inner.directory / "link-args").write_text("a.c b.c '-static'\n")
    inner.check("inst-cc", "--inst-hooks=count", *target.compiler, *arguments.split(), "-o", "prog")
    done = inner.run("inst", "run", "-o", "counts", "prog")
    assert done.returncode == 42, done.stderr.decode()
    assert (inner.directory / "counts").stat().st_size > 0


def test_shared_library(target: Target, shell: Shell) -> None:
    """A shared library gets its own hooks, as libtool builds it: objects first, then -shared."""
    _prepare(shell.directory / "w")
    inner = Shell(shell.directory / "w", shell.environment)
    wrapped = ("inst-cc", "--inst-hooks=empty", *target.compiler)
    inner.check(*wrapped, "-fPIC", "-DPIC", "-c", "b.c", "-o", "b.o")
    inner.check(*wrapped, "-shared", "-fPIC", "-DPIC", "b.o", "-Wl,-soname", "-Wl,libb.so.0",
                "-o", "libb.so.0")  # fmt: skip
    inner.check(*wrapped, "a.c", "libb.so.0", "-Wl,-rpath,$ORIGIN", "-o", "prog")
    done = inner.run("inst", "run", "prog")
    assert done.returncode == 42, done.stderr.decode()


def test_configure_probe_fails_as_it_should(target: Target, shell: Shell) -> None:
    """A probe for a function that is not there must fail to link, with the name in it."""
    (shell.directory / "conftest.c").write_text(
        "char no_such_function();\nint main(void) { return no_such_function(); }\n"
    )
    done = shell.run("inst-cc", *target.compiler, "conftest.c", "-o", "conftest")
    assert done.returncode == 1
    assert b"no_such_function" in done.stderr
    assert not (shell.directory / "conftest").exists()


def test_parallel_make(target: Target, shell: Shell) -> None:
    """Many compilers at once build the library once, and every object well."""
    names = [f"part{number}" for number in range(8)]
    for name in names:
        (shell.directory / f"{name}.c").write_text(f"int {name}(int *p) {{ return *p; }}\n")
    calls = " + ".join(f"{name}(&one)" for name in names)
    declared = " ".join(f"int {name}(int *);" for name in names)
    (shell.directory / "main.c").write_text(
        f"{declared}\nint main(void){{int one=1;return {calls};}}\n"
    )
    objects = " ".join(f"{name}.o" for name in (*names, "main"))
    (shell.directory / "Makefile").write_text(
        f"all: one two three\none two three: {objects}\n\t$(CC) $^ -o $@\n"
    )
    compiler = " ".join(("inst-cc", "--inst-hooks=empty", *target.compiler))
    fresh = str(shell.directory / "cache")
    done = shell.run_among_others("make", "-j4", f"CC={compiler}", INST_CACHE=fresh)
    assert done.returncode == 0, done.stderr
    assert b"waiting for another inst-cc" in done.stderr
    made = [
        path.name.partition(f"-{target.name}-")[0] for path in Path(fresh, "libraries").iterdir()
    ]
    parts = ("functions", "functions-uncounted", "runtime", "runtime-uncounted")
    assert sorted(made) == ["empty", *parts, "wrappers"]
    for program in ("one", "two", "three"):
        assert shell.run("inst", "run", program).returncode == len(names)
