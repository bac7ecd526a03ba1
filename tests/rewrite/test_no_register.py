"""Accesses at which no register is dead, and which name those that usually carry the address."""

from __future__ import annotations

import pytest

from inst.target.targets import TARGETS
from inst.translate import Options
from tests.verify.verify import verify_rewriting

EVERYWHERE = (
    *("lwzx 11,1,12", "stwx 11,1,12", "lwzx 12,1,11", "lwzux 11,12,1", "stwux 1,1,0"),
    *("stwux 1,1,12", "lmw 14,16(1)", "stmw 14,16(1)", "lwarx 11,1,12; stwcx. 11,1,12"),
    *("lwarx 3,0,1; stwcx. 3,0,1", "lwbrx 0,1,12", "lfdx 0,1,11", "stfdux 0,1,12"),
)
WIDE = (
    *("ldx 11,1,12", "stdux 1,1,0", "stdux 1,1,12", "lq 10,16(1)", "stq 12,32(1)"),
    *("lmw 5,16(1)", "lmw 5,16(12)", "stmw 0,16(1)", "lswi 11,1,8", "stswi 11,1,8"),
    *("lswx 5,1,12", "lswx 11,9,10", "stswx 5,9,10", "stswx 5,12,11", "stswi 0,1,32"),
)


@pytest.mark.parametrize("level", ["values", "addresses"])
@pytest.mark.parametrize("name", ["ppc32", "ppc64", "ppc64le"])
def test_no_access_lacks_a_register(name: str, level: str) -> None:
    target = TARGETS[name]
    for access in (*EVERYWHERE, *(WIDE if target.bits == 64 else ())):
        text = f"f:\t{access}\n\tblr\n"  # by hand: everything is live
        assert verify_rewriting(text, target, Options(level=level)) == [], access
