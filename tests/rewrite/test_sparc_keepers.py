"""Objects that use the registers of SPARC's sites: which are taken, and what stands at a site."""

from __future__ import annotations

import pytest

from inst import isa as instruction_sets
from inst.errors import InstError
from inst.rewrite.selection import Selection
from inst.rewrite.writer import Kept, Writer
from inst.target.targets import TARGETS
from inst.translate import Options, translate

_TARGET = TARGETS["sparc-v9"]


def _kept(*lines: str) -> Kept:
    body = "".join(f"\t{line}\n" if not line.endswith(":") else f"{line}\n" for line in lines)
    source = f"\t.text\n\t.globl\tf\n\t.type\tf, @function\nf:\n{body}"
    isa = instruction_sets.get(_TARGET.isa, _TARGET.abi)
    return isa.part(Writer).keep(source, isa, "f.o", False)


def _translated(kept: Kept) -> str:
    return translate(kept.text, _TARGET, Options(dropped=kept.dropped), "f.o")


LEAF = (
    "mov %o0,%g6",
    "ldx [%o0],%o1",
    "add %o1,%g6,%o0",
    "retl",
    "nop",
)


def test_value_waits_in_a_dead_register() -> None:
    kept = _kept(*LEAF)
    assert kept.dropped == ("g6",)
    assert "\tmov %g6,%g1; ldx [%o0],%o1; mov %g1,%g6\n" in kept.text
    assert "call inst.ldd.o1" in _translated(kept)


def test_other_code_of_the_object_is_as_without() -> None:
    """A register that is not live at an access is no reason to do anything there."""
    kept = _kept("ldx [%o1],%o1", *LEAF, "ldx [%o2],%o3")
    assert kept.text.count("mov") == 3
    _translated(kept)


@pytest.mark.parametrize(
    "lines",
    [
        ("add %o0,%g6,%o0", *LEAF),
        ("save %sp,-176,%sp", "mov 1,%g6", "call g", "nop", "ldx [%i0+%g6],%i0", "ret", "restore"),
        ("mov %o0,%g6", "ldx [%o1],%o1", "retl", "nop"),
        ("save %sp,-176,%sp", "ldx [%i0],%g6", "ldx [%i1],%i0", "jmp %g6", "restore"),
    ],
    ids=["passed to the function", "returned by a call", "never read", "read past a restore"],
)
def test_values_of_others_stay(lines: tuple[str, ...]) -> None:
    kept = _kept(*lines)
    assert not kept.dropped
    with pytest.raises(InstError, match="%g6 is in use here"):
        _translated(kept)


def test_call_that_does_not_return_is_none_that_returns_a_value() -> None:
    lines = ("save %sp,-176,%sp", "mov 1,%g6", "brz,pn %i0,.L9", "nop", ".L8:")
    rest = ("ldx [%i0+%g6],%i0", "ret", "restore", ".L9:", "call abort", "nop", ".L7:", "ba .L8",
            "mov 2,%g6")  # fmt: skip
    assert _kept(*lines, *rest).dropped


def test_other_registers_of_applications_are_left_to_them() -> None:
    """%g2 and %g3 become keepers where the code itself uses them between two calls only."""
    busy = [f"ldx [%o0+{8 * n}],%{name}" for n, name in
            enumerate(("g1", "g5", "o1", "o2", "o3", "o4", "o5"))]  # fmt: skip
    after = [f"add %o0,%{name},%o0" for name in ("g1", "g5", "o1", "o2", "o3", "o4", "o5", "g6")]
    leaf = ("mov 1,%g6", *busy, "stx %o1,[%o0+64]", *after, "retl", "nop")
    assert ".Lwaits" in _kept(*leaf).text
    used = ("mov 1,%g2", "add %o0,%g2,%o0", *leaf)
    assert ".Lwaits" not in _kept(*used).text


def test_value_that_only_the_other_way_reads() -> None:
    """The address of an access in an annulled slot may be computed on both ways."""
    lines = ("mov 1,%g6", "cmp %o0,0", "be,a .L9", "stx %o1,[%o2]", "add %o0,%g6,%o0", ".L9:")
    kept = _kept(*lines, "retl", "nop")
    assert "bne .Lkept1; nop\n\tstx %o1,[%o2]; ba .L9; nop; .Lkept1:" in kept.text
    plain = f"\t.text\n\t.type\tf, @function\nf:\n{kept.text.split('f:')[1]}"
    with pytest.raises(InstError, match="%g6 is in use here"):
        translate(plain.replace("bne .Lkept1; nop", "be,a .L9").replace("; ba .L9; nop", ""),
                  _TARGET, Options(dropped=kept.dropped), "f.o")  # fmt: skip


def test_value_over_the_finding_of_the_table() -> None:
    """The call that finds the GOT changes nothing else: its value is none that a call returns."""
    lines = ("save %sp,-176,%sp", "mov 1,%g6", "call __sparc_get_pc_thunk.l7", "nop")
    kept = _kept("ldx [%o0],%o1", *lines, "ldx [%i0+%g6],%i0", "ret", "restore")
    assert kept.dropped
    with pytest.raises(InstError, match="%g6 is in use here"):
        translate(kept.text.replace("call __sparc", "ldx [%i1],%i2; call __sparc"), _TARGET,
                  Options(dropped=kept.dropped), "f.o")  # fmt: skip


V8_LEAF = ("mov %o0,%g5", "ld [%o0],%o1", "add %o1,%g5,%o0", "retl", "nop")


def _of_hand(*lines: str) -> str:
    body = "".join(f"\t{line}\n" if not line.endswith(":") else f"{line}\n" for line in lines)
    return translate(f"\t.type\tf, @function\nf:\n{body}", TARGETS["sparc-v8"], Options())


def test_code_of_hand() -> None:
    assert "mov %g1,%g5" in _of_hand(*V8_LEAF)


@pytest.mark.parametrize(
    "lines",
    [
        (*V8_LEAF, "jmp %o5", "nop"),
        ("ba .+8", "nop", *V8_LEAF),
        ("ba f+8", "nop", *V8_LEAF),
        (".skip 64-(.-f)", *V8_LEAF),
    ],
    ids=["computed jump", "branch by distance", "branch past a label", "measured code"],
)
def test_code_of_hand_that_counts_bytes(lines: tuple[str, ...]) -> None:
    with pytest.raises(InstError):
        _of_hand(*lines)


def test_code_of_hand_with_functions_left_out() -> None:
    options = Options(selection=Selection(excluded=("g",)))
    source = "f:\t" + "\n\t".join(V8_LEAF) + "\n"
    with pytest.raises(InstError, match="%g5 or %g6 is in use here"):
        translate(source, TARGETS["sparc-v8"], options)


def test_registers_of_64_bits_in_32_bit_code() -> None:
    """Hooks may lose their upper half, so that such an object stays as it is."""
    target = TARGETS["sparc-v8"]
    isa = instruction_sets.get(target.isa, target.abi)
    for load, dropped in (("ld", ("g5",)), ("ldx", ())):
        source = f"f:\tmov 1,%g5\n\t{load} [%o0],%o1\n\tadd %o1,%g5,%o0\n\tretl\n\tnop\n"
        assert isa.part(Writer).keep(source, isa, "f.o", False).dropped == dropped


def test_code_that_ends_with_a_call() -> None:
    """There is no place after its slot that could read a register."""
    kept = _kept(*LEAF, "call h")
    assert kept.dropped == ("g6",)
    assert "mov %g6,%g1" in kept.text
