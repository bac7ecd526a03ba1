"""How fast traces are read and shown, how much memory that takes, and how they compress.

    python -m tests.bench.traces

writes build/bench-traces.md and build/bench-traces.json and prints the tables. Every rate
is the best of several runs in processor time, beside a yardstick measured in the same run.
"""

from __future__ import annotations

import io
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from inst.filter.output import Output  # noqa: E402
from inst.formats.rst.record import RECORD, encode, encode_string  # noqa: E402
from inst.formats.stf.record import make_header, make_instruction, make_state  # noqa: E402
from inst.statistics.statistics import gather  # noqa: E402
from inst.trace import open_trace  # noqa: E402
from inst.trace.source import CHUNK  # noqa: E402
from tests.bench import recordings  # noqa: E402
from tests.bench.checked import measure_checks  # noqa: E402
from tests.bench.compressed import measure_compressed  # noqa: E402

WORK = ROOT / "build" / "bench"
REPEATS = 5
RST_RECORDS = 4_000_000
RSTZIP_RECORDS = 400_000
RECORDED = 20_000_000
SEXP_RECORDS = 300_000
STF_INSTRUCTIONS = 100_000
STF_WHOLE = 40_000
"""... with all registers after each of them."""
PACKED_BYTES = 100_000_000 // 24 * 24
STREAM_BYTES = 1_000_000_000

PPC_WORDS = (0x80640004, 0x90640004, 0x88830000, 0x7C602A14, 0x98830001, 0xA0830002)
"""lwz stw lbz add stb lhz"""


class Loop(io.RawIOBase):
    """A stream that says the same again and again, up to a number of bytes."""

    def __init__(self, start: bytes, part: bytes, size: int) -> None:
        self._waiting, self._part, self._left = start, part, size

    def read(self, size: int = -1) -> bytes:
        if self._left <= 0 and not self._waiting:
            return b""
        result, self._waiting = self._waiting or self._part, b""
        self._left -= len(result)
        return result


def accesses(count: int) -> list[tuple[int, int, int, int]]:
    """Return pc, word, address and value of a program's accesses: loops over arrays."""
    chance = random.Random(1)
    result: list[tuple[int, int, int, int]] = []
    while len(result) < count:
        body = 0x10000400 + 64 * chance.randrange(200)
        base, value = 0x40000000 + 8 * chance.randrange(1 << 16), chance.randrange(256)
        for step in range(chance.choice((10, 50, 400))):
            for place in range(6):
                word = PPC_WORDS[(body // 64 + place) % 6]
                address = base + 4 * step if place % 2 else 0x7FFFE000 + 16 * place
                value = value * 5 + step & 0xFFFF if place % 2 else step
                result.append((body + 4 * place, word, address, value))
    return result[:count]


def rst_start() -> bytes:
    header = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    return header + encode_string("arch=ppc") + encode("cpu", cpu=0) + encode("thread", tid=4711)


def rst_part(count: int) -> bytes:
    """Return accesses as pairs of records."""
    raw = np.zeros(count // 2 * 2, RECORD)
    pc, word, address, value = np.array(accesses(count // 2), "u8").T
    for half, columns in (
        (raw[0::2], {"rtype": 3, "flags": 0x40, "word": word, "first": pc, "second": address}),
        (raw[1::2], {"rtype": 26, "flags": 0x40, "half": 4, "first": address, "second": value}),
    ):
        for name, numbers in columns.items():
            half[name] = numbers
    return raw.tobytes()


def sexp_part(count: int, first: int = 0) -> bytes:
    """Return accesses as our hook library writes them."""
    lines = []
    for number, (pc, word, address, value) in enumerate(accesses(count), first + 1):
        kind = "mem-write", " (mem-order plain)"
        if word != PPC_WORDS[1]:
            kind = "mem-read", ""
        lines.append(
            f"({kind[0]} (id {number}) (tid 4711){kind[1]} (address 0x{address:08x}) "
            f"(value 0x{value:x}) (size 4) (src 0x{pc:08x}))\n"
        )
    return "".join(lines).encode()


def stf_start() -> bytes:
    registers = {f"R{n:02}": 0x40000000 for n in range(32)} | {f"F{n:02}": 0 for n in range(32)}
    return make_header({"OPTIONS": "fff", "VERSION": "1"}).text + make_state(registers).text


def stf_part(count: int) -> bytes:
    """Return instructions with the register that changed."""
    texts = []
    for pc, word, _, value in accesses(count):
        registers = {} if word == PPC_WORDS[1] else {"R03": value}
        texts.append(make_instruction(pc, word, "any", registers=registers).text)
    return b"".join(texts)


def stf_whole_part(count: int) -> bytes:
    """Return instructions with all registers, as the classic producer writes them."""
    registers = {f"R{n:02}": n for n in range(32)} | {f"F{n:02}": n for n in range(32)}
    status = {"XER": 0, "MSR": 0xD032, "CTR": 0, "LNK": 0, "CCR": 0, "MQ": 0, "FPSCR": 0}
    return b"".join(
        make_instruction(pc, word, "any", status=status, registers=registers).text
        for pc, word, _, _ in accesses(count)
    )


def least(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the least processor seconds the work takes."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def child_seconds(command: list[str], repeats: int = REPEATS) -> float:
    """Return the least processor seconds that a process takes."""
    times = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def count_of(method: str, path: Path) -> int:
    return sum(len(batch) for batch in getattr(open_trace(path), method)())


def count_statistics(path: Path) -> int:
    return gather(open_trace(path)).events


def read_plainly(path: Path) -> None:
    """Read a file's records by numpy alone, in pieces of the same size."""
    with path.open("rb", buffering=0) as file:
        while len(np.fromfile(file, RECORD, CHUNK // RECORD.itemsize)):
            pass


def measure_rst() -> dict[str, Any]:
    path = WORK / "t.rst"
    part = rst_part(400_000)
    path.write_bytes(rst_start() + part * (RST_RECORDS // 400_000))
    plain = least(lambda: read_plainly(path))
    batches = least(lambda: count_of("batches", path))
    events = least(lambda: count_of("events", path), 2)
    return {
        "batches_per_second": round(RST_RECORDS / batches),
        "numpy_per_second": round(RST_RECORDS / plain),
        "over_numpy": round(batches / plain, 2),
        "records_into_events_per_second": round(RST_RECORDS / events),
        "statistics_per_second": round(RST_RECORDS / 2 / least(lambda: count_statistics(path), 2)),
    }


def measure_rstzip() -> dict[str, Any]:
    """Return how fast rstzip writes and reads accesses, and how small they become."""
    path, plain = WORK / "t.rz3", rst_start() + rst_part(RSTZIP_RECORDS)

    def write() -> None:
        output = Output(str(path))
        output.write(plain)
        output.keep()

    writing, reading = least(write, 2), least(lambda: count_of("batches", path), 2)
    return {
        "written_per_second": round(RSTZIP_RECORDS / writing),
        "read_per_second": round(RSTZIP_RECORDS / reading),
        "ratio": round(len(plain) / path.stat().st_size, 1),
    }


def measure_recording() -> dict[str, Any]:
    path = WORK / "t.rec"
    count = recordings.write(path, RECORDED)
    columns = least(lambda: recordings.decode(path), 2)
    batches = least(lambda: count_of("batches", path), 2)
    return {
        "columns_per_second": round(count / columns),
        "into_rst_per_second": round(count / batches),
        "statistics_per_second": round(count / least(lambda: count_statistics(path), 2)),
    }


def measure_sexp() -> dict[str, Any]:
    path, tokenizer = WORK / "t.sexp", WORK / "getc"
    path.write_bytes(sexp_part(SEXP_RECORDS))
    source = ROOT / "tests" / "bench" / "getc.c"
    subprocess.run(["cc", "-O2", "-o", str(tokenizer), str(source)], check=True)
    yardstick = child_seconds([str(tokenizer), str(path)])
    events = least(lambda: count_of("events", path))

    def records() -> int:
        return sum(1 for _ in open_trace(path).records())

    return {
        "events_per_second": round(SEXP_RECORDS / events),
        "getc_per_second": round(SEXP_RECORDS / yardstick),
        "over_getc": round(events / yardstick, 2),
        "objects_per_second": round(SEXP_RECORDS / least(records, 2)),
    }


def measure_stf() -> dict[str, Any]:
    from inst.simulation import instructions

    changed, whole = WORK / "t.stf", WORK / "whole.stf"
    changed.write_bytes(stf_start() + stf_part(STF_INSTRUCTIONS))
    whole.write_bytes(stf_start() + stf_whole_part(STF_WHOLE))
    result = {}
    for path, count, kind in ((changed, STF_INSTRUCTIONS, ""), (whole, STF_WHOLE, "whole_")):
        rates = {
            "batches": lambda path=path: count_of("batches", path),  # type: ignore[misc]
            "events": lambda path=path: count_of("events", path),  # type: ignore[misc]
            "simulation": lambda path=path: sum(1 for _ in instructions(path)),  # type: ignore[misc]
        }
        for name, work in rates.items():
            result[f"{kind}{name}_per_second"] = round(count / least(work, 3))
    whole.unlink()
    return result


def measure_view() -> dict[str, Any]:
    """Return lines a second of whole processes, less what an empty trace takes."""
    empty = WORK / "empty.rst"
    empty.write_bytes(rst_start())
    start = child_seconds([sys.executable, "-m", "inst", "view", str(empty)])
    result: dict[str, Any] = {"start_seconds": round(start, 3)}
    for name, count in (("rst", RST_RECORDS), ("sexp", SEXP_RECORDS), ("stf", STF_INSTRUCTIONS)):
        few = min(count, 400_000)
        command = [sys.executable, "-m", "inst", "view", "-n", str(few), str(WORK / f"t.{name}")]
        result[f"{name}_lines_per_second"] = round(few / (child_seconds(command, 3) - start))
    return result


def measure_parquet() -> dict[str, Any]:
    """Return what converting RST to Parquet takes, beside reading the same events."""
    from inst.convert import BY_NAME, convert
    from inst.trace.writing import Job

    path = WORK / "t.rst"

    def converted() -> None:
        with (WORK / "t.parquet").open("wb") as output:
            convert(Job(open_trace(path), output), BY_NAME["parquet"])

    reading, writing = least(lambda: count_of("events", path), 3), least(converted, 3)
    (WORK / "t.parquet").unlink()
    return {
        "records_per_second": round(RST_RECORDS / writing),
        "over_reading": round(writing / reading, 2),
    }


def measure_packing() -> dict[str, dict[str, float]]:
    """Return size and seconds of each packer, there and back, for a 100 MB trace."""
    data = (rst_start() + rst_part(PACKED_BYTES // 24))[:PACKED_BYTES]
    plain = WORK / "packed.rst"
    plain.write_bytes(data)
    result = {}
    for name, ending, command in (
        ("zstd -3", "zst", ["zstd", "-3", "-T1", "-qkf"]),
        ("zstd -9", "zst", ["zstd", "-9", "-T1", "-qkf"]),
        ("gzip -6", "gz", ["gzip", "-6", "-kf"]),
        ("xz -6", "xz", ["xz", "-6", "-T1", "-kf"]),
    ):
        seconds = child_seconds([*command, str(plain)], 1)
        packed = Path(f"{plain}.{ending}")
        back = least(lambda packed=packed: count_of("batches", packed), 1)  # type: ignore[misc]
        result[name] = {
            "bytes": packed.stat().st_size,
            "ratio": round(len(data) / packed.stat().st_size, 1),
            "seconds": round(seconds, 2),
            "read_seconds": round(back, 2),
        }
        packed.unlink()
    plain.unlink()
    return result


def measure_memory() -> dict[str, int]:
    """Return the most megabytes a process needs for a gigabyte of each format."""
    result = {}
    for name in ("rst", "sexp", "stf"):
        command = [sys.executable, str(Path(__file__)), "--stream", name]
        done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
        result[name] = int(done.stdout)
    return result


def read_stream(name: str) -> int:
    """Read a gigabyte's events and return the most megabytes that took."""
    start, part = {
        "rst": lambda: (rst_start(), rst_part(CHUNK // 24)),
        "sexp": lambda: (b"", sexp_part(10_000)),
        "stf": lambda: (stf_start(), stf_whole_part(2000)),
    }[name]()
    stream: Any = Loop(start, part, STREAM_BYTES)
    for _ in open_trace(stream).events():
        pass
    status = Path("/proc/self/status").read_text()  # rusage would count the parent's memory too
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def measure_traces() -> dict[str, Any]:
    """Measure everything; the one function another bench need call."""
    WORK.mkdir(parents=True, exist_ok=True)
    return {
        "rst": measure_rst(),
        "rstzip": measure_rstzip(),
        "recording": measure_recording(),
        "sexp": measure_sexp(),
        "stf": measure_stf(),
        "view": measure_view(),
        "parquet": measure_parquet(),
        "checks": measure_checks(WORK, partial(child_seconds, repeats=2), RECORD.itemsize),
        "memory_megabytes": measure_memory(),
        "packing": measure_packing(),
        "compressed": measure_compressed(),
    }


def as_markdown(results: dict[str, Any]) -> str:
    """Return the results as tables."""
    rst, sexp, stf, view = (results[name] for name in ("rst", "sexp", "stf", "view"))
    memory = results["memory_megabytes"]
    rows = [
        ("RST batches", rst["batches_per_second"], f"{rst['over_numpy']} x numpy.fromfile's time"),
        ("numpy.fromfile", rst["numpy_per_second"], "the yardstick"),
        ("RST records into events", rst["records_into_events_per_second"], ""),
        ("RST records into rstzip", results["rstzip"]["written_per_second"],
         f"{results['rstzip']['ratio']} times smaller"),
        ("RST records from rstzip", results["rstzip"]["read_per_second"], ""),
        ("accesses of a recording, columns", results["recording"]["columns_per_second"], ""),
        ("accesses of a recording, RST", results["recording"]["into_rst_per_second"], ""),
        ("accesses of a recording, statistics", results["recording"]["statistics_per_second"], ""),
        ("accesses of RST, statistics", rst["statistics_per_second"], ""),
        ("s-expressions into events", sexp["events_per_second"],
         f"{sexp['over_getc']} x the tokenizer's time"),
        ("a C tokenizer with getc", sexp["getc_per_second"], "the yardstick"),
        ("s-expressions as objects", sexp["objects_per_second"], ""),
        ("STF with changes, batches", stf["batches_per_second"], ""),
        ("STF with changes, events", stf["events_per_second"], ""),
        ("STF with changes, simulated", stf["simulation_per_second"], ""),
        ("STF with all registers, batches", stf["whole_batches_per_second"], ""),
        ("STF with all registers, events", stf["whole_events_per_second"], ""),
        ("STF with all registers, simulated", stf["whole_simulation_per_second"], ""),
        ("RST records into Parquet", results["parquet"]["records_per_second"],
         f"{results['parquet']['over_reading']} x the time of reading"),
        *((f"all checks on a program's trace, {target}", row["records_per_second"],
           f"{row['over_reading']} x the time of reading")
          for target, row in results["checks"].items()),
        ("inst view, RST", view["rst_lines_per_second"], ""),
        ("inst view, s-expressions", view["sexp_lines_per_second"], ""),
        ("inst view, STF", view["stf_lines_per_second"], ""),
    ]  # fmt: skip
    lines = ["# Reading traces", "", "| | a second | |", "|---|---|---|"]
    lines += [f"| {name} | {rate:,} | {note} |" for name, rate, note in rows]
    lines += ["", "## The most memory for a gigabyte", "", "| RST | s-expressions | STF |"]
    lines += ["|---|---|---|", f"| {' | '.join(f'{size} MB' for size in memory.values())} |"]
    lines += ["", "## A trace of 100 MB packed", ""]
    lines += ["| | bytes | ratio | seconds to pack | seconds to read |", "|---|---|---|---|---|"]
    lines += [
        f"| {name} | {row['bytes']:,} | {row['ratio']} | {row['seconds']} | {row['read_seconds']} |"
        for name, row in results["packing"].items()
    ]
    compressed = results["compressed"]
    lines += ["", "## Compressed while a program writes it (kernel, ppc32)", ""]
    lines += ["| inst run -o | bytes | time over the plain trace's |", "|---|---|---|"]
    lines += [
        f"| {name} | {row['bytes']:,} | {row['over_plain']} |"
        for name, row in compressed["written"].items()
    ]
    lines += ["", "| the same trace as | bytes |", "|---|---|"]
    lines += [f"| {name} | {size:,} |" for name, size in compressed["sizes"].items()]
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write the results."""
    if sys.argv[1:2] == ["--stream"]:
        print(read_stream(sys.argv[2]))
        return 0
    results = measure_traces()
    text = as_markdown(results)
    (ROOT / "build" / "bench-traces.json").write_text(json.dumps(results, indent=2) + "\n")
    (ROOT / "build" / "bench-traces.md").write_text(text)
    print(text)
    print("Written to build/bench-traces.md and build/bench-traces.json.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
