"""Reads of memory that nothing has written: what is found, and what must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.check import Report, check_trace, registry
from inst.check.fresh_stack import Block, FreshStack
from inst.check.straight import Code
from inst.check.uninitialised import NEXT
from inst.formats.sexp.trace import SexpTrace
from inst.program.program import Locator
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from tests.conftest import Shell, require_tools

PROGRAM = Path(__file__).parent / "programs" / "fresh.c"
OF_STACK = PROGRAM.with_name("frame.c")
CHECK = ("uninitialised",)
_FORMS = {
    "raw": "(hint {head} (kind uninitialised) (location 0x{0}) (value 0x{1}))",
    "given": "(hint {head} (kind happens_after) (location 0x{0}) (value 0x{1}))",
    "back": "(hint {head} (kind happens_before) (location 0x{0}) (value 0x0))",
    "traced": "(hint {head} (kind allocator_traced) (location 0x0) (value 0x0))",
    "r": "(mem-read {head} (address 0x{0}) (value 0x{1}) (size {2}) (src 0x{0}))",
    "w": "(mem-write {head} (mem-order plain) (address 0x{0}) (value 0x{1}) (size {2}) (src 0x1))",
    "range": "(event {head} write (address 0x{0}) (size {1}))",
    "reads": "(event {head} read (address 0x{0}) (size {1}))",
    "zeros": "(mem-init {head} (address 0x{0}) (size 0x{1}))",
}
_LATER = ";r 90 9 4" * (NEXT - 1)
"""As many accesses as may lie between a load and a store that explains it."""

FOUND = (
    # the trace, and the records of its findings
    ("raw 100 20; r 104 5 4", [1]),
    ("raw 100 20; r 104 5 4; r 104 5 4; r 108 5 4", [1, 3]),  # once for each place
    ("raw 100 20; w 100 1 4; r 104 5 4", [2]),
    ("raw 100 20; w 100 1 4; w 108 1 4; r 104 5 4", [3]),
    ("zeros 100 20; raw 100 20; r 104 5 4", [2]),
    ("raw 100 20; r 104 5 4" + _LATER + "; r 90 9 4; w 104 4 4", [1]),  # set much later
    ("raw 100 20; r 104 5 4; w 200 6 4; w 300 5 1", [1]),  # neither there nor a copy
    ("raw 100 20; raw 140 20; back 100; r 144 1 1", [3]),
)
CLEAN = (
    "r 104 5 4",
    "raw 100 20; w 104 1 4; r 104 1 4",
    "raw 100 20; w 105 1 1; r 104 1 4",  # one byte of the word is known
    "raw 100 20; range 100 32; r 104 1 4",
    "raw 100 20; zeros 100 20; r 104 1 4",
    "raw 100 20; r 104 5 4; w 104 15 4",  # a bit-field
    "raw 100 20; r 104 5 4; r 90 1 4; w 204 5 4",  # a copy
    "raw 100 20; r 104 5 4" + _LATER + "; w 104 4 4",
    "raw 100 20; reads 100 32",  # no instruction
    "raw 100 20; back 100; r 104 5 4",  # races reports that
    "raw 100 20; given 100 8; r 104 5 4",
    "raw 100 20; r fe 5 4; r 11e 5 4; r 120 5 4",  # not all of it
    "raw 100 20; r 104 5 4; traced",
)


def _check(text: str) -> Report:
    lines = [line.split() for line in text.split(";")]
    data = "".join(
        _FORMS[name].format(*fields, head=f"(id {number}) (tid 7)") + "\n"
        for number, (name, *fields) in enumerate(lines)
    )
    report = check_trace(SexpTrace("t", [data.encode()]), CHECK)
    assert report.error is None, report.error
    return report


@pytest.mark.parametrize(("text", "records"), FOUND)
def test_every_code_is_raised(text: str, records: list[int]) -> None:
    found = _check(text).findings
    assert [(one.code, one.record) for one in found] == [("uninitialised", n) for n in records]


@pytest.mark.parametrize("text", CLEAN)
def test_what_programs_may_do_is_clean(text: str) -> None:
    assert _check(text).findings == []


def test_only_where_it_is_named_and_only_for_one_thread() -> None:
    assert "uninitialised" in registry.known() and "uninitialised" not in registry.names()
    text = b"(mem-write (id 9) (tid 8) (mem-order plain) (address 0x1) (value 0x0))\n"
    report = check_trace(SexpTrace("t", [b"(barrier (id 8) (tid 7) isb)\n" + text]), CHECK)
    assert report.notes == [
        "uninitialised: the trace has several threads, so nothing was looked for"
    ]


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_program_that_reads_what_it_never_set(name: str, shell: Shell) -> None:
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    wrong = next(
        number
        for number, line in enumerate(PROGRAM.read_text().splitlines(), 1)
        if "was not set" in line
    )
    for flag in ("-O0", "-O2"):
        shell.check("inst-cc", *target.compiler, "-g", flag, "-static", PROGRAM, "-o", "p")
        for argument, lines in (((), []), (("x",), [wrong])):
            shell.check(target.emulator, "./p", *argument, INST_OUT="p.rst")
            trace = open_trace(shell.directory / "p.rst")
            report = check_trace(trace, CHECK, locator=Locator([str(shell.directory / "p")], trace))
            places = [found.site.rpartition(":")[2] for found in report.findings]
            assert places == [str(line) for line in lines], (flag, argument)
            assert report.notes == []


_FRAMES = {
    # what happens: frame START SIZE FUNCTION, w ADDRESS SIZE, r ADDRESS SIZE FUNCTION
    "frame 700 80 1; r 710 4 1": True,
    "frame 700 80 1; w 710 4; r 710 4 1": False,
    "frame 700 80 1; w 70c 4; w 714 4; r 710 4 1": True,
    "frame 700 80 1; w 713 1; r 710 4 1": False,  # a byte of the word is known
    "frame 700 80 1; w 600 200; r 710 4 1": False,
    "frame 700 80 1; r 6fe 4 1": False,  # not all of it
    "frame 700 80 1; r 780 4 1": False,
    "frame 700 80 1; r 710 4 2": False,  # by a pointer: the frame may be gone
    "frame 700 80 1; frame 6c0 40 2; r 710 4 1": True,  # the callee has returned
    "frame 700 80 1; frame 6c0 40 2; r 6d0 4 2": True,
    "frame 700 80 1; frame 6c0 40 1; r 710 4 1": False,  # another call of the function runs
    "frame 700 80 1; frame 740 40 2; r 710 4 1": False,  # gone: its memory was taken again
    "frame 700 80 1; w 710 4; frame 740 40 2; frame 700 40 1; r 710 4 1": True,
}


@pytest.mark.parametrize("text", _FRAMES)
def test_functions_and_their_frames(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Code, "function", lambda _code, place: place)
    stack = FreshStack(SexpTrace("t", [b""]))
    found = []
    for what, *fields in (line.split() for line in text.split(";")):
        address, size, *function = (int(field, 16) for field in fields)
        if what == "frame":
            stack.enter(Block(address, bytearray(b"\1") * size, 0, 0, function=function[0]))
        elif what == "w":
            stack.written(address, address + size)
        else:
            found.append(stack.unwritten(address, size, function[0]) is not None)
    assert found == [_FRAMES[text]]


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
def test_a_program_that_reads_its_stack(target: Target, shell: Shell) -> None:
    """What it never set is found, at each level; what correct programs do is not."""
    lines = OF_STACK.read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "was not set" in line}
    for flag in ("-O0", "-O2"):
        shell.check("inst-cc", *target.compiler, "-g", flag, "-static", OF_STACK, "-o", "p")
        for argument, expected in (((), set()), (("x",), wrong)):
            shell.check(target.emulator, "./p", *argument, INST_OUT="p.rst")
            trace = open_trace(shell.directory / "p.rst")
            report = check_trace(trace, CHECK, locator=Locator([str(shell.directory / "p")], trace))
            places = {int(found.site.rpartition(":")[2]) for found in report.findings}
            assert (places, report.notes) == (expected, []), (flag, argument)
