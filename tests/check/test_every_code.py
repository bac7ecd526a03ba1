"""Every check of `inst check --list` has tests that hold their raising traces against its codes."""

from __future__ import annotations

import re
from pathlib import Path

from inst.check import registry

TESTS = Path(__file__).resolve().parent.parent
HELD = {
    "well-formed": "trace/test_check_well_formed.py",
    "break-before-make": "check/test_break_before_make.py",
    "rst-sound": "check_memory/test_rst_sound.py",
    "memory-sound": "check_memory/test_memory_sound.py",
    "stack-window": "check_memory/test_stack_window.py",
    "locks": "check_memory/test_locks_races.py",
    "races": "check_memory/test_locks_races.py",
    "uninitialised": "check_memory/test_uninitialised.py",
}
"""Each check's tests: one of them fails when a code has no trace that raises it."""


def test_each_check_has_a_test_of_all_its_codes() -> None:
    assert set(HELD) == set(registry.CHECKS)
    for name, path in HELD.items():
        assert re.search(r"^def test_every_code_", (TESTS / path).read_text(), re.M), name


def test_each_code_belongs_to_one_check() -> None:
    codes = [code for name in registry.CHECKS for code in registry.module(name).CODES]
    assert len(codes) == len(set(codes))
