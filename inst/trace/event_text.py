"""Events as rows in the style of any format: what `inst view --as` prints.

A record that is no event of its own (a MEMVAL, a string) has no row here; its content
is in the event it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from inst.calls import system_names
from inst.trace import registry, system_events
from inst.trace.model import EVENT_NAMES, Array, Event, Flag, Kind, Trace
from inst.trace.registry import codec_of
from inst.trace.rows import Block, Column

TABLE = "table"
STYLES = (*registry.PACKAGES, TABLE)
TABLE_HEAD = (
    f"{'kind':<11}{'cpu':>4} {'thread':>7} {'pc':>16} {'address':>16} {'size':>4} {'value':>16}"
    "  what"
)

_EXECUTED = np.isin(
    np.arange(max(Kind) + 1), (Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INSTRUCTION)
)
Decode = Callable[[int, int], str]
Write = Callable[[Decode, Event], str]


Texts = Callable[[Decode, Array], list[str]]


def event_blocks(trace: Trace, style: str, *, disassembly: bool = True) -> Iterator[Block]:
    """Yield the trace's events as rows in the style of a format, or of a table."""
    decode: Decode = _as_word
    arch = ""
    texts = texts_of(trace, _table_line)
    if style != TABLE:
        texts = registry.named(style).event_texts(trace)
    for batch in trace.events():
        if disassembly and trace.facts.arch != arch:
            from inst.words.disassemble import disassembler

            arch = trace.facts.arch
            decode = disassembler(arch)
        yield _block(trace, batch, partial(texts, decode))


def texts_of(trace: Trace, write: Write) -> Texts:
    """Return what makes lines of a trace's events, one by one."""
    return partial(_as_text, trace, write)


def _as_text(trace: Trace, write: Write, decode: Decode, events: Array) -> list[str]:
    """Return the events' lines; a system call or a signal has its name for a word."""
    found = [trace.event(row) for row in events]
    for name, chosen in (
        (system_names.system_call, system_events.calls(events)),
        (system_names.signal, system_events.signals(events, trace)),
    ):
        for row in np.flatnonzero(chosen).tolist():
            word = f"{found[row].detail} {name(trace.facts.arch, found[row].value or 0)}"
            found[row] = replace(found[row], detail=word.strip())
    return [write(decode, event) for event in found]


def _as_word(word: int, _pc: int) -> str:
    return f"0x{word:08x}"


def _block(trace: Trace, batch: Array, texts: Callable[[Array], list[str]]) -> Block:
    flags, everywhere = batch["flags"], np.ones(len(batch), "?")
    kinds = batch["kind"].astype("i8")
    return Block(
        batch["record"].astype("i8"),
        kinds,
        EVENT_NAMES,
        _EXECUTED[kinds],
        Column(batch["cpu"].astype("u8"), everywhere),
        Column(batch["thread"], everywhere),
        Column(batch["pc"], flags & np.uint16(Flag.HAS_PC) != 0),
        Column(batch["address"], flags & np.uint16(Flag.HAS_ADDRESS) != 0),
        lambda chosen: texts(batch[chosen]),
        lambda row: _fields(trace.event(batch[row])),
        lambda chosen: [trace.sites.texts[site] for site in batch["site"][chosen].tolist()],
    )


def _fields(event: Event) -> dict[str, Any]:
    names = ("id", "thread", "cpu", "pc", "address", "size", "value", "word", "detail", "site")
    values = {name: getattr(event, name) for name in names}
    return {name: value for name, value in values.items() if value not in (None, "")}


def classic_line(decode: Decode, event: Event) -> str:
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


def _table_line(decode: Decode, event: Event) -> str:
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


def blocks(trace: Trace, *, style: str = "", disassembly: bool = True) -> Iterator[Block]:
    """Yield every record of the trace, in its own format's style or as events in another."""
    if style and style != trace.format:
        return event_blocks(trace, style, disassembly=disassembly)
    return codec_of(trace).rows(trace, disassembly=disassembly)
