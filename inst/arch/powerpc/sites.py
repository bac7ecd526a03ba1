"""The site ABIs of PowerPC: registers in which sites pass an address, and the frames they make.

SVR4 (32 bits): r13 is free in every program that does not use the small-data model, and carries
the address; a site that has to save lr and finds no dead register makes a short frame. Where r13
is the program's, and in 64-bit code, where it is the thread pointer, sites have the shared form.

Code that records inline agrees with the runtime and with readers of recordings on its segments.
"""

from __future__ import annotations

import re

from inst.dataclass import dataclass
from inst.isa.sites import SiteAbi, Sites, SmallData

RESTORES = "l"
"""What an entry's name ends with if a site without a frame restores lr between call and access."""
BEHIND = "f"
"""What an entry's name ends with if its site has a frame, with the access before or after it."""
WITHIN = "w"
"""The same where a load has run within the frame, and its address was computed before it."""
ADDRESS_WORDS = 2
"""Instructions that compute the address in a frame after a load, with a `nop` if one is enough."""
WORDS = {
    "lwz": 32 << 26,
    "stw": 36 << 26,
    "stwu": 37 << 26,
    "cmplw": 31 << 26 | 32 << 1,
    "ld": 58 << 26,
    "std": 62 << 26,
    "stdu": 62 << 26 | 1,
    "cmpld": 31 << 26 | 1 << 21 | 32 << 1,
}
"""Words of instructions whose registers and numbers are 0."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What code that records inline, the runtime's C and readers of recordings agree on."""

    kept: str
    """The register in which code keeps the pointer from one segment to the next."""
    thread: str
    """The thread pointer: the cursor is at a fixed distance from it, and the limit after that."""
    load: str
    store: str
    update: str
    """What stores a register and moves the pointer there."""
    compare: str
    form: int
    """The bits of a load's or store's displacement that belong to its operation."""

    def macros(self) -> dict[str, int]:
        """Return the numbers for C."""
        return {
            "POINTER": int(self.kept[1:]),
            "THREAD": int(self.thread[1:]),
            "LOAD": WORDS[self.load],
            "STORE": WORDS[self.store],
            "UPDATE": WORDS[self.update],
            "COMPARE": WORDS[self.compare],
            "FORM": self.form,
        }


SEGMENTS = {
    32: Segment("r13", "r2", "lwz", "stw", "stwu", "cmplw", form=0),
    64: Segment("r11", "r13", "ld", "std", "stdu", "cmpld", form=3),
}
"""By the bits of the code."""

AFTER, TABLE, ORDERED = 1, 2, 4
"""What an entry says of an access that C decodes: it has run; it has, and the linker may have
replaced it; it orders threads."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of sites: where the address is, and the frame of a site without a dead register."""

    carriers: tuple[str, ...]
    """Registers that entries of the glue take an address in."""
    unnamed: str
    """The carrier that entries' names do not mention."""
    push: str
    store: str
    load: str
    frame: int
    """Bytes of that frame, a multiple of 16: in 64-bit code it steps over the red zone (512 bytes,
    as Linux counts) and leaves room for a header of either ABI."""
    slot: int
    """Where in that frame the register lies."""
    link_slot: int
    """Where lr is saved in it; 0: in that register."""
    address_slot: int
    """Where an address is saved if all operands of an access are carriers; 0: none has so many."""
    is_free: bool = False
    """The only carrier holds nothing of the program's: the address is in it before the frame."""


@dataclass(frozen=True, slots=True)
class Site:
    """One site ABI: what sites and the entries they call agree on."""

    width: int
    """Bytes of a general register."""
    carriers: tuple[str, ...]
    """Registers that entries take an address in; entries' names do not mention the first."""
    free: Form | None
    """Where r13 is free; None: nowhere."""
    shared: Form
    """Where no register is known to be free."""
    small_data: SmallData | None
    """Where the first carrier may be the base of the program's small data."""
    red_zone: int
    """Bytes below the stack pointer that belong to the program: 288 by both ABIs, 512 by Linux."""
    function_slots: tuple[int, int]
    """Where the shared form's frame saves r0 and r12 at a function's entry and exits."""
    lr_save_slot: int
    """Where a caller's frame has space for the callee's return address; 0: nowhere of use."""

    def macros(self) -> dict[str, int]:
        """Return the numbers for C."""
        return {
            "FRAME": self.shared.frame,
            "SLOT": self.shared.slot,
            "LINK_SLOT": self.shared.link_slot,
            "ADDRESS_SLOT": self.shared.address_slot,
            "SHORT_FRAME": self.free.frame if self.free else 0,
            "SHORT_SLOT": self.free.slot if self.free else 0,
            "AFTER": AFTER,
            "TABLE": TABLE,
            "ORDERED": ORDERED,
            **SEGMENTS[8 * self.width].macros(),
        }


_RED_ZONE = 512
_WIDE = Site(
    width=8,
    carriers=("r0", "r12", "r11"),
    free=None,
    shared=Form(
        carriers=("r0", "r12", "r11"),
        unnamed="r0",
        push="stdu",
        store="std",
        load="ld",
        frame=_RED_ZONE + 128,
        slot=112,
        link_slot=120,
        address_slot=0,
    ),
    small_data=None,
    red_zone=_RED_ZONE,
    function_slots=(112, 120),
    lr_save_slot=16,
)
_SMALL_DATA = SmallData(
    "r13",
    named=re.compile(r"@sda|\b_SDA2?_BASE_\b|\bR_PPC_(?:EMB_)?SDA", re.IGNORECASE),
    relative=re.compile(r"@sda(?:21|rel|i16)", re.IGNORECASE),
    relocations=frozenset((32, 106, 109, 116, *range(225, 233))),
    marks=(".a12", ".a11"),
    fixed="-ffixed-r13",
    models=("-msdata", "-msdata=eabi", "-msdata=sysv", "-msdata=default"),
    model="-msdata",
)
"""System V ABI, PowerPC supplement, "Small Data Area"; PowerPC Embedded ABI and its VLE supplement,
relocation types 106 to 116 and 225 to 232."""
SITES = {
    "svr4": Site(
        width=4,
        carriers=("r13", "r12", "r11"),
        free=Form(
            carriers=("r13",),
            unnamed="r13",
            push="stwu",
            store="stw",
            load="lwz",
            frame=48,
            slot=44,
            link_slot=0,
            address_slot=0,
            is_free=True,
        ),
        shared=Form(
            carriers=("r12", "r11"),
            unnamed="r13",
            push="stwu",
            store="stw",
            load="lwz",
            frame=64,
            slot=60,
            link_slot=56,
            address_slot=52,
        ),
        small_data=_SMALL_DATA,
        red_zone=0,
        function_slots=(56, 60),
        lr_save_slot=0,
    ),
    "elfv1": _WIDE,
    "elfv2": _WIDE,
}
"""Site ABI by `Isa.abi`."""

_OF_64_BITS = (
    r"p(l|st).*|(lx|stx)[vs].*|ld(x|u|ux|arx|brx|dx)?|std(x|u|ux|cx\.|brx|dx)?|lq|lqarx|stq|stqcx\."
)
"""Accesses of VSX and of 64-bit registers."""
_WITHOUT_THEM = "compile 32-bit code with -mno-vsx, -mno-prefixed and -mno-powerpc64"

PART = Sites(
    {
        abi: SiteAbi(
            (),
            site.small_data,
            site.macros(),
            _OF_64_BITS if site.width == 4 else r"(?!)",
            _WITHOUT_THEM,
        )
        for abi, site in SITES.items()
    }
)
