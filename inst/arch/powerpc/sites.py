"""The site ABIs of PowerPC: registers in which sites pass an address, and the frames they make.

SVR4 (32 bits): r13 is free in every program that does not use the small-data model, and carries
the address; a site that has to save lr and finds no dead register makes a short frame. Where r13
is the program's, and in 64-bit code, where it is the thread pointer, sites have the shared form.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.isa.sites import SiteAbi, Sites


@dataclass(frozen=True, slots=True)
class Form:
    """Probes that use no register which may belong to the program."""

    carriers: tuple[str, ...]
    """Registers that entries of the glue take an address in."""
    unnamed: str
    """The carrier that entries' names do not mention."""
    push: str
    store: str
    load: str
    frame: int
    """Bytes of the frame around a probe that finds no dead register: in 64-bit code it steps over
    the red zone (512 bytes, as Linux counts) and leaves room for a header of either ABI."""
    slot: int
    """Where in that frame the register lies."""
    link_slot: int
    """Where lr is saved in it."""
    address_slot: int
    """Where an address is saved if all operands of an access are carriers; 0: none has so many."""


@dataclass(frozen=True, slots=True)
class Site:
    """One site ABI: what sites and the entries they call agree on."""

    width: int
    """Bytes of a general register."""
    carriers: tuple[str, ...]
    """Registers that entries take an address in; entries' names do not mention the first."""
    shared: Form
    short_frame: int
    """Bytes of the frame around a probe that has r13 and saves another register; 0: there is none
    (a multiple of 16)."""
    short_slot: int
    """Where in that frame the register lies."""
    small_data: str
    """The first carrier, where it may be the base of the program's small data."""
    red_zone: int
    """Bytes below the stack pointer that belong to the program: 288 by both ABIs, 512 by Linux."""
    function_slots: tuple[int, int]
    """Where the shared form's frame saves r0 and r12 at a function's entry and exits."""
    link_home: int
    """Where a caller's frame has space for the callee's return address; 0: nowhere of use."""

    def macros(self) -> dict[str, int]:
        """Return the numbers for C."""
        return {
            "FRAME": self.shared.frame,
            "SLOT": self.shared.slot,
            "LINK_SLOT": self.shared.link_slot,
            "ADDRESS_SLOT": self.shared.address_slot,
            "SHORT_FRAME": self.short_frame,
            "SHORT_SLOT": self.short_slot,
        }


_RED_ZONE = 512
_WIDE = Site(
    width=8,
    carriers=("r0", "r12", "r11"),
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
    short_frame=0,
    short_slot=0,
    small_data="",
    red_zone=_RED_ZONE,
    function_slots=(112, 120),
    link_home=16,
)
SITES = {
    "svr4": Site(
        width=4,
        carriers=("r13", "r12", "r11"),
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
        short_frame=48,
        short_slot=44,
        small_data="r13",
        red_zone=0,
        function_slots=(56, 60),
        link_home=0,
    ),
    "elfv1": _WIDE,
    "elfv2": _WIDE,
}
"""Site ABI by `Isa.abi`."""

PART = Sites({abi: SiteAbi((), "", site.small_data, site.macros()) for abi, site in SITES.items()})
