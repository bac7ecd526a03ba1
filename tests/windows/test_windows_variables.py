"""The variables of the 1994 translator that change what is compiled and linked: their effect."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from truth.emulator import build_plugins, count_instructions
from truth.harness import python_environment

from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.translate import Options, translate
from tests.conftest import require_tools
from tests.warm import python

FILES = Path(__file__).resolve().parent / "files"
BOTH = ("sparc-v8", "ppc32")
MARK = 0x1994
LIBRARY = f"static volatile int kept; int keep(int n) {{ kept = n + {MARK}; return kept; }}\n"
PROGRAM = "int keep(int); int main(void) { return keep(3) == keep(3) ? 7 : 8; }\n"


def compiler(name: str, directory: Path, *words: str, **variables: str) -> str:
    """Run the compiler under inst; return what it says on standard error, "" if all is well.

    Another test may be building the same library, which is no matter.
    """
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    command = [python(), "-m", "inst.wrap.cc", *target.compiler, "-O2", *words]
    done = subprocess.run(
        command,
        cwd=directory,
        capture_output=True,
        text=True,
        env={**python_environment(), **variables},
    )
    lines = done.stderr.splitlines(keepends=True)
    said = "".join(line for line in lines if not line.startswith("inst: note: waiting for another"))
    assert bool(done.returncode) == bool(said), done.stderr
    return said


def stored(trace: Path) -> list[int]:
    """Return the values that stores of a trace wrote."""
    found = []
    for batch in open_trace(trace).events():
        found += batch["value"][batch["kind"] == 2].tolist()
    return found


def run(program: Path, trace: Path) -> int:
    command = command_for(program, [])
    return subprocess.run(command, env={**python_environment(), "INST_OUT": str(trace)}).returncode


@pytest.fixture(params=BOTH)
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    (tmp_path / "keep.c").write_text(LIBRARY)
    (tmp_path / "main.c").write_text(PROGRAM)
    return str(request.param)


@pytest.mark.parametrize("library", ["rst", "sexp", "stf"])
def test_tfile_names_the_hooks(name: str, library: str, tmp_path: Path) -> None:
    words = ("-static", "main.c", "keep.c", "-o", "program")
    if library == "stf" and TARGETS[name].isa != "powerpc":
        said = compiler(name, tmp_path, *words, TFILE=library)
        assert f"error: hook library `stf` is not for {name}" in said
        assert not (tmp_path / "program").exists()
        return
    assert not compiler(name, tmp_path, *words, TFILE=library)
    assert run(tmp_path / "program", tmp_path / "trace") == 7
    assert open_trace(tmp_path / "trace").format == library


def test_tlib_is_linked_for_the_c_library_and_building_libc_makes_it(
    name: str, tmp_path: Path
) -> None:
    """A library's objects are instrumented, linked with no hooks, and traced in a program."""
    (tmp_path / "libc_own.a").write_text("INPUT(-lkeep) GROUP(-lc)\n")
    assert not compiler(name, tmp_path, "-c", "keep.c", BUILDING_LIBC="1")
    archiver = TARGETS[name].compiler[0].removesuffix("gcc") + "ar"
    subprocess.run([archiver, "rcs", "libkeep.a", "keep.o"], cwd=tmp_path, check=True)
    names = subprocess.run(
        ["readelf", "-sW", "keep.o"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "inst.stw" in names.stdout, "it was not instrumented"
    whole = ("-static", "main.c", "-o", "program", f"-L{tmp_path}")
    assert "undefined reference to `keep'" in compiler(name, tmp_path, *whole)
    assert not compiler(name, tmp_path, *whole, TLIB="own")
    assert run(tmp_path / "program", tmp_path / "trace") == 7
    assert stored(tmp_path / "trace").count(3 + MARK) == 2
    assert "undefined reference to `keep'" in compiler(name, tmp_path, *whole, TLIB="vanilla")
    without = compiler(name, tmp_path, *whole, "keep.o", BUILDING_LIBC="1")
    assert "linked without a hook library" in without, "hooks were linked all the same"


def test_tt_usegcc_runs_gcc_for_another_compiler(tmp_path: Path) -> None:
    require_tools("clang")
    (tmp_path / "keep.c").write_text(LIBRARY)
    words = ("clang", "--target=powerpc-linux-gnu", "-O2", "-c", "keep.c", "-o")
    said = {}
    for made, variables in (("clang.o", {}), ("gcc.o", {"TT_USEGCC": "1"})):
        command = [python(), "-m", "inst.wrap.cc", *words, made]
        environment = {**python_environment(), **variables}
        subprocess.run(command, cwd=tmp_path, check=True, env=environment)
        said[made] = (tmp_path / made).read_bytes()
    assert b"clang version" in said["clang.o"] and b"GCC: (" not in said["clang.o"]
    assert b"GCC: (" in said["gcc.o"] and b"clang version" not in said["gcc.o"]
    assert b"inst.segments" in said["gcc.o"], "it was not instrumented"


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("variable", ["ALWAYS_SR", "ALWAYS_CC"])
def test_each_way_to_save_more_costs_by_itself(variable: str, name: str, tmp_path: Path) -> None:
    costs = []
    plugins = build_plugins(tmp_path)
    for made, variables in (("usual", {}), ("saving", {variable: "1"})):
        words = ("-static", str(FILES / "walks.c"), "-o", made)
        assert not compiler(name, tmp_path, *words, TFILE="count", **variables)
        quiet = {"INST_OUT": "/dev/null"}
        counted = count_instructions(plugins, tmp_path / made, (), tmp_path / "count", quiet)
        costs.append(counted[0])
    assert costs[1] > costs[0] * 1.01


def test_no_slots_leaves_couples_as_they_are() -> None:
    source = "\tba 1f\n\tbe 2f\n\tnop\n1:\tld [%o1],%o2\n2:\tretl\n\tnop\n"
    target = TARGETS["sparc-v8"]
    opened = translate(source, target, Options(counter=False))
    left = translate(source, target, Options(counter=False, check_slots=False))
    couple = "\tba 1f\n\tbe 2f\n"
    assert couple in left
    assert couple not in opened
