"""Conditional exits that are opened where functions are reported: each must do what it did.

The rest of the output is held against the opened text.
"""

from __future__ import annotations

import re

from inst import isa as instruction_sets
from inst.asm.split import split
from inst.flow.read import read_code
from inst.rewrite.edits import apply_edits
from inst.rewrite.exits import open_exits
from inst.target.targets import Target

_OPENED = re.compile(
    r"(?P<name>b\w+)(?P<hint>[+-]?) (?P<operands>.*,)?"
    r"(?P<leaving>\.Lexit\d+); b (?P<past>\.Lexit\d+);"
    r" (?P=leaving): (?:b(?P<register>lr|ctr|tar)|b (?P<target>\S+)); (?P=past):"
)
"""PowerPC: a conditional branch to an unconditional exit."""


def opened(source: str, target: Target) -> tuple[str, list[str]]:
    """Return a file with its conditional exits opened, and what is wrong with that."""
    isa = instruction_sets.get(target.isa, target.abi)
    statements = split(source, target.isa, "<stdin>")
    code = read_code(statements, isa, "<stdin>")
    text = apply_edits(code.statements, open_exits(code, isa, 0))
    problems = []
    for number, (old, new) in enumerate(zip(source.split("\n"), text.split("\n"), strict=True), 1):
        if target.isa == "powerpc" and old != new and not _is_opened(old, new):
            problems.append(f"line {number}: opened, and does something else: {new}")
    return text, problems


def _is_opened(old: str, new: str) -> bool:
    """Return whether a line is what a conditional exit becomes; `bclr` may have no hint."""
    match = _OPENED.search(new)
    if match is None:
        return False
    operands = (match["operands"] or "") + (match["target"] or "")
    written = f"{match['name']}{match['register'] or ''}{match['hint']} {operands}".rstrip(", ")
    found = " ".join(old.split("#")[0].split())
    return found == written or (match["name"] == "bc" and found.startswith(f"{written},"))
