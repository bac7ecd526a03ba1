"""Short traces in few words, and what the checks say of them.

A line is one record: an optional thread (`1:`), a word, and its fields, hexadecimal:
`init`, `free`, `set`, `r`(ead), `w`(rite, release order), `p`(lain write), `dsb ish`, `isb`,
`tlbi OP [OPERAND]`, `reg NAME VALUE`, `lock`, `trylock`, `unlock`, and hints by their kinds;
`! TEXT` is the line with which a producer ends its trace at a violation.
"""

from __future__ import annotations

from typing import Any

from inst.check import Finding, Options, Report, check_trace
from inst.formats.sexp.trace import SexpTrace

NAME = "break-before-make"
PAGES = (
    "init 10000 1000; p 10008 40000003; set_root_lock 10000 900; reg vtcr_el2 2b; "
    "reg vttbr_el2 10000; lock 900;"
)
"""A root of level 3 with one page mapped."""
OWN = (
    "init 10000 1000; p 10008 40000003; set_root_lock 10000 900; reg tcr_el2 2b; "
    "reg ttbr0_el2 10000; lock 900;"
)
"""The same in stage 1 of EL2."""

_FORMS = {
    "init": "(mem-init {head} (address {0}) (size {1}))",
    "free": "(mem-free {head} (address {0}) (size {1}))",
    "set": "(mem-set {head} (address {0}) (size {1}) (value {2}))",
    "r": "(mem-read {head} (address {0}) (value {1}))",
    "w": "(mem-write {head} (mem-order release) (address {0}) (value {1}))",
    "p": "(mem-write {head} (mem-order plain) (address {0}) (value {1}))",
    "p4": "(mem-write {head} (mem-order plain) (address {0}) (value {1}) (size 4))",
    "dsb": "(barrier {head} dsb (kind {0}))",
    "isb": "(barrier {head} isb)",
    "reg": "(sysreg-write {head} (sysreg {0}) (value {1}))",
    "lock": "(lock {head} (address {0}))",
    "trylock": "(trylock {head} (address {0}))",
    "unlock": "(unlock {head} (address {0}))",
    "odd": "(odd {head} (thing {0}))",
}
_HINTS = ("set_root_lock", "set_owner_root", "release_table", "set_pte_thread_owner")


def record(line: str, number: int) -> str:
    """Return the record that a line stands for."""
    if line.startswith("!"):
        return line
    words = line.split()
    thread = words.pop(0)[:-1] if words[0].endswith(":") else "0"
    head = f"(id {number}) (tid {thread})"
    name, *fields = words
    if name == "tlbi":
        operand = f" (value {fields[1]})" if len(fields) > 1 else ""
        return f"(tlbi {head} {fields[0]}{operand})"
    if name in _HINTS:
        value = fields[1] if len(fields) > 1 else "0"
        return f"(hint {head} (kind {name}) (location {fields[0]}) (value {value}))"
    return _FORMS[name].format(*fields, head=head)


def text_of(lines: list[str]) -> str:
    return "".join(record(line, number) + "\n" for number, line in enumerate(lines))


def split(text: str) -> list[str]:
    """Return the lines of a trace written with semicolons."""
    return [line.strip() for line in text.split(";") if line.strip()]


def report_of(
    lines: list[str], *, keep_going: bool = False, chunk: int = 0, **settings: str
) -> Report:
    """Return what break-before-make reports."""
    options = Options(keep_going, frozenset({NAME}), settings)
    data = text_of(lines).encode()
    size = chunk or max(len(data), 1)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    report = check_trace(SexpTrace("t", chunks), (NAME,), options)
    assert report.error is None, report.error
    return report


def findings(lines: list[str], **options: Any) -> list[Finding]:
    """Return what break-before-make finds."""
    return report_of(lines, **options).findings


def codes(text: str, **settings: str) -> list[tuple[str, int]]:
    """Return code and record of the findings of a trace written with semicolons."""
    return [(found.code, found.record) for found in findings(split(text), **settings)]
