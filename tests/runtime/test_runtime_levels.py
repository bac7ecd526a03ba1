"""Which libraries serve objects that pass no values: those whose access hooks read none."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.build.library import build_library
from inst.hooktable import LEVEL_SYMBOLS
from inst.target.targets import TARGETS, Target

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8")

HOOKS = {
    "address": ("ldwhook(inst_address a) { seen += a; }", True),
    "place": ("stbhook(inst_address a, inst_address pc) { seen += a + pc; }", True),
    "value": ("ldwhook(inst_address a, inst_address p, uint32_t v) { seen += v; }", False),
    "size": ("llhook(inst_address a, inst_address p, inst_address n) { seen += n; }", True),
}


@pytest.mark.parametrize("name", HOOKS)
def test_level_is_what_the_hooks_read(tmp_path: Path, target: Target, name: str) -> None:
    body, serves_addresses = HOOKS[name]
    source = tmp_path / f"{name}.c"
    source.write_text(f"#include <inst/hooks.h>\nstatic inst_address seen;\nvoid {body}\n")
    data = build_library(str(source), list(target.compiler), TARGETS[target.name]).read_bytes()
    assert LEVEL_SYMBOLS["values"].encode() + b"\0" in data
    assert (LEVEL_SYMBOLS["addresses"].encode() + b"\0" in data) is serves_addresses
