"""Events as rows in the style of any format: what `inst view --as` prints.

A record that is no event of its own (a MEMVAL, a string) has no row here; its content
stands in the event it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from inst.trace.model import Array, Event, Flag, Kind, Trace
from inst.trace.rows import Block, Column

NAMES = [{"READ": "load", "WRITE": "store"}.get(kind.name, kind.name.lower()) for kind in Kind]
"""What the rows are called: as in `inst stats`."""

TABLE_HEAD = (
    f"{'kind':<11}{'cpu':>4} {'thread':>7} {'pc':>16} {'address':>16} {'size':>4} {'value':>16}"
    "  what"
)

_EXECUTED = np.isin(
    np.arange(max(Kind) + 1), (Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INSTRUCTION)
)
_WORD_FIELDS = {
    Kind.WRITE: "mem-order", Kind.BARRIER: "barrier", Kind.TLBI: "op", Kind.SYSREG: "sysreg",
    Kind.HINT: "kind",
}  # fmt: skip

Decode = Callable[[int, int], str]


def event_blocks(trace: Trace, style: str, *, disassembly: bool = True) -> Iterator[Block]:
    """Yield the trace's events as rows in the style of `rst`, `sexp` or `stf`, or a table."""
    decode: Decode = _as_word
    arch = ""
    write = _STYLES[style]
    for batch in trace.events():
        if disassembly and trace.facts.arch != arch:
            from inst.trace.disassemble import disassembler

            arch = trace.facts.arch
            decode = disassembler(arch)
        yield _block(trace, batch, partial(write, decode))


def _as_word(word: int, _pc: int) -> str:
    return f"0x{word:08x}"


def _block(trace: Trace, batch: Array, write: Callable[[Event], str]) -> Block:
    flags, everywhere = batch["flags"], np.ones(len(batch), "?")
    kinds = batch["kind"].astype("i8")
    return Block(
        batch["record"].astype("i8"),
        kinds,
        NAMES,
        _EXECUTED[kinds],
        Column(batch["cpu"].astype("u8"), everywhere),
        Column(batch["thread"], everywhere),
        Column(batch["pc"], flags & np.uint16(Flag.HAS_PC) != 0),
        Column(batch["address"], flags & np.uint16(Flag.HAS_ADDRESS) != 0),
        lambda chosen: [write(trace.event(batch[row])) for row in chosen.tolist()],
        lambda row: _fields(trace.event(batch[row])),
        lambda chosen: [trace.sites.texts[site] for site in batch["site"][chosen].tolist()],
    )


def _fields(event: Event) -> dict[str, Any]:
    names = ("id", "thread", "cpu", "pc", "address", "size", "value", "word", "detail", "site")
    values = {name: getattr(event, name) for name in names}
    return {name: value for name, value in values.items() if value not in (None, "")}


def _as_rst(decode: Decode, event: Event) -> str:
    """Return the classic viewer's line, or all that is known as name=value."""
    if event.word is None or event.pc is None:
        return " ".join(f"{key}={_show(key, value)}" for key, value in _fields(event).items())
    mode = "p" if event.flags & Flag.PRIVILEGED else "u"
    text = f"cpuid={event.cpu} {mode} [0x{event.pc:016x}] {decode(event.word, event.pc)}"
    text += " T" if event.flags & Flag.TAKEN else ""
    text += f" [0x{event.address:016x}]" if event.address is not None else ""
    text += " tr" if event.flags & Flag.TRAPPED else ""
    return text + (" an" if event.flags & Flag.ANNULLED else "")


def _show(key: str, value: int | str) -> str:
    wide = key in ("pc", "address", "value", "word")
    return f"0x{value:x}" if wide else f"{value}"


def _as_sexp(_decode: Decode, event: Event) -> str:
    """Return an s-expression; kinds that the format does not have keep their name."""
    from inst.trace.sexp_record import quote
    from inst.trace.sexp_table import KINDS

    name = next(
        (kind.name for kind in KINDS.values() if kind.kind == event.kind), NAMES[event.kind]
    )
    parts = [name, f"(id {event.id})", f"(tid {event.thread})"]
    if event.detail:
        parts.append(_detail(event))
    elif event.kind == Kind.WRITE:
        parts.append("(mem-order plain)")
    for key, value in (("address", event.address), ("value", event.value)):
        if value is not None:
            parts.append(f"({key} 0x{value:x})")
    if event.size not in (0, 8):
        parts.append(f"(size {event.size})")
    if event.site:
        parts.append(f"(src {quote(event.site)})")
    elif event.pc is not None:
        parts.append(f"(src 0x{event.pc:x})")
    return "(" + " ".join(parts) + ")"


def _detail(event: Event) -> str:
    key = _WORD_FIELDS.get(event.kind, "detail")
    if key in ("barrier", "op"):
        first, _, rest = event.detail.partition(" ")
        return f"{first} (kind {rest})" if rest else first
    return f"({key} {event.detail})"


def _as_stf(decode: Decode, event: Event) -> str:
    """Return an instruction line of STF; what it touched stands behind it."""
    if event.word is None or event.pc is None:
        return f"|{NAMES[event.kind]} {_as_rst(decode, event)}|"
    text = decode(event.word, event.pc)
    line = f"PCN = {event.pc:08x} OPC = {event.word:08x} MNC = {text.partition(' ')[0]}"
    if event.address is None:
        return line
    value = f" = {event.value:0{2 * event.size}x}" if event.value is not None else ""
    return f"{line}  [{event.address:08x}]{value}"


def _as_table(decode: Decode, event: Event) -> str:
    def number(value: int | None, digits: int) -> str:
        return " " * digits if value is None else f"{value:#{digits}x}"

    what = event.detail
    if event.word is not None:
        what = decode(event.word, event.pc or 0)
    size = f"{event.size:4}" if event.size else "    "
    cells = (
        f"{event.cpu:4}",
        f"{event.thread:7}",
        number(event.pc, 16),
        number(event.address, 16),
        size,
        number(event.value, 16),
        f" {what}",
        event.site,
    )
    return " ".join(cells).rstrip()


_STYLES: dict[str, Callable[[Decode, Event], str]] = {
    "rst": _as_rst,
    "sexp": _as_sexp,
    "stf": _as_stf,
    "table": _as_table,
}
