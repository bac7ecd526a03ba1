"""What the commands do with a damaged trace: one mutant through all of them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np

from inst.convert import BY_NAME, convert
from inst.formats.rst.record import RECORD, encode, encode_string
from inst.formats.rst.rstzip.encode import Encoder as Encoder3
from inst.formats.rst.rstzip.layout import HEADER, MAGIC, MINOR
from inst.formats.stf.record import make_header, make_instruction, make_state
from inst.trace import open_trace
from inst.trace.writing import Job
from tests.hostile.mutants import Mutant
from tests.hostile.running import HangError, defect, describe, run
from tests.trace.rec.encoder import Encoder
from tests.trace.rec.machines import Does, Item

EVENT = bytes.fromhex(
    "2801000200000000000000004003122000000000000000002a0000000000000020000000000000000000000000000000"
)
"""An event of 32 bytes: its EVENT record and the EVENT_SIZE after it."""


def _rst() -> bytes:
    access = encode("instr", ea_valid=1, cpuid=3, instr=0xD01A2000, pc_va=0x10000, ea_va=0x4080)
    return b"".join(
        [
            encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13"),
            *(encode_string(text) for text in ("arch=sparc-v8", "image=/p base=0x10000")),
            encode("cpu", cpu=3) + encode("thread", tid=9),
            access + encode("memval64", addrisVA=1, size=8, addr=0x4080, val=1),
            access + encode("memval128", addr=0x4080, val=1, val2=2),
            EVENT * 2,
            encode("trap", cpuid=3, ttype=0x140) + encode("pavadiff", cpuid=3),
            encode("recnum", incount=7, outcount=8) + encode("preg", cpuid=3),
            encode("status", status=2),
        ]
    )


def _rz3() -> bytes:
    """Return the RST trace as rstzip compresses it, in sections of nine records."""
    encoder, records = Encoder3(), np.frombuffer(_rst(), RECORD)
    sections = [encoder.section(records[at : at + 9]) for at in range(0, len(records), 9)]
    return HEADER.pack(MAGIC, 3, MINOR) + b"".join(sections)


def _sexp() -> bytes:
    """Return records of all kinds, keyed and condensed."""
    lines = [
        '(mem-init (id 0) (tid 1) (address 0x8000) (size 0x2000) (src "a.c:1"))',
        '(mem-write (id 1) (tid 1) (mem-order plain) (address 0x8000) (value 7) (src "a.c:2"))',
        "(mem-read 2 1 8000 7)",
        '(mem-set (id 3) (tid 1) (address 0x9000) (size 0x1000) (value 0) (src "a.c:3"))',
        '(lock (id 4) (tid 2) (address 0x8010) (src "a.c:4"))',
        '(hint (id 5) (tid 2) (kind "set-root-lock") (location 0x8000) (value 0x9000) (src "a:5"))',
        '(barrier (id 6) (tid 2) (kind "dsb ish") (src "a.c:6"))',
        '(tlbi (id 7) (tid 2) (kind "vmalls12e1is") (value 0) (src "a.c:7"))',
        '(unlock (id 8) (tid 2) (address 0x8010) (src "a.c:8"))',
        '(mem-free (id 9) (tid 2) (address 0x8000) (size 0x100) (src "a.c:9"))',
    ]
    return "\n".join(lines).encode() + b"\n"


def _stf() -> bytes:
    instructions = [
        make_instruction(
            0x1000 + 4 * n, 0x80640004, "lwz", status={"XER": n}, registers={"R03": n}
        ).text
        for n in range(5)
    ]
    state = make_state({f"R{n:02}": n for n in range(32)}).text
    return b"".join([make_header({"OPTIONS": "fff"}).text, state, *instructions])


def _rec() -> bytes:
    """Return a recording of two threads, with a signal."""
    encoder = Encoder("ppc", chunk=24 * 88)
    segment = encoder.segment([Item("lwz", 4), Item("stb", -1, value="unknown")])
    main, other = encoder.thread(77), encoder.thread(78)
    does = [Does(0x4000, 0, 5), Does(0x5000)]
    later = encoder.block(main, segment, does, 1)
    encoder.signal(main, 10, encoder.run_time(segment.pcs[1]), later)
    encoder.block(main, segment, does)
    encoder.back(main)
    encoder.event(main, EVENT, ordered=True)
    encoder.block(other, segment, does)
    encoder.event(other, EVENT)
    return encoder.finish()


TRACES = {"rst": _rst(), "rz3": _rz3(), "sexp": _sexp(), "stf": _stf(), "rec": _rec()}
"""A small trace of each format."""


def tables() -> dict[str, bytes]:
    """Return the trace of RST as tables."""
    found = {}
    for kind in ("csv", "parquet"):
        output = BytesIO()
        trace = open_trace(BytesIO(TRACES["rst"]), name="whole")
        convert(Job(trace, output), BY_NAME[kind])
        found[kind] = output.getvalue()
    return found


COMMANDS = {
    "view": ("view", "IN"),
    "table": ("view", "--as", "table", "IN"),
    "as sexp": ("view", "--as", "sexp", "--json", "IN"),
    "stats": ("stats", "--json", "IN"),
    "report": ("report", "--function", "*", "IN"),
    "graph": ("graph", "--as", "svg", "IN"),
    "check": ("check", "--keep-going", "IN"),
    "diff": ("diff", "IN", "WHOLE"),
    "diff events": ("diff", "--events", "WHOLE", "IN"),
    "diff regions": ("diff", "--ignore", "addresses", "IN", "WHOLE"),
    "filter": ("filter", "only load,store | ea 0-0xffffffff | head 5", "IN", "OUT"),
    "salvage": ("filter", "--salvage", "", "IN", "OUT"),
    "to rst": ("convert", "--to", "rst", "IN", "OUT"),
    "to sexp": ("convert", "--to", "sexp", "IN", "OUT"),
    "to csv": ("convert", "--to", "csv", "--partial", "IN", "OUT"),
    "to chrome": ("convert", "--to", "chrome", "IN", "OUT"),
}
"""Every command that reads traces; OUT is written whole or not at all."""
KEEPS = ("salvage", "to csv")
"""Commands with the option to keep the records before damage."""
FINDS = ("check", "diff", "diff events", "diff regions")
"""Commands with status 1 for what they find."""


class Case:
    """A directory with a whole trace and a place for mutants of it."""

    def __init__(self, directory: Path, kind: str) -> None:
        self.directory = directory
        self.words = {"IN": directory / "mutant", "OUT": directory / "out",
                      "WHOLE": directory / "whole"}  # fmt: skip
        self.words["WHOLE"].write_bytes(TRACES.get(kind) or tables()[kind])

    def defects(self, mutant: Mutant) -> Iterator[str]:
        """Yield what is wrong with what the commands do with a mutant."""
        self.words["IN"].write_bytes(mutant.data)
        for name, words in COMMANDS.items():
            try:
                found = self._defect(name, words)
            except (Exception, HangError) as error:
                found = describe(error)
            if found:
                yield f"{name}: {mutant.name}: {found}"

    def _defect(self, name: str, words: tuple[str, ...]) -> str:
        self.words["OUT"].unlink(missing_ok=True)
        outcome = run(*(self.words.get(word, word) for word in words))
        found = defect(outcome, (0, 1, 2) if name in FINDS else (0, 2))
        there = {path.name for path in self.directory.iterdir()}
        expected = {"mutant", "whole"}
        if "OUT" in words and (outcome.status == 0 or (name in KEEPS and "out" in there)):
            expected.add("out")
        return found or ("" if there == expected else f"files: {sorted(there)}")
