"""Opening traces: by content, packed or not, from files, streams and standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from inst.errors import InstError
from inst.formats.rst.record import encode
from inst.trace import open_trace
from inst.trace.model import TraceError
from inst.trace.source import CHUNK

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25)
RST = HEADER + encode("instr", cpuid=1) * 500
SEXP = b"".join(b"(lock (id %d) (tid 0) (address 5))\n" % number for number in range(500))

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize(("data", "kind", "count"), [(RST, "rst", 501), (SEXP, "sexp", 500)])
def test_content_decides(packing: str, data: bytes, kind: str, count: int, tmp_path: Path) -> None:
    path = tmp_path / "trace.bin"
    path.write_bytes(PACKERS[packing](data))
    trace = open_trace(path)
    assert (trace.format, trace.name) == (kind, str(path))
    assert len(list(trace.records())) == count
    with path.open("rb") as stream:
        assert len(list(open_trace(stream).records())) == count


@pytest.mark.parametrize("packing", ["gzip", "zstd", "xz"])
def test_several_packed_members_are_one_trace(packing: str) -> None:
    half = len(SEXP) // 2
    pack = PACKERS[packing]
    stream = io.BytesIO(pack(SEXP[:half]) + pack(SEXP[half:]))
    assert len(list(open_trace(stream).records())) == 500


@pytest.mark.parametrize("packing", ["gzip", "zstd", "xz"])
def test_packed_data_cut_short_delivers_what_came_out(packing: str) -> None:
    lines = b"".join(b"(lock (id %d) (tid 0) (address %d))\n" % (n, n * n) for n in range(40000))
    packed = PACKERS[packing](lines)
    trace = open_trace(io.BytesIO(packed[: len(packed) * 4 // 5]), name="cut")
    seen = 0
    with pytest.raises(TraceError, match="cut short") as error:
        for batch in trace.batches():
            seen += len(batch)
    assert seen > 1000
    assert error.value.offset == len(packed) * 4 // 5


def test_damage_within_packed_data_names_its_offset() -> None:
    noise = bytes(random.Random(1).choices(range(2, 34), k=24 * 10_000))
    packed = bytearray(gzip.compress(HEADER + noise))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = bytes(40)
    with pytest.raises(TraceError, match=r"damaged gzip data .* at byte offset \d+"):
        list(open_trace(io.BytesIO(bytes(packed))).records())


def test_packed_traces_come_in_large_batches() -> None:
    data = RST + encode("instr", cpuid=2) * 200_000
    sizes = [len(batch) for batch in open_trace(io.BytesIO(gzip.compress(data))).batches()]
    assert sum(sizes) == 200_501
    assert max(sizes) <= CHUNK // 24 and len(sizes) <= len(data) // CHUNK + 2


def test_a_long_run_of_zeros_packed_small_is_read_in_pieces() -> None:
    data = RST + bytes(1 << 26)
    trace = open_trace(io.BytesIO(zstandard.ZstdCompressor().compress(data)))
    assert len(list(trace.records())) == 501
    assert "killed" in trace.notes[-1]


def test_an_unpacked_trace_with_white_space_first() -> None:
    assert open_trace(io.BytesIO(b"\n\n \t" + SEXP)).format == "sexp"
    assert open_trace(io.BytesIO(b"")).format == "sexp"
    assert open_trace(io.BytesIO(b"! nothing happened\n")).format == "sexp"


def test_rst_cut_out_of_a_longer_trace() -> None:
    trace = open_trace(io.BytesIO(RST[24:]))
    assert trace.format == "rst"
    assert len(list(trace.records())) == 500


@pytest.mark.parametrize("count", [1, 3])
def test_rst_that_begins_with_an_event_record(count: int) -> None:
    """Its code, 40, is an opening parenthesis."""
    data = encode("event", kind=12, flags=2, address=0x3000) * count
    trace = open_trace(io.BytesIO(data))
    assert (trace.format, len(list(trace.records()))) == ("rst", count)


STATUS = ["XER", "MSR", "CTR", "LNK", "CCR", "MQ", "HQ", "FPSCR"]


@pytest.mark.parametrize("name", [*STATUS, "R00", "F31", "PCN", "GAP"])
def test_stf_cut_out_of_a_longer_trace(name: str) -> None:
    line = "" if name == "PCN" else f"{name} = 00000010\n"
    data = f"{line}PCN = 00000010 OPC = 7c632214 MNC = add\n"
    assert open_trace(io.BytesIO(data.encode())).format == "stf"


def test_stf_without_its_header_is_stf_still(tmp_path: Path) -> None:
    from inst.cli import main

    status = "CCR = 00000000 XER = 00000000\n"
    text = f"|OPTIONS: f|\n{status}PCN = 00000010 OPC = 7c632214 MNC = add\n"
    (tmp_path / "a.stf").write_text(text)
    words = (tmp_path / "a.stf", tmp_path / "b.stf")
    assert main(["filter", "drop header", *map(str, words)]) == 0
    trace = open_trace(tmp_path / "b.stf")
    assert (trace.format, len(list(trace.records()))) == ("stf", 1)


@pytest.mark.parametrize("data", [b"hello", b"\x7fELF" + bytes(99), bz2.compress(b"x"), b"PCN 5"])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(TraceError, match="not a trace: it begins with the bytes"):
        open_trace(io.BytesIO(data))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InstError, match="No such file"):
        open_trace(tmp_path / "none")
    with pytest.raises(InstError, match="directory"):
        open_trace(tmp_path)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RST))))
    trace = open_trace("-")
    assert (trace.name, len(list(trace.records()))) == ("<stdin>", 501)
