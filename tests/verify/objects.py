"""What the real assembler makes of both sides: branches that it could not finish by itself."""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from inst.target.targets import Target

_SPARC = frozenset((8, 40, 41, 88))  # WDISP22, WDISP16, WDISP19, WDISP10
_POWERPC = frozenset((7, 8, 9, 11, 12, 13))  # ADDR14, REL14 and their predicted forms
_SHORT = {2: _SPARC, 18: _SPARC, 43: _SPARC, 20: _POWERPC, 21: _POWERPC}
"""e_machine -> relocations of branches that do not reach everywhere (the ABIs' numbers)."""


def assembles(source: str, rewritten: str, target: Target, flags: tuple[str, ...]) -> list[str]:
    """Assemble both sides; an output that reaches less than its input is a problem.

    The assembler refuses a branch to a label of the file that is out of reach; what it
    leaves to the linker is in the relocations, and there must not be more of the short ones.
    """
    with tempfile.TemporaryDirectory() as directory:
        found = []
        for name, text in (("old", source), ("new", rewritten)):
            made = Path(directory, f"{name}.o")
            command = [*target.compiler, *flags, "-c", "-x", "assembler", "-", "-o", str(made)]
            done = subprocess.run(command, input=text, text=True, capture_output=True)
            if done.returncode:
                return [f"the {name} text does not assemble: {done.stderr[:300]}"]
            found.append(_short_branches(made))
    return [
        f"{count} more short branches to {symbol}"
        for symbol, count in (found[1] - found[0]).items()
    ]


def _short_branches(path: Path) -> Counter[str]:
    """Count the relocations of short branches by symbol."""
    counted: Counter[str] = Counter()
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        short = _SHORT[_machine(path)]
        for section in elf.iter_sections():
            if isinstance(section, RelocationSection):
                symbols = elf.get_section(section["sh_link"])
                for entry in section.iter_relocations():
                    if entry["r_info_type"] in short:
                        counted[symbols.get_symbol(entry["r_info_sym"]).name] += 1
    return counted


def _machine(path: Path) -> int:
    header = path.read_bytes()[:20]
    return int.from_bytes(header[18:20], "big" if header[5] == 2 else "little")
