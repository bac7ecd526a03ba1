"""Input that cannot be instrumented: its file, line, text and reason are told, and no object."""

from __future__ import annotations

import pytest

from inst.target.targets import TARGETS
from tests.conftest import Shell, require_tools

LOADS = "\tlwz 3,0(4)\n" * 20
REFUSED = {
    "couple": ("sparc-v8", "f:\tbe .L1\n\tbne .L2\n\tnop\n.L1:\tld [%o0],%o1\n.L2:\tnop\n", 1),
    "couple with a call": ("sparc-v9", "f:\tbe .L1\n\tcall f\n\tldx [%o0],%o1\n.L1:\tnop\n", 1),
    "writes to itself": (
        "sparc-v8",
        "f:\tsethi %hi(1f),%o1\n\tst %o0,[%o1+%lo(1f)]\n\tflush %o1\n1:\tld [%o0],%o1\n\tretl\n"
        "\tnop\n",
        2,
    ),
    "writes to itself, PowerPC": (
        "ppc32",
        "f:\tlis 9,1f@ha\n\tstw 3,1f@l(9)\n\tdcbst 0,9\n\ticbi 0,9\n\tisync\n1:\tlwz 3,0(4)\n"
        "\tblr\n",
        2,
    ),
    "into an unrolled loop": (
        "sparc-v8",
        "f:\tsub %o5,%o1,%o5\n\tjmp %o5+(80f-f)\n\tnop\n\tld [%o0],%o1\n80:\tretl\n\tnop\n",
        2,
    ),
    "into a row of equal pieces": (
        "ppc32",
        "f:\tmflr 4\n\tslwi 3,3,4\n\taddi 4,4,.L1-f\n\tlwz 0,148(1)\n\tadd 3,3,4\n\tmtctr 3\n"
        "\tbctr\n\t.align 4\n.L1:\tlwz 3,8(1)\n\tmtlr 0\n\taddi 1,1,144\n\tblr\n",
        7,
    ),
    "into a row of pieces, by a sum in the jump": (
        "sparc-v8",
        "f:\tsll %o2,4,%g1\n\tand %g1,48,%g1\n\tsethi %hi(1f),%g3\n\tor %g3,%lo(1f),%g3\n"
        "\tjmp %g3+%g1\n\tnop\n1:\tld [%o0],%o1\n\tst %o1,[%o0+4]\n\tretl\n\tnop\n",
        5,
    ),
    "unimp with a length": (
        "sparc-v8",
        "2:\tcall %i1\n\tnop\n\tunimp (.-2b)/4\n\tld [%o0],%o1\n\tretl\n\tnop\n",
        3,
    ),
    "split stacks": (
        "ppc64le",
        'f:\tld 0,-0x7040(13)\n\tblr\n\t.section\t.note.GNU-split-stack,"",@progbits\n',
        3,
    ),
    "branch over a distance": (
        "ppc64le",
        "f:\tlwz 3,0(3)\n\tb $+12\n\tlwz 4,0(4)\n\t.space 4\n\tblr\n",
        2,
    ),
    "a byte for a length": ("ppc32", f"a:\n{LOADS * 2}b:\tblr\n\t.data\n\t.byte b-a\n", 44),
    "room for code": ("ppc64", f"a:\n{LOADS}b:\tblr\n\t.space 100-(b-a)\n", 23),
    "an operand for a length": (
        "ppc32",
        f"a:\tbcl 20,31,1f\n1:\tmflr 9\n\tlwz 3,t-1b(9)\n{LOADS * 75}\tblr\nt:\t.long 1\n",
        3,
    ),
    "an address that grows": (
        "sparc-v8",
        "f:\tcall .+8\n\tnop\n\tld [%o7+(t-f)],%o1\n"
        + "\tld [%o0],%o2\n" * 500
        + "\tretl\n\tnop\nt:\t.word 1\n",
        3,
    ),
    "code up to a place": ("ppc32", "a:\tlwz 3,0(4)\n\tblr\n\t.org a+8\nb:\tblr\n", 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_input_leaves_no_object(shell: Shell, name: str) -> None:
    target, text, line = REFUSED[name]
    compiler = TARGETS[target].compiler
    require_tools(compiler[0])
    (shell.directory / "a.s").write_text(text)
    shell.check(*compiler, "-c", "a.s", "-o", "plain.o")
    (shell.directory / "a.o").write_text("of another time")
    done = shell.run("inst-cc", "--inst-hooks=empty", *compiler, "-c", "a.s", "-o", "a.o")
    said = done.stderr.decode()
    assert done.returncode == 1
    first, *more = said.splitlines()
    assert first.startswith(f"a.s:{line}:"), said
    assert ": error: " in first
    assert text.splitlines()[line - 1].strip().split()[-1] in more[0]
    assert not (shell.directory / "a.o").exists()


def test_warnings_of_the_plain_assembler_refuse_nothing(shell: Shell) -> None:
    compiler = TARGETS["ppc32"].compiler
    require_tools(compiler[0])
    (shell.directory / "a.s").write_text("f:\tlwz 3,0(3)\n\tblr\n\t.data\n\t.byte 300\n")
    done = shell.run("inst-cc", "--inst-hooks=empty", *compiler, "-c", "a.s", "-o", "a.o")
    assert done.returncode == 0
    assert b"truncated" in done.stderr
