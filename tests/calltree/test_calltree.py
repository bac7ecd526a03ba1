"""Calls of programs that are made up here, so that each call is known."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from inst.calltree.calls import ENTRIES, INSTRUCTIONS, Calls
from inst.formats.rst.record import encode, encode_string
from inst.trace import open_trace
from inst.trace.model import Kind

FUNCTIONS = [0x1000 * n for n in range(1, 9)]
SIGNAL = '(event (id 0) (tid {}) (what other) (detail "signal") (value 0xa))\n'


@dataclass(slots=True)
class Thread:
    """A program that calls at random; its calls are written down as events of functions."""

    number: int
    frames: list[tuple[str, int, int]] = field(default_factory=list)
    """Name, stack pointer at entry and return address; of a signal its name, 0 and 0."""
    lines: list[str] = field(default_factory=list)
    paths: list[list[str]] = field(default_factory=list)
    """After each entry, what runs."""

    def enter(self, function: int, stack: int, back: int) -> None:
        self.frames.append((f"{function:#x}", stack, back))
        fields = f"(address {stack:#x}) (value {back:#x}) (pc {function:#x})"
        self.lines.append(f"(event (id 0) (tid {self.number}) (what enter) {fields})\n")
        self.paths.append([name for name, _, _ in self.frames])

    def leave(self) -> tuple[str, int, int]:
        name, stack, back = self.frames.pop()
        fields = f"(address {stack:#x}) (value {name}) (pc {int(name, 0) + 64:#x})"
        self.lines.append(f"(event (id 0) (tid {self.number}) (what leave) {fields})\n")
        return name, stack, back

    def step(self, chance: random.Random) -> None:
        """Call, return, call in tail position, jump out of calls, or get a signal."""
        above = [stack for _, stack, _ in self.frames]
        what = chance.choice("crctjrs") if len(self.frames) > 1 and all(above) else "c"
        what = "r" if len(self.frames) > 40 or (not all(above) and chance.randrange(3)) else what
        function = chance.choice(FUNCTIONS)
        if what == "r" and above and above[-1]:
            self.leave()
            if self.frames and not self.frames[-1][1]:
                self.frames.pop()  # the handler's only call: what it interrupted goes on
        elif what == "t":
            _, stack, back = self.leave()
            self.enter(function, stack, back)
        elif what == "j":
            del self.frames[chance.randrange(1, len(self.frames)) :]
            self.enter(function, self.frames[-1][1] - 64, 0x9000)
        elif what == "s":
            self.frames.append(("signal 10", 0, 0))
            self.lines.append(SIGNAL.format(self.number))
            self.enter(function, chance.choice((0x20000, 0xF0000)), 0xB000)
        else:
            stack = above[-1] if above else 0x80000
            self.enter(function, (stack or 0xF0000) - 64, 0xA000)


def reconstructed(trace: Path) -> tuple[Calls, dict[int, list[list[str]]]]:
    """Return for each thread what runs after each entry."""
    opened, paths = open_trace(trace), dict[int, list[list[str]]]()
    calls = Calls(opened)
    for rows in opened.events():
        nodes = calls.take(rows).nodes
        for row in np.flatnonzero(rows["kind"] == Kind.ENTER).tolist():
            path = calls.tree.path(int(nodes[row]))
            paths.setdefault(int(rows["thread"][row]), []).append(path)
    return calls, paths


@pytest.mark.parametrize("seed", range(8))
def test_entries_and_exits_are_matched(seed: int, tmp_path: Path) -> None:
    """Also where calls end without an exit, handlers use another stack, and threads alternate."""
    chance = random.Random(seed)
    threads, lines = [Thread(1), Thread(2)], list[str]()
    for _ in range(800):
        thread = chance.choice(threads)
        thread.step(chance)
        lines += thread.lines
        thread.lines = []
    path = tmp_path / "a.sexp"
    path.write_text('(producer (id 0) (tid 0) (detail "arch=ppc"))\n' + "".join(lines))
    calls, found = reconstructed(path)
    assert calls.how == ENTRIES
    for thread in threads:
        for number, (seen, true) in enumerate(zip(found[thread.number], thread.paths, strict=True)):
            assert seen == true, f"seed {seed}, thread {thread.number}, entry {number}"


WORDS = {
    "ppc": {"nop": 0x60000000, "return": 0x4E800020, "jump": 0x4E800420},
    "sparc-v8": {"nop": 0x01000000, "return": 0x81C3E008, "jump": 0x81C04000},
}


@dataclass(slots=True)
class Machine:
    """A processor that executes made-up code; each instruction is recorded."""

    arch: str
    records: list[bytes] = field(default_factory=list)
    pc: int = FUNCTIONS[0]
    frames: list[tuple[int, int]] = field(default_factory=lambda: [(FUNCTIONS[0], 0)])
    """Function and return address."""
    paths: list[list[int]] = field(default_factory=list)
    """What runs at each instruction."""

    def execute(self, word: int, then: int, *, moves: str = "") -> None:
        """Run an instruction, on SPARC with its slot if it is a transfer."""
        for each in (word, *([WORDS[self.arch]["nop"]] if moves and self.sparc else [])):
            self.records.append(encode("instr", instr=each, pc_va=self.pc, bt=bool(moves)))
            self.paths.append([function for function, _ in self.frames])
            self.pc += 4
        self.pc = then if moves else self.pc

    @property
    def sparc(self) -> bool:
        return self.arch != "ppc"

    def call(self, function: int) -> None:
        distance = function - self.pc
        back = self.pc + (8 if self.sparc else 4)
        word = 0x48000001 | distance & 0x3FFFFFC
        word = 0x40000000 | distance >> 2 & 0x3FFFFFFF if self.sparc else word
        self.execute(word, function, moves="call")
        self.frames.append((function, back))

    def leave(self) -> None:
        back = self.frames[-1][1]
        self.execute(WORDS[self.arch]["return"], back, moves="return")
        self.frames.pop()

    def tail(self, function: int) -> None:
        self.execute(WORDS[self.arch]["jump"], function, moves="jump")
        self.frames[-1] = (function, self.frames[-1][1])

    def jump_out(self, depth: int) -> None:
        """Go on somewhere in a function further out, as longjmp does."""
        self.execute(WORDS[self.arch]["jump"], self.frames[depth][0] + 0x800, moves="jump")
        del self.frames[depth + 1 :]


@pytest.mark.parametrize("arch", WORDS)
def test_every_instruction_gives_every_call(arch: str, tmp_path: Path) -> None:
    """Calls, returns, tail calls and jumps out of several calls, by the words alone."""
    chance, machine = random.Random(5), Machine(arch)
    for _ in range(1500):
        machine.execute(WORDS[arch]["nop"], 0)
        running = {function for function, _ in machine.frames}
        rest = [function for function in FUNCTIONS if function not in running]
        what = chance.choice("crcrtj")
        if what == "c" and rest:
            machine.call(chance.choice(rest))
        elif what == "r" and len(machine.frames) > 1:
            machine.leave()
        elif what == "t" and rest and len(machine.frames) > 1:
            machine.tail(chance.choice(rest))
        elif what == "j" and len(machine.frames) > 2:
            machine.jump_out(chance.randrange(len(machine.frames) - 2))
        if machine.pc & 0xFFF > 0xF00:
            machine.execute(WORDS[arch]["jump"], machine.frames[-1][0] + 0x40, moves="jump")
    check(machine, tmp_path)


@pytest.mark.parametrize("arch", WORDS)
def test_a_jump_to_where_an_outer_call_returns_is_no_return(arch: str, tmp_path: Path) -> None:
    """In a recursive function both ways to a place are taken: by a return and by a branch."""
    machine, function = Machine(arch), FUNCTIONS[0]
    for _ in range(4):
        machine.execute(WORDS[arch]["nop"], 0)
    machine.call(function)
    back = machine.frames[-1][1]
    machine.execute(WORDS[arch]["nop"], 0)
    machine.execute(WORDS[arch]["jump"], back, moves="jump")
    machine.call(FUNCTIONS[1])
    machine.leave()
    machine.execute(WORDS[arch]["nop"], 0)
    machine.leave()
    machine.execute(WORDS[arch]["nop"], 0)
    check(machine, tmp_path)


def check(machine: Machine, directory: Path) -> None:
    """Compare what runs at each instruction with what is reconstructed from their trace."""
    path = directory / "a.rst"
    start = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    start += encode("traceinfo", rtype2=2) + encode_string(f"arch={machine.arch}")
    start += encode("cpu", cpu=0) + encode("thread", tid=7)
    path.write_bytes(start + b"".join(machine.records) + encode("status", status=2))
    opened = open_trace(path)
    calls = Calls(opened)
    functions = calls.functions
    functions._starts = np.array(FUNCTIONS, "u8")
    functions._ends = functions._starts + np.uint64(0x1000)
    functions._numbers = np.array([functions.at_entry(one) for one in FUNCTIONS])
    seen = [
        [int(name, 0) for name in calls.tree.path(node)]
        for rows in opened.events()
        for node in calls.take(rows).nodes.tolist()
    ]
    assert calls.how == INSTRUCTIONS
    for number, (one, true) in enumerate(zip(seen, machine.paths, strict=True)):
        assert one == true, f"instruction {number}"
