"""Mnemonics that GNU as takes and the tables do not have, with the reason."""

from __future__ import annotations

import re

from inst.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """A family of instructions without a row."""

    option: str
    """The assembler's option without which it does not take them."""
    names: re.Pattern[str]
    reason: str


FAMILIES = (
    Refused(
        "-mvle",
        re.compile(r"s?e_.*|mtmas1"),
        "variable-length code (VLE): instructions of two bytes and other branches",
    ),
    Refused(
        "-mlsp",
        re.compile(r"z.*"),
        "lightweight signal processing, which only processors have that run nothing but VLE code",
    ),
    Refused(
        "-mlibresoc",
        re.compile(r"sv(step|shape|index|remap)[.]?|setvl[.]?"),
        "a draft (SVP64) in which it changes what the instructions after it access",
    ),
    Refused(
        "-mfuture",
        re.compile(r"(pm)?dm.*|sub[wdf]us[.]?"),
        "it is in no published Power ISA",
    ),
)


def reason_for(mnemonic: str) -> str:
    """Return why a mnemonic without a row is refused; "" if it is none of these."""
    return next((one.reason for one in FAMILIES if one.names.fullmatch(mnemonic)), "")
