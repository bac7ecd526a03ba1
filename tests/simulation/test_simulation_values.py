"""Values that the simulation interface gives, against an emulator's registers step by step."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from emulated import Step, rst, run, stf

from inst.simulation import Instruction, Memory, Register, instructions


@pytest.fixture(scope="module")
def powerpc(tmp_path_factory: pytest.TempPathFactory, require: Callable[..., None]) -> list[Step]:
    require("qemu-ppc", "powerpc-linux-gnu-gcc")
    return run("ppc32", tmp_path_factory.mktemp("powerpc"))


@pytest.fixture(scope="module")
def sparc(tmp_path_factory: pytest.TempPathFactory, require: Callable[..., None]) -> list[Step]:
    require("qemu-sparc32plus", "sparc64-linux-gnu-gcc")
    return run("sparc-v8", tmp_path_factory.mktemp("sparc"))


class _Tally:
    """Compares instructions with the emulator's steps, and counts what is known."""

    def __init__(self) -> None:
        self.asked = self.known = self.loads = self.stores = self.checked_loads = 0
        self._bytes: dict[int, int] = {}

    def compare(self, instruction: Instruction, step: Step, following: Step | None) -> None:
        assert (instruction.address, instruction.word) == (step.pc, step.word)
        self._registers(instruction.input, step, instruction)
        turned = instruction.facts is not None and instruction.facts.window
        if not turned:
            self._registers(instruction.kill, step, instruction)
        if following is not None:
            self._registers(instruction.output, following, instruction)
            named = {value.name for value in instruction.output if isinstance(value, Register)}
            changed = {n for n, v in step.registers.items() if following.registers[n] != v}
            assert turned or changed <= named, (instruction, changed)
        self._memory(instruction)

    def _registers(self, values: tuple[object, ...], step: Step, where: Instruction) -> None:
        for value in values:
            if isinstance(value, Register) and value.name in step.registers:
                self.asked += 1
                self.known += value.value is not None
                assert value.value in (None, step.registers[value.name]), (value, where)

    def _memory(self, instruction: Instruction) -> None:
        """Loads see what stores wrote: the values come from different registers."""
        for place in instruction.reads:
            self.loads += 1
            known = self._content(place)
            if known is not None and place.value is not None:
                self.checked_loads += 1
                assert place.value == known, instruction
        access = instruction.facts.access if instruction.facts else None
        if access is not None and access.store and not instruction.writes:
            self._bytes.clear()  # nothing told where it stored
        for place in instruction.writes:
            self.stores += 1
            for n in range(place.size):
                self._bytes.pop(place.address + n, None)
            if place.value is not None:
                data = place.value.to_bytes(place.size, "big")
                self._bytes |= dict(enumerate(data, place.address))
        for place in instruction.kill:
            assert not isinstance(place, Memory) or place.address

    def _content(self, place: Memory) -> int | None:
        found = [self._bytes.get(place.address + n) for n in range(place.size)]
        return None if None in found else int.from_bytes(bytes(n or 0 for n in found), "big")


def tally(trace: bytes, steps: list[Step]) -> _Tally:
    result = _Tally()
    found = list(instructions(io.BytesIO(trace)))
    assert len(found) == len(steps)
    for n, (instruction, step) in enumerate(zip(found, steps, strict=True)):
        result.compare(instruction, step, steps[n + 1] if n + 1 < len(steps) else None)
    assert result.loads > 50 and result.stores > 50 and result.checked_loads > 4
    return result


@pytest.mark.parametrize("everything", [True, False])
def test_stf_values_are_the_emulators(powerpc: list[Step], everything: bool) -> None:
    result = tally(stf(powerpc, everything=everything), powerpc)
    assert result.known / result.asked > 0.99 and result.checked_loads > 40


@pytest.mark.parametrize("everything", [True, False])
def test_rst_values_are_the_emulators_on_powerpc(powerpc: list[Step], everything: bool) -> None:
    result = tally(rst(powerpc, "ppc", everything=everything), powerpc)
    assert result.known / result.asked > (0.9 if everything else 0.6)


@pytest.mark.parametrize("everything", [True, False])
def test_rst_values_are_the_emulators_on_sparc(sparc: list[Step], everything: bool) -> None:
    result = tally(rst(sparc, "sparc", everything=everything), sparc)
    assert result.known / result.asked > (0.9 if everything else 0.6)


def test_branches_of_stf_are_taken_as_the_emulator_took_them(powerpc: list[Step]) -> None:
    found = list(instructions(io.BytesIO(stf(powerpc, everything=False))))
    decided = set()
    for n, instruction in enumerate(found[:-1]):
        went = powerpc[n + 1].pc
        if instruction.taken is None:
            assert went == instruction.address + 4
            continue
        assert instruction.taken == (went != instruction.address + 4)
        assert instruction.target == (went if instruction.taken else None)
        decided.add((instruction.conditional, instruction.taken))
    assert decided == {(True, True), (True, False), (False, True)}


def _records(trace: bytes) -> list[bytes]:
    return [trace[n : n + 24] for n in range(0, len(trace), 24)]


def _checked(records: list[bytes], steps: list[Step]) -> _Tally:
    """Compare the inputs of what is left of a trace with the steps that are left."""
    result = _Tally()
    for instruction, step in zip(instructions(io.BytesIO(b"".join(records))), steps, strict=True):
        result._registers(instruction.input, step, instruction)
    return result


def test_registers_are_forgotten_where_instructions_are_never_traced(sparc: list[Step]) -> None:
    """No stale value may be reported when some addresses are always left out."""
    records, steps, kept = [], [], True
    following = iter(sparc)
    for record in _records(rst(sparc, "sparc", everything=True)):
        if record[0] == 3:
            step = next(following)
            kept = step.pc // 4 % 5 != 0
            steps += [step] * kept
        records += [record] * kept
    result = _checked(records, steps)
    assert 0 < result.known < result.asked


def test_registers_are_forgotten_at_a_marked_gap(sparc: list[Step]) -> None:
    whole = _records(rst(sparc, "sparc", everything=True))
    starts = [n for n, record in enumerate(whole) if record[0] == 3]
    start = 300
    end = next(n for n in range(start + 1, len(sparc)) if sparc[n].pc == sparc[start].pc)
    marker = bytes([22, 0x80]).ljust(24, b"\0")
    records = [*whole[: starts[start]], marker, *whole[starts[end] :]]
    left = _checked(records, sparc[:start] + sparc[end:])
    assert left.known < left.asked


def test_the_branch_predictors_run_on_rst(sparc: list[Step], tmp_path: Path) -> None:
    """In RST the branches of a SPARC program are the emulator's, with their delay slots."""
    import subprocess
    import sys

    root, trace = Path(__file__).parents[2], tmp_path / "tiny.rst"
    trace.write_bytes(rst(sparc, "sparc", everything=True))
    command = [sys.executable, str(root / "examples" / "branches.py"), str(trace)]
    said = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": str(root)}, check=True
    ).stdout.splitlines()
    # Bicc and FBfcc, but those that always or never branch.
    taken = [
        following.pc != step.pc + 8
        for step, slot, following in zip(sparc, sparc[1:], sparc[2:], strict=False)
        if step.word >> 30 == 0 and step.word >> 22 & 7 in (2, 6) and step.word >> 25 & 7
        and slot.pc == step.pc + 4
    ]  # fmt: skip
    count = int(said[0].split()[0])
    assert len(taken) > 50 and len(taken) <= count <= len(taken) + 100
    assert float(said[2].split()[1]) > 60


def test_the_example_programs_run(powerpc: list[Step], tmp_path: Path) -> None:
    """Their results are those of the same simulation done from the emulator's steps."""
    import subprocess
    import sys

    root = Path(__file__).parents[2]
    trace = tmp_path / "tiny.stf"
    trace.write_bytes(stf(powerpc, everything=False))

    def output(name: str, *arguments: str) -> str:
        command = [sys.executable, str(root / "examples" / name), str(trace), *arguments]
        environment = {"PYTHONPATH": str(root)}
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        return run.stdout

    found = list(instructions(trace))
    lines = {
        (place.address + n) // 32
        for one in found
        for place in (*one.reads, *one.writes)
        for n in range(place.size)
    }
    assert f"{len(lines)} misses" in output("cache.py", "1024")  # all fits: a miss for each line
    branches = [one for one in found if one.conditional]
    untaken = sum(not one.taken for one in branches)
    said = output("branches.py")
    assert f"{len(branches)} conditional branches" in said
    assert f"{100 * untaken / len(branches):6.2f} % right" in said.splitlines()[1]
    score = float(said.splitlines()[2].split()[1])
    assert score > 100 * max(untaken, len(branches) - untaken) / len(branches) - 5
