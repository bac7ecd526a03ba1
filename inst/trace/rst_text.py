"""RST records in the line format of the classic viewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from inst.trace.decode import lookup
from inst.trace.model import Array
from inst.trace.rows import Row
from inst.trace.rst import INSTR, STRCONT, STRDESC, RstBatch, RstTrace, decode
from inst.trace.rst_table import SIZE, RecordType, type_of

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
    "thread": "icontext=0x{icontext:x} tid={tid}",
}

HEX_FROM = 32
"""Fields of at least this many bits print in hexadecimal."""


def rst_rows(trace: RstTrace, *, disassembly: bool = True) -> Iterator[Row]:
    """Yield every record as a row; a string that spans records is one row."""
    lines = _Lines(trace, disassembly)
    for batch in trace.batches():
        yield from lines.rows(batch)


class _Lines:
    """What must be remembered from record to record: strings, and threads on cpus."""

    def __init__(self, trace: RstTrace, disassembly: bool) -> None:
        self._trace = trace
        self._disassembly = disassembly
        self._arch: str | None = None
        self._decode: Callable[[int, int], str] = _as_word
        self._string: list[str] = []
        self._string_start = 0
        self._cpu = 0
        self._threads: dict[int, int] = {}

    def rows(self, batch: RstBatch) -> Iterator[Row]:
        self._choose_disassembler()
        codes = batch.raw["rtype"].tolist()
        columns = _instr_columns(batch, self._trace.facts.arch)
        data = batch.tobytes()
        for row, code in enumerate(codes):
            if code == INSTR:
                yield self._instr(batch.first + row, *(column[row] for column in columns))
            elif code in (STRCONT, STRDESC):
                yield from self._text(batch.first + row, data[row * SIZE : row * SIZE + SIZE])
            else:
                raw = data[row * SIZE : row * SIZE + SIZE]
                yield self._other(batch.first + row, raw, batch.version)

    def _choose_disassembler(self) -> None:
        arch = self._trace.facts.arch
        if self._disassembly and arch != self._arch:
            from inst.trace.disassemble import disassembler

            self._arch, self._decode = arch, disassembler(arch)

    def _instr(
        self,
        record: int,
        accesses: int,
        flags: int,
        hpriv: int,
        cpu: int,
        word: int,
        pc: int,
        ea: int,
    ) -> Row:
        mode = "h" if hpriv else "p" if flags & 0x08 else "u"
        text = f"cpuid={cpu} {mode} [0x{pc:016x}] {self._decode(word, pc)}"
        if flags & 0x04 and not accesses:  # some tracers set bt on loads and stores
            text += " T"
        if flags & 0x40:
            text += f" [0x{ea:016x}]"
        if flags & 0x22:
            text += " tr" * (flags >> 5 & 1) + " an" * (flags >> 1 & 1)
        fields = partial(_instr_fields, flags, hpriv, cpu, word, pc, ea)
        address = ea if flags & 0x40 else None
        thread = self._threads.get(cpu, cpu)
        return Row(record, "instr", text, True, cpu, thread, pc, address, fields)

    def _text(self, record: int, raw: bytes) -> Iterator[Row]:
        if not self._string:
            self._string_start = record
        self._string.append(raw[1:].partition(b"\0")[0].decode("utf-8", "replace"))
        if raw[0] == STRDESC or len(self._string) > 4096:
            text, self._string = "".join(self._string), []
            fields: partial[dict[str, Any]] = partial(dict, string=text)
            start = self._string_start
            yield Row(start, "strdesc", f'"{text}"', False, None, None, None, None, fields)

    def _other(self, record: int, raw: bytes, version: int) -> Row:
        kind = type_of(raw[0], raw[1])
        if kind is None:
            unknown: partial[dict[str, Any]] = partial(dict, rtype=raw[0], bytes=raw.hex())
            text = f"rtype={raw[0]} bytes={raw[1:].hex()}"
            return Row(record, "unknown", text, False, None, None, None, None, unknown)
        fields: dict[str, Any] = dict(decode(raw, version))
        cpu = fields.get("cpuid", fields.get("cpu"))
        if kind.name == "cpu":
            self._cpu = fields["cpu"]
        elif kind.name == "thread":
            self._threads[self._cpu] = fields["tid"]
        return Row(
            record,
            "context" if kind.name == "preg" and version < 2005 else kind.name,
            _render(kind, fields),
            False,
            cpu,
            None if cpu is None else self._threads.get(cpu, cpu),
            fields.get("pc_va", fields.get("pc")),
            fields.get("addr", fields.get("va")),
            lambda: fields,
        )


def _as_word(word: int, _pc: int) -> str:
    return f"0x{word:08x}"


def _instr_columns(batch: RstBatch, arch: str) -> list[list[int]]:
    """Return access, flags, hpriv, cpuid, word, pc and ea of every row, as Python numbers."""
    raw: Array = batch.raw
    what, _ = lookup(raw["word"], arch)
    return [
        (what & 3).tolist(),
        raw["flags"].tolist(),
        batch.column("instr", "hpriv").tolist(),
        batch.column("instr", "cpuid").tolist(),
        raw["word"].tolist(),
        raw["first"].tolist(),
        raw["second"].tolist(),
    ]


def _instr_fields(flags: int, hpriv: int, cpu: int, word: int, pc: int, ea: int) -> dict[str, int]:
    return {
        "ea_valid": flags >> 6 & 1,
        "tr": flags >> 5 & 1,
        "hpriv": hpriv,
        "pr": flags >> 3 & 1,
        "bt": flags >> 2 & 1,
        "an": flags >> 1 & 1,
        "cpuid": cpu,
        "instr": word,
        "pc_va": pc,
        "ea_va": ea,
    }


def _render(kind: RecordType, fields: dict[str, Any]) -> str:
    template = TEMPLATES.get(kind.name)
    if template:
        ea = f"ea_pa_va=0x{fields.get('ea_pa_va', 0):016x}"
        return template.format(ea=ea if fields.get("ea_valid") else f"(({ea}))", **fields)
    parts = []
    for field in kind.fields:
        value = fields[field.name]
        wide = not field.text and field.width >= HEX_FROM and field.name != "tid"
        digits = 16 if field.width > 32 else 8
        parts.append(f"{field.name}=0x{value:0{digits}x}" if wide else f"{field.name}={value}")
    return " ".join(parts)
