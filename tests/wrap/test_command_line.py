"""The inst command: filter, subcommands, errors and exit status."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inst.commands.table import COMMANDS
from inst.errors import InstError
from inst.target.detect import detect_target
from inst.target.targets import Target
from tests.conftest import ROOT, Shell, require_tools

pytestmark = pytest.mark.rotated("ppc32")

SOURCE = "int f(int *p, int *q) { *q = 1; return p[1] + q[1]; }\n"


def _assembly(shell: Shell, target: Target) -> str:
    (shell.directory / "a.c").write_text(SOURCE)
    return shell.check(*target.compiler, "-O2", "-S", "a.c", "-o", "-")


def test_filter_as_in_1994(target: Target, shell: Shell) -> None:
    """`inst < a.s > b.s` translates; the target is seen or said; a file does as well."""
    text = _assembly(shell, target)
    (shell.directory / "a.s").write_text(text)
    rewritten = shell.check("inst", stdin=text.encode())
    assert "inst.ldw" in rewritten
    assert shell.check("inst", "--target", target.name, stdin=text.encode()) == rewritten
    shell.check("inst", "translate", "a.s", "-o", "b.s")
    assert (shell.directory / "b.s").read_text() == rewritten.replace("<stdin>", "a.s")
    addresses = shell.check("inst", "--level=addresses", stdin=text.encode())
    assert re.search(r"inst\.ldw\.[a-z]\d", rewritten)
    assert not re.search(r"inst\.ldw\.[a-z]\d", addresses)


def test_failed_translation_writes_nothing(target: Target, shell: Shell) -> None:
    """A file that cannot be translated leaves the output as it was, with status 1."""
    text = _assembly(shell, target) + "\tfrobnicate 3\n"
    (shell.directory / "old.s").write_text("old")
    done = shell.run("inst", "-t", target.name, "-o", "old.s", stdin=text.encode())
    assert done.returncode == 1
    assert done.stderr.startswith(b"<stdin>:")
    assert done.stdout == b""
    assert (shell.directory / "old.s").read_text() == "old"
    assert [path.name for path in shell.directory.glob("old*")] == ["old.s"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\tstwu 1,-16(1)\n", "ppc32"),
        ('\t.machine ppc\n\t.section ".text"\n', "ppc32"),
        ("f:\tlis 9,x@ha\n", "ppc32"),
        ("\tstdu 1,-32(1)\n", "ppc64"),
        ('\t.machine power4\n\t.section\t".opd","aw"\n', "ppc64"),
        ("\t.machine power8\n\t.abiversion 2\n", "ppc64le"),
        ("\tsave %sp, -96, %sp\n", "sparc-v8"),
        ("\tsethi %hi(x), %g1\n", "sparc-v8"),
        ("\tsave %sp, -176, %sp\n\tldx [%sp+2175], %o0\n", "sparc-v9"),
    ],
)
def test_target_is_seen(text: str, name: str) -> None:
    """Each syntax has something that the other has not."""
    assert detect_target(text, "x.s").name == name


def test_target_that_cannot_be_seen() -> None:
    """Text without a clue asks for --target."""
    with pytest.raises(InstError, match="--target"):
        detect_target("\tnop\n", "x.s")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("translate missing.s", 2),
        ("translate --nonsense", 2),
        ("nonsense", 2),
        ("run missing", 1),
        ("run .", 1),
        ("run text", 1),
        ("-t ppc32 -o no/such/place.s", 1),
    ],
)
def test_errors(words: str, status: int, shell: Shell) -> None:
    """Every mistake is one message without a traceback."""
    (shell.directory / "text").write_text("not a program")
    done = shell.run("inst", *words.split(), stdin=b"\tnop\n")
    assert done.returncode == status
    assert b"error" in done.stderr
    assert b"Traceback" not in done.stderr


def test_help_and_version(shell: Shell) -> None:
    """Help lists every subcommand, and each has a help of its own."""
    overview = shell.check("inst", "--help")
    assert "inst 0." in shell.check("inst", "--version")
    for name in COMMANDS:
        assert f"  {name} " in overview
        assert f"usage: inst {name}" in shell.check("inst", name, "--help")


def test_closed_pipe_is_quiet(target: Target, shell: Shell) -> None:
    """`inst ... | head` ends without a message."""
    (shell.directory / "a.s").write_text(_assembly(shell, target) * 1 + "\tnop\n" * 100_000)
    command = f"inst -t {target.name} a.s 2>errors | head -n 1"
    shell.check("sh", "-c", command)
    assert (shell.directory / "errors").read_text() == ""


def test_run_passes_everything_on(target: Target, shell: Shell) -> None:
    """`inst run` hands on arguments, standard input, exit status and the trace's name."""
    (shell.directory / "p.c").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v) {\n"
        '  printf("%d %s %s %c\\n", n, v[1], getenv("INST_OUT"), getchar()); return 9; }\n'
    )
    shell.check(*target.compiler, "p.c", "-o", "p")
    for dashes in ((), ("--",)):
        done = shell.run("inst", "run", "-o", "t.%p", *dashes, "./p", "-x", "-o", stdin=b"Z")
        assert done.returncode == 9, done.stderr.decode()
        assert done.stdout.decode() == f"3 -x {shell.directory}/t.%p Z\n"


def test_run_says_that_there_is_no_trace(target: Target, shell: Shell) -> None:
    """Of a program without hooks, and of one that was stopped: with --strict by the status."""
    (shell.directory / "p.c").write_text(
        "#include <signal.h>\nvolatile int cells[9];\nint main(int n, char **v) { (void)v;\n"
        "  if (n > 2) raise(SIGTERM);\n"
        "  for (int i = 0; i < (n > 1 ? 30000 : 9); i++) cells[i % 9] += i;\n  return 9; }\n"
    )
    shell.check(*target.compiler, "p.c", "-o", "plain")
    shell.check("inst-cc", *target.compiler, "p.c", "-o", "hooked")
    run = ("inst", "run", "-o", "t")
    for old in (False, True):
        done = shell.run(*run, "./plain")
        assert (done.returncode, done.stderr.count(b"\n")) == (9, 1)
        assert b"no trace was written" in done.stderr and b"not built with inst-cc" in done.stderr
        assert (b"before this run" in done.stderr) == old
        assert shell.run("inst", "run", "--strict", "-o", "t", "./plain").returncode == 125
        (shell.directory / "t").write_bytes(b"old")
    done = shell.run("inst", "run", "--strict", "-o", "t", "./hooked")
    assert (done.returncode, done.stderr) == (9, b"")
    limited = f"ulimit -f 600; {' '.join(run)} --strict ./hooked more"
    done = shell.run("sh", "-c", limited)
    assert done.returncode == 125
    assert b"file too large" in done.stderr and b"t is incomplete" in done.stderr
    done = shell.run(*run, "./hooked", "be", "killed")
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, b"")


def test_run_without_emulator(target: Target, shell: Shell) -> None:
    """A missing emulator is named with the package that brings it."""
    (shell.directory / "p.c").write_text("int main(void) { return 0; }\n")
    shell.check(*target.compiler, "p.c", "-o", "p")
    inst = shell.check("sh", "-c", "command -v inst").strip()
    done = shell.run(inst, "run", "p", PATH=str(shell.directory))
    assert done.returncode == 1
    assert target.emulator.encode() in done.stderr
    assert b"apt-get install qemu-user" in done.stderr


def test_nothing_heavy_is_imported_at_the_start() -> None:
    """`inst --version` is quick, and so is each run of the assembler behind inst-cc."""
    heavy = ["capstone", "elftools", "jinja2", "numpy", "pyparsing", "rich", "textual", "zstandard"]
    code = f"import inst.cli, inst.wrap.cc, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment with a wheel that was made from a source archive."""
    place = tmp_path_factory.mktemp("wheel")
    environment = place / "environment"
    python = environment / "bin" / "python"
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (wheel,) = place.glob("*.whl")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps"]
    subprocess.run([*install, "--disable-pip-version-check", wheel], check=True)
    code = "import site; print(site.getsitepackages()[0])"
    site = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout
    Path(site.strip(), "libraries.pth").write_text(
        "\n".join(entry for entry in sys.path if entry.endswith("-packages"))
    )
    return environment


@pytest.mark.parametrize("target", ["ppc32"], indirect=True)
def test_wheel_works(shell: Shell, target: Target, installed: Path) -> None:
    """A wheel in an environment of its own carries hooks, run time and wrappers."""
    python = installed / "bin" / "python"
    path = f"{installed / 'bin'}:{shell.environment['PATH']}"
    where = shell.check(python, "-c", "import inst.paths; print(inst.paths.data('wrappers'))")
    assert where.startswith(str(installed))
    (shell.directory / "a.c").write_text("int g = 42;\nint main(void) { return g; }\n")
    shell.check("inst-cc", "--inst-hooks=count", *target.compiler, "a.c", "-o", "p", PATH=path)
    assert shell.run("inst", "run", "-o", "counts", "p", PATH=path).returncode == 42
    assert (shell.directory / "counts").stat().st_size > 0


def test_wheel_brings_manual_pages_and_examples(shell: Shell, installed: Path) -> None:
    """A page for each command, which `man` finds by PATH alone, and each example."""
    require_tools("man")
    path = f"{installed / 'bin'}:{shell.environment['PATH']}"
    pages = [*(f"inst-{name}" for name in COMMANDS), "inst-cc", "inst-rst"]
    found = shell.check("man", "-w", *pages, PATH=path, MANPATH="").split()
    assert [Path(page).name.partition(".")[0] for page in found] == pages
    assert all(Path(page).is_relative_to(installed / "share/man") for page in found)
    text = shell.check("man", "-M", installed / "share/man", "inst-view", MANWIDTH="80")
    assert "--no-demangle" in text
    home = Path(shell.check("inst", "examples", "--path", PATH=path).strip())
    assert home.is_relative_to(installed)
    shell.check("inst", "examples", "basket.c", "pagetable", PATH=path)
    for name in ("basket.c", "pagetable/suite.c"):
        assert (shell.directory / name).read_bytes() == (ROOT / "examples" / name).read_bytes()
