"""C++ programs: what is instrumented is sound and ordered; what libstdc++ writes unseen is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inst.calls.operators import OPERATORS
from inst.check import Options, Report, check_trace
from inst.program.program import Locator
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell, require_tools

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

FILES = Path(__file__).parent / "files"
STRICT = Options(settings={"memory": "strict"})


@pytest.fixture(params=["ppc32", "sparc-v8", "sparc-v9"])
def target(request: pytest.FixtureRequest) -> Target:
    """Targets of both families and widths, each with a C++ compiler."""
    found = TARGETS[request.param]
    require_tools(_compiler(found)[0], found.emulator)
    return found


def _compiler(target: Target) -> list[str]:
    return [word.replace("gcc", "g++") for word in target.compiler]


def _build(shell: Shell, target: Target, name: str, *flags: str) -> None:
    words = ("-w", "-g", "-O1", *flags, FILES / f"{name}.cc", "-o", "p")
    shell.check("inst-cc", *_compiler(target), *words)


def _checked(shell: Shell, options: Options | None = None) -> Report:
    trace = open_trace(shell.directory / "p.rst")
    locator = Locator([str(shell.directory / "p")], trace)
    return check_trace(trace, options=options, locator=locator)


def test_templates_and_exceptions_are_sound(target: Target, shell: Shell) -> None:
    """Every check, memory-sound at its strictest: vectors, sorting, unwinding, new and delete."""
    _build(shell, target, "templates", "-static")
    assert shell.check(target.emulator, "./p", INST_OUT="p.rst") == "40595 170 20\n"
    report = _checked(shell, STRICT)
    assert (report.findings, report.notes) == ([], [])


def test_what_threads_of_cxx_order(target: Target, shell: Shell) -> None:
    """std::thread, its join, std::condition_variable and new order; nothing else does."""
    _build(shell, target, "threads", "-static")
    shell.check(target.emulator, "./p", INST_OUT="p.rst")
    assert _checked(shell).findings == []
    shell.check(target.emulator, "./p", "unguarded", INST_OUT="p.rst")
    found = _checked(shell).findings
    assert found and {finding.code for finding in found} == {"race"}
    lines = (FILES / "threads.cc").read_text().splitlines()
    for finding in found:
        assert "unguarded++" in lines[int(finding.site.rpartition(":")[2]) - 1]


def test_every_form_of_new_and_delete(target: Target, shell: Shell) -> None:
    """The program calls all that are in the table for its width, and each is reported."""
    _build(shell, target, "operators", "-static")
    assert shell.check(target.emulator, "./p", INST_OUT="p.rst") == "1\n"
    shell.check(*_compiler(target), "-c", FILES / "operators.cc")
    called = set(re.findall(r"U (\S+)", shell.check("nm", "-u", "operators.o")))
    other = "m" if target.bits == 32 else "j"
    assert {name for name in OPERATORS if other not in name[4:7]} <= called
    hints = [event for event in open_trace(shell.directory / "p.rst").objects()
             if event.kind == Kind.HINT and event.site.startswith("0x")]  # fmt: skip
    hints = [event for event in hints if event.thread == hints[0].thread and not event.address % 2]
    back = [event.address for event in hints if event.detail == "happens_before"]
    given = [  # no buffer of stdout, which may lie where one of them was
        event.address for event in hints if event.detail == "happens_after" and event.value == 8
    ]
    assert given[-12:] == back[-12:]
    assert len(set(given[-12:-4])) == 8 and len(set(given[-4:])) == 4


def test_the_library_that_is_not_instrumented_is_named(shell: Shell) -> None:
    """By default its writes are counted, with its name; with strict settings each is reported."""
    target = TARGETS["ppc32"]
    require_tools(_compiler(target)[0], target.emulator)
    _build(shell, target, "streams", "-static")
    assert shell.check(target.emulator, "./p", INST_OUT="p.rst") == "counted 11 and\n"
    report = _checked(shell)
    assert report.findings == []
    assert any("libstdc++ in the program is not instrumented" in note for note in report.notes)
    strict = _checked(shell, STRICT)
    assert {finding.code for finding in strict.findings} == {"memory-hole"}
    assert "libstdc++ records none" in strict.findings[0].expected


def test_shared_libraries(shell: Shell) -> None:
    """In dynamic programs, too, the functions of libstdc++ are wrapped and reported."""
    target = TARGETS["ppc32"]
    require_tools(_compiler(target)[0], target.emulator)
    _build(shell, target, "threads")
    shell.check(target.emulator, "-L", "/usr/powerpc-linux-gnu", "./p", INST_OUT="p.rst")
    assert _checked(shell).findings == []
    trace = open_trace(shell.directory / "p.rst")
    for _ in trace.batches():
        pass
    assert trace.facts.producer["uninstrumented"] == "libstdc++"
