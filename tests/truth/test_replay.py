"""Re-executed instructions are those that the emulator executed, and so are their registers."""

from __future__ import annotations

import functools
import os
import random
import re
import subprocess
from itertools import product
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from inst.cli import main
from inst.formats.rec.execution import BUFFER_LIMIT
from inst.formats.rec.trace import RecTrace
from inst.replay.executed import Observer
from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from inst.trace import open_trace
from tests.trace.rec.alone import alone, states_of
from truth.binary import Binary
from truth.emulator import Array, Plugins, code_extent, run, write_ranges
from truth.harness import ROOT, Build, compile_object, link_program

PROGRAMS = ROOT / "tests" / "truth" / "programs"
BLOCK = np.dtype([("first", "u8"), ("last", "u4"), ("thread", "u4")])
"""As blocks.c writes it."""
NAMES = ("sorting", "floats", "callbacks", "long_jumps", "recursion", "varargs")
REGISTERS = r"""
#include <stdlib.h>
static unsigned table[16], seed;
static int by_value(const void *one, const void *other)
{
    unsigned a = *(const unsigned *)one, b = *(const unsigned *)other;
    return a < b ? -1 : a > b;
}
static unsigned long sum(const unsigned *from, int count)
{
    unsigned long all = 0;
    while (count--)
        all = all * 31 + from[count] + (all >> 3);
    return all;
}
int main(void)
{
    double mean = 0;
    for (int n = 0; n < 16; n++) {
        table[n] = (seed = seed * 1103515245 + 12345) >> 8;
        mean += table[n] / 16.0;
    }
    qsort(table, 16, sizeof *table, by_value);
    return sum(table, 16) == (unsigned long)mean;
}
"""
_POINTERS = {"ppc32": "R13", "ppc64": "R11"}
"""The registers in which code that records keeps its place in its buffer."""
_OFFSET = 0xFFFFFF
"""Of an address: the rest depends on where the program was loaded."""
_CONDITIONAL, _CALL = 16, 18
"""Opcodes of branches."""
_QUICK = (("", "ppc64le", "-O2"), ("", "ppc64", "-O0"), ("long_jumps", "ppc64le", "-O2"))
_TOC_RESTORE = 0xE8410028
"""ld r2,40(r1), which is not executed again after a longjmp."""
_PAIR = re.compile(r"([RF]\d\d) = ([0-9a-f]+)")
_DUMPED = re.compile(r"^NIP ([0-9a-f]+)|^(GPR\d\d.*)$", re.MULTILINE)


def _built(tmp_path: Path, target: str, source: Path, flags: tuple[str, ...] = ("-O2",)) -> Binary:
    """Compile a program that records for re-execution."""
    build = Build(TARGETS[target], flags, ("-lm",), "record", "loads", (), True, True)
    compile_object(build, source, tmp_path / "main.o")
    return link_program(build, [tmp_path / "main.o"], tmp_path / "program")


def _cases() -> list[object]:
    cases = []
    for row, name in enumerate(NAMES):
        for number, target in enumerate(("ppc32", "ppc64")):
            marks = () if row < 2 and number == row else (pytest.mark.campaign,)
            cases.append(pytest.param(name, target, marks=marks))
    return cases


def _of_power10() -> list[object]:
    """Return programs, "" for one that uses what POWER10 added."""
    cases = []
    for name, target, level in product(("", *NAMES), ("ppc64le", "ppc64"), ("-O0", "-O2", "-O3")):
        is_quick = (name, target, level) in _QUICK
        marks = () if is_quick else (pytest.mark.campaign,)
        cases.append(pytest.param(name, target, level, marks=marks))
    return cases


@pytest.mark.parametrize(("name", "target"), _cases())
def test_the_emulator_executed_the_same(
    plugins: Plugins, tmp_path: Path, name: str, target: str
) -> None:
    _compare(plugins, tmp_path, _built(tmp_path, target, PROGRAMS / f"{name}.c"))


@pytest.mark.parametrize(("name", "target", "level"), _of_power10())
def test_the_emulator_executed_the_same_as_power10(
    plugins: Plugins,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    target: str,
    level: str,
) -> None:
    monkeypatch.setenv("QEMU_CPU", "power10")
    source = PROGRAMS / f"{name}.c" if name else Path(__file__).with_name("power10.c")
    binary = _built(tmp_path, target, source, (level, "-mcpu=power10"))
    _compare(plugins, tmp_path, binary)


def _compare(plugins: Plugins, tmp_path: Path, binary: Binary) -> None:
    """Run a program, and compare its instructions with those that are executed again."""
    log, recording = tmp_path / "log", tmp_path / "t.rec"
    start, _ = code_extent(binary.path)
    ranges = write_ranges(log, [(piece.low, piece.high) for piece in binary.pieces])
    option = f"{plugins.blocks},out={log},only={ranges},linked={start:x}"
    run(binary.path, (), option, {"INST_OUT": str(recording)})
    parts: list[Array] = []
    trace = cast(RecTrace, open_trace(recording))

    def observer(*_: object) -> Observer:
        return lambda executed: parts.append(executed.pc)

    trace.observe_execution(observer)
    for _ in trace.batches():
        pass
    found, wanted = np.concatenate(parts), _executed(np.fromfile(log, BLOCK))
    wanted = wanted[~_are_second(wanted, binary)]
    restores = [at & _OFFSET for at, word in binary.code.items() if word == _TOC_RESTORE]
    found, by_windows, wanted = (
        each[_is_program(each, binary)] & np.uint64(_OFFSET)
        for each in (found, _by_windows(recording, len(found)), wanted)
    )
    found, by_windows, wanted = (
        each[~np.isin(each, restores)] for each in (found, by_windows, wanted)
    )
    assert len(found) > 500
    assert np.array_equal(found, wanted)
    assert np.array_equal(by_windows, wanted)


def _by_windows(recording: Path, count: int) -> Array:
    """Return the instructions of windows that are executed alone, in any order."""
    states = states_of(recording, count // 9)
    whole = [one for one in range(len(states)) if len(range(*states.bounds(one)))]
    numbers = random.Random(5).sample(whole, len(whole))
    found = {one: alone(recording, states, *states.bounds(one))[0].pc for one in numbers}
    return np.concatenate([found[one] for one in whole])


def _executed(blocks: Array) -> Array:
    """Return the addresses of the instructions of blocks, as linked."""
    counts = blocks["last"].astype("i8") // 4 + 1
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(np.repeat(blocks["first"], counts) + 4 * within.astype("u8"))


def _are_second(places: Array, binary: Binary) -> Array:
    """Return which places are those of the second words of instructions."""
    second = [at + 4 & _OFFSET for at, word in binary.code.items() if word >> 32]
    return np.isin(places & np.uint64(_OFFSET), second)


def _is_program(places: Array, binary: Binary) -> Array:
    """Return which instructions are not those that asked the runtime for a new buffer.

    Where one is needed depends on the buffers, and re-execution has others. The code that
    checks for it, whose branch goes past the call, may be executed again afterwards.
    """
    code = {address & _OFFSET: word for address, word in binary.code.items()}
    places = places & np.uint64(_OFFSET)
    calls = [at for at, word in code.items() if at + _distance(word, 26) in _rooms(binary)]
    kept = np.ones(len(places), bool)
    for place in np.flatnonzero(np.isin(places, calls)).tolist():
        first = place
        while code[int(places[first - 1])] >> 26 != _CONDITIONAL:
            first -= 1
        branch = int(places[first - 1])
        past = branch + _distance(code[branch], 16)
        end = place
        while branch < int(places[end]) < past:
            end += 1
        if places[end] <= branch:
            first = int(np.flatnonzero(places[:first] == places[end])[-1])
        kept[first:end] = False
    return kept


def _distance(word: int, bits: int) -> int:
    """Return how far a branch goes whose field has so many bits; 0 for another instruction."""
    if word >> 26 != (_CALL if bits == 26 else _CONDITIONAL):
        return 0
    field = word & (1 << bits) - 4
    return field - (field >> bits - 1 << bits)


@functools.cache
def _rooms_of(path: Path) -> frozenset[int]:
    with path.open("rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".symtab").iter_symbols()
        return frozenset(s["st_value"] & _OFFSET for s in symbols if ".room" in s.name)


def _rooms(binary: Binary) -> frozenset[int]:
    """Return the entries that give a new buffer."""
    return _rooms_of(binary.path)


@pytest.mark.parametrize("target", ["ppc32", pytest.param("ppc64", marks=pytest.mark.campaign)])
def test_registers_are_those_of_the_emulator(tmp_path: Path, target: str) -> None:
    """The emulator writes all registers before each instruction."""
    source = tmp_path / "main.c"
    source.write_text(REGISTERS)
    binary = _built(tmp_path, target, source)
    recording, log = tmp_path / "t.rec", tmp_path / "log"
    environment = {"INST_OUT": str(recording)}
    run(binary.path, (), environment=environment)
    addresses = [pc for pc, _ in _replayed(recording)]
    bounds = f"{min(addresses):#x}..{max(addresses):#x}"
    options = ("-singlestep", "-d", "cpu,nochain", "-dfilter", bounds, "-D", str(log))
    command = command_for(binary.path, [], ("-0", "program", *options))
    subprocess.run(command, env={**os.environ, **environment}, check=False)
    lines, dumps = _replayed(recording), _dumped(log.read_text(), binary)
    lines, dumps = (_of_program(each, binary) for each in (lines, dumps))
    assert [pc for pc, _ in dumps] == [pc for pc, _ in lines]
    wrong, compared, held = [], 0, lines[0][1]
    for (pc, stated), (_, after) in zip(lines[1:], dumps[2:], strict=False):
        changed = {name for name, value in stated.items() if held.get(name) != value}
        held |= stated
        for name in changed - {_POINTERS[target]}:
            compared += 1
            if stated[name] not in (after[name], BUFFER_LIMIT):
                wrong.append((hex(pc), name, hex(stated[name]), hex(after[name])))
    assert compared > 500
    assert not wrong[:10]


def _of_program(
    executed: list[tuple[int, dict[str, int]]], binary: Binary
) -> list[tuple[int, dict[str, int]]]:
    kept = _is_program(np.array([pc for pc, _ in executed], "u8"), binary)
    return [one for one, is_kept in zip(executed, kept.tolist(), strict=True) if is_kept]


def _replayed(recording: Path) -> list[tuple[int, dict[str, int]]]:
    made = recording.with_suffix(".stf")
    assert main(["replay", str(recording), "-o", str(made), "-r"]) == 0
    return _stated(made.read_text())


def _stated(text: str) -> list[tuple[int, dict[str, int]]]:
    """Return of each instruction its address and the registers that its lines state."""
    found: list[tuple[int, dict[str, int]]] = []
    for line in text.splitlines():
        if line.startswith("PCN"):
            found.append((int(line.split()[2], 16), {}))
        elif found:
            found[-1][1].update((name, int(value, 16)) for name, value in _PAIR.findall(line))
    return found


def _dumped(text: str, binary: Binary) -> list[tuple[int, dict[str, int]]]:
    """Return of each instruction of the program its address and the registers before it."""
    found: list[tuple[int, dict[str, int]]] = []
    for place, line in _DUMPED.findall(text):
        if place:
            found.append((int(place, 16), {}))
            continue
        for more, value in enumerate(line[5:].split()):
            found[-1][1][f"R{int(line[3:5]) + more:02d}"] = int(value, 16)
    linked = {address & _OFFSET for address in binary.code}
    return [(pc, registers) for pc, registers in found if pc & _OFFSET in linked]
