"""The library `stf`: what it writes is what `inst convert` makes of an RST trace."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from inst.cli import main as inst
from inst.formats.stf.trace import StfTrace
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Array
from tests.truth.harness import Build, compile_object, link_program

PROGRAM = """
#include <stdint.h>
struct wide { uint32_t words[12]; };
__attribute__((noinline)) double sum(struct wide all, const double *d, const float *f, int n)
{
    double found = 0;
    for (int i = 0; i < n; i++)
        found += d[i] * f[i] + all.words[i];
    return found;
}
static double doubles[12];
static float floats[12];
static volatile uint64_t large;
static volatile int16_t small = -3;
static volatile unsigned char byte;
int main(void)
{
    struct wide all;
    for (int i = 0; i < 12; i++) {
        all.words[i] = i * 0x01010101;
        doubles[i] = i + 0.5;
        floats[i] = -i / 4.0f;
    }
    large = 0x1122334455667788;
    byte = small;
    long extended;
    __asm__ volatile("lha %0, 0(%1)" : "=r"(extended) : "b"(&small));
    large += extended;
    large += __builtin_bswap32(*(volatile uint32_t *)&all.words[7]);
    return sum(all, doubles, floats, 12) != 12012346.0 && large == byte;
}
"""
POWERPC = [name for name, target in TARGETS.items() if target.isa == "powerpc"]


def traced(directory: Path, name: str, hooks: str, *options: str, watch: str = "") -> Path:
    """Build and run the program; return its trace, of some addresses only if those are named."""
    (directory / "program.c").write_text(PROGRAM)
    build = Build(TARGETS[name], ("-static", "-Os", *options), (), hooks)
    made = directory / f"{hooks}.o"
    compile_object(build, directory / "program.c", made)
    link_program(build, [made], directory / hooks)
    out = directory / f"out.{hooks}"
    command = [TARGETS[name].emulator, str(directory / hooks)]
    watching = {"INST_WATCH": watch} if watch else {}
    subprocess.run(command, env={**os.environ, "INST_OUT": str(out), **watching}, check=False)
    return out


def events_of(path: Path) -> Array:
    return np.concatenate(list(open_trace(path).events()))


def names_of(path: Path) -> list[str]:
    return re.findall(r"MNC = (\S+)", path.read_text())


@pytest.mark.parametrize("name", POWERPC)
def test_the_library_writes_what_a_conversion_gives(name: str, tmp_path: Path) -> None:
    direct, converted = traced(tmp_path, name, "stf"), tmp_path / "converted.stf"
    assert inst(["convert", str(traced(tmp_path, name, "rst")), str(converted)]) == 0
    assert inst(["check", "--only", "well-formed", str(direct)]) == 0
    seen, wanted = events_of(direct), events_of(converted)
    assert len(seen) > 90
    # The programs have different libraries, and so their code at different places.
    assert (seen["pc"] - seen["pc"][0]).tolist() == (wanted["pc"] - wanted["pc"][0]).tolist()
    for column in ("kind", "flags", "size"):
        assert seen[column].tolist() == wanted[column].tolist(), column
    # Only what depends on where the linker put data may differ; the truth test looks at it.
    assert (seen["word"] >> 16).tolist() == (wanted["word"] >> 16).tolist()
    assert np.mean(seen["value"] == wanted["value"]) > 0.9
    assert np.mean(seen["address"] & np.uint64(7) == wanted["address"] & np.uint64(7)) > 0.9
    assert names_of(direct) == names_of(converted)
    for path in (direct, converted):
        extended = re.search(r"MNC = lha\nR\d\d = (\w+)", path.read_text())
        assert extended and extended[1] == f"{-3 & (1 << TARGETS[name].bits) - 1:x}"


def test_the_header_tells_of_the_program(tmp_path: Path) -> None:
    direct = traced(tmp_path, "ppc32", "stf")
    trace = open_trace(direct)
    assert isinstance(trace, StfTrace)
    assert len(list(trace.records())) > 150
    told = dict(text.partition("=")[::2] for text in trace.facts.strings)
    assert told["OPTIONS"] == "0" and told["TRACE"] == str(direct) and told["hooks"] == "stf"
    assert told["image"].startswith(f"{tmp_path}/stf base=0x")
    assert trace.facts.arch == "ppc"


def test_only_what_is_watched_is_there(tmp_path: Path) -> None:
    found = events_of(traced(tmp_path, "ppc32", "stf", watch="large"))
    assert len(found) > 4
    assert np.ptp(found["address"]) == 4, "two words of one variable"
    assert inst(["check", "--only", "well-formed", str(tmp_path / "out.stf")]) == 0


@pytest.mark.parametrize("name", POWERPC)
def test_a_stream_has_an_end(name: str, tmp_path: Path) -> None:
    """So that one which was cut is not taken for whole: its header cannot be changed later."""
    kept = traced(tmp_path, name, "stf")
    command, output = [TARGETS[name].emulator, str(tmp_path / "stf")], {"INST_OUT": "/dev/stderr"}
    done = subprocess.run(command, env={**os.environ, **output}, capture_output=True, check=False)
    whole, cut = tmp_path / "whole.stf", tmp_path / "cut.stf"
    whole.write_bytes(done.stderr)
    cut.write_bytes(done.stderr[: done.stderr.rindex(b"||")])
    assert np.array_equal(events_of(whole)["pc"], events_of(kept)["pc"])
    assert inst(["check", "--strict", "--only", "well-formed", str(whole)]) == 0
    assert inst(["check", "--strict", "--only", "well-formed", str(cut)]) == 3
