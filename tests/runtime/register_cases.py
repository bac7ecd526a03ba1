"""Assembly that loads and stores each register there is, with many registers free or with none.

Each access has a cell of its own, whose content says what had to be reported.
"""

from __future__ import annotations

from dataclasses import dataclass, field

CELL, INSIDE = 32, 16
"""Bytes of a cell, and where in it the access is."""
PRESSURES = {"free": -1, "two": 2, "one": 1, "none": 0}
"""How many registers are free: as many as a compiler's code leaves, two, one, or none at all."""
_IDENT = '\t.ident "GCC: (GNU) 12.2.0"'
Rows = list[tuple[str, str]]


@dataclass(frozen=True)
class Family:
    """How the registers of a target are loaded, stored, kept and read."""

    rows: Rows
    """Mnemonic and register of each access."""
    before: list[str]
    after: list[str]
    reads: dict[str, str]
    """For each register that may be free, a line that reads it."""
    special: list[str]
    """Lines that read the special registers into one that is free, `{}`."""
    pointer: str = ".long"
    bases: tuple[str, str] = ("", "")
    spares: tuple[str, ...] = field(default_factory=tuple)

    def line(self, mnemonic: str, register: str, base: str) -> str:
        """Return an access by a base register that points at its cell."""
        if register[0] in "%":
            where = f"[{base}+{INSIDE}]"
            loads = mnemonic.startswith("ld")
            return f"{mnemonic} {where}, {register}" if loads else f"{mnemonic} {register}, {where}"
        number = int(register[1:])
        if mnemonic.endswith("x"):
            return f"li 29, {INSIDE}\n\t{mnemonic} {number}, {base}, 29"
        return f"{mnemonic} {number}, {INSIDE}({base})"

    def point(self, base: str, number: int) -> list[str]:
        """Return lines that make a register point at a cell."""
        cell = f"cells+{CELL * number}"
        if base[0] == "%":
            return [f"sethi %hi({cell}), {base}", f"or {base}, %lo({cell}), {base}"]
        return [f"lis {base}, ({cell})@ha", f"addi {base}, {base}, ({cell})@l"]

    def read(self, register: str, base: str, free: int) -> list[str]:
        """Return lines that read every register but so many, which nothing else needs before."""
        spares = [one for one in self.spares if one != register][:free]
        lines = [line for name, line in self.reads.items() if name not in spares]
        room = spares[0].lstrip("r") if free else base
        return [*lines, *(line.format(room) for line in self.special)]


def assembly(family: Family, pressure: str) -> str:
    """Return the program's assembly at one pressure."""
    lines = ["\t.text", *(f"\t{line}" for line in family.before)]
    for number, (mnemonic, register) in enumerate(family.rows):
        base = family.bases[register in _PAIRED.get(family.bases[0], (f"r{family.bases[0]}",))]
        lines += [f"\t{line}" for line in family.point(base, number)]
        lines.append("\t" + family.line(mnemonic, register, base))
        if PRESSURES[pressure] >= 0:
            lines += [f"\t{line}" for line in family.read(register, base, PRESSURES[pressure])]
    lines += [*(f"\t{line}" for line in family.after), "\t.data", "\t.balign 64"]
    lines += ["\t.globl cells, row_count, names", f"cells: .space {CELL * len(family.rows)}"]
    lines += [f"row_count: .long {len(family.rows)}", "\t.balign 8", "names:"]
    lines += [f"\t{family.pointer} name{number}" for number in range(len(family.rows))]
    lines += [f'name{n}: .asciz "{" ".join(row)}"' for n, row in enumerate(family.rows)]
    lines += ["" if pressure == "none" else _IDENT, '\t.section .note.GNU-stack,"",@progbits']
    return "\n".join(lines) + "\n"


_PAIRED = {"%l0": ("%l0", "%l1")}


def _powerpc_rows(wide: bool, scalars: tuple[str, ...], fixed: bool) -> Rows:
    """Return loads and stores, each register loaded before it is stored; r13 if it is `fixed`."""
    general = [("lwz", "stw"), ("lhz", "sth"), ("lbz", "stb"), ("lwbrx", "stwbrx")]
    general += [("ld", "std"), ("ldx", "stdx")] if wide else [("lwzx", "stwx")]
    rows: Rows = []
    for number in range(32):
        for load, store in general:
            if number not in (1, 2, 13):
                rows.append((load, f"r{number}"))
            if number != 13 or fixed:
                rows.append((store, f"r{number}"))
        floats = ("lfs", "stfs", "lfd", "stfd", "lfdx", "stfdx", "stfiwx")
        rows += [(one, f"f{number}") for one in floats]
        rows += [(one, f"v{number}") for one in ("lvx", "stvx", "lvewx", "stvewx")]
    return rows + [(one, f"w{number}") for number in range(64) for one in scalars]


def _powerpc(wide: bool, scalars: tuple[str, ...], entry: list[str], fixed: bool = True) -> Family:
    store, load, word = ("std", "ld", 8) if wide else ("stw", "lwz", 4)
    frame, link, back = (512, 528, "stdu") if wide else (400, 404, "stwu")
    kept = [(n, 160 + word * (n - 14)) for n in range(14, 32)]
    floats = [(n, (320 if wide else 240) + 8 * (n - 14)) for n in range(14, 32)]
    before = [*entry, "mflr 0", f"{back} 1, -{frame}(1)", f"{store} 0, {link}(1)", "mfcr 0"]
    before += [f"{store} 0, {150 - 150 % word}(1)"]
    before += [f"{store} {n}, {at}(1)" for n, at in kept]
    before += [f"stfd {n}, {at}(1)" for n, at in floats]
    after = [f"lfd {n}, {at}(1)" for n, at in floats]
    after += [f"{load} {n}, {at}(1)" for n, at in kept]
    after += [f"{load} 0, {150 - 150 % word}(1)", "mtcr 0", f"{load} 0, {link}(1)"]
    after += [f"addi 1, 1, {frame}", "mtlr 0", "blr"]
    names = [n for n in range(32) if n not in (1, 2, 13)]
    return Family(
        rows=_powerpc_rows(wide, scalars, fixed),
        before=before,
        after=after,
        reads={f"r{n}": f"cmpw 7, {n}, {n}" for n in names},
        special=["mflr {}", "mfcr {}", "mfctr {}", "mfxer {}"],
        pointer=".quad" if wide else ".long",
        bases=("28", "30"),
        spares=("r9", "r12", "r8"),
    )


def _sparc(wide: bool) -> Family:
    general = [("ld", "st"), ("lduh", "sth"), ("ldub", "stb")] + [("ldx", "stx")] * wide
    names = [f"%{bank}{n}" for bank in "goli" for n in range(8)]
    absent = ("%g6",) if wide else ("%g5", "%g6")
    rows: Rows = []
    for n, name in enumerate(names):
        for load, store in general:
            if name not in ("%g0", "%g7", "%o6", "%i6", *absent):
                rows.append((load, name))
            if name not in absent:
                rows.append((store, name))
        if n % 2 == 0 and not {name, names[n + 1]} & {"%g4", "%g6", "%o6", "%i6", "%g0"}:
            rows += [("ldd", name), ("std", name)]
    for n in range(32):
        rows += [("ld", f"%f{n}"), ("st", f"%f{n}")]
    for n in range(0, 64 if wide else 32, 2):
        rows += [("ldd", f"%f{n}"), ("std", f"%f{n}")]
    if wide:
        # No stq: qemu 7.2 stores the first half twice (`test_rare` has its value).
        rows += [("ldq", f"%f{n}") for n in range(0, 64, 4)]
        rows.append(("stx", "%fsr"))
    rows.append(("st", "%fsr"))
    start = "save %sp, -256, %sp"
    at = "[%fp+2047-16]" if wide else "[%fp-16]"
    keep = "stx" if wide else "st"
    load = keep.replace("st", "ld")
    declared = [f".register %g{n}, #scratch" for n in (2, 3)] if wide else []
    reads = {one: f"tst {one}" for one in names if one not in ("%g0", "%g7", *absent)}
    return Family(
        rows=rows,
        before=[*declared, ".globl accesses", "accesses:", start, f"{keep} %i7, {at}"],
        after=[f"{load} {at}, %i7", "ret", "restore"],
        reads=reads,
        special=["addx %g0, %g0, {}", "rd %y, {}", "mov %o7, {}"],
        pointer=".xword" if wide else ".long",
        bases=("%l0", "%l2"),
        spares=("%g1", "%o0", "%l4"),
    )


_PLAIN = [".globl accesses", "accesses:"]
_DESCRIBED = [
    '.section ".opd","aw"',
    ".globl accesses",
    "accesses: .quad .L.accesses, .TOC.@tocbase, 0",
    ".text",
    ".L.accesses:",
]
_VSX = ("lxvd2x", "stxvd2x", "lxvw4x", "stxvw4x", "lxsdx", "stxsdx", "lxsspx", "stxsspx")
FAMILIES = {
    "sparc-v8": _sparc(False),
    "sparc-v9": _sparc(True),
    "ppc32": _powerpc(False, (), _PLAIN, fixed=False),
    "ppc32 with small data": _powerpc(False, (), _PLAIN),
    "ppc64": _powerpc(True, _VSX, _DESCRIBED),
    "ppc64le": _powerpc(True, _VSX, _PLAIN),
}
