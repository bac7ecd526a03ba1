"""STF records as rows: the text as it stands in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from inst.trace.rows import Row
from inst.trace.stf import StfTrace
from inst.trace.stf_record import StfRecord


def stf_rows(trace: StfTrace, *, disassembly: bool = True) -> Iterator[Row]:
    """Yield every record as a row; with operands where `disassembly` is asked for."""
    decode: Callable[[int, int], str] | None = None
    for batch in trace.batches():
        if disassembly and decode is None and trace.facts.arch:
            from inst.trace.disassemble import disassembler

            decode = disassembler(trace.facts.arch)
        for record in batch.records:
            yield _row(record, decode)


def _row(record: StfRecord, decode: Callable[[int, int], str] | None) -> Row:
    instruction = record.kind == "instr"
    if not instruction:
        text = " ".join(record.text.decode("utf-8", "replace").split())
    else:
        what = decode(record.word, record.pc) if decode else f"0x{record.word:08x}"
        changed = " ".join(record.after.decode("utf-8", "replace").split())
        text = f"[0x{record.pc:0{record.digits}x}] {what}"
        text += f" ({record.mnemonic})" if record.mnemonic != what.partition(" ")[0] else ""
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
