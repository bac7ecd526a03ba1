"""bzip2 from Debian's source package, compiled by inst-cc, against the emulator's record."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from inst.target.targets import TARGETS, Target
from tests.warm import python
from truth.binary import Binary, read_binary
from truth.emulator import Plugins
from truth.gzip_truth import check_runs, fetch_source, make_data
from truth.harness import ROOT, python_environment

FILES = (
    "blocksort",
    "bzip2",
    "bzlib",
    "compress",
    "crctable",
    "decompress",
    "huffman",
    "randtable",
)
SIZE = 1 << 12
"""Bytes to compress."""
FLAGS = ("-g", "-O2", "-D_FILE_OFFSET_BITS=64", "-fno-builtin-strcmp")
"""A comparison that gcc writes inline goes by how far its strings are from the end of a page, which
is not the same in the two programs."""


def build(source: Path, directory: Path, target: Target, *wrapper: str) -> Binary:
    """Compile and link bzip2, file by file, in a directory of its own."""
    directory.mkdir()
    compiler = [*wrapper, *target.compiler]
    files = [str(source / f"{name}.c") for name in FILES]
    objects = [f"{name}.o" for name in FILES]
    for arguments in (
        [*FLAGS, "-c", *files],
        [*objects, "-o", "bzip2", "-Wl,-Map=bzip2.map"],
    ):
        subprocess.run([*compiler, *arguments], cwd=directory, check=True, env=python_environment())
    program, link_map = directory / "bzip2", directory / "bzip2.map"
    return read_binary(program, link_map, target.isa, {*objects}, directory)


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_bzip2_traces_what_the_emulator_saw(
    plugins: Plugins, name: str, tmp_path: Path, require: Callable[..., None]
) -> None:
    require("apt-get", "dpkg-source")
    target, source = TARGETS[name], fetch_source("bzip2", ROOT / "build" / "sources")
    traced = build(
        source, tmp_path / "traced", target, python(), "-m", "inst.wrap.cc", "--inst-hooks=rst"
    )
    plain = build(source, tmp_path / "plain", target)
    data = make_data(tmp_path / "data", SIZE)
    for what, verdict in check_runs(plugins, plain, traced, data, tmp_path / "data.bz2").items():
        assert not verdict.problems, f"{what}: {verdict.summary()}"
        assert verdict.accesses > 50_000
        assert verdict.bytes_checked > verdict.bytes_loaded * 0.4
