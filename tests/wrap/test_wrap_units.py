"""The parts of the wrapper that decide something, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.common.process import run
from inst.errors import InstError, Location
from inst.target.compilers import parse_command, query_command
from inst.target.targets import TARGETS
from inst.wrap import options
from inst.wrap.arguments import expand, join, split
from inst.wrap.assembler import display_name, parse
from inst.wrap.linker import needs_library, with_libraries
from inst.wrap.origin import find_origin, keep_line_numbers, point_at_user
from inst.wrap.select import target_of_assembler, target_of_emulation


def test_option_table_is_sorted_and_documented() -> None:
    """Every option stands in order and in docs/options.md with its variable."""
    names = [option.name for option in options.OPTIONS]
    assert names == sorted(names)
    page = (Path(__file__).parents[2] / "docs/options.md").read_text()
    for option in options.OPTIONS:
        assert f"--inst-{option.name}" in page
        assert option.variable in page
        assert option.name in options.describe()


@pytest.mark.parametrize(
    ("environment", "recorded", "library"),
    [
        ({}, "values", "record"),
        ({"INST_LEVEL": "addresses"}, "addresses", "record"),
        ({"INST_RECORD": "loads"}, "loads", "record"),
        ({"INST_HOOKS": "rst"}, None, "rst"),
        ({"TFILE": "mine.c"}, None, "mine.c"),
        ({"INST_STACK_CHECK": "1"}, None, "rst"),
        ({"BUILDING_LIBC": "1"}, None, "rst"),
        ({"INST_RUNTIME": "bare"}, None, "ring"),
        ({"INST_RECORD": "values", "INST_HOOKS": "count"}, "values", "count"),
    ],
)
def test_code_records_where_nothing_asks_for_hooks(
    environment: dict[str, str], recorded: str | None, library: str
) -> None:
    """The tools see what was chosen as a variable."""
    options.choose_recording(environment)
    assert environment.get("INST_RECORD") == recorded
    assert options.hook_library(environment) == library


def test_options_become_variables() -> None:
    """Leading options are taken, what follows is the compiler's."""
    environment: dict[str, str] = {}
    rest = options.take_options(
        ["--inst-level=addresses", "--inst-disable", "gcc", "--inst-hooks=x"], environment
    )
    assert rest == ["gcc", "--inst-hooks=x"]
    assert environment == {"INST_LEVEL": "addresses", "INST_DISABLE": "1"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [("count", "count"), ("mine.c", "CWD/mine.c"), ("../x/y", "PARENT/x/y"), ("/a/b.c", "/a/b.c")],
)
def test_hook_paths_become_absolute(given: str, expected: str) -> None:
    """A name stays a name; a path survives a make that changes directory."""
    environment = {"INST_HOOKS": given}
    options.check_options(environment)
    here = Path.cwd()
    wanted = expected.replace("CWD", str(here)).replace("PARENT", str(here.parent))
    assert environment["INST_HOOKS"] == wanted


def test_unknown_option_and_value_are_refused() -> None:
    """A misspelt option is an error that names the right ones."""
    with pytest.raises(InstError, match="--inst-level"):
        options.take_options(["--inst-levl=values"], {})
    with pytest.raises(InstError, match="addresses or values"):
        options.check_options({"INST_LEVEL": "all"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b\n c", ["a", "b", "c"]),
        ("'a b' \"c d\"", ["a b", "c d"]),
        (r"a\ b \"q\" 'x\'y'", ["a b", '"q"', "x'y"]),
        ("-DX='\"s\"' ''", ['-DX="s"', ""]),
        ("", []),
    ],
)
def test_response_file_words(text: str, words: list[str]) -> None:
    """Response files are read by the rules of the GNU tools, and written so too."""
    assert split(text) == words
    assert split(join(words)) == words


def test_response_files_nest(tmp_path: Path) -> None:
    """A response file may name another; one that cannot be read stays a word."""
    (tmp_path / "inner").write_text("-c x.c")
    (tmp_path / "outer").write_text(f"-g @{tmp_path}/inner @missing")
    assert expand([f"@{tmp_path}/outer"]) == ["-g", "-c", "x.c", "@missing"]
    (tmp_path / "loop").write_text(f"@{tmp_path}/loop")
    with pytest.raises(InstError, match="too many @-files"):  # as GNU as and ld say
        expand([f"@{tmp_path}/loop"])


@pytest.mark.parametrize(
    ("words", "inputs", "output", "others"),
    [
        ("-a32 -mppc -o x.o y.s", ("y.s",), "x.o", "-a32 -mppc"),
        ("-K PIC -Av8 -32 -o - -", ("-",), "-", "-K PIC -Av8 -32"),
        ("-I dir --defsym a=1 -oz.o", (), "z.o", "-I dir --defsym a=1"),
        ("a.s b.s -Idir", ("a.s", "b.s"), "a.out", "-Idir"),
    ],
)
def test_assembler_words(words: str, inputs: tuple[str, ...], output: str, others: str) -> None:
    """Inputs and output are found among options with and without values."""
    invocation = parse(words.split())
    assert invocation.inputs == inputs
    assert invocation.output == output
    assert invocation.others == tuple(others.split())


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("-a32 -K PIC -mppc -many -mbig", "ppc32"),
        ("-a32 -mbooke", "ppc32"),
        ("-a64 -mpower4 -many -mbig", "ppc64"),
        ("-a64 -mpower8 -many -mlittle", "ppc64le"),
        ("-s -K PIC -Av8 -32 -relax", "sparc-v8"),
        ("-s -K PIC -Av9 -64 -no-undeclared-regs -relax", "sparc-v9"),
        ("-Aleon -32 -relax", "sparc-v8"),
        ("-Av8 -32 -Av8plusa", "sparc-v8"),
    ],
)
def test_target_by_assembler_options(words: str, name: str) -> None:
    """What the compiler tells its assembler says the target."""
    assert target_of_assembler(words.split()).name == name


@pytest.mark.parametrize(
    "words", ["-Av9a -32 -relax", "-Av8plusa -32", "--64", "-a32 -mlittle", ""]
)
def test_other_targets_are_refused(words: str) -> None:
    """What cannot be instrumented is an error, never passed through."""
    with pytest.raises(InstError, match="hint"):
        target_of_assembler(words.split())


def test_target_by_emulation() -> None:
    """The linker's -m says the target, with or without a space."""
    assert target_of_emulation(["-m", "elf64_sparc"]) is TARGETS["sparc-v9"]
    assert target_of_emulation(["-m", "elf32_sparc"]) is TARGETS["sparc-v8"]
    assert target_of_emulation(["-m", "elf64ppc"]) is TARGETS["ppc64"]
    assert target_of_emulation(["-m", "elf64lppc"]) is TARGETS["ppc64le"]
    assert target_of_emulation(["-melf32ppclinux"]) is TARGETS["ppc32"]
    assert target_of_emulation(["-m", "elf_x86_64"]) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("crt1.o a.o -lgcc -lc -lgcc crtend.o", "crt1.o a.o -lgcc LIB -lc -lgcc crtend.o"),
        ("a.o -lc b.o -lc crtn.o", "a.o -lc b.o LIB -lc crtn.o"),
        ("a.o --start-group -lgcc -lc --end-group crtend.o",
         "a.o LIB --start-group -lgcc -lc --end-group crtend.o"),
        ("a.o --start-group -lx --end-group -lc", "a.o --start-group -lx --end-group LIB -lc"),
        ("crti.o a.o /x/crtendS.o crtn.o", "crti.o a.o LIB /x/crtendS.o crtn.o"),
        ("a.o", "a.o LIB"),
    ],
)  # fmt: skip
def test_place_of_the_library(words: str, expected: str) -> None:
    """The library stands before the C library, or inside the start files' brackets."""
    assert with_libraries(words.split(), ["LIB"]) == expected.split()


def test_links_without_library() -> None:
    """A relocatable link and a mere question get no library."""
    assert not needs_library(["-r", "a.o"])
    assert not needs_library(["--version"])
    assert needs_library(["--verbose", "a.o"])


def test_launchers(monkeypatch: pytest.MonkeyPatch) -> None:
    """ccache is told from the compiler; what assembles elsewhere is refused."""
    command = parse_command(["/usr/bin/ccache", "gcc", "-c"])
    assert command.launcher == ("/usr/bin/ccache",)
    assert (command.compiler, command.arguments) == ("gcc", ("-c",))
    with pytest.raises(InstError, match="distcc"):
        parse_command(["distcc", "gcc"])
    monkeypatch.setenv("CCACHE_PREFIX", "icecc")
    with pytest.raises(InstError, match="icecc"):
        parse_command(["gcc", "-c"])
    monkeypatch.delenv("CCACHE_PREFIX")
    with pytest.raises(InstError, match="no compiler"):
        parse_command([])


def test_query_keeps_what_selects_tools() -> None:
    """Only arguments that decide which tools are run go into the question."""
    words = ("-O2", "-B", "dir", "x.c", "-m32", "--target=ppc", "-o", "y")
    assert query_command("cc", words) == ["cc", "-B", "dir", "-m32", "--target=ppc"]


MARKED = """\t.file 1 "dir" "a.c"
\t.loc 1 7 3
\tnop
#APP
 # 9 "a.c" 1
\tnop
\tbroken
 # 0 "" 2
#NO_APP
\tnop
"""


@pytest.mark.parametrize(
    ("line", "place"),
    [(3, Location("dir/a.c", 7)), (7, Location("a.c", 10)), (10, Location("dir/a.c", 7))],
)
def test_origin_of_a_line(line: int, place: Location) -> None:
    """Inline assembly has markers, compiled code has .loc."""
    assert find_origin(MARKED, line) == place


def test_errors_point_at_the_user() -> None:
    """An error in compiler output names the user's line, and one elsewhere is left alone."""
    error = InstError("x", location=Location("/tmp/cc1.s", 7, 2))
    assert point_at_user(error, MARKED, "/tmp/cc1.s").location == Location("a.c", 10)
    assert point_at_user(error, MARKED, "other.s") is error
    assert point_at_user(error, "a\nb\n", "/tmp/cc1.s") is error
    other = InstError("x (line 7) (line 3)", location=Location("/tmp/cc1.s", 7, 2))
    told = point_at_user(other, MARKED, "/tmp/cc1.s").message
    assert told == "x (line 10) (dir/a.c:7)", "other lines of a message are told as the user's, too"


def test_line_numbers_survive_insertions() -> None:
    """Markers bring the assembler's count back to the original after each edit."""
    original = "a\nb\nc\nd\n"
    rewritten = "a\nnew\nnew\nb\nchanged\nd\n"
    assert keep_line_numbers(original, rewritten, "x.s").splitlines() == [
        '# 1 "x.s"', "a", "new", '# 2 "x.s"', "new", '# 2 "x.s"', "b",
        "changed", "d",
    ]  # fmt: skip


def test_temporary_names_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the compiler calls /tmp/ccX.s is shown as the name its -S would give."""
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert display_name(("/tmp/ccAbC.s",), '\t.file\t"dir/a.c"\n') == "a.s"
    assert display_name(("-",), '\t.file\t"a.c"\n') == "a.s"
    assert display_name((), "\tnop\n") == "{standard input}"
    assert display_name(("src/hand.s",), '\t.file\t"a.c"\n') == "src/hand.s"


def test_process_keeps_what_it_should() -> None:
    """A child's input, output, errors and end are all its own."""
    text = b"x" * 3_000_000
    done = run(["sh", "-c", "cat; echo no >&2; exit 7"], text=text, keep_output=True,
               keep_errors=True)  # fmt: skip
    assert (done.status, done.output, done.errors) == (7, text, b"no\n")
    assert run(["sh", "-c", "kill -9 $$"]).status == 128 + 9
    with pytest.raises(InstError, match="no-such-program"):
        run(["no-such-program"])
