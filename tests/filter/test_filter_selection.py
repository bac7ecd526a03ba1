"""Selections and positions: what stays, with what belongs to it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from filter_traces import (
    BA,
    BNE,
    END,
    HEADER,
    LDD,
    NOP,
    START,
    UNKNOWN,
    cpu,
    fields,
    filtered,
    instr,
    load,
    memval,
    names,
    preamble,
    store,
)

from inst.formats.rst.record import encode

TRAP = encode("trap", cpuid=0, ttype=0x108, pc=0x1010, syscall=4)
POST = encode("regval", postInstr=1, cpuid=0, regtype0=1, reg64_0=7)
PRE = encode("regval", postInstr=0, cpuid=0, regtype0=1, reg64_0=6)
BODY = (
    PRE + load(0x1000, 0x2000, 5) + POST,
    store(0x1004, 0x2004, 6),
    instr(BNE, 0x1008, 0x1018, bt=1),
    instr(NOP, 0x100C, an=1),
    TRAP,
    instr(LDD, 0x1010, 0x3000) + memval(0x3000, 8, 9),
)
TRACE = START + b"".join(BODY) + UNKNOWN + END

EXPECTED = [
    ("only load", (0, 5)),
    ("only load,store", (0, 1, 5)),
    ("load or store", (0, 1, 5)),
    ("store", (1,)),
    ("branch", (2,)),
    ("only trap", (4,)),
    ("only memval64", (0, 1, 5)),
    ("only instr", (0, 1, 2, 3, 5)),
    ("only instruction", (0, 1, 2, 3, 5)),
    ("not only instr", (4,)),
    ("pc 1004", (1,)),
    ("pc 0x1008-100c,1000", (0, 2, 3)),
    ("pc 1008-", (2, 3, 4, 5)),
    ("pc -1004", (0, 1)),
    ("pc 1000+8", (0, 1)),
    ("ea 2000-2003,3000", (0, 5)),
    ("ea 1018", (2,)),
    ("not ea 2000-2fff", (2, 3, 4, 5)),
    ("size 8", (5,)),
    ("size 1-7", (0, 1)),
    ("value 6", (1,)),
    ("value 0x9", (5,)),
    ("word 01000000", (3,)),
    ("flag annulled", (3,)),
    ("flag taken", (2,)),
    ("flag bt,annulled", (2, 3)),
    ("opcode st", (1,)),
    ("opcode ld*", (0, 5)),
    ("opcode b*,nop", (2, 3)),
    ("thread 3", (0, 1, 2, 3, 4, 5)),
    ("cpu 0 and not load", (1, 2, 3, 4)),
    ("load and value 5 or pc 1010 and not load", (0, 4)),
    ("(load or store) and not (value 5 or value 9)", (1,)),
    ("not not store", (1,)),
    ("head 2 marks=no", (0, 1)),
    ("head 0 marks=no", ()),
    ("skip 4 marks=no", (4, 5)),
    ("skip 4i marks=no", (4, 5)),
    ("tail 2 marks=no", (4, 5)),
    ("tail 2i marks=no", (3, 4, 5)),
    ("tail 0 marks=no", ()),
    ("tail 99 marks=no", (0, 1, 2, 3, 4, 5)),
    ("skip 0 marks=no", (0, 1, 2, 3, 4, 5)),
    ("sample 1/3 marks=no", (0, 3)),
    ("sample 1/3 block=2 marks=no", (0, 1)),
    ("sample 2/2 marks=no", (0, 1, 2, 3, 4, 5)),
    ("sample 1/3 unit=instructions marks=no", (0, 3)),
    ("only load,store|ea 2000-3fff|skip 1 marks=no|head 1 marks=no", (1,)),
]


@pytest.mark.parametrize(("pipeline", "kept"), EXPECTED)
def test_selections_keep_whole_events_and_the_context(
    tmp_path: Path, pipeline: str, kept: tuple[int, ...]
) -> None:
    """The header, strings, switches, translation, unknown types and the end stay."""
    found = filtered(tmp_path, pipeline, TRACE)
    ends = b"" if "head" in pipeline else UNKNOWN + END
    assert names(found) == names(START + b"".join(BODY[n] for n in kept) + ends)
    assert found == START + b"".join(BODY[n] for n in kept) + ends


@pytest.mark.parametrize(
    ("pipeline", "gone"),
    [
        ("drop unknown", UNKNOWN),
        ("drop rtype=60", UNKNOWN),
        ("drop trap", TRAP),
        ("drop pavadiff", encode("pavadiff", cpuid=0, ea_valid=1)),
        ("drop status", END),
        ("drop memval64", None),
    ],
)
def test_drop_removes_exactly_what_it_names(
    tmp_path: Path, pipeline: str, gone: bytes | None
) -> None:
    found = filtered(tmp_path, pipeline, TRACE)
    if gone is None:
        assert names(found) == [name for name in names(TRACE) if name != "memval64"]
    else:
        assert found == TRACE.replace(gone, b"")


def test_drop_of_an_instruction_takes_along_its_values(tmp_path: Path) -> None:
    assert filtered(tmp_path, "drop store", TRACE) == TRACE.replace(BODY[1], b"")
    assert filtered(tmp_path, "drop context", TRACE) == b"".join(BODY)
    assert filtered(tmp_path, "drop context,instr", TRACE) == TRAP


def test_threads_are_told_by_cpu_and_thread_records(tmp_path: Path) -> None:
    one, two = load(0x10, 0x20, 1, cpu=0), load(0x10, 0x20, 2, cpu=1)
    trace = preamble() + cpu(0, 7) + one + cpu(1, 8) + two + one + END
    assert filtered(tmp_path, "thread 7", trace) == preamble() + cpu(0, 7) + one + one + END
    assert filtered(tmp_path, "thread 8", trace) == preamble() + cpu(1, 8) + two + END
    assert filtered(tmp_path, "not thread 7", trace) == preamble() + cpu(1, 8) + two + END
    assert filtered(tmp_path, "cpu 1", trace) == preamble() + cpu(1, 8) + two + END


def test_a_thread_that_moves_keeps_the_cpu_record_it_moves_to(tmp_path: Path) -> None:
    at_one, at_zero = load(0x10, 0x20, 1, cpu=1), load(0x14, 0x20, 2, cpu=0)
    moved = encode("thread", tid=7) + at_zero
    trace = preamble() + cpu(1, 7) + at_one + cpu(0, 8) + at_zero + moved
    expected = preamble() + cpu(1, 7) + at_one + encode("cpu", cpu=0) + moved
    assert filtered(tmp_path, "thread 7", trace) == expected


def test_cpu_numbers_stand_for_threads_where_none_is_named(tmp_path: Path) -> None:
    one, two = load(0x10, 0x20, 1, cpu=5), load(0x10, 0x20, 2, cpu=6)
    assert filtered(tmp_path, "thread 6", HEADER + one + two) == HEADER + two


def test_positions_count_across_batches(tmp_path: Path) -> None:
    """A batch holds 43690 records: the cut may be anywhere."""
    events = [load(0x1000, 0x2000, n) for n in range(70_000)]
    trace = START + b"".join(events)
    assert filtered(tmp_path, "skip 50000 marks=no", trace) == START + b"".join(events[50_000:])
    assert filtered(tmp_path, "head 50000 marks=no", trace) == START + b"".join(events[:50_000])
    assert filtered(tmp_path, "tail 60000 marks=no", trace) == START + b"".join(events[10_000:])
    chosen = filtered(tmp_path, "record 0-9,90000-90001 | drop context", trace)
    assert len(START) // 24 == 6
    assert chosen == events[0] + events[1] + events[44_997]
    sampled = filtered(tmp_path, "sample 1/1000", trace)
    assert fields(sampled, "memval64", "val") == list(range(0, 70_000, 1000))
    assert len(fields(sampled, "recnum", "incount")) == 69
    assert len(fields(sampled, "filemarker", "incount")) == 70


def test_groups_stay_together_whatever_chunks_the_input_comes_in(tmp_path: Path) -> None:
    """Values may lie in another batch than their instruction."""
    filler = encode("nullrec") * (43_690 - len(START) // 24 - 1)
    trace = START + filler + load(0x1000, 0x2000, 5) + store(0x1004, 0x2004, 6)
    assert filtered(tmp_path, "value 5|drop nullrec", trace) == START + load(0x1000, 0x2000, 5)


SEXP = b"""(producer (id 0) (tid 1) (name "arch") (value "sparc"))
(mem-write (id 1) (tid 1) (mem-order plain) (address 0x1000) (value 0x5) (size 4) (src "a/b.c:7"))
(mem-read (id 2) (tid 2) (address 0x1008) (value 0x6) (src "a/b.c:9"))
(hint (id 3) (tid 2) (kind release_table) (location 0x2000) (value 0x0))
(own-kind (id 4) (tid 9) (thing 5))
(mem-free 5 1 3000 40)
"""
LINES = SEXP.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("pipeline", "kept"),
    [
        ("load", (0, 2, 4)),
        ("only mem-write,mem-free", (0, 1, 4, 5)),
        ("ea 1000-1fff", (0, 1, 2, 4)),
        ("ea 3000", (0, 4, 5)),
        ("size 8", (0, 2, 4)),
        ("size 0x40", (0, 4, 5)),
        ("value 5-6", (0, 1, 2, 4)),
        ("thread 2", (0, 2, 3)),
        ("id 2-3", (0, 2, 3, 4)),
        ("source b.c:8-", (0, 2, 4)),
        ("source a/b.c", (0, 1, 2, 4)),
        ("source c.c,b.c:7", (0, 1, 4)),
        ("drop unknown,context", (1, 2, 3, 5)),
        ("skip 2", (0, 3, 4, 5)),
        ("head 2", (0, 1, 2)),
        ("tail 1", (0, 4, 5)),
        ("sample 1/2", (0, 1, 3, 4)),
        ("not (store or load)", (0, 3, 4, 5)),
        ("flag atomic", (0, 4)),
    ],
)
def test_s_expressions_are_selected_likewise(
    tmp_path: Path, pipeline: str, kept: tuple[int, ...]
) -> None:
    tail = b"".join(LINES[n] for n in kept)
    if pipeline.startswith("head"):
        tail = tail.removesuffix(LINES[4])  # an unknown kind behind the cut
    assert filtered(tmp_path, pipeline, SEXP) == tail


STF = b"""||OPTIONS: 0 | TRACE: t | VERSION: 1|
PCN = 00001000 OPC = 80640004 MNC = lwz
R03 = 00000005
PCN = 00001004 OPC = 4e800020 MNC = blr
PCN = 00002000 OPC = 90640004 MNC = stw
"""


GAP = b"GAP = 1 BANKS = R\n"
TWO = b"GAP = 2 BANKS = R\n"
TAKEN = b"GAP = 1 NXT = 00002000\n"
CHANGED = b"R03 = 00000005\n" + GAP


@pytest.mark.parametrize(
    ("pipeline", "kept"),
    [("load", (0, 1, 2, TWO)), ("opcode b*", (0, CHANGED, 3, TAKEN)),
     ("pc 2000", (0, b"R03 = 00000005\n" + TWO, 4)), ("skip 1", (0, CHANGED, 3, 4)),
     ("drop header", (1, 2, 3, 4)), ("flag taken", (0, CHANGED, 3, TAKEN)),
     ("size 4 and not store", (0, 1, 2, TWO)), ("load or store", (0, 1, 2, GAP, 4))],
)  # fmt: skip
def test_stf_is_selected_likewise(
    tmp_path: Path, pipeline: str, kept: tuple[int | bytes, ...]
) -> None:
    lines = STF.splitlines(keepends=True)
    expected = b"".join(lines[n] if isinstance(n, int) else n for n in kept)
    assert filtered(tmp_path, pipeline, STF) == expected


def test_functions_and_source_lines_come_from_the_program(tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    assert compiler is not None
    source = tmp_path / "two.c"
    source.write_text("int one(void) { return 1; }\n\nint two(void) { return 2; }\n")
    program = tmp_path / "two.so"
    command = [compiler, "-g", "-shared", "-fPIC", "-nostdlib", "-Wl,-Ttext=0x10000"]
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    listing = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True)
    places = {line.split()[2]: int(line.split()[0], 16) for line in listing.stdout.splitlines()}
    image = encode_image(str(program))
    one, two = (instr(NOP, places[name]) for name in ("one", "two"))
    trace = preamble() + image + one + two
    options = ("--program", str(program))
    for pipeline in ("function two", "source two.c:3", "function t*"):
        found = filtered(tmp_path, pipeline, trace, options=options)
        assert found == preamble() + image + two
    filled = filtered(tmp_path, "fill-symbols", trace, options=options)
    assert names(filled).count("strdesc") == names(trace).count("strdesc") + 2
    assert b"symbol=one" in filled and b"symbol=two" in filled


def encode_image(path: str) -> bytes:
    from inst.formats.rst.record import encode_string

    return encode_string(f"image={path} base=0x0")


def test_branches_of_another_instruction_set(tmp_path: Path) -> None:
    """The word of a SPARC branch is an ordinary PowerPC instruction."""
    branch = instr(0x4182000C, 0x1000)
    trace = preamble("ppc") + branch + instr(BA, 0x1004)
    assert filtered(tmp_path, "branch", trace) == preamble("ppc") + branch
    unnamed = HEADER + branch
    assert filtered(tmp_path, "branch", unnamed, options=("--arch", "ppc")) == unnamed
