"""musl, instrumented itself, and gzip linked to it by its own build system.

What the kernel and the program do is then all there is in a trace, and the strict form of the check
`memory-sound` has to find every byte that is read explained.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

from truth.gzip_truth import HOSTS, NO_REMAKE, fetch_source

from tests.classic.workloads import execute
from tests.real.suite import Setting, Suite

_FORMAT = "-mlong-double-64"
"""Debian's compilers for PowerPC have a long double of 128 bits, musl one of 64."""
_ROUND_TRIP = """
INST_OUT=compress.rst ./compressor -n -9 <input >output.gz && echo "PASS: compress"
gzip -dc output.gz | cmp - input && echo "PASS: read by the host's gzip"
INST_OUT=decompress.rst ./compressor -dc output.gz >output && echo "PASS: decompress"
cmp input output && echo "PASS: round trip"
"""
_CHECK = """
for trace in compress decompress; do
    {python} -m inst check --strict --set memory=strict $trace.rst || exit 1
    rm $trace.rst
done
"""


def _configure_musl(directory: Path, setting: Setting) -> None:
    options = ["--disable-shared", "--enable-wrapper=gcc", f"CFLAGS={_FORMAT} -O2"]
    host = f"--target={HOSTS[setting.target.name]}"
    words = ["./configure", host, f"--prefix={directory / 'installed'}", *options]
    execute([*words, f"CC={setting.command()}"], directory, _building(setting))


def _building(setting: Setting) -> dict[str, str]:
    return setting.environment | {"INST_BUILDING_LIBC": "1"}


def _make_musl(directory: Path, setting: Setting) -> None:
    """Install musl, and make gzip by musl's wrapper for the compiler."""
    execute(["make", "install"], directory, _building(setting))
    gzip = directory / "gzip"
    shutil.copytree(fetch_source("gzip", directory.parent.parent / "sources"), gzip)
    words = [setting.prefix, str(directory / "installed" / "bin" / "musl-gcc"), setting.suffix]
    command = " ".join(filter(None, [*words, _FORMAT, "-static"]))
    environment = setting.environment | {"REALGCC": setting.target.compiler[0]}
    host = f"--host={HOSTS[setting.target.name]}"
    execute(["./configure", host, f"CC={command}", "CFLAGS=-g -O2"], gzip, environment)
    execute(["make", *NO_REMAKE], gzip, environment)
    shutil.copy(gzip / "gzip", directory / "compressor")
    (directory / "input").write_bytes((gzip / "gzip.c").read_bytes()[:30000])


def _test_musl(_directory: Path, setting: Setting) -> list[str]:
    check = _CHECK.format(python=shlex.quote(sys.executable)) if setting.hooks == "rst" else ""
    return ["sh", "-c", "set -e\n" + _ROUND_TRIP + check]


MUSL = Suite(
    "musl",
    _configure_musl,
    _make_musl,
    _test_musl,
    result=re.compile(r"^(?P<verdict>PASS): (?P<name>.*)$", re.M),
    programs=("compressor",),
    compilers=("gcc",),
    targets=frozenset(("ppc32", "ppc64le")),
)
