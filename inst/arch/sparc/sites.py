"""The site ABIs of SPARC: what sites pass to glue and how they save registers, for each ABI.

V8: GCC never uses %g5 and %g6 and a call may change both, so both are free inside one
inserted sequence; %o7 is saved in %g6, where entries leave it for later sites of the same basic
block.  Programs without an operating system may choose two others, since a kernel may have its own
use for these; each choice is a site ABI.

V9: only %g6 is free, for %g5 is an ordinary register there; where %o7 is live and an address is
passed, %o7 is saved in a register that is dead there.  If none is, the site makes a frame for it,
whose first 128 bytes a window spill may use at any moment, and the entry releases the frame.

Code that records inline agrees with the runtime and with readers of recordings on its segments.
"""

from __future__ import annotations

from itertools import combinations

from inst.dataclass import dataclass
from inst.isa.sites import SiteAbi, Sites


@dataclass(frozen=True, slots=True)
class Site:
    """One site ABI: what sites and the entries they call agree on (`inst.glue`)."""

    address: str
    """Register in which the entry finds the effective address."""
    scratch: tuple[str, ...]
    """Registers that sites and entries change."""
    keep: tuple[str, ...]
    """Instructions that put %o7 where the entry finds it (flag `k`)."""
    makes_frame: bool
    """Whether `keep` makes a frame of `frame` bytes, which the entry releases."""
    keep_alone: tuple[str, ...]
    """The same where the entry gets no address: the address register holds it."""
    kept_value: str
    """The value register's name for an entry when it is %o7, and saved."""
    displaced: tuple[str, ...]
    """Registers that hold something else after `keep` and the call."""
    frame: int
    """Bytes of a frame that a site makes for what has no register."""
    kept_at: int
    """Distance from %sp to the first free bytes in it: after what belongs to the window spill,
    and in 32-bit code to callees."""
    width: int
    """Bytes of an integer register."""
    store: str
    load: str
    """What stores and loads one."""
    spare: tuple[str, ...]
    """Global registers that code may use without asking the assembler."""
    bias: int
    """What is added to %sp to get the stack's address."""
    least: int
    """Bytes that a frame must leave free, from the stack's address: for a window, and in 32-bit
    code for what belongs to callees."""
    registers_at: int
    """Distance from %sp to where glue stores all registers for C, once it has moved %sp."""
    window_room: int
    """How far glue moves %sp to store all registers for C where a window of the counter ends."""
    wide: bool
    """Integer registers have 64 bits: pairs of them, and other spaces, are decoded in C."""
    declared: tuple[str, ...]
    """Registers that a file has to declare to the assembler before it uses them."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What code that records inline, the runtime's C and readers of recordings agree on."""

    thread: str
    """The thread pointer: the cursor is at a fixed distance from it, and the limit after that."""
    kept: str
    """It has the pointer from one segment to the next."""
    load: str
    store: str

    def macros(self) -> dict[str, int]:
        """Return the numbers for C."""
        return {
            "POINTER": register_number(self.kept),
            "THREAD": register_number(self.thread),
            "LOAD": access_word(self.load),
            "STORE": access_word(self.store),
        }


SEGMENTS = {32: Segment("g7", "g6", "ld", "st"), 64: Segment("g7", "g6", "ldx", "stx")}
"""By the bits of the code."""
OPERATIONS = {"ld": 0x00, "st": 0x04, "ldx": 0x0B, "stx": 0x0E}
"""Field op3 of loads and stores of integer registers."""


def register_number(name: str) -> int:
    """Return the number of an integer register."""
    return 8 * "goli".index(name[0]) + int(name[1])


def access_word(mnemonic: str, register: str = "g0", base: str = "g0", offset: int = 0) -> int:
    """Return the word of a load or store at a distance from a register."""
    fields = register_number(register) << 25 | OPERATIONS[mnemonic] << 19
    return 3 << 30 | fields | register_number(base) << 14 | 1 << 13 | offset & 0x1FFF


STACK_BIAS = 2047
"""How far beyond its stack pointer a frame of 64-bit code begins."""
_NARROW_LEAST = 96
_WIDE_FRAME = 192
_WIDE_LEAST = 176
_WIDE_KEPT = STACK_BIAS + _WIDE_LEAST

CHOICES = ("g2", "g3", "g4", "g5", "g6")
"""The registers of which sites of 32-bit code may take two: calls leave no values in them."""
CHOSEN = {
    f"v8.{address}.{link}": (address, link)
    for address, link in combinations(CHOICES, 2)
    if (address, link) != ("g5", "g6")
}
"""ABI of a choice other than the usual one -> the registers."""


def _narrow(address: str, link: str) -> Site:
    """Return the site ABI of 32-bit code that takes these registers."""
    return Site(
        address=address,
        scratch=(address, link),
        keep=(f"mov %o7,%{link}",),
        makes_frame=False,
        keep_alone=(f"mov %o7,%{link}",),
        kept_value=link,
        displaced=("o7",),
        frame=112,
        kept_at=_NARROW_LEAST,
        width=4,
        store=SEGMENTS[32].store,
        load=SEGMENTS[32].load,
        spare=tuple(name for name in ("g1", "g2", "g3", "g4") if name not in (address, link)),
        bias=0,
        least=_NARROW_LEAST,
        registers_at=_NARROW_LEAST,
        window_room=_NARROW_LEAST + 144,  # 32 registers, %y, two parts of the condition codes
        wide=False,
        declared=(),
    )


SITES = {
    "v8": _narrow("g5", "g6"),
    **{abi: _narrow(*pair) for abi, pair in CHOSEN.items()},
    "v9": Site(
        address="g6",
        scratch=("g6",),
        keep=(f"add %sp,-{_WIDE_FRAME},%sp", f"stx %o7,[%sp+{_WIDE_KEPT}]"),
        makes_frame=True,
        keep_alone=("mov %o7,%g6",),
        kept_value="o7",
        displaced=("o7", "o6"),
        frame=_WIDE_FRAME,
        kept_at=_WIDE_KEPT,
        width=8,
        store=SEGMENTS[64].store,
        load=SEGMENTS[64].load,
        spare=("g1", "g4", "g5"),
        bias=STACK_BIAS,
        least=_WIDE_LEAST,
        registers_at=STACK_BIAS + _WIDE_FRAME,
        window_room=_WIDE_FRAME + 32 * 8 + 16,  # and %y
        wide=True,
        declared=("g6", "g2", "g3"),
    ),
}
"""Site ABI by `Isa.abi`."""


AFTER, KEPT, TABLE, ORDERED = 1, 2, 4, 8
"""What an entry says of an access that C decodes: it has run; the site has saved %o7; the linker
may have made an addition of it; it orders threads."""


def _macros(site: Site) -> dict[str, int]:
    """Return the numbers for C; the words of a site's accesses are those of offset 0 from %sp."""
    first = site.scratch[0]
    return {
        "FRAME": site.frame,
        "LEAST": site.least,
        "BIAS": site.bias,
        "PLACE": site.kept_at,
        "REGISTERS": site.registers_at,
        "MOVED": site.window_room,
        "FIRST": register_number(first),
        "ADDRESS": register_number(site.address),
        "LINK": register_number(site.scratch[-1]),
        "STORE_LINK": access_word(site.store, "o7", "o6"),
        "LOAD_FIRST": access_word(site.load, first, "o6"),
        "OWN_SLOT": OWN_SLOT_WORD,
        "AFTER": AFTER,
        "KEPT": KEPT,
        "TABLE": TABLE,
        "ORDERED": ORDERED,
        **SEGMENTS[8 * site.width].macros(),
    }


OWN_SLOT = "sethi 1,%g0"
"""A nop which marks that the registers that sites may change hold the program's own values, as it
left them: windowhook is passed them."""
OWN_SLOT_WORD = 0x01000001

PART = Sites(
    {
        abi: SiteAbi(site.scratch, None, _macros(site), chosen=not site.wide)
        for abi, site in SITES.items()
    },
    not_preserved=("fcc0", "fcc1", "fcc2", "fcc3"),
    choices=CHOICES,
)
