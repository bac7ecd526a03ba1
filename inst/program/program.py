"""Looks up a run-time address in an ELF file: function, source line, original text.

The site table is searched first (it has the instruction as the compiler wrote it), then the
line table; both are read when the first address is looked up, not before.
"""

from __future__ import annotations

import bisect
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from inst.common.elf import FUNCTION, OBJECT, DamagedElf, Elf
from inst.program import sitetable
from inst.program.demangle import demangle as meaning
from inst.program.demangle import demangled
from inst.program.landing_pads import read_landing_pads
from inst.program.line_table import read_lines
from inst.shown import shown
from inst.trace.model import Array, Image, Trace
from inst.trace.place import Place

Row = TypeVar("Row")

REMEMBERED = 1 << 16
"""Addresses whose places are remembered."""


def _in_order(row: tuple[int, str, int]) -> tuple[int, bool]:
    """Return the key that sorts rows of line tables: of those at one address the last one counts,
    but none where other code ends."""
    return row[0], bool(row[2])


class Program:
    """One ELF file, read lazily, addressed by link-time addresses.

    With a list for failures a damaged table counts as empty, and the reason goes to the list.
    """

    def __init__(self, path: str | Path, failures: list[DamagedElf] | None = None) -> None:
        self.path = Path(path)
        self._elf = Elf(path)
        self._failures = failures
        self.relocatable = self._elf.relocatable
        self.start = min((start for start, _ in self._elf.loads), default=0)
        end = max((start + size for start, size in self._elf.loads), default=0)
        self.end = min(end, (1 << 64) - 1)
        self._functions: list[tuple[int, int, str]] | None = None
        self._lines: list[tuple[int, str, int]] | None = None
        self._sites: list[sitetable.Site] | None = None
        self._contents: list[tuple[int, Array]] | None = None
        self._pads: list[tuple[int, int, int]] | None = None

    def section(self, name: str) -> tuple[bytes, int] | None:
        """Return a section's content and link-time address; None if there is none."""
        return self._elf.section(name)

    def words(self, addresses: Array) -> Array:
        """Return the words of code or data at link-time addresses; 0 where the file has none."""
        if self._contents is None:
            order = "<" if self._elf.is_little else ">"
            self._contents = [
                (start, np.frombuffer(data, f"{order}u4", len(data) // 4))
                for start, data in self._table(self._elf.contents)
            ]
        found = np.zeros(len(addresses), "u4")
        for start, words in self._contents:
            places = (addresses - np.uint64(start)) // np.uint64(4)
            inside = (addresses >= start) & (addresses % np.uint64(4) == start % 4)
            inside &= places < len(words)
            found[inside] = words[places[inside].astype("i8")]
        return found

    def variables(self) -> list[tuple[int, int, str]]:
        """Return (link-time address, size, name) of the program's variables, ascending."""
        return sorted(
            (symbol.value, symbol.size, shown(symbol.name))
            for symbol in self._elf.symbols(".symtab")
            if symbol.kind == OBJECT and symbol.size
        )

    def place(self, address: int) -> Place:
        """Return what is known of a link-time address."""
        function, offset = self.function(address)
        site = self._site(address)
        if site is not None:
            return Place(function, offset, shown(site.file), site.line, shown(site.text))
        file, line = self.source_line(address)
        return Place(function, offset, file, line, "")

    def names(self) -> list[str]:
        """Return the names of all functions, as the symbol table has them."""
        return [name for _, _, name in self.function_table()]

    def uses(self, text: str) -> bool:
        """Return whether a symbol has a text in its name, defined here or elsewhere."""
        tables = (".symtab", ".dynsym")
        return any(text in one.name for table in tables for one in self._elf.symbols(table))

    def function(self, address: int) -> tuple[str, int]:
        """Return the function the address lies in and the offset there; "" if in none."""
        functions = self.function_table()
        at = bisect.bisect_right(functions, (address, 1 << 64, "")) - 1
        if at < 0:
            return "", 0
        start, size, name = functions[at]
        return (name, address - start) if address < start + max(size, 4) else ("", 0)

    def functions(self, addresses: Array, counts: Array) -> Counter[str]:
        """Return the counts of link-time addresses by function; "?" for those in none."""
        functions = self.function_table()
        starts = np.array([start for start, _, _ in functions], "u8")
        sizes = np.array([max(size, 4) for _, size, _ in functions], "u8")
        at = np.searchsorted(starts, addresses, "right") - 1
        inside = at >= 0
        inside[inside] = addresses[inside] - starts[at[inside]] < sizes[at[inside]]
        totals = np.zeros(len(starts), "i8")
        np.add.at(totals, at[inside], counts[inside])
        result = Counter({"?": int(counts[~inside].sum())})
        for number in np.flatnonzero(totals).tolist():
            result[functions[number][2] or "?"] += int(totals[number])
        return +result

    def source_line(self, address: int) -> tuple[str, int]:
        """Return file and line from the debugging information; ("", 0) if it has none."""
        if self._lines is None:
            self._lines = self._table(lambda: sorted(read_lines(self._elf), key=_in_order))
        at = bisect.bisect_right(self._lines, address, key=lambda row: row[0]) - 1
        if at < 0:
            return "", 0
        _, file, line = self._lines[at]
        return shown(file), line

    def sites(self) -> list[sitetable.Site]:
        """Return the accesses that were instrumented, ascending."""
        if self._sites is None:
            self._sites = self._table(lambda: sitetable.sites_of(self._elf))
        return self._sites

    def landing_pads(self) -> list[tuple[int, int, int]]:
        """Return (first address, end, landing pad) of code whose exceptions are caught, ascending.

        Addresses are link-time ones.
        """
        if self._pads is None:
            self._pads = self._table(lambda: sorted(read_landing_pads(self._elf)))
        return self._pads

    def _site(self, address: int) -> sitetable.Site | None:
        sites = self.sites()
        at = bisect.bisect_left(sites, address, key=lambda site: site.address)
        if at < len(sites) and sites[at].address == address:
            return sites[at]
        return None

    def function_table(self) -> list[tuple[int, int, str]]:
        """Return (link-time address, size, name) of all functions, ascending."""
        if self._functions is None:
            self._functions = self._table(lambda: sorted(set(self._read_functions())))
        return self._functions

    def _table(self, read: Callable[[], list[Row]]) -> list[Row]:
        """Read a table, or record why it cannot be read."""
        try:
            return read()
        except DamagedElf as error:
            if self._failures is None:
                raise
            self._failures.append(error)
            return []

    def _read_functions(self) -> Iterator[tuple[int, int, str]]:
        entries = self._entries()
        for name in (".symtab", ".dynsym"):
            for symbol in self._elf.symbols(name):
                if symbol.kind == FUNCTION and symbol.value:
                    start = entries.get(symbol.value, symbol.value)
                    yield start, symbol.size, shown(symbol.name)

    def _entries(self) -> dict[int, int]:
        """Return where the code of each function descriptor begins (64-bit PowerPC, ELFv1).

        There symbols of functions have the address of a descriptor of three doublewords in .opd,
        the first of which is the entry point, and the size of the code.
        """
        content, start = self._elf.section(".opd") or (b"", 0)
        whole = len(content) & -8
        words = struct.unpack(
            f"{'<' if self._elf.is_little else '>'}{whole // 8}Q", content[:whole]
        )
        return {start + 8 * number: word for number, word in enumerate(words)}


class Locator:
    """Finds the place of run-time addresses in the programs a user named.

    C++ names are demangled, unless `demangle` is false. A damaged program is an error, unless it
    only serves to explain what is shown: with `lenient` its information is left out, and
    `failures` holds the reason.
    """

    def __init__(
        self,
        programs: Sequence[str | Program],
        trace: Trace,
        *,
        lenient: bool = False,
        demangle: bool = True,
    ) -> None:
        self.failures: list[DamagedElf] = []
        self._programs = list(self._open(programs, lenient=lenient))
        self._trace = trace
        self._demangle = demangle
        self._read: list[Program] = []
        self._images = -1
        self._biases: list[tuple[Program, int]] = []
        self._places: dict[int, Place | None] = {}

    def _open(self, programs: Sequence[str | Program], *, lenient: bool) -> Iterator[Program]:
        for given in programs:
            try:
                if isinstance(given, Program):
                    yield given
                else:
                    yield Program(given, self.failures if lenient else None)
            except DamagedElf as error:
                if not lenient:
                    raise
                self.failures.append(error)

    def report(self) -> int:
        """Print what is wrong with the programs; return 2 if anything is, as an exit status."""
        for failure in self.failures:
            print(failure.render(), file=sys.stderr)
        return 2 if self.failures else 0

    def __call__(self, pc: int) -> Place | None:
        """Return the place of a run-time address; None if it lies in no program named."""
        if self._images != len(self._trace.facts.images):
            self._settle()
        if pc not in self._places:
            if len(self._places) >= REMEMBERED:
                self._places.clear()
            self._places[pc] = self._find(pc)
        return self._places[pc]

    def loaded(self) -> list[tuple[Program, int]]:
        """Return the programs and how far each was moved when it was loaded, as known so far."""
        if self._images != len(self._trace.facts.images):
            self._settle()
        return self._biases

    def functions(self, pcs: Array, counts: Array) -> Counter[str]:
        """Return the counts of run-time addresses by function; "?" for those in none."""
        if self._images != len(self._trace.facts.images):
            self._settle()
        result: Counter[str] = Counter()
        for program, bias in self._biases:
            start, size = np.uint64(program.start), np.uint64(program.end - program.start)
            linked = pcs - np.uint64(bias & (1 << 64) - 1)
            inside = linked - start < size  # modulo 2**64: below the start is far past the end
            found = program.functions(linked[inside], counts[inside])
            shown = demangled(found) if self._demangle else {}
            for name, count in found.items():
                result[shown.get(name, name)] += count
            pcs, counts = pcs[~inside], counts[~inside]
        result["?"] += int(counts.sum())
        return +result

    def longer_at(self, pcs: Array, prefix: tuple[int, int]) -> Array:
        """Return the instructions of two words at run-time addresses; 0 for others."""
        found, (mask, value) = np.zeros(len(pcs), "u8"), prefix
        for program, bias in self.loaded():
            linked = pcs - np.uint64(bias & (1 << 64) - 1)
            first = program.words(linked)
            rows = np.flatnonzero(first & np.uint32(mask) == value)
            second = program.words(linked[rows] + np.uint64(4))
            found[rows] = first[rows].astype("u8") << np.uint64(32) | second
        return found

    def _find(self, pc: int) -> Place | None:
        for program, bias in self._biases:
            if program.start <= pc - bias < program.end:
                return self._readable(program.place(pc - bias), program)
        return None

    def _readable(self, place: Place, program: Program) -> Place:
        """Return the place with its name demangled; the first call demangles all names."""
        if not self._demangle or not place.function.startswith("_"):
            return place
        if program not in self._read:
            self._read.append(program)
            demangled(program.names())
        name = meaning(place.function)
        same = name == place.function
        return place if same else replace(place, function=name, symbol=place.function)

    def _settle(self) -> None:
        """Match programs with the images recorded so far: an image may be loaded late."""
        images = self._trace.facts.images
        self._images = len(images)
        self._places.clear()
        self._biases = []
        for program in self._programs:
            image = _image_of(program, images, alone=len(self._programs) == 1)
            if not program.relocatable:
                self._biases.append((program, 0))
            elif image is not None:
                self._biases.append((program, image.base - program.start))


def _image_of(program: Program, images: list[Image], alone: bool) -> Image | None:
    """Return the image with the program's path, or its name, or the first one."""
    path = program.path.resolve()
    for image in images:
        if Path(image.path).resolve() == path:
            return image
    for image in images:
        if Path(image.path).name == path.name:
            return image
    return images[0] if alone and images else None
