"""Which computed jumps have a table, and what is live at those that have one."""

from __future__ import annotations

import pytest

from inst import isa
from inst.asm.split import split
from inst.flow.code import Code
from inst.flow.liveness import find_liveness
from inst.flow.read import read_code

COMPILED = '\t.ident "GCC: (test)"\n'
ENTRIES = "\t.long .L4-.L5\n\t.long .L3-.L5\n\t.long .L4-.L5\n"
TABLE = f"\t.align 2\n.L5:\n{ENTRIES}"
RODATA = '\t.section\t.rodata\n\t.align 2\n\t.align 2\n.L5:\n{}\t.section\t".text"\n'


def _code(behind: str, end: str = COMPILED, name: str = "powerpc") -> Code:
    """Return a function with a jump, what is behind that, and two places to go to."""
    jumps = {"powerpc": "\tmtctr 9\n\tbctr\n", "sparc": "\tjmp %g1\n\t nop\n"}
    places = {
        "powerpc": ".L4:\n\taddi 3,11,1\n\tblr\n.L3:\n\tmr 3,12\n\tblr\n",
        "sparc": ".L4:\n\tretl\n\t mov %o1,%o0\n.L3:\n\tretl\n\t mov %o2,%o0\n",
    }
    source = f"\t.type f,@function\nf:\n{jumps[name]}{behind}{places[name]}{end}"
    return read_code(split(source, name, "test.s"), isa.get(name), "test.s")


@pytest.mark.parametrize(
    ("behind", "name"),
    [
        (TABLE, "powerpc"),
        (RODATA.format(ENTRIES), "powerpc"),
        (RODATA.format("\t.word .L4\n\t.word .L3\n"), "sparc"),
        ("\t.subsection\t-1\n.L5:\n\t.word .L4-.L5\n\t.word .L3-.L5\n\t.previous\n", "sparc"),
    ],
)
def test_a_table_is_found_behind_its_jump(behind: str, name: str) -> None:
    code = _code(behind, name=name)
    (table,) = code.jump_tables().values()
    assert set(table.targets) == {code.labels[".L4"], code.labels[".L3"]}
    assert all("L4" in code.statements[at].operands or "L3" in code.statements[at].operands
               for at in table.words)  # fmt: skip


@pytest.mark.parametrize(
    ("behind", "end"),
    [
        (TABLE, ""),  # no compiler's
        ("", COMPILED),
        (ENTRIES, COMPILED),  # without a label
        (TABLE.replace(".L4-.L5", ".L4-.L6", 1), COMPILED),  # from elsewhere
        (TABLE.replace(".L3-.L5", ".L9-.L5"), COMPILED),  # to what is not there
        (TABLE.replace(".L3-.L5", "f"), COMPILED),  # to a function
        (TABLE.replace(".L3-.L5", "-8"), COMPILED),
        (f"\t.size f,.-f\n{TABLE}", COMPILED),  # of another function, or an object
        (f"\t.type table,@object\ntable:\n{TABLE}", COMPILED),
        (f"{TABLE}\t.align 3\n\t.long .L4-.L5\n", COMPILED),  # which goes on
        (f"\tblr\n{TABLE}", COMPILED),
        (f"\t.section __jump_table\n{TABLE}\t.text\n", COMPILED),
    ],
)
def test_anything_else_is_no_table(behind: str, end: str) -> None:
    assert not _code(behind, end).jump_tables()


def test_what_its_places_read_is_live_at_a_jump_with_a_table() -> None:
    for table, live in ((TABLE, {"r11", "r12"}), ("", {"r0", "r11", "r12", "xer"})):
        code = _code(table)
        registers = isa.get("powerpc").registers
        found = registers.listed(find_liveness(code, isa.get("powerpc")).before[1])
        assert live == {"r0", "r11", "r12", "xer"} & set(found)
