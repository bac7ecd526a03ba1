"""How many modules outside the instruction sets' packages name one: only ever fewer.

`python -m tests.porting.naming` lists them.
"""

from __future__ import annotations

from pathlib import Path

from tests.porting.naming import (
    ALLOWED,
    ORDINARY,
    PACKAGE,
    instruction_words,
    instructions_in,
    naming,
    naming_instructions,
)
from tests.test_floors import PARTS

MOST = 2
"""Lower it with each module that asks `inst.arch` instead, or moves there."""
OF_ONE_SET = "formats/stf/"
"""The format that only PowerPC has: another instruction set changes nothing in it."""


def test_few_modules_name_an_instruction_set() -> None:
    found = {module: names for module, names in naming().items() if OF_ONE_SET not in module}
    listed = "\n".join(f"{module}: {', '.join(names)}" for module, names in found.items())
    assert len(found) <= MOST, f"{len(found)} modules name an instruction set:\n{listed}"


def test_no_module_names_registers_or_instructions() -> None:
    found = {m: names for m, names in naming_instructions().items() if OF_ONE_SET not in m}
    listed = "\n".join(f"{module}: {', '.join(names)}" for module, names in found.items())
    assert not found, f"these ask for names of one instruction set:\n{listed}"


def test_they_are_found_in_literals_only(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    text = '("r13", "-ffixed-r12", r"(lr|ctr)", f"sethi{1}", "by r13, in prose")'
    module.write_text(f'"""r13 and lwz."""\nA = {text}\n')
    assert instructions_in(module) == ["r13", "r12", "lr", "ctr", "sethi"]


def test_every_exception_is_one() -> None:
    """What is no longer said leaves the lists."""
    assert all(instruction_words().issuperset(words.split()) for words in ORDINARY.values())
    assert all(instruction_words().issuperset(words.split()) for words, _ in ALLOWED.values())
    for module, (words, _) in ALLOWED.items():
        assert set(words.split()) <= set(instructions_in(PACKAGE / module)), module


def test_the_page_names_every_part() -> None:
    page = (PACKAGE.parent / "docs/porting.md").read_text(encoding="utf-8")
    missing = [part for part in PARTS if f"| `{part}" not in page and part != "rewrite"]
    assert not missing
