"""Assembly that calls every entry of the glue with known junk in every register."""

from __future__ import annotations

from dataclasses import dataclass

SPARC_FLAGS = ("", "x", "k", "xk")
POWERPC_FLAGS = ("", "x")
POWERPC_ACCESS_FLAGS = (*POWERPC_FLAGS, "l", "xl")
SIZES = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}
SPECIAL, KEPT, VALUED, LOADS, SINGLE = 1, 2, 4, 8, 16


@dataclass(frozen=True)
class Case:
    """One entry, the lines of its site, and the arguments that the hook must receive."""

    entry: str
    site: tuple[str, ...]  # `access:` stands before the access
    size: int
    stores: int
    value: int
    """Word of the register file where the value is."""
    flags: int
    lost: int = 1 << 16
    """First of two words of the file that the entry need not preserve, though others do."""


def sparc_cases() -> list[Case]:
    """Return a case for each name of the SPARC glue."""
    cases = []
    for kind in ("ld", "st"):
        for letter, size in SIZES.items():
            for flags in SPARC_FLAGS:
                cases.append(_sparc_case(kind, letter, size, "", flags))
                cases += [
                    _sparc_case(kind, letter, size, value, flags)
                    for value in _sparc_values(size, "k" in flags)
                ]
                if kind == "ld" and "k" in flags:
                    values = _sparc_values(size, True)
                    cases += [_sparc_after(letter, size, value, flags) for value in values]
    return cases + [_sparc_rare(flags) for flags in SPARC_FLAGS]


def _sparc_values(size: int, kept: bool) -> list[str]:
    names = [f"{bank}{n}" for bank in "goli" for n in range(8)]
    step = max(size // 4, 1)
    lost = {"g5", "g6"} | (set() if kept else {"o7"})
    integers = [
        name
        for n, name in enumerate(names)
        if n % step == 0 and not lost & set(names[n : n + step])
    ]
    floats = [f"f{n}" for n in range(0, 32, step)] if size >= 4 else []
    return (integers if size < 16 else []) + floats + (["g6"] if kept and size <= 4 else [])


def _sparc_after(letter: str, size: int, value: str, flags: str) -> Case:
    """Return a load that uses %o7, as far as the entry sees."""
    entry = f"inst.ld{letter}.after.{value}.{flags}"
    address = ["sethi %hi(data), %g5", "or %g5, %lo(data), %g5"]
    site = (*address, "access: nop", "mov %o7, %g6", f'call "{entry}"', "nop")
    word = sparc_word("o7" if value == "g6" else value)
    return Case(entry, site, size, 0, word, (SPECIAL if "x" in flags else 0) | KEPT | VALUED)


def sparc_word(register: str) -> int:
    """Return where matrix.c finds a register."""
    if register[0] == "f":
        return 34 + int(register[1:])
    return "goli".index(register[0]) * 8 + int(register[1])


def _sparc_case(kind: str, letter: str, size: int, value: str, flags: str) -> Case:
    entry = ".".join(part for part in ("inst", kind + letter, value, flags) if part)
    mask = (SPECIAL if "x" in flags else 0) | (KEPT if "k" in flags else 0)
    mask |= VALUED if value else 0
    keep = ["mov %o7, %g6"] if "k" in flags else []
    address = ["sethi %hi(data), %g5", "or %g5, %lo(data), %g5"]
    call = f'call "{entry}"'
    word = sparc_word("o7" if value == "g6" else value) if value else 0
    untouchable = ("g0", "g7", "o6", "o7", "i6", "i7", "g6")
    if kind == "ld" and value and size < 16 and value not in untouchable:
        mnemonic = {1: "ldub", 2: "lduh", 4: "ld", 8: "ldd"}[size]
        slot = f"access: {mnemonic} [%g5], %{value}"
        return Case(entry, (*keep, *address, call, slot), size, 0, word, mask | LOADS)
    slot = "or %g5, %lo(data), %g5"
    filler = ("nop", "nop")[: len(entry) % 3]  # the access at each distance
    behind = (*filler, "access: ld [%sp+64], %g0")
    if kind == "ld" and value:  # which has run in the slot
        slot, behind = f"access: {slot}", ()
    site = (*keep, address[0], call, slot, *behind)
    return Case(entry, site, size, int(kind == "st"), word, mask)


def _sparc_rare(flags: str) -> Case:
    entry = f"inst.rare.{flags}" if flags else "inst.rare"
    mask = VALUED | (SPECIAL if "x" in flags else 0) | (KEPT if "k" in flags else 0)
    keep = ["mov %o7, %g6"] if "k" in flags else []
    site = (
        *keep,
        "sethi %hi(data), %g5",
        f'call "{entry}"',
        "or %g5, %lo(data), %g5",
        "access: std %l2, [%sp+64]",
    )
    return Case(entry, site, 8, 1, sparc_word("l2"), mask)


_SPARC_LOADED = [
    *(f"g{n}" for n in range(1, 5)),
    *(f"o{n}" for n in (0, 1, 2, 3, 4, 5, 7)),
    *(f"l{n}" for n in range(8)),
    *(f"i{n}" for n in range(6)),
]


def sparc_assembly(cases: list[Case]) -> str:
    """Return the assembly file with all cases."""
    lines = ["\t.text"]
    for number, case in enumerate(cases):
        lines += [f"case{number}:", "\tsave %sp, -112, %sp", "\tset before, %g5"]
        lines += ["\tld [%g5+272], %l0", "\tld [%g5+276], %l1", "\tld [%g5+280], %l2"]
        lines += ["\ttst %l2", "\tbe 1f", "\ttaddcc %l0, %l1, %g0", "\ttsubcc %l0, %l1, %g0", "1:"]
        lines += ["\tld [%g5+128], %l0", "\twr %l0, 0, %y", "\tld [%g5+264], %fsr"]
        lines += [f"\tldd [%g5+{136 + 4 * n}], %f{n}" for n in range(0, 32, 2)]
        lines += [f"\tld [%g5+{4 * sparc_word(one)}], %{one}" for one in _SPARC_LOADED]
        lines += [f"\t{line}".replace("access:", f"access{number}:") for line in case.site]
        lines += ["\tset after, %g5"]
        names = [f"{bank}{n}" for bank in "goli" for n in range(8) if (bank, n) != ("g", 5)]
        lines += [f"\tst %{one}, [%g5+{4 * sparc_word(one)}]" for one in names]
        lines += ["\trd %y, %l0", "\tst %l0, [%g5+128]", "\tst %fsr, [%g5+264]"]
        lines += [f"\tstd %f{n}, [%g5+{136 + 4 * n}]" for n in range(0, 32, 2)]
        lines += ["\taddx %g0, 0, %l3", "\tmov 0, %l0", "\tmov 0, %l1", "\tmov 0, %l2"]
        for branch, register in (("bneg", "l0"), ("be", "l1"), ("bvs", "l2")):
            lines += [f"\t{branch},a 1f", f"\tmov 1, %{register}", "1:"]
        lines += [f"\tst %l{n}, [%g5+{284 + 4 * n}]" for n in range(4)]
        # The same of the operands, for the comparison.
        lines += ["\tset before, %g5", "\tld [%g5+272], %l0", "\tld [%g5+276], %l1"]
        lines += ["\tld [%g5+280], %l2", "\ttst %l2", "\tbe 1f", "\ttaddcc %l0, %l1, %g0"]
        lines += ["\ttsubcc %l0, %l1, %g0", "1:\taddx %g0, 0, %l3"]
        lines += ["\tmov 0, %l0", "\tmov 0, %l1", "\tmov 0, %l2"]
        for branch, register in (("bneg", "l0"), ("be", "l1"), ("bvs", "l2")):
            lines += [f"\t{branch},a 1f", f"\tmov 1, %{register}", "1:"]
        lines += [f"\tst %l{n}, [%g5+{284 + 4 * n}]" for n in range(4)]
        lines += ["\tret", "\trestore"]
    promised = {sparc_word(one) for one in _SPARC_LOADED if one != "o7"}
    promised |= set(range(34, 66)) | {66}
    special = {32, *range(71, 75)}
    return "\n".join([*lines, *tables(cases, promised, special, sparc_word("o7"))]) + "\n"


def powerpc_cases() -> list[Case]:
    """Return a case for each name of the PowerPC glue, vectors left out."""
    cases = []
    for kind in ("ld", "st"):
        for letter, size in SIZES.items():
            for flags in POWERPC_ACCESS_FLAGS:
                cases.append(_powerpc_case(kind, letter, size, "", flags))
                cases += [
                    _powerpc_case(kind, letter, size, value, flags)
                    for value in _powerpc_values(size)
                    if kind == "st" or "l" not in flags
                ]
    cases += [_powerpc_rare(flags) for flags in POWERPC_FLAGS]
    cases += [
        _framed_case(kind + letter, size, value, carrier, within)
        for kind in ("ld", "st")
        for letter, size in SIZES.items()
        for carrier in ("r13", "r12", "r11")
        for value in ("", *_framed_values(size))
        for within in (False, True)[: 1 + (carrier != "r13" and kind == "ld" and bool(value))]
        if size <= 8
    ]
    return cases + [
        _kept_case(kind + letter, size, value, carrier, flags)
        for kind in ("ld", "st")
        for letter, size in SIZES.items()
        for carrier in ("r12", "r11")
        for flags in POWERPC_FLAGS
        for value in ("", *[one for one in _powerpc_values(size) if one in _SOME_VALUES])
    ]


_SOME_VALUES = ("r0", "r1", "r3", "r5", "r31", "f0", "f13")


def _framed_values(size: int) -> list[str]:
    return [one for one in _powerpc_values(size) if one in (*_SOME_VALUES, "r11", "r12")]


def _framed_case(event: str, size: int, value: str, carrier: str, within: bool) -> Case:
    """Return a case of a site that has saved lr, and most often the carrier, in a frame."""
    to, kind = carrier[1:], "w" if within else "f"
    where = "" if carrier == "r13" else f"a{to}"
    entry = ".".join(part for part in ("inst", event, value, where, kind) if part)
    mask = SPECIAL | (VALUED if value else 0)
    if value.startswith("f") and size == 4:
        mask |= SINGLE
    address = (f"lis {to}, data@ha", f"addi {to}, {to}, data@l")
    call, access = f'bl "{entry}"', "access: nop"
    if carrier == "r13":
        save = ("stwu 1, -48(1)", "stw 10, 44(1)", "mflr 10")
        restore = ("mtlr 10", "lwz 10, 44(1)", "addi 1, 1, 48")
        has_run = (*address, access, *save, call, *restore)
        runs = (*address, *save, call, *restore, access)
    else:
        save = ("stwu 1, -64(1)", f"stw {to}, 60(1)", f"mflr {to}", f"stw {to}, 56(1)")
        restore = (f"lwz {to}, 56(1)", f"mtlr {to}", f"lwz {to}, 60(1)", "addi 1, 1, 64")
        ready = (*save, *address)
        has_run = (*((*ready, access) if within else (access, *ready)), call, *restore)
        has_run, runs = (*has_run, KEPT_POINTER), (*ready, call, *restore, access, KEPT_POINTER)
    site = has_run if event.startswith("ld") and value else runs
    word = powerpc_word(value) if value else 0
    return Case(entry, site, size, int(event.startswith("st")), word, mask)


def _kept_case(event: str, size: int, value: str, carrier: str, flags: str) -> Case:
    """Return a case of an entry that leaves r13 alone; its access comes after it."""
    to = carrier[1:]
    entry = ".".join(part for part in ("inst", event, value, f"a{to}", flags) if part)
    mask = (SPECIAL if flags else 0) | (VALUED if value else 0)
    if value.startswith("f") and size == 4:
        mask |= SINGLE
    site = [f"lis {to}, data@ha", f"addi {to}, {to}, data@l", f'bl "{entry}"']
    if event.startswith("ld") and value:  # such an access has run, one word before the call
        site.insert(2, "access: nop")
    else:
        site.append("access: nop")
    stores = int(event.startswith("st"))
    word = powerpc_word(value) if value else 0
    return Case(entry, (*site, KEPT_POINTER), size, stores, word, mask, lost=11)


KEPT_POINTER = "stw 13, 184(1)"
"""Behind a site that must leave r13 as it was."""


def _powerpc_values(size: int) -> list[str]:
    general = [f"r{n}" for n in range(32) if n != 13] if size <= 4 else []
    return general + ([f"f{n}" for n in range(32)] if size in (4, 8) else [])


def powerpc_word(register: str) -> int:
    """Return where matrix.c finds a register."""
    number = int(register[1:])
    return 36 + 2 * number if register[0] == "f" else number


def _powerpc_case(kind: str, letter: str, size: int, value: str, flags: str) -> Case:
    entry = ".".join(part for part in ("inst", kind + letter, value, flags) if part)
    mask = (SPECIAL if "x" in flags else 0) | (VALUED if value else 0)
    word = powerpc_word(value) if value else 0
    address = ("lis 13, data@ha", "addi 13, 13, data@l")
    if value.startswith("f") and size == 4:
        mask |= SINGLE
    if kind == "ld" and value:
        number = value[1:]
        integer = {1: "lbz", 2: "lhz", 4: "lwz"}
        mnemonic = {4: "lfs", 8: "lfd"}[size] if value[0] == "f" else integer[size]
        load = f"access: {mnemonic} {number}, 0(13)"
        if value in ("r1", "r2"):
            load = "access: nop"  # the value stays what it is
        else:
            mask |= LOADS
        return Case(entry, (*address, load, f'bl "{entry}"'), size, 0, word, mask)
    behind = ("mtlr 31", "access: nop") if "l" in flags else ("access: nop",)
    site = (*address, f'bl "{entry}"', *behind)
    return Case(entry, site, size, int(kind == "st"), word, mask)


def _powerpc_rare(flags: str) -> Case:
    entry = f"inst.rare.{flags}" if flags else "inst.rare"
    site = ("lis 13, data@ha", "addi 13, 13, data@l", f'bl "{entry}"', "access: stw 25, -4(1)")
    mask = VALUED | (SPECIAL if flags else 0)
    return Case(entry, site, 4, 1, 25, mask)


_POWERPC_LOADED = [0, *range(3, 13), *range(14, 32)]


def powerpc_assembly(cases: list[Case]) -> str:
    """Return the assembly file with all cases."""
    lines = ["\t.text"]
    for number, case in enumerate(cases):
        lines += [f"case{number}:", "\tmflr 0", "\tstwu 1, -192(1)", "\tstw 0, 196(1)"]
        lines += [f"\tstw {n}, {4 * n + 32}(1)" for n in range(14, 32)]
        lines += ["\tmfcr 0", "\tstw 0, 180(1)"]
        lines += [*_point_at("before"), "\tstw 13, 52(13)", "\tstw 13, 184(1)"]
        lines += ["\tlfd 0, 400(13)", "\tmtfsf 0xff, 0"]
        for instruction, at in (("mtcr", 128), ("mtctr", 132), ("mtxer", 136)):
            lines += [f"\tlwz 0, {at}(13)", f"\t{instruction} 0"]
        lines += [f"\tlfd {n}, {144 + 8 * n}(13)" for n in range(32)]
        lines += [f"\tlwz {n}, {4 * n}(13)" for n in _POWERPC_LOADED]
        lines += [f"\t{line}".replace("access:", f"access{number}:") for line in case.site]
        lines += _point_at("after")
        lines += [f"\tstw {n}, {4 * n}(13)" for n in range(32) if n != 13]
        lines += [f"\tstfd {n}, {144 + 8 * n}(13)" for n in range(32)]
        for instruction, at in (("mfcr", 128), ("mfctr", 132), ("mfxer", 136)):
            lines += [f"\t{instruction} 0", f"\tstw 0, {at}(13)"]
        lines += ["\tlwz 0, 128(13)", "\trlwinm 0, 0, 0, 4, 19", "\tstw 0, 140(13)"]
        lines += ["\tmffs 0", "\tstfd 0, 400(13)", "\tlwz 0, 184(1)", "\tstw 0, 52(13)"]
        lines += ["\tlwz 0, 180(1)", "\tmtcr 0"]
        lines += [f"\tlwz {n}, {4 * n + 32}(1)" for n in range(14, 32)]
        lines += ["\tlwz 0, 196(1)", "\taddi 1, 1, 192", "\tmtlr 0", "\tblr"]
    promised = {*_POWERPC_LOADED, 13, 35, *range(36, 100), 101}  # 35: cr1 to cr4
    return "\n".join([*lines, *tables(cases, promised, {32, 33, 34}, 127)]) + "\n"


def _point_at(symbol: str) -> list[str]:
    return [f"\tlis 13, {symbol}@ha", f"\taddi 13, 13, {symbol}@l"]


def tables(
    cases: list[Case],
    promised: set[int],
    special: set[int],
    link: int,
    count: int = 128,
    pointer: str = ".long",
) -> list[str]:
    """Return the data of matrix.c: register files of `count` words, and a row for each case."""
    lines = ["\t.data", "\t.balign 16"]
    for symbol, size in (("before", count), ("after", count), ("data", 16)):
        lines += [f"\t.globl {symbol}", f"{symbol}: .space {4 * size}"]
    for symbol, words in (("promised", promised), ("promised_special", special)):
        lines += [f"\t.globl {symbol}", f"{symbol}:"]
        lines += [f"\t.long {int(n in words)}" for n in range(count)]
    lines += ["\t.globl row_count, link_word, rows"]
    lines += [f"row_count: .long {len(cases)}", f"link_word: .long {link}", "rows:"]
    for number, case in enumerate(cases):
        words = f"{case.size}, {case.stores}, {case.value}, {case.flags}, {case.lost}, 0"
        lines.append(f"\t{pointer} name{number}, case{number}, access{number}")
        lines.append(f"\t.long {words}")
    lines += [f'name{number}: .asciz "{case.entry}"' for number, case in enumerate(cases)]
    return [*lines, '\t.section .note.GNU-stack,"",@progbits']
