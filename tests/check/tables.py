"""Traces of a few events that show what a program does to page tables, and what is found there."""

from __future__ import annotations

from pathlib import Path

from inst.check.run import check_trace
from inst.trace import open_trace
from inst.trace.finding import Finding


def findings(text: str, path: Path) -> list[Finding]:
    """Return what the check of page tables finds in events (`trace_of`)."""
    return list(check_trace(open_trace(trace_of(text, path)), ("break-before-make",)).findings)


def trace_of(text: str, path: Path) -> Path:
    """Write a trace: `read` and `write` with address and value, `lock` and `unlock`, registers,
    operations on translations, barriers."""
    lines = []
    for number, words in enumerate(part.split() for part in text.split(";")):
        name, values = words[0], [int(word, 0) for word in words[1:]]
        start = f"(id {number}) (tid 1)"
        if name in ("read", "write"):
            order = " (mem-order plain)" if name == "write" else ""
            size = values[2] if len(values) > 2 else 4
            lines.append(f"(mem-{name} {start}{order} (address {values[0]:x}) "
                         f"(value {values[1]:x}) (size {size}) (src 10000))")  # fmt: skip
        elif name in ("lock", "unlock"):
            lines.append(f"({name} {start} (address {values[0]:x}))")
        elif name.startswith(("mas", "msr", "mmu")):
            lines.append(f"(sysreg-write {start} (sysreg {name}) (value {values[0]:x}))")
        elif name.startswith(("tlb", "flush.")) and name != "tlbsync":
            operand = f" (value {values[0]:x})" if values else ""
            lines.append(f"(tlbi {start} {name}{operand})")
        else:
            lines.append(f'(event {start} (what barrier) (detail "{name}"))')
    path.write_text("\n".join(lines) + "\n")
    return path
