"""How many modules outside the instruction sets' packages name one: only ever fewer.

`python -m tests.porting.naming` lists them.
"""

from __future__ import annotations

from tests.porting.naming import PACKAGE, naming
from tests.test_floors import PARTS

MOST = 2
"""Lower it with each module that asks `inst.arch` instead, or moves there."""
OF_ONE_SET = "formats/stf/"
"""The format that only PowerPC has: another instruction set changes nothing in it."""


def test_few_modules_name_an_instruction_set() -> None:
    found = {module: names for module, names in naming().items() if OF_ONE_SET not in module}
    listed = "\n".join(f"{module}: {', '.join(names)}" for module, names in found.items())
    assert len(found) <= MOST, f"{len(found)} modules name an instruction set:\n{listed}"


def test_the_page_names_every_part() -> None:
    page = (PACKAGE.parent / "docs/porting.md").read_text(encoding="utf-8")
    missing = [part for part in PARTS if f"| `{part}" not in page and part != "rewrite"]
    assert not missing
