"""The site table: one row for each access that is reported, in a section of its own."""

from __future__ import annotations

from collections.abc import Iterator

from inst.asm.model import Statement
from inst.asm.syntax import Syntax
from inst.asm.tokens import quoted
from inst.dataclass import dataclass
from inst.hooktable import LEVEL_SYMBOLS, SITE_SECTION, SMALL_DATA_SYMBOL
from inst.isa.model import Isa
from inst.isa.sites import Sites
from inst.rewrite.options import EXECUTED_LEVELS, Options


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One access that is reported: a row of the table before it is written."""

    label: str
    statement: int
    event: str
    size: int
    text: str = ""
    """The program's own instruction, where that is not the statement."""


class SiteTable:
    """The directives of a file's site table."""

    def __init__(self, isa: Isa, options: Options) -> None:
        self.address = isa.part(Syntax).addresses[isa.bits]
        called = "values" if options.level in EXECUTED_LEVELS else options.level
        level = f"record-{options.level}" if options.record else called
        self.level = quoted(LEVEL_SYMBOLS[level])
        site = isa.part(Sites).abis[isa.abi]
        self.choice = quoted(site.symbol) if options.barriers and site.symbol else ""
        """The symbol that stands for the registers of its sites, where they are a choice."""
        kept = site.small_data.register if options.small_data and site.small_data else ""
        self.end = f".asciz {quoted(kept)}" if kept else ".byte 0"
        """After the symbol of the level: the register that probes leave to small data."""
        self.on_small_data = False
        """Whether the file relies on it."""
        self.rows: list[str] = []
        self.current: str | None = None

    def add(
        self,
        sites: list[SiteRow],
        statements: list[Statement],
        places: list[tuple[str, int] | None],
        file: str,
    ) -> None:
        """Add the sites of a part, whose statements stand at `places` in the source."""
        for site in sites:
            statement = statements[site.statement]
            name, line = places[site.statement] or (file, statement.line)
            if name != self.current:
                self.current = name
                self.rows.append(f"\t.ascii {quoted('F' + name)}\n\t.byte 0\n")
            own = site.text or f"{statement.name} {statement.operands}"
            text = " ".join(own.split())
            fields = quoted(f"{site.event}\t{site.size}\t{line}\t{text}")
            row = f'\t.ascii "S"\n\t{self.address} {site.label}\n\t.asciz {fields}\n'
            self.rows.append(row)

    def text(self) -> Iterator[str]:
        """Yield the section: the level, then the rows; nothing for a table without rows."""
        if not self.rows:
            return
        yield f'\n\t.section {SITE_SECTION},"",@progbits\n'
        symbols = [self.level, *([quoted(SMALL_DATA_SYMBOL)] if self.on_small_data else [])]
        symbols += [self.choice] if self.choice else []
        for symbol in symbols:
            yield f'\t.ascii "L"\n\t{self.address} {symbol}\n\t{self.end}\n'
        yield from self.rows
