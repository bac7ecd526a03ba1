"""STF records as rows: the text as it is in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from inst.formats.stf.record import StfRecord
from inst.formats.stf.scan import Scanned
from inst.formats.stf.trace import StfBatch, StfTrace
from inst.trace.event_text import Texts, classic_line, texts_of
from inst.trace.model import EVENT_NAMES, Array, Event, Trace
from inst.trace.rows import Block, Column, Row, block_of

Decode = Callable[[int, int], str]

MEMO = 1 << 16
"""Instructions remembered as text: a loop's body is put together once."""
PART = 4096
"""Instructions of a block: the first lines should not wait for many."""


def stf_blocks(trace: StfTrace, *, disassembly: bool = True) -> Iterator[Block]:
    """Yield every record as a row; with operands where `disassembly` is asked for."""
    decode: Decode = _as_word
    known: dict[tuple[int, int, str], str] = {}
    arch = ""
    for batch in trace.batches():
        if disassembly and trace.facts.arch != arch:
            from inst.words.disassemble import disassembler

            arch = trace.facts.arch
            decode = disassembler(arch)
        if batch.regular:
            yield from _regular_blocks(batch, batch.regular, partial(_line, decode, known))
        elif batch.records:
            yield block_of([_row(record, decode) for record in batch.records])


def _as_word(word: int, _pc: int) -> str:
    return f"0x{word:08x}"


Line = Callable[[int, int, str, int], str]
"""From address, word, mnemonic and digits to an instruction's text."""


def _line(
    decode: Decode,
    known: dict[tuple[int, int, str], str],
    pc: int,
    word: int,
    name: str,
    width: int,
) -> str:
    text = known.get((pc, word, name))
    if text is None:
        what = decode(word, pc)
        text = f"[0x{pc:0{width}x}] {what}"
        text += f" ({name})" if name != what.partition(" ")[0] else ""
        if len(known) > MEMO:
            known.clear()
        known[pc, word, name] = text
    return text


def _regular_blocks(batch: StfBatch, regular: Scanned, line: Line) -> Iterator[Block]:
    for start in range(0, len(regular), PART):
        yield _regular_block(batch, regular, start, min(start + PART, len(regular)), line)


def _regular_block(batch: StfBatch, regular: Scanned, start: int, end: int, line: Line) -> Block:
    """Return instructions, whose texts are made for those that are chosen."""
    count, columns = end - start, regular.columns
    everywhere = np.ones(count, "?")
    return Block(
        columns.first + np.arange(start, end),
        np.zeros(count, "i8"),
        ["instr"],
        everywhere,
        Column.missing(count),
        Column.missing(count),
        Column(columns.pc[start:end], everywhere),
        Column.missing(count),
        lambda chosen: _texts(regular, chosen + start, line),
        lambda row: _fields(batch.records[start + row]),
    )


def _texts(regular: Scanned, rows: Array, line: Line) -> list[str]:
    columns, digits = regular.columns, regular.digits
    texts = zip(
        columns.pc[rows].tolist(), columns.word[rows].tolist(), rows.tolist(), regular.afters(rows),
        strict=True,
    )  # fmt: skip
    names = columns.names
    return [
        f"{line(pc, word, names[row], digits)}  {_squeezed(after)}"
        if after
        else line(pc, word, names[row], digits)
        for pc, word, row, after in texts
    ]


def _squeezed(after: bytes) -> str:
    """Put register lines in the classic spelling on one line."""
    return after.replace(b" \n", b"\n").rstrip(b"\n").replace(b"\n", b" ").decode("ascii")


def _row(record: StfRecord, decode: Decode) -> Row:
    instruction = record.kind == "instr"
    if not instruction:
        text = " ".join(record.text.decode("utf-8", "replace").split())
    else:
        changed = " ".join(record.after.decode("utf-8", "replace").split())
        text = _line(decode, {}, record.pc, record.word, record.mnemonic, record.digits)
        text += f"  {changed}" if changed else ""
    return Row(
        record.ordinal,
        record.kind,
        text,
        instruction,
        None,
        None,
        record.pc if instruction else None,
        None,
        partial(_fields, record),
    )


def _fields(record: StfRecord) -> dict[str, Any]:
    if record.kind == "header":
        return dict(record.header)
    fields: dict[str, Any] = {}
    if record.kind == "instr":
        fields = {"pc": record.pc, "word": record.word, "mnemonic": record.mnemonic}
        fields["status"] = record.status
    return fields | {"registers": record.registers}


def event_line(decode: Decode, event: Event) -> str:
    """Return an instruction line of STF; what it touched follows it."""
    if event.word is None or event.pc is None:
        return f"|{EVENT_NAMES[event.kind]} {classic_line(decode, event)}|"
    text = decode(event.word, event.pc)
    line = f"PCN = {event.pc:08x} OPC = {event.word:08x} MNC = {text.partition(' ')[0]}"
    if event.address is None:
        return line
    value = f" = {event.value:0{2 * event.size}x}" if event.value is not None else ""
    return f"{line}  [{event.address:08x}]{value}"


def event_texts(trace: Trace) -> Texts:
    """Return what makes lines of a trace's events."""
    return texts_of(trace, event_line)
