"""The table of filters, by family."""

from __future__ import annotations

from inst.filter import (
    anonymise,
    control,
    ihash,
    layout,
    marks,
    merge,
    numbering,
    physical,
    position,
    select,
    split,
    symbols,
    traps,
)
from inst.filter.model import Filter
from inst.trace import registry

FAMILIES: dict[str, tuple[Filter, ...]] = {
    "Selections (combine with not, and, or, parentheses)": select.FILTERS,
    "By position": position.FILTERS,
    "Order": (*merge.FILTERS, *split.FILTERS, *numbering.FILTERS),
    "Addresses": (*physical.FILTERS, *anonymise.FILTERS),
    "Control transfer": (*control.FILTERS, *traps.FILTERS),
    "Symbols and markers": (*symbols.FILTERS, *marks.FILTERS),
    "Layout": (*layout.FILTERS, *ihash.FILTERS),
}

FILTERS = {row.name: row for rows in FAMILIES.values() for row in rows}


def listing() -> str:
    """Return the documentation of every filter, with an example each."""
    import textwrap

    lines = []
    for family, rows in FAMILIES.items():
        lines += [family, ""]
        for row in rows:
            lines.append(f"  {row.usage}")
            lines += textwrap.wrap(
                row.summary, 88, initial_indent="      ", subsequent_indent="      "
            )
            formats = ", ".join(registry.named(each).title for each in row.formats)
            why = f" ({row.reason})" if row.reason else ""
            lines += [f"      works on {formats}{why}; example: {row.example}", ""]
    return "\n".join(lines)
