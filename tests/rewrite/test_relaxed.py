"""What would let the linker move an access from under its probe is taken away."""

from __future__ import annotations

from inst.target.targets import TARGETS
from inst.translate import Options, translate


def test_the_marker_of_a_pair_by_location_goes() -> None:
    text = (
        "\tpld 9,x@got@pcrel(0),1\n.Lpair:\n"
        "\t.reloc .Lpair-8,R_PPC64_PCREL_OPT,.-(.Lpair-8)\n\tlwz 3,0(9)\n"
    )
    found = translate(text, TARGETS["ppc64le"], Options())
    assert "inst.ldw.r3" in found or "inst.rare" in found
    assert "PCREL_OPT" not in found
