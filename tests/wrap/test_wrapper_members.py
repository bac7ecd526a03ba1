"""The wrappers of functions are compiled as one file, and are members of an archive each."""

from __future__ import annotations

import subprocess

import pytest

from inst.build.wrapbuild import cut
from inst.build.wraplibrary import build_wrappers
from inst.target.targets import TARGETS
from inst.target.tools import compiler_tool

TEXT = """\
\t.machine ppc
#inst-member one
one:
\tbl helper
\t.cfi_personality 0x9b,DW.ref.routine
.LC0:
\t.long 1
#inst-member two
two:
\tlwz 9,.LC0@l(9)
#inst-member three
\t.globl shown
shown:
\tblr
#inst-member four
four:
\tbl shown
#inst-member _
\t.weak\tDW.ref.routine
\t.hidden\tDW.ref.routine
\t.section\t.data.DW.ref.routine,"awG",@progbits,DW.ref.routine,comdat
DW.ref.routine:
\t.long routine
\t.section\t.text.helper,"axG",@progbits,helper,comdat
\t.weak\thelper
\t.hidden\thelper
helper:
\tblr
\t.hidden\tother
\t.ident "a compiler"
"""


def test_each_part_has_what_it_uses_and_no_more() -> None:
    pieces = cut(TEXT)
    assert pieces.keys() == {"one", "three", "four"}, "two reads what is in another part"
    assert all(text.startswith("\t.machine ppc\n") for text in pieces.values())
    assert all("other" not in text and "ident" not in text for text in pieces.values())
    assert pieces["one"].count("helper") == 6
    assert pieces["one"].count("DW.ref.routine") == 6
    assert "helper" not in pieces["three"] + pieces["four"]


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_wrapper_needs_nothing_of_others(name: str) -> None:
    """The last one of the file was taken for all of what follows it."""
    target = TARGETS[name]
    archive = build_wrappers(list(target.compiler), target)
    command = [compiler_tool(list(target.compiler), "nm"), "-u", "-f", "posix", str(archive)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    undefined: dict[str, set[str]] = {}
    for line in said.splitlines():
        if line.endswith(":"):
            needed = undefined.setdefault(line.rpartition("[")[2].removesuffix(".o]:"), set())
        else:
            needed.add(line.split()[0])
    assert {"__isoc99_swscanf", "read", "puts"} <= undefined.keys()
    own = [one for one in undefined["__isoc99_swscanf"] if one.startswith("inst")]
    assert 3 <= len(own) <= 8, own
    assert "__gcc_personality_v0" in undefined["puts"]
    assert "__gcc_personality_v0" not in undefined["__isoc99_swscanf"]
    assert not any("get_pc_thunk" in one for needed in undefined.values() for one in needed)
