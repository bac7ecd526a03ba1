"""Names, errors and files of inst-cc, as a user meets them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from inst.target.targets import TARGETS, Target
from inst.target.tools import compiler_tool
from tests.conftest import ROOT, Shell, require_tools

pytestmark = pytest.mark.rotated("ppc32")

LOAD = "int f(int *p) { return *p; }\n"
UNKNOWN = 'int f(int x)\n{\n    __asm__("frobnicate 3");\n    return x;\n}\n'


def _symbols(shell: Shell, target: Target, name: str) -> str:
    reader = target.compiler[0].removesuffix("gcc") + "readelf"
    return shell.check(reader, "-sW", name)


@pytest.mark.parametrize("how", ["link", "directory"])
def test_masquerade(how: str, target: Target, shell: Shell) -> None:
    """Under the compiler's own name inst-cc finds the real one further down PATH."""
    compiler = target.compiler[0]
    first = ROOT / "wrappers" / "path"
    if how == "link":
        first = shell.directory / "first"
        first.mkdir()
        real = shutil.which("inst-cc", path=shell.environment["PATH"])
        assert real
        (first / compiler).symlink_to(real)
    path = f"{first}{os.pathsep}{shell.environment['PATH']}"
    (shell.directory / "a.c").write_text(LOAD)
    shell.check(*target.compiler, "-c", "a.c", PATH=path)
    assert " UND inst." in _symbols(shell, target, "a.o")
    shell.check("inst-cc", *target.compiler, "-c", "a.c", "-o", "b.o", PATH=path)
    assert " UND inst." in _symbols(shell, target, "b.o")
    shell.check(*target.compiler, "-c", "a.c", "-o", "c.o", PATH=path, INST_DISABLE="1")
    assert " UND inst." not in _symbols(shell, target, "c.o")


def test_masquerade_without_a_compiler(shell: Shell) -> None:
    """A masquerade with nothing behind it says what is missing and does not run itself."""
    real = shutil.which("inst-cc", path=shell.environment["PATH"])
    assert real
    name = "powerpc-linux-gnu-gcc"
    (shell.directory / name).symlink_to(real)
    done = shell.run(shell.directory / name, "-c", "a.c", PATH=str(shell.directory))
    assert done.returncode == 1
    assert b"apt-get install gcc-powerpc-linux-gnu" in done.stderr


@pytest.mark.parametrize(
    ("compiler", "hint"),
    [
        ("powerpc-linux-gnu-gcc", b"apt-get install gcc-powerpc-linux-gnu"),
        ("sparc64-linux-gnu-gcc", b"gcc-multilib-sparc64-linux-gnu"),
        ("sparc64-linux-gnu-g++", b"g++-sparc64-linux-gnu"),
        ("/no/where/cc", b"PATH"),
    ],
)
def test_missing_compiler(compiler: str, hint: bytes, shell: Shell) -> None:
    """A compiler that is not there is one message with the command that brings it."""
    real = shutil.which("inst-cc", path=shell.environment["PATH"])
    assert real
    done = shell.run(real, compiler, "-c", "a.c", PATH=str(shell.directory))
    assert done.returncode == 1
    assert done.stderr.startswith(f"inst: error: compiler {compiler} not found".encode())
    assert hint in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("pipe", ["", "-pipe"])
def test_unknown_instruction(pipe: str, target: Target, shell: Shell) -> None:
    """An instruction that inst does not know: the user's line, status 1, no object file."""
    (shell.directory / "bad.c").write_text(UNKNOWN)
    (shell.directory / "bad.o").write_text("from an earlier run")
    done = shell.run("inst-cc", *target.compiler, *pipe.split(), "-c", "bad.c")
    assert done.returncode == 1
    assert done.stderr.startswith(b"bad.c:3: error: ")
    assert b"frobnicate" in done.stderr
    assert not (shell.directory / "bad.o").exists()


def test_unknown_instruction_in_hand_written_code(target: Target, shell: Shell) -> None:
    """In an assembly file the error names that file, its line and shows the line."""
    (shell.directory / "hand.S").write_text("#define X 1\n\tnop\n\n\tfrobnicate X\n")
    done = shell.run("inst-cc", *target.compiler, "-c", "hand.S")
    assert done.returncode == 1
    assert done.stderr.startswith(b"hand.S:4")
    assert not (shell.directory / "hand.o").exists()


def test_truncated_input(target: Target, shell: Shell) -> None:
    """A file that ends in the middle fails as the assembler would fail, without an object."""
    (shell.directory / "cut.s").write_text('\t.text\n\t.ascii "no end')
    done = shell.run("inst-cc", *target.compiler, "-c", "cut.s")
    assert done.returncode == 1
    assert b"cut.s:2" in done.stderr
    assert not (shell.directory / "cut.o").exists()


def test_native_compiler_is_refused_only_when_it_assembles(
    shell: Shell, require: Callable[..., None]
) -> None:
    """What inst has no target for is an error, but questions are still answered."""
    require("gcc")
    (shell.directory / "a.c").write_text(LOAD)
    if "x86_64" not in shell.check("inst-cc", "gcc", "-dumpmachine"):
        pytest.fail("this test is written for an x86-64 machine", False)
    done = shell.run("inst-cc", "gcc", "-c", "a.c")
    assert done.returncode == 1
    assert b"targets are sparc-v8, sparc-v9, ppc32" in done.stderr
    assert not (shell.directory / "a.o").exists()
    shell.check("inst-cc", "--inst-disable", "gcc", "-c", "a.c")


def test_wider_sparc_is_refused(shell: Shell, require: Callable[..., None]) -> None:
    """64-bit instructions in 32-bit programs are not what the SPARC target is."""
    require(*TARGETS["sparc-v8"].compiler[:1])
    (shell.directory / "a.c").write_text(LOAD)
    done = shell.run("inst-cc", "sparc64-linux-gnu-gcc", "-m32", "-c", "a.c")
    assert done.returncode == 1
    assert b"-mcpu=v8" in done.stderr


def test_keep(target: Target, shell: Shell) -> None:
    """--inst-keep keeps the rewritten assembly; the compiler's own .s is never touched."""
    (shell.directory / "a.c").write_text(LOAD)
    plain = shell.check(*target.compiler, "-O2", "-S", "a.c", "-o", "-")
    shell.check("inst-cc", "--inst-keep=kept", *target.compiler, "-O2", "-save-temps", "-c", "a.c")
    assert (shell.directory / "a.s").read_text() == plain
    kept = (shell.directory / "kept" / "a.s").read_text()
    assert "inst." in kept and "inst." not in plain
    shell.check(target.compiler[0].removesuffix("gcc") + "as", *_machine(target), "kept/a.s")


def test_code_that_records_has_vectors_that_call_no_hooks(shell: Shell) -> None:
    loop = "void f(int *p) { for (int n = 0; n < 400; n++) p[n] += n; }\n"
    (shell.directory / "a.c").write_text(loop)
    for target in (TARGETS["ppc64"], TARGETS["ppc64le"]):
        require_tools(target.compiler[0])
        flags = (*target.compiler, "-O3", "-mcpu=power8", "-c", "a.c")
        found = []
        for way in ("hooks=empty", "record=loads", "record=values"):
            shell.check("inst-cc", f"--inst-{way}", *flags)
            code = shell.check(compiler_tool(list(target.compiler), "objdump"), "-d", "a.o")
            assert re.search(r"\tlxv", code) and re.search(r"\tstxv", code)
            found.append(" UND inst.rare" in _symbols(shell, target, "a.o"))
        assert found == [True, False, False]


def _machine(target: Target) -> tuple[str, ...]:
    if target.isa == "sparc":
        return ("-Av9", "-64") if target.bits == 64 else ("-Av8", "-32", "-KPIC")
    return ("-a64", "-mpower8") if target.bits == 64 else ("-a32", "-mppc")


def test_output_does_not_depend_on_place_or_time(target: Target, shell: Shell) -> None:
    """The same source gives the same object, whatever the compiler's temporary files are called."""
    (shell.directory / "a.c").write_text(LOAD)
    for name, temporary in (("one.o", "t1"), ("two.o", "t2")):
        (shell.directory / temporary).mkdir()
        shell.check("inst-cc", *target.compiler, "-O2", "-c", "a.c", "-o", name,
                    TMPDIR=str(shell.directory / temporary))  # fmt: skip
    one, two = (shell.directory / name for name in ("one.o", "two.o"))
    assert one.read_bytes() == two.read_bytes()


def test_assembler_made_line_numbers(target: Target, shell: Shell) -> None:
    """With -g the lines of hand-written code are the lines of its file, probes or not."""
    load, back = ("ld [%o0], %o1", "retl; nop") if target.isa == "sparc" else ("lwz 4,0(3)", "blr")
    lines = ("nop", load, "nop", load, "nop", back)
    (shell.directory / "hand.s").write_text("".join(f"\t{line}\n" for line in lines))
    shell.check("inst-cc", *target.compiler, "-g", "-c", "hand.s")
    dump = target.compiler[0].removesuffix("gcc") + "objdump"
    table = shell.check(dump, "--dwarf=decodedline", "hand.o")
    rows = [line.split() for line in table.splitlines() if line.startswith("hand.s ")]
    assert {row[1] for row in rows} - {"-"} == {"1", "2", "3", "4", "5", "6"}
    assert " UND inst." in _symbols(shell, target, "hand.o")


def test_values_library_refuses_addresses_objects(target: Target, shell: Shell) -> None:
    """Hooks that read values cannot be linked to objects that tell addresses only."""
    (shell.directory / "a.c").write_text("int g;\nint main(void) { return g; }\n")
    (shell.directory / "nosy.c").write_text(
        "#include <inst/hooks.h>\nstatic uint32_t sum;\n"
        "void ldwhook(inst_address address, inst_address pc, uint32_t value)\n"
        "{\n    sum += value;\n}\n"
    )
    wrapped = ("inst-cc", "--inst-hooks=nosy.c")
    shell.check(*wrapped, *target.compiler, "a.c", "-o", "good")
    assert shell.run("inst", "run", "good").returncode == 0
    done = shell.run(*wrapped, "--inst-level=addresses", *target.compiler, "a.c", "-o", "bad")
    assert done.returncode == 1
    assert b"--inst-level=values" in done.stderr
    assert not (shell.directory / "bad").exists()


def test_unknown_hooks_are_refused(target: Target, shell: Shell) -> None:
    """A hook library that does not exist fails the link with the known names."""
    (shell.directory / "a.c").write_text("int main(void) { return 0; }\n")
    done = shell.run("inst-cc", "--inst-hooks=nosuch", *target.compiler, "a.c")
    assert done.returncode == 1
    assert b"nosuch" in done.stderr
    assert b"empty" in done.stderr
    assert not (shell.directory / "a.out").exists()


@pytest.mark.parametrize("triple", ["powerpc-linux-gnu", "sparc-linux-gnu", "sparc64-linux-gnu"])
def test_clang(triple: str, shell: Shell, require: Callable[..., None]) -> None:
    """clang assembles with our assembler too, without a warning; its -flto is refused."""
    require("clang", "powerpc-linux-gnu-gcc", "sparc64-linux-gnu-gcc", "qemu-ppc")
    (shell.directory / "a.c").write_text("int g = 42;\nint main(void) { return g; }\n")
    clang = ("clang", f"--target={triple}", "-Werror", "-O1")
    assert shell.check("inst-cc", *clang, "-E", "a.c") == shell.check(*clang, "-E", "a.c")
    done = shell.run("inst-cc", *clang, "-c", "a.c")
    assert (done.returncode, done.stderr) == (0, b"")
    names = {"powerpc-linux-gnu": "ppc32", "sparc-linux-gnu": "sparc-v8"}
    target = TARGETS[names.get(triple, "sparc-v9")]
    assert " UND inst." in _symbols(shell, target, "a.o")
    shell.check("inst-cc", *clang, "-static", "a.o", "-o", "prog")
    assert shell.run("inst", "run", "prog").returncode == 42
    refused = shell.run("inst-cc", *clang, "-flto", "-c", "a.c")
    assert refused.returncode == 1
    assert b"-flto" in refused.stderr


def test_wrappers_hold_only_tools() -> None:
    """The compiler looks into this directory for everything: nothing else may be in it."""
    tools = ROOT / "wrappers" / "tools"
    names = sorted(path.name for path in tools.iterdir())
    assert names == ["as", "ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold"]
    assert all(os.access(tools / name, os.X_OK) for name in names)


def test_tools_do_not_run_by_themselves(shell: Shell) -> None:
    """Without inst-cc around it our linker says who may run it."""
    done = shell.run(Path(ROOT, "wrappers", "tools", "ld"), "-v")
    assert done.returncode == 1
    assert b"inst-cc" in done.stderr


def test_stripping_what_explains_a_recording_is_reported(shell: Shell) -> None:
    """The program runs as before, and says itself that it does not record its accesses."""
    (shell.directory / "a.c").write_text("int main(void) { return 0; }\n")
    done = shell.run("inst-cc", "powerpc-linux-gnu-gcc", "-s", "a.c", "-o", "a")
    assert done.returncode == 0
    assert b"inst: warning: -s leaves out the section that explains what" in done.stderr
    done = shell.run("inst", "run", "-o", "a.rec", "./a")
    assert done.returncode == 0
    assert b"accesses are not recorded, because there is no section" in done.stderr
    done = shell.run("inst-cc", "--inst-hooks=empty", "powerpc-linux-gnu-gcc", "-s", "a.c")
    assert (done.returncode, done.stderr) == (0, b"")
    library = ("-fPIC", "-shared", "-s", "a.c", "-o", "liba.so")
    done = shell.run("inst-cc", "powerpc-linux-gnu-gcc", *library)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_build_that_names_nothing_records(target: Target, shell: Shell) -> None:
    """Hooks that are named at the link only would see none of its accesses, which is an error."""
    (shell.directory / "a.c").write_text("int cell = 1;\nint main(void) { return cell++ - 1; }\n")
    shell.check("inst-cc", *target.compiler, "-O1", "-c", "a.c")
    shell.check("inst-cc", *target.compiler, "a.o", "-o", "a")
    shell.check("inst", "run", "-o", "a.rec", "./a")
    assert (shell.directory / "a.rec").read_bytes()[:8] == b"INST-RZP"
    assert shell.check("inst", "run", "./a", INST_OUT="b.rst") == ""
    assert (shell.directory / "b.rst").read_bytes()[:8] == b"INST-REC"
    shell.check("inst", "run", "-o", "c.rst", "./a")
    for trace in ("a.rec", "b.rst", "c.rst"):
        seen = shell.check("inst", "convert", trace, "-", "--to", "sexp")
        assert "(value 0x2)" in seen
    failed = shell.run("inst-cc", "--inst-hooks=count", *target.compiler, "a.o", "-o", "c")
    assert failed.returncode == 1
    assert (
        b"some objects record their accesses, which the hooks of 'count' do not see"
        in failed.stderr
    )
    assert b"name the hooks when those objects are compiled" in failed.stderr


def test_hooks_and_a_recording_are_named_at_once(shell: Shell) -> None:
    """Hooks were named where the objects were compiled, too: the hint is about the recording."""
    (shell.directory / "a.c").write_text("int cell = 1;\nint main(void) { return cell++ - 1; }\n")
    both = {"INST_HOOKS": "count", "INST_RECORD": "loads"}
    failed = shell.run("inst-cc", "powerpc-linux-gnu-gcc", "-O1", "a.c", "-o", "a", **both)
    assert failed.returncode == 1
    assert b"compile them without --inst-record (INST_RECORD=loads)" in failed.stderr


@pytest.mark.parametrize("options", [(), ("--inst-program-pic", "-fPIC"), ("-fPIC",)])
def test_only_code_of_programs_records_inline(
    options: tuple[str, ...], target: Target, shell: Shell
) -> None:
    """The link of a shared object with such code would give one that damages the recording."""
    own, flags = options[:-1], options[-1:]
    (shell.directory / "a.c").write_text(LOAD)
    (shell.directory / "main.c").write_text(
        "int f(int *);\nint main(void) { return f(&(int){0}); }\n"
    )
    compiler = ("inst-cc", *own, *target.compiler, *flags)
    shell.check(*compiler, "-c", "a.c", "main.c")
    assert ("inst.room" in _symbols(shell, target, "a.o")) == (options != ("-fPIC",))
    shell.check(*compiler, "a.o", "main.o", "-o", "a")
    shell.check("inst", "run", "-o", "a.rec", "./a")
    done = shell.run(*compiler, "-shared", "-s", "a.o", "-o", "liba.so")
    if options == ("-fPIC",):
        assert (done.returncode, done.stderr) == (0, b"")
        return
    assert done.returncode == 1
    assert b"error: some objects of a shared object record inline" in done.stderr
    assert not (shell.directory / "liba.so").exists()
