"""Which libraries serve objects that pass no values: those whose access hooks read none."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.build.library import build_library
from inst.hooktable import LEVEL_SYMBOLS
from inst.target.targets import TARGETS, Target

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

ADDRESSES = """\
void ldwhook(inst_address a) { seen += a; }
void stbhook(inst_address a, inst_address pc) { seen += a + pc; }
void llhook(inst_address a, inst_address p, inst_address n) { seen += n; }
"""
"""Hooks that read an address, a place and a size."""
VALUE = "void ldwhook(inst_address a, inst_address p, uint32_t v) { seen += v; }\n"


@pytest.mark.parametrize(
    ("text", "serves_addresses"), [(ADDRESSES, True), (VALUE, False)], ids=["addresses", "value"]
)
def test_level_is_what_the_hooks_read(
    tmp_path: Path, target: Target, text: str, serves_addresses: bool
) -> None:
    source = tmp_path / "hooks.c"
    source.write_text(f"#include <inst/hooks.h>\nstatic inst_address seen;\n{text}")
    data = build_library(str(source), list(target.compiler), TARGETS[target.name]).read_bytes()
    assert LEVEL_SYMBOLS["values"].encode() + b"\0" in data
    assert (LEVEL_SYMBOLS["addresses"].encode() + b"\0" in data) is serves_addresses
