"""RST records in the line format of the classic viewer.

A block's records are grouped by type: each type's fields are taken as columns, and one
format string makes the lines of all its records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from inst.formats.rst.codes import (
    EA_VALID,
    EVENT_RECORD,
    INSTR,
    PRIVILEGED,
    STRCONT,
    STRDESC,
    TAKEN,
)
from inst.formats.rst.record import RstBatch, decode, string_piece
from inst.formats.rst.table import TYPES, Field, RecordType, type_of
from inst.formats.rst.trace import RstTrace
from inst.trace.event_text import Texts, classic_line, texts_of
from inst.trace.model import EVENT_NAMES, Array, Trace
from inst.trace.rows import Block, Column, Row, block_of
from inst.words.decode import lookup

_COUNTS = "level={level} recType={recType} cpuid={cpuid} incount={incount} outcount={outcount}"

# The lines of the classic viewer; types that are not here print all fields, name=value.
TEMPLATES = {
    "header": "majorVer={majorVer} minorVer={minorVer} {header_str}",
    "pavadiff": "cpuid={cpuid}icontext={icontext} dcontext={dcontext} "
    "pc_pa_va=0x{pc_pa_va:016x} {ea} ea_valid={ea_valid}",
    "trap": "cpuid={cpuid} is_async={is_async} async=={is_async} tl={tl} ttype=0x{ttype:03x} "
    "pstate=0x{pstate:03x} syscall=0x{syscall:04x}",
    "cpu": "cpu={cpu} timestamp=0x{timestamp:x}",
    "preg": "cpuid={cpuid} asi=0x{asiReg:02x} traplevel=0x{traplevel:02x} "
    "traptype=0x{traptype:02x} pstate=0x{pstate:04x} primA=0x{primA:04x} secA=0x{secA:04x} "
    "primD=0x{primD:04x} secD=0x{secD:04x}",
    "patch": "isbegin={isBegin} rewindrecs={rewindrecs} id={id} length={length} descr={descr}",
    "traceinfo": "rtype2={rtype2} level={level} val32={val32} time64={time64}",
    "filemarker": _COUNTS,
    "recnum": _COUNTS,
    "thread": "icontext=0x{icontext:x} tid={tid}",
}

HEX_FROM = 32
"""Fields of at least this many bits print in hexadecimal."""


MEMO = 1 << 16
"""Instructions remembered as text: a loop's body is put together once."""

NAMES = [kind.name for kind in TYPES] + ["context", "unknown"]
"""What `Block.kinds` counts."""
_NUMBERS = {name: number for number, name in enumerate(NAMES)}
_PC_FIELDS, _ADDRESS_FIELDS = ("pc_va", "pc"), ("addr", "va", "address")


def rst_blocks(trace: RstTrace, *, disassembly: bool = True) -> Iterator[Block]:
    """Yield every record as a row; a string that spans records is one row."""
    lines = _Lines(trace, disassembly)
    for batch in trace.batches():
        for start in range(0, len(batch), PART):
            part = RstBatch(batch.first + start, batch.raw[start : start + PART], batch.version)
            yield lines.block(part)
    yield from lines.unfinished()


PART = 4096
"""Records of a block: the first lines should not wait for many."""


class _Lines:
    """What must be remembered from record to record: strings, and threads on cpus."""

    def __init__(self, trace: RstTrace, disassembly: bool) -> None:
        self._trace = trace
        self._disassembly = disassembly
        self._arch: str | None = None
        self._decode: Callable[[int, int], str] = _as_word
        self._known: dict[tuple[int, ...], tuple[str, str]] = {}
        self._string: list[bytes] = []
        self._string_start = 0
        self._threads = trace.threads

    def block(self, batch: RstBatch) -> Block:
        """Return the batch's records as rows: those that begin no unfinished string."""
        self._choose_disassembler()
        codes = batch.raw["rtype"]
        records = np.arange(batch.first, batch.first + len(batch))
        strings: dict[int, str] = {}
        texts = np.flatnonzero((codes == STRCONT) | (codes == STRDESC))
        for row in texts.tolist():
            if self._take_text(batch.first + row, batch.raw[row].tobytes()):
                whole = b"".join(self._string)
                strings[row], self._string = whole.decode("utf-8", "backslashreplace"), []
                records[row] = self._string_start
        shown = np.ones(len(batch), "?")
        shown[texts] = False
        shown[list(strings)] = True
        rows = np.flatnonzero(shown)
        return self._columns(_Batch(batch, strings, self), records, rows)

    def _columns(self, batch: _Batch, records: Array, rows: Array) -> Block:
        count = len(batch.batch)
        cpu, pc, address = (Column.missing(count) for _ in range(3))
        kinds = np.full(count, _NUMBERS["unknown"])
        for kind, some in _by_type(batch.batch, np.arange(count)):
            kinds[some] = _number_of(kind, batch.batch.version)
            for column, names in ((cpu, ("cpuid", "cpu")), (pc, _PC_FIELDS),
                                  (address, _ADDRESS_FIELDS)):  # fmt: skip
                _fill(column, batch.batch, kind, names, some)
        raw = batch.batch.raw
        valid = (raw["rtype"] == INSTR) & (raw["flags"] & EA_VALID != 0)
        address.values[valid] = raw["second"][valid]
        address.known[valid] = True
        kinds[list(batch.strings)] = _NUMBERS["strdesc"]
        return Block(
            records[rows],
            kinds[rows],
            NAMES,
            (raw["rtype"] == INSTR)[rows],
            _some(cpu, rows),
            _some(Column(self._thread_column(batch.batch, cpu), cpu.known), rows),
            _some(pc, rows),
            _some(address, rows),
            lambda chosen: batch.texts(rows[chosen]),
            lambda row: batch.fields(int(rows[row])),
        )

    def _thread_column(self, batch: RstBatch, cpu: Column) -> Array:
        """Return the thread on each record's cpu, from CPU and THREAD records."""
        result = self._threads.column(batch, np.arange(len(batch)), cpu.values)
        unnamed = cpu.values > 1023  # a number no thread can have been named for
        result[unnamed] = cpu.values[unnamed]
        return result

    def _choose_disassembler(self) -> None:
        arch = self._trace.facts.arch
        if arch != self._arch:
            self._known.clear()
            self._arch = arch
            if self._disassembly:
                from inst.words.disassemble import disassembler

                self._decode = disassembler(arch)

    def _take_text(self, record: int, raw: bytes) -> bool:
        """Add a part of a string; return whether it is whole."""
        if not self._string:
            self._string_start = record
        self._string.append(string_piece(raw))
        return raw[0] == STRDESC or len(self._string) > 4096

    def unfinished(self) -> Iterator[Block]:
        """Yield the string that the trace ends in, if it does."""
        if self._string:
            text = b"".join(self._string).decode("utf-8", "backslashreplace")
            fields = {"string": text}
            yield block_of([Row(self._string_start, "strcont", f'"{text}"', False, None, None, None,
                                None, lambda: fields)])  # fmt: skip

    def instructions(self, batch: RstBatch, rows: Array) -> list[str]:
        """Return the lines of instruction records; only the address is put in anew."""
        raw = batch.raw[rows]
        flags = raw["flags"].tolist()
        addresses = raw["second"].tobytes().hex()  # big-endian on disk, as it is printed
        known, result = self._known, []
        if len(known) > MEMO:
            known.clear()
        for number, key in enumerate(
            zip(
                flags,
                batch.column("instr", "hpriv", rows).tolist(),
                batch.column("instr", "cpuid", rows).tolist(),
                raw["word"].tolist(),
                raw["first"].tolist(),
                strict=True,
            )
        ):
            parts = known.get(key)
            if parts is None:
                parts = known[key] = self._instruction(*key)
            if key[0] & EA_VALID:
                result.append(f"{parts[0]}{addresses[16 * number : 16 * number + 16]}{parts[1]}")
            else:
                result.append(parts[0])
        return result

    def _instruction(self, flags: int, hpriv: int, cpu: int, word: int, pc: int) -> tuple[str, str]:
        """Return what is printed before and after the address."""
        mode = "h" if hpriv else "p" if flags & PRIVILEGED else "u"
        text = f"cpuid={cpu} {mode} [0x{pc:016x}] {self._decode(word, pc)}"
        if flags & TAKEN:  # some tracers set bt on loads and stores
            what, _ = lookup(np.array([word], "u4"), self._arch or "")
            text += "" if what[0] & 3 else " T"
        suffix = " tr" * (flags >> 5 & 1) + " an" * (flags >> 1 & 1)
        return (f"{text} [0x", f"]{suffix}") if flags & EA_VALID else (text + suffix, "")


def event_name(number: int) -> str:
    """Return what an EVENT is about, in the word that `inst view --as` has for it."""
    return EVENT_NAMES[number] if number < len(EVENT_NAMES) else "other"


class _Batch:
    """The texts and fields of a batch's rows, made when they are asked for."""

    def __init__(self, batch: RstBatch, strings: dict[int, str], lines: _Lines) -> None:
        self.batch, self.strings, self._lines = batch, strings, lines

    def texts(self, rows: Array) -> list[str]:
        result = np.empty(len(self.batch), object)
        for kind, some in _by_type(self.batch, rows):
            if kind is None or kind.code in (STRCONT, STRDESC):
                result[some] = [self._single(row) for row in some.tolist()]
            elif kind.code == INSTR:
                result[some] = self._lines.instructions(self.batch, some)
            else:
                result[some] = self._of_type(kind, some)
        return list(result[rows])

    def _of_type(self, kind: RecordType, rows: Array) -> list[str]:
        template, names = _format(kind)
        if template is None:
            return [self._single(row) for row in rows.tolist()]
        columns = [self.batch.column(kind.name, name, rows).tolist() for name in names]
        if not names:
            return [template] * len(rows)
        texts = [template % values for values in zip(*columns, strict=True)]
        if kind.code == EVENT_RECORD:
            texts = [f"{event_name(n)} {text}" for n, text in zip(columns[0], texts, strict=True)]
        return texts

    def _single(self, row: int) -> str:
        if row in self.strings:
            return f'"{self.strings[row]}"'
        raw = self.batch.raw[row].tobytes()
        kind = type_of(raw[0], raw[1])
        if kind is None:
            return f"rtype={raw[0]} bytes={raw[1:].hex()}"
        return _render(kind, dict(decode(raw, self.batch.version)))

    def fields(self, row: int) -> dict[str, Any]:
        raw = self.batch.raw[row].tobytes()
        if row in self.strings:
            return {"string": self.strings[row]}
        if type_of(raw[0], raw[1]) is None:
            return {"rtype": raw[0], "bytes": raw.hex()}
        return dict(decode(raw, self.batch.version))


def _by_type(batch: RstBatch, rows: Array) -> Iterator[tuple[RecordType | None, Array]]:
    """Yield the rows of each type; those of unknown types with None."""
    raw = batch.raw
    keys = raw["rtype"][rows].astype("u2") << 1 | raw["flags"][rows] >> 7
    for key in np.flatnonzero(np.bincount(keys)).tolist():
        yield type_of(key >> 1, (key & 1) << 7), rows[keys == key]


def _number_of(kind: RecordType | None, version: int) -> int:
    if kind is None:
        return _NUMBERS["unknown"]
    return _NUMBERS["context" if kind.name == "preg" and version < 2005 else kind.name]


def _fill(
    column: Column, batch: RstBatch, kind: RecordType | None, names: tuple[str, ...], rows: Array
) -> None:
    """Put the first of the fields that the type has into its rows."""
    found = {field.name for field in kind.fields} if kind else set()
    for name in names:
        if kind and name in found:
            column.values[rows] = batch.column(kind.name, name, rows)
            column.known[rows] = True
            return


def _some(column: Column, rows: Array) -> Column:
    return Column(column.values[rows], column.known[rows])


def _as_word(word: int, _pc: int) -> str:
    return f"0x{word:08x}"


@cache
def _format(kind: RecordType) -> tuple[str | None, tuple[str, ...]]:
    """Return a % format for the type's lines and its fields; None where one is no number."""
    template = TEMPLATES.get(kind.name) or " ".join(
        f"{field.name}={_placeholder(field)}" for field in kind.fields
    )
    names = tuple(re.findall(r"{(\w+)", template))
    numbers = {field.name for field in kind.fields if not field.text}
    if not numbers.issuperset(names):
        return None, ()
    return re.sub(r"{\w+:?(\w*?)x?}", _percent, template), names


def _percent(match: re.Match[str]) -> str:
    return f"%{match[1]}x" if match[0].endswith("x}") and ":" in match[0] else "%d"


def _placeholder(field: Field) -> str:
    """Return how a field prints: wide ones in hexadecimal, with all their digits."""
    wide = not field.text and field.width >= HEX_FROM and field.name != "tid"
    digits = f"0{16 if field.width > 32 else 8}x"
    return f"0x{{{field.name}:{digits}}}" if wide else f"{{{field.name}}}"


def _render(kind: RecordType, fields: dict[str, Any]) -> str:
    """Return the line of one record."""
    template = TEMPLATES.get(kind.name) or " ".join(
        f"{field.name}={_placeholder(field)}" for field in kind.fields
    )
    ea = f"ea_pa_va=0x{fields.get('ea_pa_va', 0):016x}"
    return template.format(ea=ea if fields.get("ea_valid") else f"(({ea}))", **fields)


def event_texts(trace: Trace) -> Texts:
    """Return what makes lines of a trace's events."""
    return texts_of(trace, classic_line)
