"""C outside the architectures' folders asks their headers, and never which architecture it is.

The folders of SPARC have the numbers of its site ABIs from where the rewriter has them.
"""

from __future__ import annotations

import re

import pytest

from inst.arch.sparc.sites import SITES
from tests.porting.conditionals import FOLDERS, ROOT, asked_for, conditionals

ALLOWED = {
    "runtime/include/inst/registers.h": "users' hooks include it, in which a folder's headers "
    "come after the system's",
}
"""Files that may ask, and why. Each ends in an error for an architecture that it does not know."""
WITHOUT_SYSTEM = {"ring_steps.h", "flight_steps.h"}
"""Headers of libraries without an operating system, which only 32-bit targets have."""


def test_no_file_asks_for_the_architecture() -> None:
    asking = {file: lines for file, lines in conditionals().items() if file not in ALLOWED}
    assert not asking


@pytest.mark.parametrize("file", ALLOWED)
def test_what_asks_refuses_other_architectures(file: str) -> None:
    assert "#else\n#error " in (ROOT / file).read_text(encoding="utf-8")
    assert file in conditionals(), "it asks no more"


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_has_the_headers(folder: str) -> None:
    wanted = asked_for()
    assert wanted >= {"call.h", "interrupted.h", "library_calls.h"}
    wanted -= WITHOUT_SYSTEM if folder.endswith("64") else set()
    missing = sorted(name for name in wanted if not (ROOT / "runtime" / folder / name).exists())
    assert not missing


def test_sparc_repeats_no_number_of_its_sites() -> None:
    """C and templates have the sizes and places in frames from `inst/arch/sparc/sites.py`."""
    numbers = {
        str(number)
        for site in SITES.values()
        for number in (site.bias, site.least, site.frame, site.registers_at, site.window_room)
        if number
    }
    repeated = {
        f"{path.relative_to(ROOT)}: {number}"
        for folder in ("sparc", "sparc64", "guard")
        for path in (ROOT / "runtime" / folder).iterdir()
        for number in numbers & {*re.findall(r"\d+", path.read_text(encoding="utf-8"))}
    }
    assert not repeated
