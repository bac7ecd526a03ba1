"""Links that are not Debian's own: specs files, no C library, another C library."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.build import wrapbuild
from inst.build.library import flags
from inst.build.wrapbuild import _compile_each, _leave_out_unresolved, build
from inst.calls.functions import FUNCTIONS, LONG_TIME
from inst.calls.wraptable import OWN_FILES
from inst.errors import InstError
from inst.target.targets import TARGETS, Target
from inst.target.tools import run_tool
from inst.wrap.linker import instrumented, with_libc, with_libraries
from inst.wrap.select import target_of_objects
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32")

PROGRAM = "#include <string.h>\nint main(int n, char **a) { return strlen(a[n - 1]) == 0; }\n"
COPYING = """#include <inst/hooks.h>
#include <string.h>
struct row { long words[40]; } rows[3];
void exithook(void) { rows[0] = rows[1]; memmove(&rows[1], &rows[2], sizeof *rows); }
void ldwhook(inst_address address) { rows[2].words[0] += strlen((const char *)rows); }
"""
ALONE = "int cell = 7; int f(int n) { return cell + n; }\nvoid _start(void) { for (;;) f(1); }\n"


def _specs(shell: Shell) -> str:
    """Write specs in which the linker gets no emulation, as musl's wrapper for gcc has them."""
    (shell.directory / "own.specs").write_text("*link:\n-static\n\n")
    return "-specs=own.specs"


@pytest.mark.parametrize("name", ["ppc32", "ppc64", "ppc64le", "sparc-v9"])
def test_a_link_without_an_emulation_gets_the_library(name: str, shell: Shell) -> None:
    """The objects say which target it is.  (sparc-v8 is no linker's default.)"""
    target = TARGETS[name]
    (shell.directory / "a.c").write_text(PROGRAM)
    words = (*target.compiler, _specs(shell), "-static", "-no-pie", "-fno-pie", "a.c")
    shell.check("inst-cc", "--inst-hooks=count", *words, "-o", "program")
    done = shell.run("inst", "run", "./program")
    assert done.returncode == 0
    assert b"ldw" in done.stderr


def test_objects_say_their_target(target: Target, shell: Shell) -> None:
    """The first ELF file counts; what is none, or is not there, is passed over."""
    (shell.directory / "a.c").write_text("int x;\n")
    (shell.directory / "text.o").write_text("no object\n")
    shell.check(*target.compiler, "-c", "a.c")
    inputs = [str(shell.directory / name) for name in ("missing.o", "text.o", "a.o")]
    assert target_of_objects(["-o", "x", *inputs]) is target
    assert target_of_objects(inputs[:2]) is None


def test_a_link_without_a_c_library_needs_none(target: Target, shell: Shell) -> None:
    """Neither the shipped hooks nor what a compiler makes of others call strlen or memcpy."""
    (shell.directory / "a.c").write_text(ALONE)
    (shell.directory / "own.c").write_text(COPYING)
    options = ("-O1", "-ffreestanding", "-nostdlib", "-static")
    for hooks in ("count", "rst") if target.name != "ppc32" else ("count", "./own.c"):
        shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, *options, "a.c")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a.o /musl/lib/libc.a -lgcc", "a.o LIB /musl/lib/libc.a -lgcc"),
        ("start.o a.o -lgcc dietlibc.a -lgcc", "start.o a.o -lgcc LIB dietlibc.a -lgcc"),
        ("a.o -l:libc.a", "a.o LIB -l:libc.a"),
        ("libc.a a.o libc.a crtn.o", "libc.a a.o LIB libc.a crtn.o"),
        ("a.o libcrypto.a", "a.o libcrypto.a LIB"),
        ("a.o /lib/libc-2.36.so crtn.o", "a.o LIB /lib/libc-2.36.so crtn.o"),
    ],
)
def test_the_library_stands_before_any_c_library(words: str, expected: str) -> None:
    """However the C library is named."""
    assert with_libraries(words.split(), ["LIB"]) == expected.split()


def test_another_c_library_is_added_where_the_link_names_none() -> None:
    """INST_LIBC holds for -nostdlib, too."""
    assert with_libc(["a.o", "crtn.o"], "/musl/libc.a") == ["a.o", "/musl/libc.a", "crtn.o"]
    assert with_libc(["a.o", "-lc", "b.o", "-lc"], "x") == ["a.o", "-lc_x", "b.o", "-lc_x"]
    assert with_libc(["a.o", "-lc"], "vanilla") == ["a.o", "-lc"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a.o -lgcc -lc -lgcc", "a.o -lgcc --start-group -lc W L --end-group -lgcc"),
        ("a.o -( -lc -)", "a.o -( -lc W L -)"),
        (
            "a.o --start-group -lgcc -lc --end-group crtn.o",
            "a.o --start-group -lgcc -lc W L --end-group crtn.o",
        ),
        ("a.o -lm -lc", "a.o -lm --start-group -lc W -lm L --end-group"),
        ("a.o -lstdc++ -lc", "a.o -lc W -lstdc++ --start-group -lc W L --end-group"),
    ],
)
def test_a_chosen_c_library_is_searched_first_and_together_with_the_others(
    words: str, expected: str
) -> None:
    """It may be instrumented: what it defines needs no wrapper, and it calls the hooks."""
    assert instrumented(words.split(), "chosen", "W", "L") == expected.split()


OWN_MEMBERS = {
    "free": "void free(void *p) { *(int *)p = 0; }\n",
    "start": "void free(void *); int fclose(void *); int cell;\n"
    "void begin(void) { free(&cell); fclose(&cell); for (;;) ; }\n",
    "fclose": "void free(void *); int fclose(void *p) { free(p); return *(short *)p; }\n",
}


def test_an_instrumented_c_library_is_linked_with_its_own_functions(
    target: Target, shell: Shell
) -> None:
    """No function is defined twice, and the hooks that only the library calls are found."""
    compiler = [*target.compiler, "-O1", "-ffreestanding", "-w"]
    for name, text in OWN_MEMBERS.items():
        (shell.directory / f"{name}.c").write_text(text)
    names = [f"{name}.c" for name in OWN_MEMBERS]
    shell.check("inst-cc", "--inst-building-libc", *compiler, "-c", *names)
    tools = target.compiler[0].removesuffix("gcc")
    shell.check(f"{tools}ar", "rcs", "libc.a", "free.o", "start.o", "fclose.o")
    (shell.directory / "a.c").write_text("void begin(); void _start(void) { begin(); free(); }\n")
    words = (*compiler, "-nostdlib", "-static", "a.c", "-L.", "-lc", "-lgcc", "-o", "program")
    shell.check("inst-cc", "--inst-hooks=count", *words)
    symbols = shell.check(f"{tools}nm", "program").splitlines()
    found = {line.split()[-1]: line.split()[0] for line in symbols}
    for name in ("free", "fclose"):
        assert found[f"inst.wrap.{name}"] == found[name]


def test_end_files_that_are_instrumented_find_the_library(target: Target, shell: Shell) -> None:
    """They come after it, and may be the only ones to call an entry."""
    compiler = [*target.compiler, "-O1", "-ffreestanding", "-nostdlib", "-static"]
    (shell.directory / "a.c").write_text("void _start(void) { for (;;) ; }\n")
    (shell.directory / "end.c").write_text("short end(short *p) { return p[1]; }\n")
    shell.check("inst-cc", "--inst-building-libc", *compiler, "-c", "end.c", "-o", "crtn.o")
    shell.check("inst-cc", "--inst-hooks=count", *compiler, "a.c", "crtn.o", "-o", "program")


@pytest.mark.parametrize("option", ["-shared", "-static"])
def test_a_link_without_a_hook_library_says_why_it_fails(
    target: Target, shell: Shell, option: str
) -> None:
    """As when a shared C library is built: one error in place of one for each access."""
    (shell.directory / "a.c").write_text(
        "int other(void); int first(int *p) { return *p + other(); }"
    )
    words = [*target.compiler, "-fPIC", "-nostdlib", option, "-Wl,-z,defs", "a.c", "-o", "out"]
    done = shell.run("inst-cc", "--inst-building-libc", *words)
    assert (done.returncode, (shell.directory / "out").exists()) == (1, False)
    assert b"undefined reference to `other'" in done.stderr
    assert b"undefined reference to `inst." not in done.stderr
    assert b"A shared C library cannot be instrumented" in done.stderr
    assert b"--disable-shared" in done.stderr


def _command(more: Path) -> list[str]:
    target = TARGETS["ppc32"]
    own = [one for one in flags(target, shared=True) if one != "-mno-fpu"]
    return [*target.compiler, *own, "-D_GNU_SOURCE", "-fexceptions", "-w", "-include", str(more)]


def test_functions_that_the_headers_lack_have_no_wrapper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a table's row or a file of its own: each is left out alone."""
    rows = {name: FUNCTIONS[name] for name in ("read", "regcomp", "regexec")}
    files = {name: OWN_FILES[name] for name in ("qsort", "scandir", "streams")}
    few = {"FUNCTIONS": rows, "OWN_FILES": files, "ATOMICS": {}, "LOCKING": {}, "OPERATORS": {}}
    few |= {"LONG_TIME": {name: LONG_TIME[name] for name in ("__time64", "__ctime64")}}
    for name, value in (few | {"FORMATTED": (), "constructs": dict}).items():
        monkeypatch.setattr(wrapbuild, name, value)
    lacking = tmp_path / "lacking.h"
    lacking.write_text("#pragma GCC poison __wrap_regexec __wrap___ctime64 chosen64\n")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    archive = build(_command(lacking), TARGETS["ppc32"], scratch)
    members = run_tool(["powerpc-linux-gnu-ar", "t", str(archive)]).decode().split()
    assert members == ["__time64.o", "qsort.o", "read.o", "regcomp.o", "streams.o"]


def test_a_part_that_all_wrappers_need_is_never_left_out(tmp_path: Path) -> None:
    """Then it is an error that says why; a function's own file is left out."""
    (tmp_path / "signal.c").write_text("int f(void) { return undeclared; }\n")
    (tmp_path / "good.c").write_text("int f(void) { return 1; }\n")
    _compile_each([*TARGETS["ppc32"].compiler], tmp_path)
    assert [path.name for path in tmp_path.glob("*.s")] == ["good.s"]
    (tmp_path / "streams.c").write_text("int f(void) { return undeclared; }\n")
    with pytest.raises(InstError, match="undeclared"):
        _compile_each([*TARGETS["ppc32"].compiler], tmp_path)


def test_functions_that_the_c_library_lacks_have_no_wrapper(tmp_path: Path) -> None:
    """A header may declare more than the library has."""
    command = [*TARGETS["ppc32"].compiler, "-O1", "-fno-pie"]
    for name, called in (("kept", "strlen"), ("gone", "no_such_function"), ("own", "inst_reads")):
        (tmp_path / f"{name}.c").write_text(
            f"int {called}();\nint {name}(void) {{ return {called}(); }}\n"
        )
    run_tool([*command, "-w", "-c", "kept.c", "gone.c", "own.c"], tmp_path)
    _leave_out_unresolved(command, tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.o")) == ["kept.o", "own.o"]
