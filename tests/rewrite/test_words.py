"""The instruction at a site is the program's own, whatever runs in its place.

Hooks read the word at the address that they are given, so each site's has to be one that the
assembler makes of the program without probes.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from inst.hooktable import SITE_SECTION
from inst.target.targets import TARGETS, Target
from inst.translate import Options, translate
from tests.conftest import require_tools
from tests.verify.__main__ import assembly

TRUTH = Path(__file__).resolve().parent.parent / "truth"
_BY_HAND = {"sparc-v8": "sparc-v8.s", "sparc-v9": "sparc-v9.s", "ppc32": "ppc32.s"}
_PROGRAMS = {"atomics": "-Os", "heap": "-O2", "bitfields": "-O0", "full_leaf": "-O2"}
"""GCC uses %o7 and %g0 as results in these, and SPARC's %o7 as a base."""
_RETURN = "\tsave %sp,-176,%sp\n\treturn %i7+8\n\t{}\n"
_FORMS = {
    "sparc": """f:\tld [%o7+8],%f2\n\tldd [%o7],%o2\n\tld [%o1],%o7\n\tldub [%o7+%o1],%o7
\tldstub [%o7],%g0\n\tswap [%o1],%g0\n\tldsb [%o1+%o2],%g0\n\tbne,a 1f\n\tld [%o1],%o7
1:\tcall g\n\tld [%sp+92],%g0\n""",
    "powerpc": "f:\tlwz 1,8(3)\n\tlwz 4,4(3)\n\tlwz 5,0(9)\n\tmtctr 5\n\tbctr\n",
}
_WIDE = {
    "sparc": "".join(
        _RETURN.format(slot)
        for slot in ("ldx [%sp+2175],%o0", "stx %o1,[%o0+8]", "ldsw [%g1],%o3", "ldd [%o1],%f4")
    ),
    "powerpc": "f:\tld 1,8(3)\n\tld 4,0(3)\n\tld 5,0(9)\n\tmtctr 5\n\tbctr\n",
}


@pytest.mark.parametrize("level", ["values", "addresses"])
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_words_at_sites_are_the_programs_own(name: str, level: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    require_tools(target.compiler[0])
    sources = [_FORMS[target.isa]]
    sources += [
        assembly(TRUTH / "assembly" / file, target, [])
        for file in (_BY_HAND.get(name, "powerpc64.S"), "leaving.S")
    ]
    sources += [
        assembly(TRUTH / "programs" / f"{program}.c", target, ["-std=gnu17", flag])
        for program, flag in _PROGRAMS.items()
    ]
    sources += [_WIDE[target.isa]] if target.bits == 64 else []
    found = [line for source in sources for line in _other_words(source, target, level, tmp_path)]
    assert not found


def _other_words(source: str, target: Target, level: str, directory: Path) -> list[str]:
    """Return the sites whose words the plainly assembled program does not have."""
    plain, traced = directory / "plain.o", directory / "traced.o"
    _assemble(source, target, plain)
    _assemble(translate(source, target, Options(level)), target, traced)
    own = Counter(word for words in _code(plain).values() for word in words)
    sites = _sites(traced)
    assert sites
    return [f"{word:#010x} for {text}" for word, text in sites if not own[word]]


def _assemble(text: str, target: Target, made: Path) -> None:
    command = [*target.compiler, "-c", "-x", "assembler", "-", "-o", str(made)]
    subprocess.run(command, input=text, text=True, check=True)


def _code(path: Path) -> dict[int, list[int]]:
    """Return the words of each code section, by the section's number."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        order = "little" if elf.little_endian else "big"
        return {
            number: [
                int.from_bytes(section.data()[n : n + 4], order)
                for n in range(0, section["sh_size"] - 3, 4)
            ]
            for number, section in enumerate(elf.iter_sections())
            if section["sh_flags"] & 4 and section["sh_type"] == "SHT_PROGBITS"
        }


def _sites(path: Path) -> list[tuple[int, str]]:
    """Return the word and the text of each row of an object's site table."""
    code = _code(path)
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        table, symbols = (
            elf.get_section_by_name(SITE_SECTION).data(),
            elf.get_section_by_name(".symtab"),
        )
        found = []
        for entry in elf.get_section_by_name(f".rela{SITE_SECTION}").iter_relocations():
            place = entry["r_offset"]
            if table[place - 1 : place] != b"S":
                continue
            symbol = symbols.get_symbol(entry["r_info_sym"])
            address = symbol["st_value"] + entry["r_addend"]
            start = place + elf.elfclass // 8
            text = table[start : table.index(b"\0", start)].decode().split("\t")[-1]
            found.append((code[symbol["st_shndx"]][address // 4], text))
    return found
