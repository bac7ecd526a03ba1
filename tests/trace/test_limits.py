"""What is remembered of a trace is bounded, and nothing that fits is changed by the bounds."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from inst.cli import main
from inst.convert import BY_NAME, chrome, convert
from inst.formats.rst import regvals as registers_module
from inst.formats.rst.record import RECORD, RstBatch, encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.formats.sexp.trace import SexpTrace
from inst.simulation import memory as memory_module
from inst.simulation.memory import KnownMemory
from inst.trace import model, open_trace
from inst.trace.model import Facts, Image, Vocabulary
from inst.trace.writing import Job, Losses


def test_a_vocabulary_is_bounded_by_texts_and_by_their_length() -> None:
    few, short = Vocabulary(3, 1000), Vocabulary(1000, 5)
    assert [few.number(text) for text in ("a", "b", "c", "a", "d")] == [1, 2, 0, 1, 0]
    assert [short.number(text) for text in ("abc", "def", "gh", "abc")] == [1, 0, 2, 1]
    assert (few.refused, short.refused) == (2, 1)


def test_facts_and_notes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Facts()
    for number in range(model.FACT_LIMIT + 5):
        facts.add_string(f"n{number}=1")
        facts.add_image(Image(f"p{number}", number))
    assert len(facts.strings) == len(facts.images) == model.FACT_LIMIT
    facts = Facts()
    for _ in range(10):
        facts.add_string("x" * (model.FACT_CHARACTERS // 2))
    assert len(facts.strings) == 2
    trace = SexpTrace("t", [])
    for number in range(model.NOTE_LIMIT + 3):
        trace.note(f"note {number}")
    assert trace.notes[-2:] == [f"note {model.NOTE_LIMIT - 1}", "... and 3 more"]


def test_sources_that_are_too_many_are_a_loss(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left out silently: not in RST's own texts either."""
    line = '(lock (id %d) (tid 1) (address 0x10) (src "f%d.c:1"))\n'
    (tmp_path / "t.sexp").write_text("".join(line % (n, n) for n in range(6)))
    command = ["convert", "--to", "rst", str(tmp_path / "t.sexp"), str(tmp_path / "t.rst")]
    assert main(command) == 0
    small = Vocabulary.__init__

    def limited(self: Vocabulary, limit: int, characters: int) -> None:
        small(self, 4, characters)

    monkeypatch.setattr(Vocabulary, "__init__", limited)
    capsys.readouterr()
    assert main(["convert", str(tmp_path / "t.rst"), str(tmp_path / "t.csv")]) == 0
    assert "sources that are too many to be distinguished" in capsys.readouterr().err
    assert main(command) == 0
    assert "sources that are too many to be distinguished (3)" in capsys.readouterr().err
    assert main([*command, "--strict"]) == 1


def test_kinds_of_losses_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = Losses()
    for number in range(1500):
        losses.add(f"thing {number}", 2)
    assert len(losses.counts) == 1001 and losses.counts["anything else"] == 1000


def test_registers_that_wait_for_an_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The final results are the same with and without discarding earlier ones."""
    chance = random.Random(4)
    records = b"".join(
        encode("regval", postInstr=chance.randrange(2), regtype0=1, regid0=chance.randrange(32),
               reg64_0=number, regtype1=5)
        for number in range(3000)
    )  # fmt: skip
    found = []
    for limit in (1 << 30, 100):
        monkeypatch.setattr(registers_module, "WAITING", limit)
        trace = RstTrace("t", [])
        batches = [
            RstBatch(start, np.frombuffer(records, RECORD)[start : start + 300], 2013)
            for start in range(0, 3000, 300)
        ]

        def replay(batches: list[RstBatch] = batches) -> Iterator[RstBatch]:
            yield from batches

        vars(trace)["batches"] = replay
        registers = registers_module.RstRegisters(trace)
        assert sum(map(len, trace.batches())) == 3000
        found.append((registers.until(2800), registers.until(1 << 60)))
        if limit == 100:
            assert len(registers._waiting) == 0
    assert found[0] == found[1]


def test_registers_that_are_too_wide_for_stf_are_a_loss() -> None:
    start = encode("header", majorVer=2, minorVer=13, percent=37) + encode_string("arch=ppc")
    values = [
        encode("regval", regtype0=1, regid0=n, reg64_0=value, regtype1=5)
        for n, value in enumerate((7, 1 << 40, 8))
    ]
    instr = encode("instr", instr=0x7C632214, pc_va=0x1000)
    output = io.BytesIO()
    job = Job(RstTrace("t", [start, *values, instr]), output)
    convert(job, BY_NAME["stf"])
    assert job.losses.counts["registers wider than the target's"] == 1
    assert b"R00 = 00000007" in output.getvalue() and b"R02 = 00000008" in output.getvalue()


@pytest.mark.parametrize("order", ["big", "little"])
def test_memory_forgets_what_was_not_touched_for_long(
    order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_module, "REMEMBERED", 8)
    memory, chance = KnownMemory(order), random.Random(5)
    last: dict[int, int] = {}
    for step in range(5000):
        address = chance.randrange(0, 64) * 4 if step % 3 else 0
        if chance.randrange(2):
            memory.write(address, 4, step)
            last[address] = step
        else:
            assert memory.read(address, 4) in (None, last.get(address))
        assert len(memory._units) <= 8 and len(memory._older) <= 8
    memory.write(0, 4, 77)
    for address in range(8, 8 + 7 * 8, 8):  # as many other units as are kept at least
        memory.write(address, 4, 1)
    assert memory.read(0, 4) == 77


def test_threads_beyond_those_followed_are_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chrome, "THREADS", 3)
    text = "".join(f"(lock (id {n}) (tid {n}) (address 0x10))\n" for n in range(5))
    job = Job(SexpTrace("t", [text.encode()]), io.BytesIO())
    convert(job, BY_NAME["chrome"])
    assert job.losses.counts["events of threads beyond 3"] == 2


@pytest.mark.parametrize("packing", ["xz", "gz", "zst"])
def test_parts_of_a_split_are_packed_one_after_the_other(packing: str, tmp_path: Path) -> None:
    """A hundred compressors would take gigabytes of memory."""
    line = "(lock (id %d) (tid %d) (address 0x10))\n"
    (tmp_path / "t.sexp").write_text("".join(line % (n, n % 100) for n in range(1000)))
    code = (
        "import sys\n"
        "from inst.cli import main\n"
        "assert main(sys.argv[1:]) == 0\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
    )
    command = ["filter", "split thread", "t.sexp", f"p-{{}}.sexp.{packing}"]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=tmp_path, env={"PYTHONPATH": root},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) < 260_000  # kilobytes
    assert len(list(tmp_path.iterdir())) == 101
    part = open_trace(tmp_path / f"p-42.sexp.{packing}")
    assert [event.id for event in part.objects()] == list(range(42, 1000, 100))


def test_a_merge_says_strings_once_whatever_their_length(tmp_path: Path) -> None:
    long = encode_string("x" * 200_000)
    header = encode("header", majorVer=2, minorVer=13, percent=37, header_str="RST Header v2.13")
    for name in ("a", "b"):
        (tmp_path / f"{name}.rst").write_bytes(header + long + encode("status", status=2))
    paths = [str(tmp_path / name) for name in ("a.rst", "b.rst", "out.rst")]
    assert main(["filter", "merge time", *paths]) == 0
    assert (tmp_path / "out.rst").read_bytes() == (tmp_path / "a.rst").read_bytes()
    assert sum(len(batch) for batch in open_trace(tmp_path / "out.rst").batches()) > 8000
